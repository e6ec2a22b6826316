// The corner cases of the grammar, written by the linked version of {fmt}. field.hpp and
// custom_steps.hpp call exotic_text(). Also asks {fmt} how it writes chars as numbers and large
// floats.
#include <leat/format.hpp>

#if LEAT_FORMAT_FMT

#  include <fmt/format.h>

#  include <string>
#  include <type_traits>

#  include "format/exact.hpp"
#  include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

std::string exotic_text(const field_spec& spec, const any_value& value) {
  std::string format = "{:";
  const auto align = spec.align == alignment::left     ? "<"
                     : spec.align == alignment::right  ? ">"
                     : spec.align == alignment::center ? "^"
                                                       : "";
  if (*align != '\0') format.append(spec.fill, spec.fill_size).append(align);
  if (spec.sign != '-') format += spec.sign;
  if (spec.alternate) format += '#';
  if (spec.zero) format += '0';
  if (spec.width != 0) format += std::to_string(spec.width);
  if (spec.precision >= 0) format.append(".").append(std::to_string(spec.precision));
  if (spec.type != '\0') format += spec.type;
  format += '}';
  return visit_value(value, [&](const auto& v) {
    constexpr arg_kind kind = kind_of<std::remove_cvref_t<decltype(v)>>();
    if constexpr (kind == arg_kind::text) {
      const fmt::string_view text(v.data(), v.size());
      return fmt::vformat(format, fmt::make_format_args(text));
    } else if constexpr (is_integer(kind) || is_float(kind) || kind == arg_kind::boolean ||
                         kind == arg_kind::character) {
      return fmt::vformat(format, fmt::make_format_args(v));
    } else {
      return std::string();  // a value of this type has no corner cases
    }
  });
}

bool chars_are_signed() {
  static const bool answer = fmt::format("{:d}", '\x80') == "-128";
  return answer;
}

int first_exponent_of_floats() { return fmt::format("{}", 1e15F) == "1e+15" ? 7 : 16; }

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
