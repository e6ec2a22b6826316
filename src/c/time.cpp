// leat_now: a time stamp for log lines.
#include <leat/c/streams.h>
#include <leat/format.hpp>
#include <leat/time.hpp>

#include <cstddef>
#include <cstring>

// Does not use print: if leat is built with {fmt}, print needs {fmt}, but C programs link without
// {fmt}.
const char* leat_now(char text[LEAT_NOW_SIZE], int local_time) {
  const leat::stamp time = local_time != 0 ? leat::local_now() : leat::now();
  char memory[2 * LEAT_NOW_SIZE];  // write_value needs more room than it fills
  const auto size =
      static_cast<std::size_t>(leat::detail::write_value(memory, time.parts()) - memory);
  std::memcpy(text, memory, size);
  text[size] = '\0';
  return text;
}
