// Memory for output that can't be formatted in the window.
#pragma once

#include <cstddef>

namespace leat {
inline namespace v0 {
namespace detail {

/// Memory for the output of a call: of scratch_room bytes.
/// Null if `size` is more, or if it is in use. It belongs to the thread and is valid until the
/// thread's next call.
char* scratch(std::size_t size) noexcept;
inline constexpr std::size_t scratch_room = 1024;

/// The same as where run_steps() begins. False if there is none.
inline bool begin_in_scratch(std::ptrdiff_t room, char*& begin, char*& limit) noexcept {
  begin = scratch(static_cast<std::size_t>(room));
  if (begin == nullptr) return false;
  limit = begin + scratch_room - room;
  return true;
}

/// While one lives, the thread's scratch memory holds output, and scratch() gives none.
class scratch_in_use {
 public:
  scratch_in_use() noexcept;
  ~scratch_in_use();
  scratch_in_use(const scratch_in_use&) = delete;
  scratch_in_use& operator=(const scratch_in_use&) = delete;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
