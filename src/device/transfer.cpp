#include "device/transfer.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace leat {
inline namespace v0 {

std::uint64_t write_all(device& to, std::uint64_t at, std::span<const std::string_view> pieces,
                        std::error_code& ec, patience how) noexcept {
  assert(pieces.size() <= max_pieces);
  std::array<std::string_view, max_pieces> copy{};
  std::copy(pieces.begin(), pieces.end(), copy.begin());
  std::span<std::string_view> left(copy.data(), pieces.size());

  std::uint64_t written = 0;
  int idle = 0;
  for (;;) {
    while (!left.empty() && left.front().empty()) left = left.subspan(1);
    if (left.empty()) {
      ec.clear();
      return written;
    }
    std::size_t n = to.write_at(at + written, left, ec);
    if (ec && (ec != std::errc::interrupted || !how.repeats_interrupted)) return written + n;
    if (n == 0) {
      // Interruptions don't count: signals may come at any rate.
      if (!ec && ++idle == how.idle_calls) {
        ec = errc::no_progress;
        return written;
      }
      continue;
    }
    idle = 0;
    written += n;
    for (auto& piece : left) {
      const std::size_t taken = std::min(n, piece.size());
      piece.remove_prefix(taken);
      n -= taken;
    }
  }
}

std::size_t read_some(device& from, std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept {
  for (;;) {
    const std::size_t n = from.read_at(at, into, ec);
    if (n != 0) ec.clear();  // what was read counts; the next call tells of the error
    if (ec != std::errc::interrupted) return n;
  }
}

std::size_t read_all(device& from, std::uint64_t at, std::span<char> into, std::error_code& ec,
                     std::size_t block) noexcept {
  ec.clear();
  std::size_t done = 0;
  while (done != into.size()) {
    const std::size_t begin = done - done % block;
    const std::size_t n = read_some(from, at + begin, into.subspan(begin), ec);
    if (begin + n <= done) break;  // the end, or an error
    done = begin + n;
  }
  return done;
}

}  // namespace v0
}  // namespace leat
