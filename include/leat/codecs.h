/* Compressed files for leat_open: gzip, zstd, lz4 and xz.
 *
 * With this header, leat_open and all of leat for C++ decode and encode files, in the whole
 * program, if the options request it; link leat_codecs. See docs/compressed.md. */
#ifndef LEAT_CODECS_H
#define LEAT_CODECS_H

#include <leat/config.h>

/* NOLINTBEGIN(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming): it
 * is C */

#ifdef __cplusplus
extern "C" {
#endif

/** Registers the codecs. May be called several times. */
LEAT_API void leat_codecs_register(void);

static void leat_codecs_included(void) __attribute__((__constructor__, __unused__));
static void leat_codecs_included(void) { leat_codecs_register(); }

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming) */

#endif
