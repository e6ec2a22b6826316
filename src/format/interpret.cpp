// interpret(), which writes formats that are parsed at run time, and format_field(), which formats
// one value. print and vformat() call interpret().
#include "format/interpret.hpp"

#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Returns the width or precision that an argument gives. If the value is negative or too large,
/// throws format_error at `position`.
int count_of(const any_value& value, std::size_t position) {
  constexpr int largest = std::numeric_limits<int>::max();
  bool negative = false;
  bool large = false;
  int count = 0;
  visit_value(value, [&](const auto& v) {
    using type = std::remove_cvref_t<decltype(v)>;
    if constexpr (is_integer(kind_of<type>())) {
      negative = v < 0;
      large = v > static_cast<type>(largest);
      count = static_cast<int>(v);
    }
  });
  if (negative) throw format_error("negative width or precision", position);
  if (large) throw format_error("width or precision too big", position);
  return count;
}

}  // namespace

void interpret(text_output& out, std::string_view format, const any_value* args,
               std::size_t count) {
  arg_kind few[32];
  std::vector<arg_kind> many;
  arg_kind* kinds = few;
  if (count > std::size(few)) {
    many.resize(count);
    kinds = many.data();
  }
  for (std::size_t i = 0; i != count; ++i) kinds[i] = args[i].kind();
  segment next;
  // Checks the whole format and its texts first. If the format is wrong, or a text is a null
  // pointer, nothing is written.
  for (format_parser check(format, kinds, count); check.next(next);) {
    if (next.is_field && kinds[next.arg] == arg_kind::c_string) check_text(args[next.arg].c_string);
  }
  format_parser parser(format, kinds, count);
  while (parser.next(next)) {
    out.write(format.substr(next.literal_begin, next.literal_end - next.literal_begin));
    if (!next.is_field) continue;
    field_spec& spec = next.spec;
    const std::size_t at = parser.position();
    if (next.width_argument >= 0) spec.width = count_of(args[next.width_argument], at);
    if (next.precision_argument >= 0) spec.precision = count_of(args[next.precision_argument], at);
    const auto write = [&] {
      if (next.time_spec.empty())
        write_field(out, spec, args[next.arg]);
      else
        out.write(format_calendar(args[next.arg].time, spec, next.time_spec));
    };
    translate_errors(write, at);  // {fmt} refuses some values, for example 300 for '{:c}'
  }
}

std::string format_field(std::string_view spec, const any_value* values, std::size_t count) {
  std::string format = "{0:";
  char id = '1';
  for (std::size_t at = 0; at != spec.size(); ++at) {
    format += spec[at];
    if (spec[at] != '{') continue;
    format.append({id++, '}'});
    at = spec.find('}', at);
  }
  format += '}';
  try {
    return vformat(format, values, count);
  } catch (const format_error& error) {
    // The position is in `format`, not in the program's format.
    const std::string_view what = error.what();
    throw format_error(std::string(what.substr(0, what.find(" (at byte "))).c_str(),
                       format_error::no_position);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
