/* fseek beyond 2 GiB on 64-bit systems, including Windows, for the benchmark loops in C. Include a
 * <stdio.h> before this file. */
#ifndef LEAT_LONG_SEEK_H
#define LEAT_LONG_SEEK_H

#ifdef _WIN32
typedef long long seek_offset; /* long has 32 bits on Windows */
#  define fseek _fseeki64
#else
typedef long seek_offset;
#endif

#endif
