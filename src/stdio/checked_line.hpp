// fgets and fgetws with _FORTIFY_SOURCE, into memory whose size the compiler knows. Called by
// lines.cpp and wide_functions.cpp.
#pragma once

#include <cerrno>
#include <cstddef>
#include <utility>

#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// fgets with a `size` larger than the `room` characters that the compiler knows of. If the line
/// does not fit, ends the program. `get` returns the next character, or EOF or WEOF at the end and
/// on errors. Returns `to`, or null as fgets does.
template <class Char, class Get>
Char* get_checked_line(leat_file& f, Char* to, std::size_t room, std::size_t size, Get get,
                       const char* function) noexcept {
  const bool failed_before = std::exchange(f.failed, false);
  bool ended = false;
  std::size_t count = 0;
  while (count + 1 < size) {
    const auto character = get(f);
    ended = character == decltype(character)(-1);
    if (ended) break;
    if (count + 1 >= room) abort_overflow(function);
    to[count++] = static_cast<Char>(character);
    if (to[count - 1] == Char{'\n'}) break;
  }
  const bool failed = std::exchange(f.failed, f.failed || failed_before);
  if ((count == 0 && ended) || (failed && errno != EAGAIN) || room == 0) return nullptr;
  to[count] = Char{};
  return to;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
