// The two-way algorithm. Called by needle::find() for difficult texts.
#include "search/two_way.hpp"

#include <algorithm>
#include <cstring>

namespace leat {
inline namespace v0 {
namespace search {
namespace {

struct suffix {
  std::size_t start, period;
};

/// Returns the largest suffix and its period, by the order of the bytes or, if `reverse` is true,
/// by the reverse order.
suffix largest_suffix(std::string_view needle, bool reverse) noexcept {
  suffix best = {0, 1};
  std::size_t rival = 1, same = 0;
  while (rival + same < needle.size()) {
    const auto a = static_cast<unsigned char>(needle[best.start + same]);
    const auto b = static_cast<unsigned char>(needle[rival + same]);
    if (a == b) {
      if (++same == best.period) {
        rival += same;
        same = 0;
      }
    } else if ((b < a) != reverse) {
      rival += same + 1;
      same = 0;
      best.period = rival - best.start;
    } else {
      best = {rival, 1};
      ++rival;
      same = 0;
    }
  }
  return best;
}

}  // namespace

two_way::two_way(std::string_view needle) noexcept {
  const suffix forward = largest_suffix(needle, false), backward = largest_suffix(needle, true);
  const suffix cut = forward.start > backward.start ? forward : backward;
  cut_ = cut.start;
  periodic_ = std::memcmp(needle.data(), needle.data() + cut.period, cut_) == 0;
  shift_ = periodic_ ? cut.period : std::max(cut_, needle.size() - cut_) + 1;
}

std::size_t two_way::find(std::string_view needle, std::string_view text,
                          std::size_t& work) const noexcept {
  const std::size_t size = needle.size();
  std::size_t at = 0;
  std::size_t known = 0;  // the first `known` bytes of the needle are known to match
  while (size <= text.size() && at <= text.size() - size) {
    const char* const start = text.data() + at;
    const std::size_t from = std::max(cut_, known);
    std::size_t i = from;
    while (i != size && needle[i] == start[i]) ++i;
    work += i - from + 1;
    if (i != size) {
      at += i - cut_ + 1;
      known = 0;
      continue;
    }
    i = std::max(cut_, known);
    while (i > known && needle[i - 1] == start[i - 1]) --i;
    work += std::max(cut_, known) - i + 1;
    if (i <= known) return at;
    at += shift_;
    known = periodic_ ? size - shift_ : 0;
  }
  return std::string_view::npos;
}

}  // namespace search
}  // namespace v0
}  // namespace leat
