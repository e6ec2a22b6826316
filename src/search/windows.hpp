// Search in a text that is in memory only in part. This part is the window. Used by the readers and
// by leat_find.
#pragma once

#include "search/needle.hpp"

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace search {

/// Moves a window to the next occurrence of the needle. Returns true if the window begins with the
/// needle, and false if no more bytes came and the window is shorter than the needle.
///
/// The needle may begin in one window and end in the next window. So if the needle has n bytes, the
/// window keeps its last n - 1 bytes. For example, if "abc" is wanted, "ab" stays until more bytes
/// arrive.
///
/// The window has three functions: text() returns the window's bytes; drop(n) drops the first n
/// bytes; fill(n) appends bytes until the window has n or more, and returns false if fewer bytes
/// are left.
template <class Window>
bool find_in_windows(needle& wanted, Window& window) {
  const std::size_t size = wanted.text().size();
  for (;;) {
    const std::string_view text = window.text();
    if (text.size() < size) {
      if (!window.fill(size)) return false;
      continue;
    }
    const std::size_t at = wanted.find(text);
    if (at != needle::npos) {
      window.drop(at);
      return true;
    }
    window.drop(text.size() - (size - 1));
  }
}

}  // namespace search
}  // namespace v0
}  // namespace leat
