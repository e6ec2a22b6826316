// The loops over a device's calls. If a call reads or writes less than requested, the loop
// continues. Devices, the functions that open files, streams, logs, journals and random access call
// these functions. src/device has two other places with such loops: the request queues, whose calls
// end in any order, and direct/read_batch.cpp, which reads the blocks around the wanted bytes. The
// codecs and src/recovery have their own loops.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// One transfer has at most this many pieces: the bytes of a buffer, and bytes that bypass the
/// buffer.
inline constexpr std::size_t max_pieces = 2;

/// How write_all handles interrupted calls, and calls that write nothing.
struct retry_policy {
  /// True: repeats interrupted calls without limit. False: ends with `interrupted`.
  bool repeats_interrupted = true;
  /// After this many calls in a row that wrote nothing and gave no error, ends with no_progress.
  int max_idle_calls = 100;
};

/// Writes all the pieces, at most max_pieces, at `at`. Continues short writes, and repeats calls as
/// `policy` says. Returns the number of bytes that the device has taken. Without an error, the
/// device has taken all bytes.
std::uint64_t write_all(device& to, std::uint64_t at, std::span<const std::string_view> pieces,
                        std::error_code& ec, retry_policy policy = {}) noexcept;

/// Continues after a first call that has written `n` bytes of the pieces, or has failed with `ec`.
/// Returns the number of bytes that the device has taken in all calls.
[[gnu::noinline]] std::uint64_t write_rest(device& to, std::uint64_t at,
                                           std::span<const std::string_view> pieces, std::size_t n,
                                           std::error_code& ec, retry_policy policy) noexcept;

/// write_all() of one piece, which is not empty.
inline std::uint64_t write_all(device& to, std::uint64_t at, std::string_view piece,
                               std::error_code& ec, retry_policy policy) noexcept {
  const std::size_t n = to.write_at(at, {&piece, 1}, ec);
  return n == piece.size() && !ec ? n : write_rest(to, at, {&piece, 1}, n, ec, policy);
}

/// write_all() of two pieces, each of which may be empty.
inline std::uint64_t write_all(device& to, std::uint64_t at, std::string_view first,
                               std::string_view second, std::error_code& ec,
                               retry_policy policy = {}) noexcept {
  return first.empty() != second.empty()
             ? write_all(to, at, first.empty() ? second : first, ec, policy)
             : write_all(to, at, std::array{first, second}, ec, policy);
}

/// Reads once at `at`, up to into.size() bytes. Repeats interrupted calls. Returns the number of
/// bytes. On failure sets `ec` and returns 0. A result of 0 without an error means the end.
std::size_t read_some(device& from, std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept;

/// Reads until the memory is full, the end is reached, or a read fails. Continues a short read at
/// the start of the block where the read stopped, for devices that need whole blocks. If 100 reads
/// in a row add no byte, although the file has more bytes, fails with no_progress. Returns the
/// number of bytes. Fewer than into.size() bytes without an error mean the end.
std::size_t read_all(device& from, std::uint64_t at, std::span<char> into, std::error_code& ec,
                     std::size_t block = 1) noexcept;

}  // namespace v0
}  // namespace leat
