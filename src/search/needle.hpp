// A needle and the state of the search for this needle. Used by leat::finder, the readers and
// leat_find.
#pragma once

#include "search/kernels.hpp"
#include "search/two_way.hpp"

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

class finder;

namespace search {

/// Looks for the rarest bytes of the needle, and compares the whole needle where all of them are
/// found. At first a table decides which bytes are rare. If too many candidates fail, counts of the
/// current text choose more bytes. If the new bytes do not help, the next stretch of the text is
/// searched in linear time, and then bytes are chosen again. So the time of all calls is
/// proportional to the bytes searched, for every needle and every text. Allocates nothing. One
/// thread at a time may use a needle.
class needle {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// The empty needle.
  constexpr needle() = default;
  /// The caller keeps the text, at the same address, as long as the needle is used.
  explicit needle(std::string_view text) noexcept;

  std::string_view text() const noexcept { return {pattern_.data, pattern_.size}; }
  /// Makes the needle use the copy of its text at the address `text`.
  void relocate(const char* text) noexcept { pattern_.data = text; }

  /// Returns the offset of the first occurrence at or after `from`, or npos. Successive calls may
  /// search successive parts of a longer text. Then each part must begin with the last n - 1 bytes
  /// of the part before it, for a needle of n bytes.
  std::size_t find(std::string_view text, std::size_t from = 0) noexcept;

  /// Returns how many bytes all calls so far have passed or compared, including preparations. The
  /// time is proportional to this number, and tests check the number's bound.
  std::size_t work() const noexcept { return work_; }

 private:
  /// Chooses the bytes with the lowest scores.
  template <class Score>
  void choose(const Score& score) noexcept;
  void choose_by_text(std::string_view text, std::size_t at) noexcept;
  void change_strategy(std::string_view text, std::size_t at) noexcept;

  pattern pattern_{};
  std::size_t stage_ = 0, probe_count_ = 0;
  std::size_t credit_ = 0;
  /// The number of starts that are still to be searched in linear time.
  std::size_t linear_left_ = 0;
  std::size_t work_ = 0;
  bool two_way_prepared_ = false;
  two_way two_way_;
};

}  // namespace search

/// Access to the needle of a finder, for the reader.
struct finder_access {
  static search::needle& needle(finder& f) noexcept;
};

}  // namespace v0
}  // namespace leat
