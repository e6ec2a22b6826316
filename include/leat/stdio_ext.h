/* A replacement for <stdio_ext.h>, the state of a stream's buffer. <leat/stdio.h> has all its
 * functions, so that a program's include of <stdio_ext.h> can't reach libc's functions. */
#ifndef LEAT_STDIO_EXT_H
#define LEAT_STDIO_EXT_H

#include <leat/stdio.h>

#endif
