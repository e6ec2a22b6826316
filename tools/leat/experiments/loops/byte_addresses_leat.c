/* The loops of byte_addresses_body.h with leat's functions. byte_addresses.cpp calls
 * leat_byte_loop(). */
#include "system/leat_stdio.h"

#include "experiments/loops/byte_addresses_body.h"

int leat_byte_loop(int function, int address, const char* path, size_t count) {
  return run_loop(function, address, path, count);
}
