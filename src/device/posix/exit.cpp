#include "base/exit.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace leat {
inline namespace v0 {

namespace {

/// Ends the program in the place of exit(), which would still flush C's streams.
void end_with(int status) noexcept {
  std::fflush(nullptr);
  ::_exit(status);
}

#if defined(__GLIBC__)
void end_unless_failed(int status, void* wanted) noexcept {
  if (status == 0) end_with(*static_cast<const int*>(wanted));
}
#endif

}  // namespace

void change_exit_status(int status) noexcept {
#if defined(__GLIBC__)
  // exit() also calls functions that are registered while it runs: this one comes last.
  static int wanted;
  wanted = status;
  if (::on_exit(end_unless_failed, &wanted) == 0) return;
#endif
  end_with(status);
}

}  // namespace v0
}  // namespace leat
