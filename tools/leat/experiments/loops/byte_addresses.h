/* Loops over single bytes at several code addresses: see byte_addresses_body.h. byte_addresses.cpp
 * calls the loops. */
#ifndef LEAT_BYTE_ADDRESSES_H
#define LEAT_BYTE_ADDRESSES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { code_addresses = 16 };

/** Runs one loop. `function` is 0 to 3 for putc, putc_unlocked, getc and getc_unlocked. `address`
 * is the index of the code address, from 0 to 15. putc and putc_unlocked write `count` bytes; getc
 * and getc_unlocked ignore `count` and read the whole file. Returns nonzero on failure. */
typedef int byte_loop(int function, int address, const char* path, size_t count);
byte_loop leat_byte_loop, libc_byte_loop;

#ifdef __cplusplus
}
#endif

#endif
