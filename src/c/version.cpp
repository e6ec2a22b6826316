// leat_version of leat.h.
#include <leat/c/base.h>

#define LEAT_TEXT(x) #x
#define LEAT_VERSION_TEXT(a, b, c) LEAT_TEXT(a) "." LEAT_TEXT(b) "." LEAT_TEXT(c)

const char* leat_version(void) {
  return LEAT_VERSION_TEXT(LEAT_VERSION_MAJOR, LEAT_VERSION_MINOR, LEAT_VERSION_PATCH);
}
