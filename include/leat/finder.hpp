// Repeated search for one text: class finder; and count.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

/// Returns how often a byte occurs in a text: for example '\n', to count lines.
///
/// @par Time
/// About the time of reading the text from memory.
LEAT_API std::size_t count(std::string_view text, char byte) noexcept;

/// A needle prepared for many searches. A finder learns which bytes of the needle are rare in the
/// searched texts.
///
/// @par Time
/// Linear in the bytes searched, for every needle and every text.
///
/// @par Threads
/// One thread at a time may use a finder, because a finder adapts to the texts. Give each
/// thread a copy.
class LEAT_API finder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// Copies the needle.
  explicit finder(std::string_view needle);
  finder(const finder&);
  finder(finder&&) noexcept;
  finder& operator=(const finder&);
  finder& operator=(finder&&) noexcept;
  ~finder();

  /// The text to search for.
  std::string_view needle() const noexcept;

  /// Offset of the first occurrence in the text at or after `from`, or npos. If `from` is not after
  /// the end of the text, an empty needle is found at `from`.
  std::size_t find_in(std::string_view text, std::size_t from = 0) noexcept;

 private:
  friend struct finder_access;
  struct state;

  state* state_;  // owned; null: the empty needle, as after a move
};

}  // namespace v0
}  // namespace leat
