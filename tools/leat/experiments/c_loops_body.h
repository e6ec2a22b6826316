/* The loops of c_loops.h. c_loops_leat.c and c_loops_libc.c include this file after a <stdio.h>.
 * LEAT_NO_POSIX_STDIO omits the loops that call POSIX functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiments/c_loops.h"
#include "system/long_seek.h"

/* Opens a file. Sets *error to 0. If fopen fails, sets *error to errno, and returns NULL. */
static FILE* open_file(const char* path, const char* mode, int* error) {
  errno = 0;
  FILE* const f = fopen(path, mode);
  *error = f != NULL ? 0 : errno;
  return f;
}

/* Closes a file. Returns 0, or an errno if the close or an earlier call failed. */
static int close_file(FILE* f) {
  const int failed = ferror(f);
  if (fclose(f) == 0 && !failed) return 0;
  return errno != 0 ? errno : EIO;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are parameters and calls */
/* Defines a function that makes a file by repeating a call. */
#define LEAT_WRITE_LOOP(name, parameters, call)    \
  static int name parameters {                     \
    int error;                                     \
    FILE* const f = open_file(path, "wb", &error); \
    if (f == NULL) return error;                   \
    for (size_t i = 0; i < count; ++i) call;       \
    return close_file(f);                          \
  }
LEAT_WRITE_LOOP(print_text, (const char* path, const char* text, size_t count),
                fprintf(f, "%s\n", text))
LEAT_WRITE_LOOP(print_ints, (const char* path, const int* first, const int* second, size_t count),
                fprintf(f, "%d,%d\n", first[i], second[i]))
LEAT_WRITE_LOOP(print_rows,
                (const char* path, const int* first, const int* second, const double* third,
                 size_t count),
                fprintf(f, "%d,%d,%.3f\n", first[i], second[i], third[i]))
LEAT_WRITE_LOOP(print_17_digits, (const char* path, const double* numbers, size_t count),
                fprintf(f, "%.17g\n", numbers[i]))
LEAT_WRITE_LOOP(print_3_decimals, (const char* path, const double* numbers, size_t count),
                fprintf(f, "%.3f\n", numbers[i]))
LEAT_WRITE_LOOP(put_bytes, (const char* path, size_t count), fputc('a', f))

static int print_a(const char* path, size_t count, int flush) {
  int error;
  FILE* const f = open_file(path, "wb", &error);
  if (f == NULL) return error;
  if (flush) {
    for (size_t i = 0; i < count; ++i) {
      fprintf(f, "a");
      if (fflush(f) != 0) break;
    }
  } else {
    for (size_t i = 0; i < count; ++i) fprintf(f, "a");
  }
  return close_file(f);
}

static int put_lines(const char* path, const char* const* lines, size_t count, int mode,
                     int by_bytes) {
  int error;
  FILE* const f = open_file(path, "wb", &error);
  if (f == NULL) return error;
  setvbuf(f, NULL, mode, BUFSIZ);
  for (size_t i = 0; i < count; ++i) {
    if (!by_bytes)
      fputs(lines[i], f);
    else
      for (const char* c = lines[i]; *c != '\0'; ++c) fputc(*c, f);
  }
  return close_file(f);
}

/* Defines a function that reads a file to its end by repeating a call. */
#define LEAT_SUM_LOOP(name, call)                         \
  static int name(const char* path, uint64_t* sum) {      \
    int error;                                            \
    FILE* const f = open_file(path, "rb", &error);        \
    if (f == NULL) return error;                          \
    uint64_t total = 0;                                   \
    for (int c; (c = call) != EOF;) total += (unsigned)c; \
    *sum = total;                                         \
    return close_file(f);                                 \
  }
/* NOLINTEND(bugprone-macro-parentheses) */
LEAT_SUM_LOOP(get_bytes, fgetc(f))

#ifndef LEAT_NO_POSIX_STDIO
LEAT_WRITE_LOOP(put_bytes_unlocked, (const char* path, size_t count), putc_unlocked('a', f))
LEAT_SUM_LOOP(get_bytes_unlocked, getc_unlocked(f))

static int fill_memory(void* memory, size_t size, unsigned rounds, int buffered) {
  FILE* const f = fmemopen(memory, size, "w");
  if (f == NULL) return errno;
  if (!buffered) setbuf(f, NULL); /* NOLINT(bugprone-unsafe-functions): as published */
  for (unsigned j = 0; j < rounds; ++j) {
    for (uint32_t i = 0; i < size / sizeof i; ++i) fwrite(&i, sizeof i, 1, f);
    rewind(f); /* NOLINT(bugprone-unsafe-functions): as published */
  }
  return close_file(f);
}
#endif

static FILE* open_to_visit(const struct c_visits* visits, int* error) {
  FILE* const f = open_file(visits->path, visits->mode, error);
  if (f != NULL && !visits->buffered) setvbuf(f, NULL, _IONBF, 0);
  return f;
}

/* Seeks to the integer with the index `target`. `current` is the index of the integer at the
 * stream's position. */
static int seek_to(FILE* f, uint32_t target, uint32_t current, int whence) {
  const seek_offset size = sizeof(int32_t);
  return whence == SEEK_SET
             ? fseek(f, (seek_offset)target * size, SEEK_SET)
             : fseek(f, ((seek_offset)target - (seek_offset)current) * size, SEEK_CUR);
}

static uint64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int read_at(struct c_visits* visits) {
  int error;
  FILE* const f = open_to_visit(visits, &error);
  if (f == NULL) return error;
  uint64_t sum = 0;
  uint32_t current = 0;
  for (size_t i = 0; i < visits->count; ++i) {
    uint32_t value = 0;
    const uint64_t start = visits->nanoseconds != NULL ? clock_now() : 0;
    if (seek_to(f, visits->indices[i], current, visits->whence) != 0) break;
    if (fread(&value, sizeof value, 1, f) != 1) break;
    current = visits->indices[i] + 1;
    sum += value;
    if (visits->nanoseconds != NULL) visits->nanoseconds[i] = clock_now() - start;
  }
  visits->sum = sum;
  return close_file(f);
}

static int update_at(struct c_visits* visits) {
  int error;
  FILE* const f = open_to_visit(visits, &error);
  if (f == NULL) return error;
  uint64_t sum = 0;
  uint32_t current = 0;
  for (size_t i = 0; i < visits->count; ++i) {
    const uint32_t target = visits->indices[i];
    uint32_t value = 0;
    const uint64_t start = visits->nanoseconds != NULL ? clock_now() : 0;
    if (seek_to(f, target, current, visits->whence) != 0) break;
    if (fread(&value, sizeof value, 1, f) != 1) break;
    current = target + 1;
    sum += value;
    ++value;
    if (seek_to(f, target, current, visits->write_whence) != 0) break;
    if (fwrite(&value, sizeof value, 1, f) != 1) break;
    if (visits->nanoseconds != NULL) visits->nanoseconds[i] = clock_now() - start;
  }
  visits->sum = sum;
  return close_file(f);
}

static int lines_by_fgets(const char* path, uint64_t* digest) {
  int error;
  FILE* const f = open_file(path, "rb", &error);
  if (f == NULL) return error;
  char line[4096];
  uint64_t total = 0;
  while (fgets(line, sizeof line, f) != NULL) total += (unsigned char)line[0] + 1U;
  *digest = total;
  return close_file(f);
}

#ifndef LEAT_NO_POSIX_STDIO
static int lines_by_getline(const char* path, uint64_t* digest) {
  int error;
  FILE* const f = open_file(path, "rb", &error);
  if (f == NULL) return error;
  char* line = NULL;
  size_t size = 0;
  uint64_t total = 0;
  while (getline(&line, &size, f) > 0) total += (unsigned char)line[0] + 1U;
  free(line);
  *digest = total;
  return close_file(f);
}
#endif

static int sum_ints(const char* path, int64_t* sum) {
  int error;
  FILE* const f = open_file(path, "rb", &error);
  if (f == NULL) return error;
  int64_t total = 0;
  for (int value; fscanf(f, "%d", &value) == 1;) total += value;
  *sum = total;
  return close_file(f);
}

#ifdef LEAT_NO_POSIX_STDIO
#  define put_bytes_unlocked NULL
#  define get_bytes_unlocked NULL
#  define fill_memory NULL
#  define lines_by_getline NULL
#endif

#define LEAT_C_LOOPS                                                     \
  {print_text,       print_ints, print_rows,         print_17_digits,    \
   print_3_decimals, print_a,    put_bytes,          put_bytes_unlocked, \
   put_lines,        get_bytes,  get_bytes_unlocked, fill_memory,        \
   read_at,          update_at,  lines_by_fgets,     lines_by_getline,   \
   sum_ints}
