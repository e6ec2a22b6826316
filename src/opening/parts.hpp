// Divides a file into parts that end after a delimiter, for reading the parts in parallel. Called
// by leat::split() and by leat_split() of stdio/open.cpp.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <cstddef>
#include <memory>
#include <system_error>
#include <vector>

#include "device/options.hpp"

namespace leat {
inline namespace v0 {

/// Opens devices over parts of about the same size: at least one part, and at most `count` and
/// 65,536. If the size of the file is unknown, for example in /proc, opens one part. The devices
/// share one opening of the file. A part ends after a delimiter or at the file's end. On failure,
/// for example if the file has no positions, sets `ec` and returns no device. Throws
/// std::bad_alloc.
std::vector<std::unique_ptr<device>> open_parts(path_ref path, std::size_t count, char delimiter,
                                                const options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat
