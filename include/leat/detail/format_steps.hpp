// Formats as steps: the compile-time form of a format, and the functions that run the steps.
// format.hpp and print.hpp call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include <leat/detail/custom_format.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/format_value.hpp>

namespace leat {
inline namespace v0 {

class writer;

namespace detail {

struct format_access;

LEAT_INLINE_CALL std::size_t text_size(std::string_view value) noexcept { return value.size(); }
LEAT_INLINE_CALL std::size_t text_size(c_text value) noexcept {
  return value.size == c_text::unknown ? 0 : value.size;
}
LEAT_INLINE_CALL std::size_t text_size(named_error value) noexcept { return value.category_size; }
template <class T>
LEAT_INLINE_CALL std::size_t text_size(const T&) noexcept {
  return 0;
}

/// Interprets a format string.
LEAT_API std::string vformat(std::string_view format, const any_value* args, std::size_t count);
/// Interprets a format string and writes to a writer; `newline` adds "\n" at the end.
LEAT_API void vprint(writer& to, std::string_view format, const any_value* args, std::size_t count,
                     bool newline);
/// If the constructor of a format string would not compile, throws format_error.
LEAT_API void check_format(std::string_view format, const arg_kind* kinds, std::size_t count);
/// Formats through `formatting`. The format_error of `formatting` becomes leat's.
LEAT_API std::string vformat_custom(std::string_view format, formatting::format_args args);
LEAT_API void vprint_custom(writer& to, std::string_view format, formatting::format_args args,
                            bool newline);

/// The properties of a format except its steps, in one word. For example, "x={}" has a text of 4
/// bytes and one field.
class format_plan {
 public:
  constexpr format_plan() = default;
  /// `text`: the size of the format. `size`: the most bytes that a call writes. `count`: the number
  /// of fields.
  LEAT_INLINE_CALL constexpr format_plan(std::size_t text, std::uint64_t size, std::size_t count)
      : bits_(static_cast<std::uint32_t>(text | size << 12 | count << 24)) {}
  static constexpr bool can_hold(std::size_t text, std::uint64_t size, std::size_t count) {
    return text < 4096 && size < 4096 && count < 64;
  }
  /// A plan for a call that writes up to `more` additional bytes. The flags of with_flags() are not
  /// kept.
  constexpr format_plan with_room(std::size_t more) const {
    return {text_size(), max_size() + more, field_count()};
  }
  LEAT_INLINE_CALL constexpr format_plan with_flags(bool escaped_tail, bool newline) const {
    format_plan plan = *this;
    plan.bits_ |= std::uint32_t{escaped_tail} << 30 | std::uint32_t{newline} << 31;
    return plan;
  }

  LEAT_INLINE_CALL constexpr std::size_t text_size() const { return bits_ & 0xFFF; }
  LEAT_INLINE_CALL constexpr std::size_t field_count() const { return bits_ >> 24 & 63; }
  /// The most bytes that a call writes. Texts, names of error categories and the "\n" are not
  /// included.
  LEAT_INLINE_CALL constexpr std::size_t max_size() const { return bits_ >> 12 & 0xFFF; }
  /// True if "{{" or "}}" follows the last field.
  constexpr bool has_escaped_tail() const { return (bits_ >> 30 & 1) != 0; }
  constexpr bool has_newline() const { return bits_ >> 31 != 0; }

 private:
  std::uint32_t bits_ = 0;
};

/// How a call writes its format.
enum class format_way : std::uint8_t {
  interpreted,
  in_order,  ///< by steps; field number i shows argument number i
  gathered,  ///< by steps, after the arguments were brought into the order of the fields
};

/// A few small numbers in one word.
template <unsigned Bits>
class packed_numbers {
 public:
  static constexpr std::size_t most = 64 / Bits;

  constexpr void set(std::size_t index, std::size_t number) {
    if (index < most) bits_ |= (std::uint64_t{number} & mask) << Bits * index;
  }
  constexpr std::size_t operator[](std::size_t index) const { return bits_ >> Bits * index & mask; }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << Bits) - 1;
  std::uint64_t bits_ = 0;
};
using field_order = packed_numbers<4>;  ///< the argument of each field
using packed_kinds = packed_numbers<5>;

/// A call whose format is not `in_order`. If the format is interpreted, its plan is empty, and only
/// `args` is used.
struct other_call {
  const any_value* args;  ///< the step of argument number i is the step of field number i
  packed_kinds kinds;     ///< of the arguments
  field_order order;
  std::uint64_t last_step;  ///< of the field whose number is the count of arguments
};

/// Formats by the steps of `args`.
LEAT_API std::string format_steps(const char* text, format_plan plan, const any_value* args);
LEAT_API void print_steps(writer& to, const char* text, format_plan plan, const any_value* args);
/// As format_steps(), for all other formats. `count` is the number of arguments.
LEAT_API std::string format_otherwise(std::string_view text, format_plan plan,
                                      const other_call& call, std::size_t count);
LEAT_API void print_otherwise(writer& to, std::string_view text, format_plan plan,
                              const other_call& call, std::size_t count);

/// The parts of a compiled format that are the same for all kinds of arguments.
struct format_parts {
  const char* text;
  std::size_t text_size;
  format_plan plan;
  format_way way;
  bool can_inline;  ///< the format may be expanded in place
  bool may_fail;    ///< see format_access::may_fail()
  field_order order;
};
/// Prints a format of any format_way. The caller passes `args` with steps that are only kinds; this
/// function replaces these steps with `steps`. Without optimization, a call of this function is
/// shorter than a call of the other functions.
LEAT_API void print_any(writer& to, const format_parts& format, const std::uint64_t* steps,
                        any_value* args, std::size_t count, bool newline);
/// As format_steps() and print_steps(), if some arguments are written by their formatters.
LEAT_API std::string format_custom_steps(const char* text, format_plan plan, const any_value* args);
LEAT_API void print_custom_steps(writer& to, const char* text, format_plan plan,
                                 const any_value* args);

/// Checks a format for `count` arguments, and compiles it into up to `count` + 1 steps. If the
/// format is interpreted, the steps are only kinds.
struct compiled_steps {
  format_plan plan;
  field_order order;
  format_way way = format_way::in_order;
  bool can_inline = true;  ///< the format may be expanded in place
  bool may_fail = false;   ///< see format_access::may_fail()

  constexpr compiled_steps(std::string_view text, const arg_kind* kinds, std::size_t count,
                           std::uint64_t* steps) {
    format_parser parser(text, kinds, count);
    segment next;
    std::size_t fields = 0;
    std::size_t begin = 0;  // of the literal
    std::uint64_t size = text.size();
    bool escaped = false;
    bool compiled = true;
    bool in_order = true;
    while (parser.next(next)) {
      const std::size_t end = next.literal_end;
      if (!next.is_field) {
        escaped = escaped || parser.position() != end;
        continue;
      }
      const arg_kind kind = kinds[next.arg];
      const std::size_t field = parser.position() - end;
      compiled = compiled && fields <= count &&
                 format_step::can_hold(end - begin, escaped, field, next.spec);
      in_order = in_order && next.arg == static_cast<int>(fields) && next.is_static();
      order.set(fields, static_cast<std::size_t>(next.arg));
      const bool has_text = kind == arg_kind::custom && !next.spec.plain;
      if (compiled)
        steps[fields] = format_step::with_arguments(
            format_step::of(end - begin, escaped, field, kind, has_text ? field_spec() : next.spec),
            next.width_argument, next.precision_argument);
      if (compiled && has_text) {
        const std::size_t spec = text.find(':', end) + 1;
        steps[fields] |= format_step::of_formatter(text.substr(spec, parser.position() - 1 - spec));
      }
      can_inline = can_inline && !escaped && next.is_static() &&
                   (kind != arg_kind::c_string || next.spec.plain);
      may_fail = may_fail || kind == arg_kind::c_string || next.spec.mostly_quick;
      size += max_size(kind, next.spec);
      ++fields;
      begin = parser.position();
      escaped = false;
    }
    // A larger size is not worth the room that each call would need.
    compiled = compiled && format_plan::can_hold(text.size(), size, fields);
    in_order = in_order && fields == count;
    if (!in_order)
      compiled = compiled && fields <= field_order::most && count <= packed_kinds::most;
    way = !compiled  ? format_way::interpreted
          : in_order ? format_way::in_order
                     : format_way::gathered;
    can_inline = can_inline && way == format_way::in_order && !escaped;
    if (compiled)
      plan = format_plan(text.size(), size, fields).with_flags(escaped, false);
    else
      for (std::size_t i = 0; i != count; ++i) steps[i] = format_step::of(kinds[i]);
  }
};

/// A format for arguments of these kinds. All argument types of one kind share one class.
template <arg_kind... Kinds>
class compiled_format {
 public:
  constexpr std::string_view text() const noexcept { return {parts_.text, parts_.text_size}; }

 protected:
  consteval explicit compiled_format(std::string_view text) {
    constexpr arg_kind kinds[] = {Kinds..., arg_kind::custom};
    const compiled_steps made(text, kinds, sizeof...(Kinds), steps_);
    parts_ = {text.data(),     text.size(),   made.plan, made.way,
              made.can_inline, made.may_fail, made.order};
  }

  friend struct format_access;

  static consteval packed_kinds kinds() {
    packed_kinds kinds;
    std::size_t count = 0;
    (kinds.set(count++, static_cast<std::size_t>(Kinds)), ...);
    return kinds;
  }

  format_parts parts_{};
  std::uint64_t steps_[sizeof...(Kinds) + 1]{};
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
