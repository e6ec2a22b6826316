/* Loops over putc, putc_unlocked, getc and getc_unlocked, at sixteen code addresses: the same
 * instructions can take four times as long at one address as at another address. Neighbouring
 * addresses are four nops apart: 4 bytes on x86-64, 16 bytes on Arm64. byte_addresses_leat.c and
 * byte_addresses_libc.c include this file after a <stdio.h>. */
#include "experiments/loops/byte_addresses.h"

/* clang-format off */
#define EACH_ADDRESS(X) X(0) X(4) X(8) X(12) X(16) X(20) X(24) X(28) X(32) X(36) X(40) X(44) X(48) \
  X(52) X(56) X(60)
/* clang-format on */

#define LOOP(name, address, work)                                                                 \
  static __attribute__((__noinline__)) unsigned long name##_at_##address(FILE* f, size_t count) { \
    unsigned long sum = 0;                                                                        \
    __asm__ __volatile__(".rept " #address "\n\tnop\n\t.endr");                                   \
    work;                                                                                         \
    return sum;                                                                                   \
  }
#define PUT(name, address) \
  LOOP(name, address, for (size_t i = 0; i != count; ++i) name((int)(i & 127), f))
#define GET(name, address)         \
  LOOP(name, address, (void)count; \
       for (int c = name(f); c != EOF; c = name(f)) sum += (unsigned long)c)

#define PUT_LOCKED(address) PUT(putc, address)
#define PUT_UNLOCKED(address) PUT(putc_unlocked, address)
#define GET_LOCKED(address) GET(getc, address)
#define GET_UNLOCKED(address) GET(getc_unlocked, address)
EACH_ADDRESS(PUT_LOCKED)
EACH_ADDRESS(PUT_UNLOCKED)
EACH_ADDRESS(GET_LOCKED)
EACH_ADDRESS(GET_UNLOCKED)

#define PUT_LOCKED_NAME(address) putc_at_##address,
#define PUT_UNLOCKED_NAME(address) putc_unlocked_at_##address,
#define GET_LOCKED_NAME(address) getc_at_##address,
#define GET_UNLOCKED_NAME(address) getc_unlocked_at_##address,

typedef unsigned long (*loop)(FILE* f, size_t count);
static const loop loops[][code_addresses] = {{EACH_ADDRESS(PUT_LOCKED_NAME)},
                                             {EACH_ADDRESS(PUT_UNLOCKED_NAME)},
                                             {EACH_ADDRESS(GET_LOCKED_NAME)},
                                             {EACH_ADDRESS(GET_UNLOCKED_NAME)}};

static int run_loop(int function, int address, const char* path, size_t count) {
  FILE* const f = fopen(path, function < 2 ? "w" : "r");
  if (f == NULL) return 1;
  const unsigned long sum = loops[function][address](f, count);
  return fclose(f) != 0 || (function >= 2 && sum == 0);
}
