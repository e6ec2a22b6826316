// All of leat for C++.
#pragma once

#include <leat/config.h>
#include <leat/bytes.hpp>
#include <leat/device.hpp>
#include <leat/endian.hpp>
#include <leat/error.hpp>
#include <leat/fields.hpp>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/finder.hpp>
#include <leat/folder.hpp>
#include <leat/follow.hpp>
#include <leat/format.hpp>
#include <leat/iostream.hpp>
#include <leat/lock.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>
#include <leat/options.hpp>
#include <leat/parse.hpp>
#include <leat/path.hpp>
#include <leat/print.hpp>
#include <leat/ranges.hpp>
#include <leat/reader.hpp>
#include <leat/records.hpp>
#include <leat/simulated.hpp>
#include <leat/writer.hpp>
