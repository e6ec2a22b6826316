#include "format/steps.hpp"

#include <string>
#include <type_traits>

#include "format/interpret.hpp"
#include "format/scratch.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

[[gnu::cold]] char* put_escaped(char* to, const char* literal, std::size_t size) noexcept {
  for (std::size_t i = 0; i != size; ++i) {
    *to++ = literal[i];
    if (literal[i] == '{' || literal[i] == '}') ++i;
  }
  return to;
}

char* put_other_literal(char* to, const char* literal, std::size_t size) noexcept {
  if (size >= format_step::first_escaped)
    return put_escaped(to, literal, size - format_step::first_escaped);
  std::memcpy(to, literal, size);
  return to + size;
}

char* write_other(char* to, const any_value& arg) {
  const format_step step(arg.step);
  visit_value(arg, [&](auto value) {
    if (!step.is_specified())
      to = write_value(to, value);
    else if constexpr (!std::is_same_v<decltype(value), const std::error_code*>)
      to = write_specified<widest<decltype(value)>>(to, value, arg.step);
  });
  return to;
}

std::size_t size_of_text(const any_value& arg) {
  switch (arg.kind()) {
    case arg_kind::text:
      return arg.text.size();
    case arg_kind::c_string:
      return text_of(arg.c_string).size();
    case arg_kind::error_code:
      return std::strlen(arg.error_code->category().name());
    default:
      return 0;
  }
}

namespace {

/// A string, by way of the scratch memory.
struct string_target {
  bool begin(std::ptrdiff_t room, char*& begin, char*& limit) const noexcept {
    begin = scratch(static_cast<std::size_t>(room));
    if (begin == nullptr) return false;
    limit = begin + scratch_room - room;
    return true;
  }
  std::string finish(const char* begin, const char* end) const { return {begin, end}; }
  std::string interpret(const char* text, format_plan plan, const any_value* args) const {
    return vformat({text, plan.text()}, args, plan.count());
  }
};

}  // namespace

std::string format_steps(const char* text, format_plan plan, const any_value* args) {
  return run_steps(string_target(), text, plan, args);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
