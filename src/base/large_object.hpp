// Objects that are too large for small thread stacks (16 KiB). The writers and parsers of exact
// numbers use such objects.
#pragma once

#include <cerrno>
#include <memory>
#include <new>

namespace leat {
inline namespace v0 {

template <class T, class Use>
[[gnu::noinline, gnu::cold]] auto with_object_on_stack(const Use& use) {
  T object;
  return use(object);
}

/// Calls use(object) with a new object, and returns the result. The object is on the heap. If the
/// heap has no memory, the object is on the stack, so a lack of memory is no error. The object is
/// default-initialised, not zeroed.
template <class T, class Use>
auto with_large_object(const Use& use) {
  const int saved_errno = errno;
  if (const std::unique_ptr<T> object(new (std::nothrow) T); object != nullptr) return use(*object);
  errno = saved_errno;
  return with_object_on_stack<T>(use);
}

}  // namespace v0
}  // namespace leat
