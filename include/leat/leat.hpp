// The headers of leat for C++, except <leat/fstream.hpp> and the headers of components, adapters,
// simulated disks and tests.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>
#include <leat/bytes.hpp>
#include <leat/codec.hpp>
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
#include <leat/formatted.hpp>
#include <leat/iostream.hpp>
#include <leat/journal.hpp>
#include <leat/lock.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>
#include <leat/options.hpp>
#include <leat/parse.hpp>
#include <leat/path.hpp>
#include <leat/print.hpp>
#include <leat/quoted.hpp>
#include <leat/ranges.hpp>
#include <leat/reader.hpp>
#include <leat/records.hpp>
#include <leat/rotating.hpp>
#include <leat/rows.hpp>
#include <leat/scheme.hpp>
#include <leat/split.hpp>
#include <leat/time.hpp>
#include <leat/writer.hpp>
