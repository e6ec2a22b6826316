// The corners of the grammar, by the linked version of {fmt}.
#include <leat/format.hpp>

#if LEAT_FORMAT_FMT

#  include <fmt/format.h>

#  include <string>

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
  const auto by_fmt = [&](const auto& v) { return fmt::vformat(format, fmt::make_format_args(v)); };
  switch (value.kind) {
    case arg_kind::boolean:
      return by_fmt(value.boolean);
    case arg_kind::character:
      return by_fmt(value.character);
    case arg_kind::signed_64:
      return by_fmt(value.signed_64);
    case arg_kind::unsigned_64:
      return by_fmt(value.unsigned_64);
    case arg_kind::signed_128:
      return by_fmt(value.signed_128);
    case arg_kind::unsigned_128:
      return by_fmt(value.unsigned_128);
    case arg_kind::float_32:
      return by_fmt(value.float_32);
    case arg_kind::float_64:
      return by_fmt(value.float_64);
    case arg_kind::float_80:
      return by_fmt(value.float_80);
    case arg_kind::text:
      return by_fmt(fmt::string_view(value.text.data(), value.text.size()));
    default:  // has no corners
      return {};
  }
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
