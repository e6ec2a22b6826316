// The messages about wrong format strings. format_parser.hpp, formatted.hpp and other headers of
// formats call these functions.
#include <leat/format.hpp>

namespace leat {
inline namespace v0 {
namespace detail {

void throw_format_error(const char* what, std::size_t position) {
  throw format_error(what, position);
}

}  // namespace detail

namespace format_mistake {

const char* unmatched_closing_brace() noexcept {
  return "a '}' has no '{' before it; write '}}' for a brace";
}
const char* missing_closing_brace() noexcept { return "a field has no closing '}'"; }
const char* invalid_argument_index_or_single_brace() noexcept {
  return "the name of an argument must be a number; write '{{' for a brace";
}
const char* argument_missing() noexcept { return "there is no argument for this field"; }
const char* automatic_and_manual_indexing_mixed() noexcept {
  return "'{}' and '{0}' can't be mixed";
}
const char* invalid_fill_character() noexcept { return "'{' can't be a fill character"; }
const char* number_too_big() noexcept { return "the number is too big"; }
const char* invalid_type_for_this_argument() noexcept {
  return "the specification does not fit the argument";
}
const char* sign_needs_a_signed_number() noexcept { return "a sign needs a signed number"; }
const char* alternate_form_needs_a_number() noexcept { return "'#' needs a number"; }
const char* zero_padding_needs_a_number() noexcept { return "'0' needs a number"; }
const char* precision_not_allowed_for_this_argument() noexcept {
  return "this argument takes no precision";
}
const char* missing_precision() noexcept { return "a precision is missing after '.'"; }
const char* width_or_precision_must_be_an_integer() noexcept {
  return "a width or precision must be an integer";
}
const char* locale_not_supported() noexcept {
  return "'L' is not supported: leat is independent of the locale";
}
const char* specification_not_allowed_for_this_argument() noexcept {
  return "this argument takes no specification";
}
const char* calendar_needs_leat_format_fmt_or_std() noexcept {
  return "'%' needs {fmt} or std::format, and leat was built with LEAT_FORMAT=none";
}
const char* elements_need_a_second_colon_before_their_specification() noexcept {
  return "the specification of the elements needs a second colon, as in '{::.2f}'";
}
const char* include_fmt_ranges_h_for_this_specification() noexcept {
  return "include <fmt/ranges.h> for this specification";
}
const char* include_fmt_chrono_h_for_this_specification() noexcept {
  return "include <fmt/chrono.h> for this specification";
}
const char* include_fmt_std_h_for_this_specification() noexcept {
  return "include <fmt/std.h> for this specification";
}

}  // namespace format_mistake
}  // namespace v0
}  // namespace leat
