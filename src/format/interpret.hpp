// Format strings that are read at run time.
#pragma once

#include <fmt/format.h>
#include <leat/format.hpp>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// The width or precision that is given as an argument. `position` is where the format asks for it.
int count_of(const any_value& value, std::size_t position);

/// Writes the format with its arguments. Throws format_error before anything is written, unless an
/// argument's value is at fault.
template <class Output>
void interpret(Output& out, std::string_view format, const any_value* args, std::size_t count) {
  arg_kind few[32];
  std::vector<arg_kind> many;
  arg_kind* kinds = few;
  if (count > std::size(few)) {
    many.resize(count);
    kinds = many.data();
  }
  for (std::size_t i = 0; i != count; ++i) kinds[i] = args[i].kind;
  segment next;
  // The whole format is checked first: of a wrong format no part must be written.
  for (format_parser check(format, kinds, count); check.next(next);) {
  }
  format_parser parser(format, kinds, count);
  while (parser.next(next)) {
    out.write(format.substr(next.literal_begin, next.literal_end - next.literal_begin));
    if (!next.is_field) continue;
    field_spec& spec = next.spec;
    const std::size_t at = parser.position();
    if (next.width_argument >= 0) spec.width = count_of(args[next.width_argument], at);
    if (next.precision_argument >= 0) spec.precision = count_of(args[next.precision_argument], at);
    try {
      if (next.time_spec.empty())
        write_field(out, spec, args[next.arg]);
      else
        out.write(format_calendar(args[next.arg].time, next.time_spec));
    } catch (const fmt::format_error& error) {  // it refuses some values, as '{:c}' of 300
      throw format_error(error.what(), at);
    }
  }
}

/// Calls what may throw {fmt}'s exception, and throws leat's instead: a program has to know only
/// one.
template <class Call>
auto translated(const Call& call) {
  try {
    return call();
  } catch (const fmt::format_error& error) {
    throw format_error(error.what(), format_error::no_position);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
