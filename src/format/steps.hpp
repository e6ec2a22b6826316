// Runs formats that were compiled into steps: the part of a print call that is not expanded in
// place. stream/print.cpp and steps.cpp call write_steps().
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/format.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/over_read.hpp"
#include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Writes a literal that is long, escaped, or in a format that ends near the end of a page.
char* put_other_literal(char* to, const char* literal, std::size_t size) noexcept;
/// Writes the literal after the last field: long, escaped, or near the end of a page.
char* put_other_tail(char* to, const char* tail, std::size_t size, format_plan plan) noexcept;
/// Writes a field of any kind except arg_kind::custom, with the kind and the specification of
/// `step`. `field` is the field's text in the format. Returns null if only the interpreter can
/// write the value.
char* write_other(char* to, const char* limit, const any_value& arg, format_step step,
                  std::string_view field);

/// A field of a call whose format has the way format_way::gathered.
struct gathered_field {
  std::uint64_t step;
  const any_value* value;  ///< the step in `value` belongs to another field
};

/// The fields of such a call.
class gathered_fields {
 public:
  gathered_fields(const other_call& call, std::size_t count) noexcept
      : call_(call), count_(count) {}

  /// Finds the step and the argument of each field. Does not copy the arguments: a load of a whole
  /// argument would wait for the smaller stores that made the argument. Widths and precisions that
  /// are arguments become parts of the steps, and their bytes a part of the plan's size. If a width
  /// or a precision is too large or negative, or the size is too large for a plan, returns false.
  /// Then the format must be interpreted.
  [[gnu::always_inline]] bool gather(format_plan& plan) noexcept {
    const other_call call = call_;
    std::uint64_t bits = 0;
#pragma GCC unroll 1  // else the loop is unrolled for field_order::most fields
    for (std::size_t i = 0; i != plan.field_count(); ++i) {
      const std::uint64_t step = i != count_ ? call.args[i].step : call.last_step;
      fields_[i] = {step, call.args + call.order[i]};
      bits |= step;
    }
    return !format_step(bits).has_arguments() || set_arguments(plan);
  }
  const gathered_field* array() const noexcept { return fields_; }

  static constexpr std::size_t most_arguments = packed_kinds::most;
  std::size_t argument_count() const noexcept { return count_; }
  /// Copies the arguments, for the interpreter.
  void copy_arguments(any_value (&to)[most_arguments]) const noexcept;

 private:
  bool set_arguments(format_plan& plan) noexcept;

  const other_call& call_;
  const std::size_t count_;
  gathered_field fields_[field_order::most];  // not initialised
};

/// The literals of a format. Most literals are copied by one load.
class literals {
 public:
  [[gnu::always_inline]] literals(const char* format, format_plan plan) noexcept
      : text_(format),
        end_(format + plan.text_size()),
        too_long_(plan.text_size() != 0 && may_read_beyond(end_, load) ? load + 1 : 0) {
    // With "{{" or "}}", the tail seems too long.
    if (plan.has_escaped_tail()) end_ += escaped_tail;
  }

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
    if (size >= too_long_) [[unlikely]]
      return put_other_tail(to, text_, size % escaped_tail, plan);
    std::memcpy(to, text_, load);
    return to + size;
  }
  const char* text() const noexcept { return text_; }

 private:
  static constexpr std::size_t load = 16;
  static constexpr std::size_t escaped_tail = 4096;  // formats are shorter

  const char* text_;
  const char* end_;
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
/// Returns the bytes that an argument of this kind takes in addition to plan.max_size(): for a
/// text, or for the name of an error's category. If the text is a null pointer, throws
/// format_error.
std::size_t size_of_text(const any_value& arg, arg_kind kind);

/// Runs the steps of `fields`: writes the formatted text at `to`, and returns the end of the text.
/// There must be room_of_steps() bytes after `limit`. If a text or a value of a custom type does
/// not fit before `limit`, or if only the interpreter can write a value, returns null. If a C
/// string is a null pointer, throws format_error. A Field is an any_value, or a gathered_field.
template <class Field>
char* write_steps(char* to, char* limit, const char* format, format_plan plan, const Field* fields);
extern template char* write_steps(char*, char*, const char*, format_plan, const any_value*);
extern template char* write_steps(char*, char*, const char*, format_plan, const gathered_field*);
/// The bytes that write_steps() needs after `limit`.
inline std::ptrdiff_t room_of_steps(format_plan plan) noexcept {
  return static_cast<std::ptrdiff_t>(plan.max_size() + copy_room + 1);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
