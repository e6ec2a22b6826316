/* Loops over putc, putc_unlocked, getc and getc_unlocked, at sixteen code addresses: the same
 * instructions can take four times as long at one address as at another. Neighbouring addresses
 * are four nops apart, which are 4 bytes on x86-64 and 16 bytes on Arm64. Included after a
 * <stdio.h>. */
#include "experiments/loops/byte_addresses.h"

/* clang-format off */
#define EACH_PLACE(X) X(0) X(4) X(8) X(12) X(16) X(20) X(24) X(28) X(32) X(36) X(40) X(44) X(48) \
  X(52) X(56) X(60)
/* clang-format on */

#define LOOP(name, place, step)                                                                 \
  static __attribute__((__noinline__)) unsigned long name##_at_##place(FILE* f, size_t count) { \
    unsigned long sum = 0;                                                                      \
    __asm__ __volatile__(".rept " #place "\n\tnop\n\t.endr");                                   \
    step;                                                                                       \
    return sum;                                                                                 \
  }
#define PUT(name, place) \
  LOOP(name, place, for (size_t i = 0; i != count; ++i) name((int)(i & 127), f))
#define GET(name, place)         \
  LOOP(name, place, (void)count; \
       for (int c = name(f); c != EOF; c = name(f)) sum += (unsigned long)c)

#define PUT_LOCKED(place) PUT(putc, place)
#define PUT_UNLOCKED(place) PUT(putc_unlocked, place)
#define GET_LOCKED(place) GET(getc, place)
#define GET_UNLOCKED(place) GET(getc_unlocked, place)
EACH_PLACE(PUT_LOCKED)
EACH_PLACE(PUT_UNLOCKED)
EACH_PLACE(GET_LOCKED)
EACH_PLACE(GET_UNLOCKED)

#define PUT_LOCKED_NAME(place) putc_at_##place,
#define PUT_UNLOCKED_NAME(place) putc_unlocked_at_##place,
#define GET_LOCKED_NAME(place) getc_at_##place,
#define GET_UNLOCKED_NAME(place) getc_unlocked_at_##place,

typedef unsigned long (*loop)(FILE* f, size_t count);
static const loop loops[][places] = {{EACH_PLACE(PUT_LOCKED_NAME)},
                                     {EACH_PLACE(PUT_UNLOCKED_NAME)},
                                     {EACH_PLACE(GET_LOCKED_NAME)},
                                     {EACH_PLACE(GET_UNLOCKED_NAME)}};

static int run_loop(int which, int place, const char* path, size_t count) {
  FILE* const f = fopen(path, which < 2 ? "w" : "r");
  if (f == NULL) return 1;
  const unsigned long sum = loops[which][place](f, count);
  return fclose(f) != 0 || (which >= 2 && sum == 0);
}
