// Notices the start of the program's exit, and changes the exit status, on POSIX systems.
// base/exit.cpp calls change_exit_status().
#include "base/exit.hpp"

#if defined(__linux__)
#  include <link.h>
#endif
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace leat {
inline namespace v0 {

namespace {

/// Ends the program while exit() runs. Flushes C's streams first, because exit() would have flushed
/// C's streams last.
void end_with(int status) noexcept {
  std::fflush(nullptr);
  ::_exit(status);
}

#if defined(__GLIBC__)
void end_unless_failed(int status, void* wanted) noexcept {
  if (status == 0) end_with(*static_cast<const int*>(wanted));
}
#endif

/// Returns false in a plugin that contains leat. Such a plugin may be about to be unloaded, and the
/// exit status belongs to the program. On systems other than Linux, and in a shared leat, always
/// returns true.
bool is_in_program() noexcept {
#if defined(__linux__) && defined(LEAT_STATIC)
  const auto is_in_first = [](dl_phdr_info* object, std::size_t, void*) {
    const auto own_address = reinterpret_cast<std::uintptr_t>(&is_in_program);
    for (unsigned i = 0; i != object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      if (part.p_type == PT_LOAD && own_address - (object->dlpi_addr + part.p_vaddr) < part.p_memsz)
        return 1;
    }
    return 2;  // the program is the first object
  };
  return ::dl_iterate_phdr(is_in_first, nullptr) != 2;
#else
  return true;
#endif
}

#if defined(__GLIBC__)

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of glibc and GCC
extern "C" int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* dso) noexcept;
extern "C" void* __dso_handle;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// exit() destroys the thread_local objects of its thread first, and then the static objects. So the
// destruction of a thread_local object of the first thread shows that this thread has left main(),
// or has called exit() or pthread_exit().
[[gnu::constructor]] void watch_for_exit() noexcept {
  if (::gettid() == ::getpid() && is_in_program())
    __cxa_thread_atexit_impl([](void*) { note_exit(); }, nullptr,
                             static_cast<void*>(&__dso_handle));
}

#endif

}  // namespace

void change_exit_status(int status) noexcept {
  if (!is_in_program()) return;
#if defined(__GLIBC__)
  // exit() also calls functions that are registered while exit() runs. end_unless_failed() is
  // called last, because all other functions have already been called.
  static int wanted;
  wanted = status;
  if (::on_exit(end_unless_failed, &wanted) == 0) return;
#endif
  end_with(status);
}

}  // namespace v0
}  // namespace leat
