// Searching for one piece of text again and again.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

/// How often a byte is in a text: the fields of a row, the lines of a window.
///
/// @par Time
/// Of the order of reading the text from memory.
LEAT_API std::size_t count(std::string_view text, char byte) noexcept;

/// A needle prepared to be searched for many times. It learns which bytes of the needle are rare in
/// the texts that it has searched.
///
/// @par Time
/// In proportion to the bytes searched, for every needle and every text.
///
/// @par Threads
/// One at a time, because it learns. Give each thread a copy.
class LEAT_API finder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// Keeps a copy of the needle.
  explicit finder(std::string_view needle);
  finder(const finder&);
  finder(finder&&) noexcept;
  finder& operator=(const finder&);
  finder& operator=(finder&&) noexcept;
  ~finder();

  /// The text that it searches for.
  std::string_view needle() const noexcept;

  /// Offset of the first occurrence in the text at or after `from`, or npos. An empty needle is
  /// found at `from`, unless `from` is behind the end of the text.
  std::size_t find_in(std::string_view text, std::size_t from = 0) noexcept;

 private:
  friend struct finder_access;
  struct state;

  state* state_;  // owned; null means the empty needle, as after a move
};

}  // namespace v0
}  // namespace leat
