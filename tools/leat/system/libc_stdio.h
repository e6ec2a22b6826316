/* Includes libc's <stdio.h> for the benchmark loops in C: c_loops_libc.c and byte_addresses_libc.c
 * include this file. On Windows, makes fopen take UTF-8 paths, and defines LEAT_NO_POSIX_STDIO,
 * because the POSIX functions are missing. */
#ifndef LEAT_LIBC_STDIO_H
#define LEAT_LIBC_STDIO_H

#include <stdio.h>

#ifdef _WIN32
#  include <windows.h>

#  define LEAT_NO_POSIX_STDIO
#  define fopen open_utf8

/* Microsoft's fopen takes paths in the machine's code page. */
static FILE* open_utf8(const char* path, const char* mode) {
  wchar_t wide_path[MAX_PATH], wide_mode[8];
  const int most = (int)(sizeof wide_mode / sizeof wide_mode[0]);
  if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide_path, MAX_PATH) == 0 ||
      MultiByteToWideChar(CP_UTF8, 0, mode, -1, wide_mode, most) == 0)
    return NULL;
  return _wfopen(wide_path, wide_mode);
}
#endif

#endif
