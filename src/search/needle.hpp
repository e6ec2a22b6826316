// One needle, and what has been learnt about searching for it.
#pragma once

#include "search/kernels.hpp"
#include "search/two_way.hpp"

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

class finder;

namespace search {

/// Looks for the needle's rarest bytes, and compares the whole needle where they are. Which are
/// rare a table says first. When too many candidates fail, more bytes are chosen, by the text at
/// hand; when that is no better, a stretch of the text is searched in linear time and then the
/// choice repeated. So any needle and any text take time in proportion to the bytes searched, all
/// calls together. Allocates nothing; belongs to one thread at a time.
class needle {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// The empty needle.
  constexpr needle() = default;
  /// The text has to stay where it is as long as this is used.
  explicit needle(std::string_view text) noexcept;

  std::string_view text() const noexcept { return {pattern_.data, pattern_.size}; }
  /// The text has been copied: the same bytes are there now.
  void relocate(const char* text) noexcept { pattern_.data = text; }

  /// Offset of the first occurrence at or after `from`, or npos. Successive calls may have
  /// successive windows of a longer text; the last size() - 1 bytes of one belong before the next.
  std::size_t find(std::string_view text, std::size_t from = 0) noexcept;

  /// Bytes that all calls so far have passed or compared. Tests bound it: it grows like the time.
  std::size_t work() const noexcept { return work_; }

 private:
  /// Chooses the bytes to look for: the lowest scores.
  template <class Score>
  void choose(const Score& score) noexcept;
  void choose_by_text(std::string_view text, std::size_t at) noexcept;
  void tire(std::string_view text, std::size_t at) noexcept;

  pattern pattern_{};
  std::size_t stage_ = 0, probes_ = 0;
  std::size_t credit_ = 0;
  /// The starts that are still to be searched in linear time.
  std::size_t slow_ = 0;
  std::size_t work_ = 0;
  bool prepared_ = false;
  two_way two_way_;
};

}  // namespace search

/// The needle inside of a finder, for the reader.
struct finder_access {
  static search::needle& needle(finder& f) noexcept;
};

}  // namespace v0
}  // namespace leat
