// The ends of lines that a FILE has found in advance. lines.cpp fills the list.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace stdio {

/// The ends of the next lines in the buffer, found in advance. So the search for a line's end does
/// not depend on the line before.
struct line_ends {
  static constexpr std::uint16_t none = 0xffff;  // terminates `offsets`

  /// Empties the list. `at`: the end of the line read last; null: unknown.
  void restart(const char* at) noexcept {
    next = text = at;
    used = 0;
    offsets[0] = none;
  }
  /// Empties the list, because the bytes may have changed.
  void forget() noexcept { restart(nullptr); }

  const char* next = nullptr;  // the list is valid only while f.get equals `next`
  const char* text = nullptr;  // `offsets` are offsets from `text`
  std::size_t used = 0;        // entries of lines already taken
  std::uint16_t offsets[512]{none};
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
