// Runs formats that were compiled into steps, and formats by steps into a string. print and
// format() call these functions.
#include "format/steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "format/digits.hpp"
#include "format/few_decimals.hpp"
#include "format/integer.hpp"
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

char* write_other(char* to, const char* limit, const any_value& arg, format_step step,
                  std::string_view field) {
  if (step.kind() == arg_kind::time && step.is_specified() && step.type() == '%')
    return write_calendar(to, arg.time, field);
  visit_value(arg, step.kind(), [&](auto value) {
    if (!step.is_specified())
      to = write_value(to, value);
    else if constexpr (std::is_same_v<decltype(value), std::string_view>)
      to = step.type() == '?' ? quote_ascii(to, limit, value)
                              : write_specified(to, value, step.bits());
    else if constexpr (!std::is_same_v<decltype(value), named_error>)
      to = write_specified<widest<decltype(value)>>(to, value, step.bits());
  });
  return to;
}

bool has_custom_arguments(const any_value* args, std::size_t count) noexcept {
  return std::any_of(args, args + count,
                     [](const any_value& arg) { return arg.kind() == arg_kind::custom; });
}

std::size_t size_of_text(const any_value& arg, arg_kind kind) {
  switch (kind) {
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

/// write_specified() for a double, with the usual case inline: decimals without a width.
[[gnu::always_inline]] inline char* write_decimals(char* to, double value, std::uint64_t step) {
  const format_step spec(step);
  if (spec.is_fixed_point() && spec.width() == 0) {
    if (const few_decimals few(std::fabs(value), spec.precision()); few.is_supported()) {
      *to = '-';
      return few.store(to + std::signbit(value));
    }
  }
  return write_specified(to, value, step);
}

[[gnu::always_inline]] inline const any_value& value_in(const any_value* field) { return *field; }
[[gnu::always_inline]] inline const any_value& value_in(const gathered_field* field) {
  return *field->value;
}

}  // namespace

// The code of each kind of field jumps directly to the code of the next field. There is no common
// `switch`, so the processor learns the sequence of kinds.
template <class Field>
char* write_steps(char* to, char* const limit, const char* const format, format_plan plan,
                  const Field* field) {
  literals rest(format, plan);
  const Field* const end = field + plan.field_count();
  [[maybe_unused]] const number_sizes sizes;
  const auto put_literal = [&]() __attribute__((always_inline)) {
    to = rest.put(to, format_step(field->step));
  };
  // The positions of literal and argument tell fields apart.
  const auto field_id = [&]() __attribute__((always_inline)) {
    return reinterpret_cast<std::uintptr_t>(field) +
           8 * reinterpret_cast<std::uintptr_t>(rest.text());
  };

  // Indexed by format_step::field_form(). Kinds without a label of their own are `other`.
  static const void* const labels[] = {
      &&boolean, &&character, &&signed_32, &&unsigned_32, &&signed_64, &&unsigned_64, &&other,
      &&other, &&other, &&float_64, &&other, &&text, &&c_string, &&other, &&other, &&other,
      &&custom, &&other, &&other, &&other, &&other, &&other, &&other, &&other, &&other, &&other,
      &&other, &&other, &&other, &&other, &&other, &&other,
      // with a specification
      &&other, &&other, &&specified_s32, &&specified_u32, &&specified_s64, &&specified_u64, &&other,
      &&other, &&other, &&precise, &&other, &&padded, &&other, &&other, &&other, &&other, &&custom,
      &&other, &&other, &&other, &&other, &&other, &&other, &&other, &&other, &&other, &&other,
      &&other, &&other, &&other, &&other, &&other};
  static_assert(sizeof labels / sizeof *labels == 64);
  static_assert(format_step::of(arg_kind::float_64) == 9 &&
                format_step::of(arg_kind::c_string) == 12);
  // The different numbers keep the compiler from merging the jumps.
#define LEAT_NEXT                        \
  asm volatile("" : : "i"(__COUNTER__)); \
  if (field == end) goto done;           \
  goto* labels[format_step(field->step).field_form()]

  LEAT_NEXT;
#define LEAT_PLAIN(kind, write) \
  kind:                         \
  put_literal();                \
  to = write;                   \
  ++field;                      \
  LEAT_NEXT

  LEAT_PLAIN(boolean, write_value(to, value_in(field).boolean));
  LEAT_PLAIN(character, write_value(to, value_in(field).character));
  LEAT_PLAIN(signed_32,
             put_signed<std::uint32_t>(to, value_in(field).signed_32, sizes.of(field_id())));
  LEAT_PLAIN(unsigned_32, put_unsigned(to, value_in(field).unsigned_32, sizes.of(field_id())));
  LEAT_PLAIN(signed_64,
             put_signed<std::uint64_t>(to, value_in(field).signed_64, sizes.of(field_id())));
  LEAT_PLAIN(unsigned_64, put_unsigned(to, value_in(field).unsigned_64, sizes.of(field_id())));
  LEAT_PLAIN(float_64, write_value(to, value_in(field).float_64));
#define LEAT_SPECIFIED(label, kind)                                                      \
  label:                                                                                 \
  put_literal();                                                                         \
  to = write_specified<widest<decltype(value_in(field).kind)>>(to, value_in(field).kind, \
                                                               field->step);             \
  if (to == nullptr) [[unlikely]]                                                        \
    return nullptr;                                                                      \
  ++field;                                                                               \
  LEAT_NEXT

  LEAT_SPECIFIED(specified_s32, signed_32);
  LEAT_SPECIFIED(specified_u32, unsigned_32);
  LEAT_SPECIFIED(specified_s64, signed_64);
  LEAT_SPECIFIED(specified_u64, unsigned_64);
precise:
  put_literal();
  to = write_decimals(to, value_in(field).float_64, field->step);
  ++field;
  LEAT_NEXT;
text:
  put_literal();
  if (static_cast<std::ptrdiff_t>(value_in(field).text.size()) > limit - to) return nullptr;
  to = copy_any(to, value_in(field).text.data(), value_in(field).text.size());
  ++field;
  LEAT_NEXT;
c_string:
  put_literal();
  to = copy_c_text(to, limit, value_in(field++).c_string);
  if (to == nullptr) return nullptr;
  LEAT_NEXT;
padded:
  put_literal();
  if (static_cast<std::ptrdiff_t>(value_in(field).text.size()) > limit - to) return nullptr;
  to = format_step(field->step).type() == '?'
           ? quote_ascii(to, limit, value_in(field).text)
           : write_specified(to, value_in(field).text, field->step);
  if (to == nullptr) [[unlikely]]
    return nullptr;
  ++field;
  LEAT_NEXT;
custom:
  put_literal();
  to = put_custom_in_place(value_in(field).custom, to, limit);
  ++field;
  if (to == nullptr) return nullptr;
  LEAT_NEXT;
other:
  put_literal();
  if (static_cast<std::ptrdiff_t>(size_of_text(value_in(field), format_step(field->step).kind())) >
      limit - to)
    return nullptr;
  to = write_other(to, limit, value_in(field), format_step(field->step),
                   field_before(rest.text(), format_step(field->step)));
  if (to == nullptr) [[unlikely]]
    return nullptr;
  ++field;
  LEAT_NEXT;
#undef LEAT_PLAIN
#undef LEAT_SPECIFIED
#undef LEAT_NEXT

done:
  to = rest.put_tail(to, plan);
  *to = '\n';
  return to + plan.has_newline();
}

template char* write_steps(char*, char*, const char*, format_plan, const any_value*);
template char* write_steps(char*, char*, const char*, format_plan, const gathered_field*);

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

bool gathered_fields::set_arguments(format_plan& plan) noexcept {
  std::size_t more = 0;
  for (std::size_t i = 0; i != plan.field_count(); ++i) {
    format_step step(fields_[i].step);
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
    fields_[i].step = step.bits();
  }
  if (!format_plan::can_hold(plan.text_size(), plan.max_size() + more, plan.field_count()))
    return false;
  plan = plan.with_room(more).with_flags(plan.has_escaped_tail(), plan.has_newline());
  return true;
}

void gathered_fields::copy_arguments(any_value (&to)[most_arguments]) const noexcept {
  for (std::size_t i = 0; i != count_; ++i) {
    to[i] = call_.args[i];
    to[i].step = call_.kinds[i];
  }
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

/// As write_steps(), into a whole array. If the array is too small, returns null.
template <class Field, std::size_t Size>
char* write_steps_into(char (&memory)[Size], const char* format, format_plan plan,
                       const Field* fields) {
  const std::ptrdiff_t room = room_of_steps(plan);
  if (room > std::ptrdiff_t{Size}) return nullptr;
  return write_steps(memory, memory + Size - room, format, plan, fields);
}

constexpr std::size_t most_in_place = 1024;

}  // namespace

std::string format_steps(const char* text, format_plan plan, const any_value* args) {
  char memory[most_in_place];
  if (char* const end = write_steps_into(memory, text, plan, args)) return make_string(memory, end);
#if LEAT_FORMAT_FMT
  if (has_custom_arguments(args, plan.field_count())) return format_custom_steps(text, plan, args);
#endif
  return vformat({text, plan.text_size()}, args, plan.field_count());
}

std::string format_otherwise(std::string_view text, format_plan plan, const other_call& call,
                             std::size_t count) {
  if (plan.text_size() == 0) return vformat(text, call.args, count);
  gathered_fields fields(call, count);
  if (fields.gather(plan)) {
    char memory[most_in_place];
    if (char* const end = write_steps_into(memory, text.data(), plan, fields.array()))
      return make_string(memory, end);
  }
  any_value arguments[gathered_fields::most_arguments];
  fields.copy_arguments(arguments);
  return vformat(text, arguments, count);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
