// Searching in linear time and constant space, for every needle and every text.
#pragma once

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace search {

/// M. Crochemore, D. Perrin: Two-way string-matching, Journal of the ACM 38 (1991). The needle is
/// cut in two at a critical place: after a mismatch, the shift is never shorter than the part
/// compared.
class two_way {
 public:
  constexpr two_way() = default;
  /// Takes time for some five times the size of the needle. The needle must not be empty.
  explicit two_way(std::string_view needle) noexcept;

  /// Offset of the first occurrence in the text, or npos. Adds to `work` the bytes it compared.
  std::size_t find(std::string_view needle, std::string_view text,
                   std::size_t& work) const noexcept;

 private:
  std::size_t cut_ = 0;
  std::size_t shift_ = 0;  // 0: not prepared yet
  bool periodic_ = false;
};

}  // namespace search
}  // namespace v0
}  // namespace leat
