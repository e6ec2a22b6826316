// The rare parts of compiled formats: literals and fields that run_steps() does not write itself,
// and the target of format(). run_steps() and format() call these functions.
#include "format/steps.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "format/digits.hpp"
#include "format/interpret.hpp"

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

char* write_other(char* to, const char* limit, const any_value& arg, std::string_view field) {
  const format_step step(arg.step);
  if (arg.kind() == arg_kind::time && step.is_specified() && step.type() == '%')
    return write_calendar(to, arg.time, field);
  visit_value(arg, [&](auto value) {
    if (!step.is_specified())
      to = write_value(to, value);
    else if constexpr (std::is_same_v<decltype(value), std::string_view>)
      to =
          step.type() == '?' ? quote_ascii(to, limit, value) : write_specified(to, value, arg.step);
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

/// Returns the value of an integer of this kind. If the integer is negative or has 128 bits,
/// returns a number above every width.
std::uint64_t width_of(const any_value& value, arg_kind kind) noexcept {
  switch (kind) {
    case arg_kind::signed_32:
      return static_cast<std::uint64_t>(value.signed_32);
    case arg_kind::unsigned_32:
      return value.unsigned_32;
    case arg_kind::signed_64:
    case arg_kind::unsigned_64:
      return value.unsigned_64;
    default:
      return ~std::uint64_t{0};
  }
}

}  // namespace

bool gathered_values::gather_fields(format_plan& plan) noexcept {
  std::size_t more = 0;
  for (std::size_t i = 0; i != plan.field_count(); ++i) {
    format_step step(i != count_ ? call_.args[i].step : call_.last_step);
    const auto argument = [&](std::size_t index) {
      return width_of(call_.args[index], static_cast<arg_kind>(call_.kinds[index]));
    };
    if ((step.bits() & format_step::width_is_argument) != 0) {
      const std::uint64_t width = argument(step.width_argument());
      if (width > format_step::most_width) return false;
      step = step.with_width(width);
      more += width;
    }
    if ((step.bits() & format_step::precision_is_argument) != 0) {
      const std::uint64_t precision = argument(step.precision_argument());
      if (precision > format_step::most_precision) return false;
      step = step.with_precision(precision);
      more += precision;
    }
    set(i, step.bits(), call_.args[call_.order[i]]);
  }
  if (more != 0) {
    if (!format_plan::can_hold(plan.text_size(), plan.max_size() + more, plan.field_count()))
      return false;
    plan = plan.with_room(more).with_flags(plan.has_escaped_tail(), plan.has_newline());
  }
  return true;
}

void gathered_values::gather_arguments() noexcept {
  for (std::size_t i = 0; i != count_; ++i) set(i, call_.kinds[i], call_.args[i]);
}

namespace {

constexpr std::size_t few = 15;  // strings of all libraries have this many bytes in place

/// A copy of a fixed size needs no call.
[[gnu::always_inline]] inline std::string make_short_string(const char* begin, std::size_t size) {
  std::string text(begin, few);
  if (size < few) text.resize(size);
  return text;
}

}  // namespace

// NOLINTNEXTLINE(readability-non-const-parameter): see the declaration
std::string make_string(char* begin, char* end) {
  const auto size = static_cast<std::size_t>(end - begin);
  if (size <= few) return make_short_string(begin, size);
  return {begin, size};
}

namespace {

/// Writes the number in the string itself. A copy of the text would wait for the stores of the
/// digits.
[[gnu::always_inline]] inline std::string make_short_string(std::uint32_t magnitude,
                                                            bool negative) {
  std::string text("---------------", few);
  text.resize(
      static_cast<std::size_t>(put_branchless(text.data() + negative, magnitude) - text.data()));
  return text;
}

template <class Number>
std::string make_long_string(Number number) {
  char memory[40];
  return make_string(memory, write_value(memory, number));
}

}  // namespace

std::string make_string(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t magnitude = number < 0 ? 0 - bits : bits;
  if (magnitude >> 32 != 0) return make_long_string(number);
  return make_short_string(static_cast<std::uint32_t>(magnitude), number < 0);
}

std::string make_string(std::uint64_t number) {
  if (number >> 32 != 0) return make_long_string(number);
  return make_short_string(static_cast<std::uint32_t>(number), false);
}

namespace {

std::string interpret_gathered(const char* text, format_plan plan, gathered_values& values) {
  values.gather_arguments();
  return vformat({text, plan.text_size()}, values.array(), values.argument_count());
}

/// Formats in memory of the call, and copies the result into a string.
struct string_target {
  char (&memory)[1024];
  gathered_values* gathered;

  bool begin(std::ptrdiff_t room, char*& begin, char*& limit) const noexcept {
    if (room > std::ptrdiff_t{sizeof memory}) return false;
    begin = memory;
    limit = memory + (sizeof memory - static_cast<std::size_t>(room));
    return true;
  }
  std::string finish(char* begin, char* end) const { return make_string(begin, end); }
  std::string interpret(const char* text, format_plan plan, const any_value* args) const {
    if (gathered != nullptr) return interpret_gathered(text, plan, *gathered);
#if LEAT_FORMAT_FMT
    if (has_custom_arguments(args, plan.field_count()))
      return format_custom_steps(text, plan, args);
#endif
    return vformat({text, plan.text_size()}, args, plan.field_count());
  }
};

}  // namespace

std::string format_steps(const char* text, format_plan plan, const any_value* args) {
  char memory[1024];
  return run_steps(string_target{memory, nullptr}, text, plan, args);
}

std::string format_otherwise(std::string_view text, format_plan plan, const other_call& call,
                             std::size_t count) {
  if (plan.text_size() == 0) return vformat(text, call.args, count);
  gathered_values values(call, count);
  if (!values.gather_fields(plan)) return interpret_gathered(text.data(), plan, values);
  char memory[1024];
  return run_steps(string_target{memory, &values}, text.data(), plan, values.array());
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
