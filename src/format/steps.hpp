// Runs formats that were compiled into steps: the part of a print call that is not expanded in
// place. stream/print.cpp and steps.cpp call run_steps().
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/format.hpp>

#include <cstddef>
#include <cstring>
#include <new>

#include "base/over_read.hpp"
#include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Writes a literal that is long, escaped, or in a format that ends near the end of a page.
char* put_other_literal(char* to, const char* literal, std::size_t size) noexcept;
/// Writes the literal after the last field: long, escaped, or near the end of a page.
char* put_other_tail(char* to, const char* tail, std::size_t size, format_plan plan) noexcept;
/// Writes a field of any kind except arg_kind::custom. `field` is the field's text in the format.
/// Returns null if only the interpreter can write the value.
char* write_other(char* to, const char* limit, const any_value& arg, std::string_view field);

/// The values of a call whose format has the way format_way::gathered. The memory is not
/// initialised.
class gathered_values {
 public:
  gathered_values(const other_call& call, std::size_t count) noexcept
      : call_(call), count_(count) {}

  /// Copies the argument of each field, with the field's step. Widths and precisions that are
  /// arguments become parts of the steps, and their bytes a part of the plan's size. If a width or
  /// a precision is too large or negative, or the size is too large for a plan, returns false. Then
  /// the format must be interpreted.
  bool gather_fields(format_plan& plan) noexcept;
  /// Copies the arguments, for the interpreter.
  void gather_arguments() noexcept;
  std::size_t argument_count() const noexcept { return count_; }
  const any_value* array() const noexcept {
    return std::launder(reinterpret_cast<const any_value*>(bytes_));
  }

 private:
  void set(std::size_t index, std::uint64_t step, const any_value& value) noexcept {
    any_value* const copy = new (bytes_ + index * sizeof(any_value)) any_value(value);
    copy->step = step;
  }

  const other_call& call_;
  const std::size_t count_;
  alignas(any_value) unsigned char bytes_[field_order::most * sizeof(any_value)];
};

/// The literals of a format. Most literals are copied by one load.
class literals {
 public:
  literals(const char* format, format_plan plan) noexcept
      : text_(format),
        end_(format + plan.text_size()),
        too_long_(plan.text_size() != 0 && may_read_beyond(end_, load) ? load + 1 : 0) {}

  /// Writes the literal of a step. Moves on to the end of the step's field.
  [[gnu::always_inline]] char* put(char* to, format_step step) noexcept {
    const std::size_t size = step.literal_code();
    if (size < too_long_) [[likely]] {
      std::memcpy(to, text_, load);
      to += size;
    } else {
      to = put_other_literal(to, text_, size);
    }
    text_ += step.text_size();
    return to;
  }
  /// Writes the literal after the last field.
  [[gnu::always_inline]] char* put_tail(char* to, format_plan plan) const noexcept {
    const auto size = static_cast<std::size_t>(end_ - text_);
    if (size >= too_long_ || plan.has_escaped_tail()) [[unlikely]]
      return put_other_tail(to, text_, size, plan);
    std::memcpy(to, text_, load);
    return to + size;
  }
  const char* text() const noexcept { return text_; }

 private:
  static constexpr std::size_t load = 16;

  const char* text_;
  const char* const end_;
  const std::size_t too_long_;
};
/// The text of the field that ends at `end`.
inline std::string_view field_before(const char* end, format_step step) noexcept {
  const std::size_t size = step.text_size() - step.literal_size();
  return {end - size, size};
}
/// Writes an argument by custom_writer::put. If a text in the argument does not fit before `limit`,
/// returns null.
inline char* put_custom_in_place([[maybe_unused]] const custom_value& value,
                                 [[maybe_unused]] char* to, [[maybe_unused]] char* limit) {
#if LEAT_FORMAT_FMT
  return value.writer->put(value.writer, value.object, to, limit);
#else
  return nullptr;
#endif
}
/// True if one of the arguments has a formatter of its own (arg_kind::custom).
bool has_custom_arguments(const any_value* args, std::size_t count) noexcept;
/// Returns the bytes that an argument takes in addition to plan.max_size(): for a text, or for the
/// name of an error's category. If the text is a null pointer, throws format_error.
std::size_t size_of_text(const any_value& arg);

/// Runs the steps of `args` in the memory of a Target, which has:
/// - bool begin(std::ptrdiff_t room, char*& begin, char*& limit): sets the start of the output.
///   Returns false if there is no memory. Texts may reach up to `limit`. All other output has the
///   `room` bytes after `limit`.
/// - finish(char* begin, char* end): takes the output.
/// - interpret(text, plan, args): formats in another way, if a text or a custom value is too
///   long, if there is no memory, or if only the interpreter can write a value.
///
/// The code of each kind of field jumps directly to the code of the next field. There is no common
/// `switch`, so the processor learns the sequence of kinds.
template <class Target>
[[gnu::noinline]] auto run_steps(Target target, const char* const format, format_plan plan,
                                 const any_value* const args) {
  char* begin = nullptr;
  char* limit = nullptr;
  if (!target.begin(static_cast<std::ptrdiff_t>(plan.max_size() + copy_room + 1), begin, limit))
      [[unlikely]]
    return target.interpret(format, plan, args);
  literals rest(format, plan);
  const any_value* arg = args;
  char* to = begin;
  const auto put_literal = [&]() __attribute__((always_inline)) {
    to = rest.put(to, format_step(arg->step));
  };
  const any_value* const end = arg + plan.field_count();

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
#define LEAT_NEXT            \
  if (arg == end) goto done; \
  goto* labels[format_step(arg->step).field_form()]

  LEAT_NEXT;
#define LEAT_PLAIN(kind)               \
  kind:                                \
  put_literal();                       \
  to = write_value(to, (arg++)->kind); \
  LEAT_NEXT

  LEAT_PLAIN(boolean);
  LEAT_PLAIN(character);
  LEAT_PLAIN(signed_32);
  LEAT_PLAIN(unsigned_32);
  LEAT_PLAIN(signed_64);
  LEAT_PLAIN(unsigned_64);
  LEAT_PLAIN(float_64);
#define LEAT_SPECIFIED(label, kind)                                            \
  label:                                                                       \
  put_literal();                                                               \
  to = write_specified<widest<decltype(arg->kind)>>(to, arg->kind, arg->step); \
  if (to == nullptr) [[unlikely]]                                              \
    return target.interpret(format, plan, args);                               \
  ++arg;                                                                       \
  LEAT_NEXT

  LEAT_SPECIFIED(specified_s32, signed_32);
  LEAT_SPECIFIED(specified_u32, unsigned_32);
  LEAT_SPECIFIED(specified_s64, signed_64);
  LEAT_SPECIFIED(specified_u64, unsigned_64);
precise:
  put_literal();
  to = write_specified(to, arg->float_64, arg->step);
  ++arg;
  LEAT_NEXT;
text:
  put_literal();
  if (static_cast<std::ptrdiff_t>(arg->text.size()) > limit - to)
    return target.interpret(format, plan, args);
  to = copy_any(to, arg->text.data(), arg->text.size());
  ++arg;
  LEAT_NEXT;
c_string:
  put_literal();
  to = copy_c_text(to, limit, (arg++)->c_string);
  if (to == nullptr) return target.interpret(format, plan, args);
  LEAT_NEXT;
padded:
  put_literal();
  if (static_cast<std::ptrdiff_t>(arg->text.size()) > limit - to)
    return target.interpret(format, plan, args);
  to = format_step(arg->step).type() == '?' ? quote_ascii(to, limit, arg->text)
                                            : write_specified(to, arg->text, arg->step);
  if (to == nullptr) [[unlikely]]
    return target.interpret(format, plan, args);
  ++arg;
  LEAT_NEXT;
custom:
  put_literal();
  to = put_custom_in_place(arg->custom, to, limit);
  ++arg;
  if (to == nullptr) return target.interpret(format, plan, args);
  LEAT_NEXT;
other:
  put_literal();
  if (static_cast<std::ptrdiff_t>(size_of_text(*arg)) > limit - to)
    return target.interpret(format, plan, args);
  to = write_other(to, limit, *arg, field_before(rest.text(), format_step(arg->step)));
  if (to == nullptr) [[unlikely]]
    return target.interpret(format, plan, args);
  ++arg;
  LEAT_NEXT;
#undef LEAT_PLAIN
#undef LEAT_SPECIFIED
#undef LEAT_NEXT

done:
  to = rest.put_tail(to, plan);
  *to = '\n';
  to += plan.has_newline();
  return target.finish(begin, to);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
