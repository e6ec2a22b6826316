// Searching a text of which a program sees one window at a time.
#pragma once

#include "search/needle.hpp"

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace search {

/// Moves a window to the next place of the needle. True: the window begins with the needle.
/// False: no more bytes came, and the window has fewer than the needle.
///
/// A needle may begin in one window and end in the next one, so the window keeps its last
/// size - 1 bytes: "ab" stays where "abc" is wanted, until the next bytes say whether it was one.
///
/// The window has three functions: text() returns its bytes; pass(n) gives up the first n;
/// more(n) adds bytes behind those that are there, up to n in all or more, and returns false if
/// that failed.
template <class Window>
bool find_in_windows(needle& wanted, Window& window) {
  const std::size_t size = wanted.text().size();
  for (;;) {
    const std::string_view text = window.text();
    if (text.size() < size) {
      if (!window.more(size)) return false;
      continue;
    }
    const std::size_t at = wanted.find(text);
    if (at != needle::npos) {
      window.pass(at);
      return true;
    }
    window.pass(text.size() - (size - 1));
  }
}

}  // namespace search
}  // namespace v0
}  // namespace leat
