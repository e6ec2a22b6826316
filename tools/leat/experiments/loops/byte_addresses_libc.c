/* The loops of byte_addresses_body.h with libc's functions. byte_addresses.cpp calls
 * libc_byte_loop(). */
#include "system/libc_stdio.h"

#include "experiments/loops/byte_addresses_body.h"

int libc_byte_loop(int function, int address, const char* path, size_t count) {
  return run_loop(function, address, path, count);
}
