/* A loop over putc, putc_unlocked, getc and getc_unlocked, at sixteen places of a program that are
 * four bytes apart: the same instructions can take four times as long at one place as at another.
 *
 *   bench_byte_places [DIR]         nanoseconds a byte: least, median and most of the places
 *   bench_byte_places_libc [DIR]    the same by <stdio.h>
 */
#if defined(BYTES_BY_LIBC)
#  include <stdio.h>
#else
#  include <leat/stdio.h>
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { places = 16, repetitions = 5 };
#define BYTES 20000000

/* clang-format off */
#define EACH_PLACE(X) X(0) X(4) X(8) X(12) X(16) X(20) X(24) X(28) X(32) X(36) X(40) X(44) X(48) \
  X(52) X(56) X(60)
/* clang-format on */

#define LOOP(name, place, step)                                                   \
  static __attribute__((__noinline__)) unsigned long name##_at_##place(FILE* f) { \
    unsigned long sum = 0;                                                        \
    __asm__ __volatile__(".rept " #place "\n\tnop\n\t.endr");                     \
    step;                                                                         \
    return sum;                                                                   \
  }
#define PUT(name, place) LOOP(name, place, for (int i = 0; i != BYTES; ++i) name(i & 127, f))
#define GET(name, place) \
  LOOP(name, place, for (int c = name(f); c != EOF; c = name(f)) sum += (unsigned long)c)

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

typedef unsigned long (*loop)(FILE* f);
static const struct {
  const char* name;
  const char* mode;
  loop at[places];
} loops[] = {{"putc", "w", {EACH_PLACE(PUT_LOCKED_NAME)}},
             {"putc_unlocked", "w", {EACH_PLACE(PUT_UNLOCKED_NAME)}},
             {"getc", "r", {EACH_PLACE(GET_LOCKED_NAME)}},
             {"getc_unlocked", "r", {EACH_PLACE(GET_UNLOCKED_NAME)}}};

static FILE* open_or_exit(const char* path, const char* mode) {
  FILE* const f = fopen(path, mode);
  if (f != NULL) return f;
  fprintf(stderr, "cannot open '%s': %s\n", path, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  char path[4096];
  unsigned long sum = 0;
  snprintf(path, sizeof path, "%s/byte_places.tmp", argc > 1 ? argv[1] : ".");
  FILE* file = open_or_exit(path, "w");
  putc_at_0(file);
  if (fclose(file) != 0) return 1;
  for (size_t i = 0; i != sizeof loops / sizeof *loops; ++i) {
    double at[places];
    for (size_t place = 0; place != places; ++place) {
      double times[repetitions];
      for (size_t k = 0; k != repetitions; ++k) {
        file = open_or_exit(*loops[i].mode == 'w' ? "/dev/null" : path, loops[i].mode);
        const double start = now();
        sum += loops[i].at[place](file);
        times[k] = (now() - start) / BYTES;
        fclose(file);
      }
      qsort(times, repetitions, sizeof *times, compare);
      at[place] = times[repetitions / 2];
    }
    qsort(at, places, sizeof *at, compare);
    printf("%-14s %.2f %.2f %.2f\n", loops[i].name, at[0], at[places / 2], at[places - 1]);
  }
  remove(path);
  return sum == 0;
}
