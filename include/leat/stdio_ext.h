/* A replacement for <stdio_ext.h>, the state of a stream's buffer. <leat/stdio.h> declares all
 * functions of <stdio_ext.h>, and a later include of <stdio_ext.h> adds nothing. */
#ifndef LEAT_STDIO_EXT_H
#define LEAT_STDIO_EXT_H

#include <leat/stdio.h>

#endif
