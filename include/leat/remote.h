/* Object storage and HTTP for leat_open: "s3://bucket/key", "https://host/path", "http://…".
 *
 * With this header, leat_open and all of leat for C++ accept such addresses, in the whole program;
 * link leat_remote. leat_fopen and <leat/stdio.h> accept paths only. Settings come from the
 * environment and from ~/.aws, see docs/object-stores.md; C++ has more settings. */
#ifndef LEAT_REMOTE_H
#define LEAT_REMOTE_H

#include <leat/config.h>

/* NOLINTBEGIN(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming): this
 * header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** Registers the schemes. May be called several times. */
LEAT_API void leat_remote_register(void);

static void leat_remote_included(void) __attribute__((__constructor__, __unused__));
static void leat_remote_included(void) { leat_remote_register(); }

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming) */

#endif
