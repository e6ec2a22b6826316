// Searching for one piece of text again and again.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace leat {
inline namespace v0 {

/// A needle prepared for searching, to be used again. It learns from the texts which bytes of the
/// needle are rare in them, so it belongs to one thread at a time; give each thread a copy. Takes
/// time in proportion to the bytes searched, whatever the needle and the texts.
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

  std::string_view needle() const noexcept;

  /// Offset of the first occurrence in the text at or after `from`, or npos. An empty needle is
  /// found at `from`, up to the end of the text.
  std::size_t find_in(std::string_view text, std::size_t from = 0) noexcept;

 private:
  friend struct finder_access;
  struct state;

  // Null after a move: the empty needle.
  std::unique_ptr<state> state_;
};

}  // namespace v0
}  // namespace leat
