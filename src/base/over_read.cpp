// Finds out whether the program runs under Valgrind. over_read.hpp uses the result.
#include "base/over_read.hpp"

#include <cstdint>

namespace leat {
inline namespace v0 {

namespace {

/// Returns true under Valgrind, by the client request RUNNING_ON_VALGRIND of valgrind.h. Without
/// Valgrind, the instructions of the request do nothing.
bool ask_valgrind() noexcept {
#if defined(__x86_64__) && defined(__LP64__)
  const std::uint64_t request[6] = {0x1001};
  std::uint64_t answer = 0;
  __asm__ volatile(
      "rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(request)
      : "cc", "memory");
  return answer != 0;
#else
  return false;
#endif
}

}  // namespace

bool is_run_by_valgrind = ask_valgrind();

}  // namespace v0
}  // namespace leat
