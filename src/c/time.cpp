// The time for a line of a log.
#include <leat/leat.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/time.hpp>

#include <span>

const char* leat_now(char text[LEAT_NOW_SIZE], int local_time) {
  leat::memory_writer out(std::span(text, LEAT_NOW_SIZE - 1));
  out.print("{}", local_time != 0 ? leat::local_now() : leat::now());
  text[out.view().size()] = '\0';
  return text;
}
