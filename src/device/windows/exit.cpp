// Changes the exit status of the program on Windows, by ending the program at once. base/exit.cpp
// calls change_exit_status().
#include "base/exit.hpp"

#include <cstdio>

#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

void change_exit_status(int status) noexcept {
  std::fflush(nullptr);
  // ExitProcess must not be called while libraries are being detached.
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(status));
}

}  // namespace v0
}  // namespace leat
