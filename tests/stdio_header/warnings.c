/* Mistakes that compilers warn about with libc's header, one for each NUMBER. fortify.sh requires
 * the warnings with leat's header, too. */
#include <stdio.h>

int mistake(FILE* f) {
  char b[8];
#if NUMBER == 0
  return fgets(b, 10, f) != NULL;
#elif NUMBER == 1
  fread(b, 1, 8, f);
  return 0;
#elif NUMBER == 2
  fopen("file", "r");
  return 0;
#elif NUMBER == 3
  return sprintf(b, "%s", "a longer text");
#elif NUMBER == 4
  return snprintf(b, 20, "%d", 1);
#elif NUMBER == 5
  fgets(b, 8, f);
  return 0;
#elif NUMBER == 6
  return fread(b, 1, 9, f) == 9;
#endif
}
