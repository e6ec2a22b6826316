/* Loops in C: the loops of the published experiments, and others. The experiments call these loops.
 * The same code is compiled twice: with libc's <stdio.h> and with <leat/stdio.h>. */
#ifndef LEAT_C_LOOPS_H
#define LEAT_C_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The integers to visit in a file of 32-bit integers, and the method. */
struct c_visits {
  const char* path;
  const char* mode;        /**< of fopen */
  const uint32_t* indices; /**< of the integers to visit */
  size_t count;
  int buffered;          /**< 0: setvbuf(f, NULL, _IONBF, 0) */
  int whence;            /**< SEEK_SET or SEEK_CUR, for the seek to the integer */
  int write_whence;      /**< likewise, for the seek back before the write */
  uint64_t sum;          /**< of the integers read */
  uint64_t* nanoseconds; /**< gets the time of each visit; NULL: the clock is not read */
};

/** Each loop returns 0, or the errno of the failure. A member is NULL if the header lacks the
 * functions that the loop calls. */
struct c_loops {
  int (*print_text)(const char* path, const char* text, size_t count);
  int (*print_ints)(const char* path, const int* first, const int* second, size_t count);
  int (*print_rows)(const char* path, const int* first, const int* second, const double* third,
                    size_t count);
  int (*print_17_digits)(const char* path, const double* numbers, size_t count);
  int (*print_3_decimals)(const char* path, const double* numbers, size_t count);
  /** fprintf(f, "a"), and fflush if `flush` is set. */
  int (*print_a)(const char* path, size_t count, int flush);
  int (*put_bytes)(const char* path, size_t count);
  int (*put_bytes_unlocked)(const char* path, size_t count);
  /** Writes lines after setvbuf with this mode: by fputs, or by fputc if `by_bytes` is set. */
  int (*put_lines)(const char* path, const char* const* lines, size_t count, int mode,
                   int by_bytes);
  int (*get_bytes)(const char* path, uint64_t* sum);
  int (*get_bytes_unlocked)(const char* path, uint64_t* sum);
  /** Opens the memory with fmemopen, and fills it with numbers `rounds` times. */
  int (*fill_memory)(void* memory, size_t size, unsigned rounds, int buffered);
  int (*read_at)(struct c_visits* visits);
  int (*update_at)(struct c_visits* visits);
  /** Sets *digest to a sum over all lines: the first byte of each line, plus 1. */
  int (*lines_by_fgets)(const char* path, uint64_t* digest);
  /** Sets *digest to the same sum as lines_by_fgets. */
  int (*lines_by_getline)(const char* path, uint64_t* digest);
  int (*sum_ints)(const char* path, int64_t* sum);
};

extern const struct c_loops libc_loops;
extern const struct c_loops leat_loops;

#ifdef __cplusplus
}
#endif

#endif
