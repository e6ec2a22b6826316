// The loops that continue short reads and writes. transfer.hpp names the callers.
#include "device/transfer.hpp"

#include <array>
#include <cassert>

namespace leat {
inline namespace v0 {

std::uint64_t write_rest(device& to, std::uint64_t at, std::span<const std::string_view> pieces,
                         std::size_t n, std::error_code& ec, retry_policy policy) noexcept {
  assert(pieces.size() <= max_pieces);
  std::array<std::string_view, max_pieces> left;
  std::size_t first = 0, end = 0;
  for (const auto& piece : pieces)
    if (!piece.empty()) left[end++] = piece;

  std::uint64_t written = 0;
  for (int idle = 0;; n = to.write_at(at + written, {&left[first], end - first}, ec)) {
    written += n;
    if (ec && (!policy.repeats_interrupted || ec != std::errc::interrupted)) return written;
    if (n != 0) idle = 0;
    // Interruptions don't count: signals may come at any rate.
    if (n == 0 && !ec && ++idle == policy.max_idle_calls) {
      ec = errc::no_progress;
      return written;
    }
    for (; first != end && n >= left[first].size(); ++first) n -= left[first].size();
    if (first == end) {
      ec.clear();
      return written;
    }
    left[first].remove_prefix(n);
  }
}

std::uint64_t write_all(device& to, std::uint64_t at, std::span<const std::string_view> pieces,
                        std::error_code& ec, retry_policy policy) noexcept {
  while (!pieces.empty() && pieces.front().empty()) pieces = pieces.subspan(1);
  std::size_t size = 0;
  for (const auto& piece : pieces) size += piece.size();
  if (size == 0) {
    ec.clear();
    return 0;
  }
  const std::size_t n = to.write_at(at, pieces, ec);
  return n == size && !ec ? n : write_rest(to, at, pieces, n, ec, policy);
}

std::size_t read_some(device& from, std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept {
  for (;;) {
    const std::size_t n = from.read_at(at, into, ec);
    if (n != 0) ec.clear();  // the bytes are returned; the next call reports the error
    if (ec != std::errc::interrupted) return n;
  }
}

std::size_t read_all(device& from, std::uint64_t at, std::span<char> into, std::error_code& ec,
                     std::size_t block) noexcept {
  ec.clear();
  std::size_t done = 0;
  for (int idle = 0; done != into.size();) {
    const std::size_t begin = done - done % block;
    const std::size_t n = read_some(from, at + begin, into.subspan(begin), ec);
    if (begin + n > done) {
      done = begin + n;
      idle = 0;
      continue;
    }
    if (ec || n == 0) break;
    // The read got the same part of a block again. Either the file ends here, or the device has
    // returned too few bytes.
    std::error_code unknown;
    const std::uint64_t end = from.size(unknown);
    if (unknown || end <= at + done) break;
    if (++idle == retry_policy{}.max_idle_calls) {
      ec = errc::no_progress;
      break;
    }
  }
  return done;
}

}  // namespace v0
}  // namespace leat
