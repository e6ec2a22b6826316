/* A replacement for <stdio_ext.h>: functions that report or change a stream's buffer and locking.
 * <leat/stdio.h> declares all of them, and a later include of <stdio_ext.h> adds nothing. */
#ifndef LEAT_STDIO_EXT_H
#define LEAT_STDIO_EXT_H

#include <leat/stdio.h>

#endif
