/* A replacement of <stdio_ext.h>: the state of a stream's buffer. */
#ifndef LEAT_STDIO_EXT_H
#define LEAT_STDIO_EXT_H

#if defined(_STDIO_EXT_H)
#  error "<leat/stdio_ext.h> must come before <stdio_ext.h>"
#endif
/* NOLINTBEGIN(bugprone-*,modernize-*,readability-*): names and types are libc's */
#define _STDIO_EXT_H 1

#include <leat/stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The argument and result of __fsetlocking. */
enum {
  FSETLOCKING_QUERY = 0, /**< Only asks. */
  FSETLOCKING_INTERNAL,  /**< Each function takes the stream's lock. */
  FSETLOCKING_BYCALLER   /**< No function takes it; the program locks. */
};
#define FSETLOCKING_QUERY FSETLOCKING_QUERY
#define FSETLOCKING_INTERNAL FSETLOCKING_INTERNAL
#define FSETLOCKING_BYCALLER FSETLOCKING_BYCALLER

extern size_t __fbufsize(FILE* file) LEAT_AS(fbufsize);
extern size_t __fpending(FILE* file) LEAT_AS(fpending);
extern int __freading(FILE* file) LEAT_AS(freading);
extern int __fwriting(FILE* file) LEAT_AS(fwriting);
extern int __freadable(FILE* file) LEAT_AS(freadable);
extern int __fwritable(FILE* file) LEAT_AS(fwritable);
extern int __flbf(FILE* file) LEAT_AS(flbf);
extern void __fpurge(FILE* file) LEAT_AS(fpurge);
extern void _flushlbf(void) LEAT_AS(flushlbf);
extern int __fsetlocking(FILE* file, int type) LEAT_AS(fsetlocking);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(bugprone-*,modernize-*,readability-*) */

#endif
