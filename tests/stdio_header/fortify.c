/* Calls that fit or overflow the caller's memory, or have "%n". `program NUMBER FILE` makes one of
 * these calls. fortify.sh compiles this file with libc's header and with leat's, and compares how
 * the two programs end. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <wchar.h>

static struct {
  char bytes[8];
  char guard[64];
} narrow;
static struct {
  wchar_t characters[8];
  wchar_t guard[64];
} wide;

static int call_vsprintf(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n =
      to == NULL ? vsprintf(narrow.bytes, format, arguments) : vsprintf(to, format, arguments);
  va_end(arguments);
  return n;
}
static int call_vsnprintf(size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(narrow.bytes, size, format, arguments);
  va_end(arguments);
  return n;
}
static int call_vswprintf(size_t size, const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vswprintf(wide.characters, size, format, arguments);
  va_end(arguments);
  return n;
}

/* Writes `text` to the file `path`, and opens a new stream that reads the file. Wide characters
 * need the new stream: a stream that was used for bytes refuses wide characters. If a call fails,
 * ends the program with 3. */
static FILE* reopened_with(const char* path, const char* text) {
  FILE* f = fopen(path, "w");
  if (f == NULL || fputs(text, f) == EOF || fclose(f) != 0) exit(3);
  if ((f = fopen(path, "r")) == NULL) exit(3);
  return f;
}
static FILE* file_with(const char* path, const char* text) {
  FILE* f = fopen(path, "w+");
  if (f == NULL || fputs(text, f) == EOF || fseek(f, 0, SEEK_SET) != 0) exit(3);
  return f;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* const path = argv[2];
  /* Sizes that the compiler does not know. */
  const int n = argc * 10, eight = argc + 5, nine = argc + 6, hundred = argc + 97;
  char* const allocated = (char*)malloc((size_t)eight);
  if (allocated == NULL) return 3;
  int count = 0;
  const struct rlimit none = {0, 0};
  char writable[] = "%s%n";
  wchar_t wide_writable[] = L"%s%n";
  /* No choice of standard declares both gets and GNU's functions such as fgets_unlocked. A call
   * that is left out counts as passed. */
  int ok = 1;
  memset(&narrow, 'y', sizeof narrow);
  memset(&wide, 'y', sizeof wide);
  switch (atoi(argv[1])) {
    case 0:
      ok = fgets(narrow.bytes, n, file_with(path, "a longer line\n")) != NULL;
      break;
    case 1:
      ok = fgets(narrow.bytes, n, file_with(path, "short\n")) != NULL;
      break;
    case 2:
      ok = fgets(narrow.bytes, n, file_with(path, "sixsix\n")) != NULL;
      break;
    case 3:
      ok = fgets(narrow.bytes, n, file_with(path, "sevenes\n")) != NULL;
      break;
    case 4:
      ok = fgets(narrow.bytes, n, file_with(path, "sevenes")) != NULL;
      break;
    case 5:
      ok = fgets(narrow.bytes, n, file_with(path, "")) == NULL;
      break;
    case 6:
      ok = fgets(narrow.bytes, eight, file_with(path, "a longer line\n")) != NULL;
      break;
    case 7:
      ok = fgets(narrow.bytes, argc - 3, file_with(path, "a longer line\n")) == NULL;
      break;
    case 8:
      ok = fread(narrow.bytes, 1, (size_t)n, file_with(path, "short\n")) == 6;
      break;
    case 9:
      ok = fread(narrow.bytes, 1, (size_t)hundred, file_with(path, "short\n")) == 6;
      break;
    case 10:
      ok = fread(narrow.bytes, (size_t)-1 / 2, (size_t)n, file_with(path, "short\n")) == 0;
      break;
    case 11:
      ok = sprintf(narrow.bytes, "%s", argc == 3 ? "a longer text" : "") == 13;
      break;
    case 12:
      ok = sprintf(narrow.bytes, "%.*s", argc + 4, "a longer text") == 7;
      break;
    case 13:
      ok = sprintf(narrow.bytes, "%.*s", argc + 5, "a longer text") == 8;
      break;
    case 14:
      ok = snprintf(narrow.bytes, (size_t)n, "%d", argc) == 1;
      break;
    case 15:
      ok = snprintf(narrow.bytes, (size_t)eight, "%s", "a longer text") == 13;
      break;
    case 16:
      ok = snprintf(narrow.bytes, (size_t)hundred, "%d", argc) == 1;
      break;
    case 17:
      ok = call_vsprintf(NULL, "%s", "a longer text") == 13;
      break;
    case 18:
      ok = call_vsprintf(NULL, "%s", "sevenes") == 7;
      break;
    case 19:
      ok = call_vsnprintf((size_t)nine, "%d", argc) == 1;
      break;
    case 20:
      ok = call_vsnprintf((size_t)eight, "%s", "a longer text") == 13;
      break;
    case 21:
#if !defined(HAS_GETS)
      ok = fgets_unlocked(narrow.bytes, n, file_with(path, "a longer line\n")) != NULL;
#endif
      break;
    case 22:
#if !defined(HAS_GETS)
      ok = fgets_unlocked(narrow.bytes, n, file_with(path, "short\n")) != NULL;
#endif
      break;
    case 23:
      ok = fread_unlocked(narrow.bytes, 1, (size_t)hundred, file_with(path, "short\n")) == 6;
      break;
    case 24:
      ok = fread_unlocked(narrow.bytes, 1, (size_t)eight, file_with(path, "short\n")) == 6;
      break;
    case 25:
      ok = fgetws(wide.characters, n, reopened_with(path, "a longer line\n")) != NULL;
      break;
    case 26:
      ok = fgetws(wide.characters, n, reopened_with(path, "short\n")) != NULL;
      break;
    case 27:
      ok = fgetws(wide.characters, n, reopened_with(path, "sevenes")) != NULL;
      break;
    case 28:
#if !defined(HAS_GETS)
      ok = fgetws_unlocked(wide.characters, n, reopened_with(path, "a longer line\n")) != NULL;
#endif
      break;
    case 29:
      ok = swprintf(wide.characters, (size_t)nine, L"%d", argc) == 1;
      break;
    case 30:
      ok = swprintf(wide.characters, (size_t)eight, L"%d", argc) == 1;
      break;
    case 31:
      ok = call_vswprintf((size_t)nine, L"%d", argc) == 1;
      break;
    case 32:
      ok = call_vswprintf((size_t)eight, L"%d", argc) == 1;
      break;
    case 33:
      ok = fgets(allocated, n, file_with(path, "a longer line\n")) != NULL;
      break;
    case 34:
      ok = fread(allocated, 1, (size_t)n, file_with(path, "short\n")) == 6;
      break;
    case 35:
      ok = snprintf(allocated, (size_t)n, "%d", argc) == 1;
      break;
    case 36:
      ok = fgets(&narrow.bytes[argc], n, file_with(path, "short\n")) != NULL;
      break;
    case 37:
      ok = fread(narrow.bytes, 8, 1, file_with(path, "a longer line\n")) == 1;
      break;
    case 38:
      ok = printf("%s%n", "12", &count) == 2 && count == 2;
      break;
    case 39:
      ok = printf(writable, "12", &count) == 2 && count == 2;
      break;
    case 40:
      ok = fprintf(file_with(path, ""), writable, "12", &count) == 2 && count == 2;
      break;
    case 41:
      ok = sprintf(narrow.bytes, writable, "12", &count) == 2 && count == 2;
      break;
    case 42:
      ok = snprintf(narrow.bytes, (size_t)eight, writable, "12", &count) == 2 && count == 2;
      break;
    case 43:
      ok = call_vsnprintf((size_t)eight, writable, "12", &count) == 2 && count == 2;
      break;
    case 44:
      ok = swprintf(wide.characters, (size_t)eight, wide_writable, "12", &count) == 2 && count == 2;
      break;
    case 45: /* Without a free descriptor the library can't check the format. */
      if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 3;
      ok = printf(writable, "12", &count) == 2 && count == 2;
      break;
#if defined(HAS_GETS)
    case 46:
      stdin = reopened_with(path, "a longer line\n");
      ok = gets(narrow.bytes) != NULL;
      break;
    case 47:
      stdin = reopened_with(path, "sevenes\n");
      ok = gets(narrow.bytes) != NULL;
      break;
#endif
    default:
      return 4; /* there is no call with this number */
  }
  free(allocated);
  /* fortify.sh compares these bytes: only the requested bytes may have changed. */
  if (fwrite(&narrow, sizeof narrow, 1, stdout) != 1 || fwrite(&wide, sizeof wide, 1, stdout) != 1)
    return 5;
  return ok ? 0 : 1;
}
