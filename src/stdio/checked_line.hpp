// A line into memory whose size the compiler knows: for fgets and fgetws with _FORTIFY_SOURCE.
#pragma once

#include <cstddef>
#include <string>

#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Reads a line into `room` characters, where the program has said that there are more. Ends the
/// program if the line does not fit. `get_line` is as fgets; `has_more` takes the next character,
/// and is false at the end.
template <class Char>
Char* get_checked_line(leat_file& f, Char* to, std::size_t room,
                       Char* (*get_line)(leat_file&, Char*, int) noexcept,
                       bool (*has_more)(leat_file&) noexcept, const char* function) noexcept {
  if (room != 0) to[room - 1] = Char{1};
  Char* const line = room < 2 ? nullptr : get_line(f, to, static_cast<int>(room));
  const bool is_full = line != nullptr && to[room - 1] == 0 &&
                       std::char_traits<Char>::find(to, room - 1, Char{'\n'}) == nullptr;
  if ((room < 2 || is_full) && has_more(f)) refuse_overflow(function);
  return line;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
