// Memory that a test shares with its children.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace leat_test {

/// Returns a new T in memory that is shared with processes forked later, and is never freed. If
/// there is no memory, throws std::system_error.
template <class T>
T& shared_with_children() {
  void* const mapped =
      ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return *new (mapped) T{};
}

}  // namespace leat_test
