// The rare parts of compiled formats: literals and fields that run_steps() does not write itself,
// and the target of format().
#include "format/steps.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "format/interpret.hpp"
#include "format/scratch.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Writes a literal with escaped braces: "{{" and "}}" become one brace each.
[[gnu::cold]] char* put_escaped(char* to, const char* literal, std::size_t size) noexcept {
  for (std::size_t i = 0; i != size; ++i) {
    *to++ = literal[i];
    if (literal[i] == '{' || literal[i] == '}') ++i;
  }
  return to;
}

char* put_whole(char* to, const char* literal, std::size_t size) noexcept {
  if (size != 0) std::memcpy(to, literal, size);  // an empty format may be a null pointer
  return to + size;
}

}  // namespace

char* put_other_literal(char* to, const char* literal, std::size_t size) noexcept {
  return size < format_step::escaped_offset
             ? put_whole(to, literal, size)
             : put_escaped(to, literal, size - format_step::escaped_offset);
}

char* put_other_tail(char* to, const char* tail, std::size_t size, format_plan plan) noexcept {
  return plan.has_escaped_tail() ? put_escaped(to, tail, size) : put_whole(to, tail, size);
}

char* write_other(char* to, const any_value& arg, std::string_view field) {
  const format_step step(arg.step);
  if (arg.kind() == arg_kind::time && step.is_specified() && step.type() == '%')
    return write_calendar(to, arg.time, field);
  visit_value(arg, [&](auto value) {
    if (!step.is_specified())
      to = write_value(to, value);
    else if constexpr (!std::is_same_v<decltype(value), named_error>)
      to = write_specified<widest<decltype(value)>>(to, value, arg.step);
  });
  return to;
}

bool has_custom_arguments(const any_value* args, std::size_t count) noexcept {
  return std::any_of(args, args + count,
                     [](const any_value& arg) { return arg.kind() == arg_kind::custom; });
}

std::size_t size_of_text(const any_value& arg) {
  switch (arg.kind()) {
    case arg_kind::text:
      return arg.text.size();
    case arg_kind::c_string:
      return text_of(arg.c_string).size();
    case arg_kind::error_code:
      return arg.error.category_size;
    default:
      return 0;
  }
}

namespace {

/// Formats in the scratch memory, and copies the result into a string.
struct string_target {
  bool begin(std::ptrdiff_t room, char*& begin, char*& limit) const noexcept {
    return begin_in_scratch(room, begin, limit);
  }
  std::string finish(const char* begin, const char* end) const { return {begin, end}; }
  std::string interpret(const char* text, format_plan plan, const any_value* args) const {
#if LEAT_FORMAT_FMT
    if (has_custom_arguments(args, plan.field_count()))
      return format_custom_steps(text, plan, args);
#endif
    return vformat({text, plan.text_size()}, args, plan.field_count());
  }
};

}  // namespace

std::string format_steps(const char* text, format_plan plan, const any_value* args) {
  return run_steps(string_target(), text, plan, args);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
