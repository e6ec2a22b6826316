// Changes the exit status of the program, on Windows: ends the program at once.
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
