// The functions by which print writes an argument of a type that has no arg_kind of its own.
// custom_formatters.hpp and standard_values.hpp make these functions for a type.
#pragma once

#include <leat/detail/custom_format.hpp>

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

#if LEAT_FORMAT_FMT

struct any_value;

/// Memory in which a text grows.
struct text_room {
  char* limit;  ///< texts may reach up to here; there is room for room_of bytes after `limit` too
  /// Makes room for `more` bytes and sets `limit`. Keeps the text up to `end`. Returns the new end.
  char* (*grow)(text_room& self, char* end, std::size_t more);
};

struct custom_writer {
  /// Writes a value to a context. `field` is the text of the field, as "{:>8}".
  void (*write)(const any_value& value, std::string_view field, formatting::format_context& to);
  /// Writes an object at `to`. There is room for room_of bytes after `limit` too. If a text does
  /// not fit before `limit`, returns null. If `self` is null, writes a field "{}".
  using put_function = char* (*)(const custom_writer* self, const void* object, char* to,
                                 char* limit);
  put_function put;  ///< null: only `put_once` or `write` can write the object
  /// As `put`, for an object whose members are functions of the program: makes room itself, so that
  /// each function is called once.
  using put_once_function = char* (*)(const void* object, char* to, text_room& room);
  put_once_function put_once = nullptr;
};

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
