// The loops over a device's calls. A call may read or write less than it was asked for, and then
// the loop continues. Only two others have such a loop: the request queues, whose calls end in any
// order, and direct/read_batch.cpp, which reads the blocks around the wanted bytes.
#pragma once

#include <leat/device.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// One transfer has at most this many pieces: the bytes of a window, and bytes that bypass it.
inline constexpr std::size_t max_pieces = 2;

/// What write_all does about calls that write nothing.
struct patience {
  /// True: repeats interrupted calls, however many. False: ends with `interrupted`.
  bool repeats_interrupted = true;
  /// After so many calls in a row that wrote nothing and gave no error, it ends with no_progress.
  int idle_calls = 100;
};

/// Writes all the pieces at `at`: continues short writes, and repeats calls as long as its patience
/// lasts. Returns how many bytes the device has taken: all of them unless `ec` is set.
std::uint64_t write_all(device& to, std::uint64_t at, std::span<const std::string_view> pieces,
                        std::error_code& ec, patience how = {}) noexcept;

/// Reads once at `at`, up to into.size() bytes; repeats interrupted calls. 0 without an error is
/// the end.
std::size_t read_some(device& from, std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept;

/// Reads up to into.size() bytes, until the memory is full or the end is reached. A short read is
/// continued at the start of the block where it stopped, for devices that want whole blocks. If the
/// device stops there again and again, before the end of the file, that is no_progress. Returns how
/// many bytes; fewer without an error is the end.
std::size_t read_all(device& from, std::uint64_t at, std::span<char> into, std::error_code& ec,
                     std::size_t block = 1) noexcept;

}  // namespace v0
}  // namespace leat
