// The two-way algorithm: search in linear time and constant space, for every needle and every text.
// Called by needle::find().
#pragma once

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace search {

/// M. Crochemore, D. Perrin: Two-way string-matching, Journal of the ACM 38 (1991). The needle is
/// cut in two at a critical position. The right part is compared first: if its byte i differs, the
/// shift is i + 1. If only the left part differs, the shift is `shift_`: the period of a periodic
/// needle, otherwise more than the longer part. After a shift by the period, the bytes that are
/// known to match are not compared again. For example, "abab" is cut after the first "a", and its
/// period is 2. In "xbab" only the "x" differs: the shift is 2, and 2 bytes are known.
class two_way {
 public:
  constexpr two_way() = default;
  /// Prepares the search. The preparation takes as long as about five comparisons for each byte of
  /// the needle. The needle must not be empty.
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
