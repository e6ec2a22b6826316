/* leat for C. */
#ifndef LEAT_LEAT_H
#define LEAT_LEAT_H

#include <leat/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is linked, as "0.1.0"; compare with LEAT_VERSION_… of the
 * header. */
LEAT_API const char* leat_version(void);

#ifdef __cplusplus
}
#endif

#endif
