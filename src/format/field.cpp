#include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

std::string exotic_text(const field_spec& spec, fmt::format_args value) {
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
  return fmt::vformat(format, value);
}

bool chars_are_signed() {
  static const bool answer = fmt::format("{:d}", '\x80') == "-128";
  return answer;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
