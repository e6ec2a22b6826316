// Search in linear time and constant space, for every needle and every text.
#pragma once

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace search {

/// M. Crochemore, D. Perrin: Two-way string-matching, Journal of the ACM 38 (1991). The needle is
/// cut in two at a critical position: after a mismatch, the shift is at least as long as the
/// compared part.
class two_way {
 public:
  constexpr two_way() = default;
  /// Takes as long as about five comparisons for each byte of the needle. The needle must not be
  /// empty.
  explicit two_way(std::string_view needle) noexcept;

  /// Returns the offset of the first occurrence in the text, or npos. `needle` is the same text as
  /// in the constructor. Adds the number of compared bytes to `work`.
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
