/* Compressed files: gzip, zstd, lz4 and xz.
 *
 * Including this header enables compression in the whole program: if the options of a call request
 * compression, leat's functions, such as leat_open, decode and encode files. Link leat_codecs. See
 * docs/compressed.md. */
#ifndef LEAT_CODECS_H
#define LEAT_CODECS_H

#include <leat/config.h>

/* NOLINTBEGIN(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming): this
 * header is C */

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
