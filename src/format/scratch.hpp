// Memory for output that cannot be formatted in the buffer of a stream. print uses this memory.
#pragma once

#include <cstddef>

namespace leat {
inline namespace v0 {
namespace detail {

/// Returns memory of scratch_room bytes for the output of a call, or null if `size` is larger or
/// the memory is in use. The memory belongs to the thread, and the thread's next call of scratch()
/// may return the same memory.
char* scratch(std::size_t size) noexcept;
inline constexpr std::size_t scratch_room = 1024;

/// While an object lives, the thread's scratch memory holds output, and scratch() returns null.
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
