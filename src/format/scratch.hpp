// Who uses the memory that scratch() gives.
#pragma once

namespace leat {
inline namespace v0 {
namespace detail {

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
