// Implements format_custom_steps(), which format() calls for arguments that have their own
// fmt::formatter, and write_quoted(), which the writers of standard containers call for a text.
#include "format/custom_steps.hpp"

#if LEAT_FORMAT_FMT

#  include <leat/detail/copy.hpp>

#  include <cstring>
#  include <string>
#  include <string_view>

#  include "format/interpret.hpp"
#  include "format/steps.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Writes the text of "{:?}" by {fmt}. Returns the text's end, or null if the text does not fit
/// before `limit`.
template <class T>
char* put_escaped(char* to, const char* limit, T value) {
  const any_value values[] = {make_any_value(value)};
  const std::string text = format_field("?", values, 1);
  if (limit - to < static_cast<std::ptrdiff_t>(text.size())) return nullptr;
  return to + text.copy(to, text.size());
}

}  // namespace

char* write_quoted(char* to, char* limit, std::string_view text) {
  char* const end = quote_ascii(to, limit, text);
  return end != nullptr ? end : put_escaped(to, limit, text);
}

char* write_quoted(char* to, char* limit, char character) {
  if (limit - to < 4) return nullptr;
  char* const end = quote_ascii(to, character);
  return end != nullptr ? end : put_escaped(to, limit, character);
}

std::string format_custom_steps(const char* text, format_plan plan, const any_value* args) {
  fmt::memory_buffer whole;
  translate_errors([&] { append_steps(whole, text, plan, args); });
  return {whole.data(), whole.size()};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
