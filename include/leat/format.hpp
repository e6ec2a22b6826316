// The function format(), and format strings, which are compiled at compile time from plain
// literals, without a macro.
//
// The consteval constructor of basic_format_string checks the literal and compiles it into steps: a
// 64-bit number for each field. The same parser interprets other formats at run time. Arguments
// with a formatter of {fmt} or of the standard library are written by this formatter; see
// leat/detail/custom_arguments.hpp.
//
// A std::chrono::sys_time of integers is written in ISO 8601, with as many decimals as its unit
// has, up to nanoseconds: "2026-11-21T09:27:19.123Z". A time in days is written as "2026-11-21". A
// field for a time takes a fill, an alignment and a width; or a specification with '%', as in {fmt}
// and the standard library: "{:%d %b %H:%M}". leat writes the letters in native_conversions by
// itself; {fmt} or the standard library writes the other letters.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <leat/detail/copy.hpp>
#include <leat/detail/custom_arguments.hpp>
#include <leat/detail/custom_format.hpp>
#include <leat/detail/format_steps.hpp>
#include <leat/detail/format_string.hpp>
#include <leat/detail/format_value.hpp>
#include <leat/detail/time_stamp.hpp>

namespace leat {
inline namespace v0 {

/// A run-time format string. If the string is wrong, print throws format_error and writes nothing.
struct runtime_format {
  std::string_view text;
};
/// Makes a format string of a text that is known only at run time: `print(runtime(text), …)`.
/// The text must stay valid until the call that uses the format has ended.
inline runtime_format runtime(std::string_view text) noexcept { return {text}; }

namespace detail {

template <bool Custom, class... Args>
struct format_for {
  using type = compiled_format<kind_of<Args>()...>;
};
template <class... Args>
struct format_for<true, Args...> {
  using type = custom_format<Args...>;
};

}  // namespace detail

/// The compiled form of a format string for arguments of types Args (without reference and cv),
/// constructed from a literal or another constant. A wrong string does not compile: the compiler's
/// message has the name of a function of leat::format_mistake, and this name describes the mistake.
template <class... Args>
class basic_format_string : public detail::format_for<detail::has_custom<Args...>, Args...>::type {
  using base = typename detail::format_for<detail::has_custom<Args...>, Args...>::type;

 public:
  consteval basic_format_string(const char* literal) : base(std::string_view(literal)) {}
  template <class Text>
    requires(std::convertible_to<const Text&, std::string_view> &&
             !std::convertible_to<const Text&, const char*>)
  consteval basic_format_string(const Text& literal) : base(std::string_view(literal)) {}
  /// Does not compile for std::string, which is not a constant.
  template <class Traits, class Allocator>
  consteval basic_format_string(const std::basic_string<char, Traits, Allocator>&) : base("") {
    static_assert(!std::is_same_v<Traits, Traits>,
                  "this format is not known at compile time: write leat::runtime(format)");
  }
};

namespace detail {

/// Access for print and format to the parts of a format string.
struct format_access {
  template <arg_kind... Kinds, class... Args>
  [[gnu::always_inline]] static std::string format(const compiled_format<Kinds...>& f,
                                                   Args&... args) {
    const std::uint64_t* step = f.steps_;
    const any_values<sizeof...(Args)> all = {{make_any_value(*step++, args)...}};
    if (f.parts_.way == format_way::in_order)
      return format_steps(f.parts_.text, f.parts_.plan, all.array);
    const other_call call{all.array, compiled_format<Kinds...>::kinds(), f.parts_.order,
                          f.steps_[sizeof...(Args)]};
    return format_otherwise({f.parts_.text, f.parts_.text_size}, f.parts_.plan, call,
                            sizeof...(Args));
  }

  /// Formats in `memory`, and sets `end`. If there is not enough room, or if only the interpreter
  /// can write a value, returns false.
  template <arg_kind... Kinds, std::size_t Room, class... Values>
  [[gnu::always_inline]] static bool format_short(const compiled_format<Kinds...>& f,
                                                  char (&memory)[Room], char*& end,
                                                  const Values&... values) {
    const std::size_t size = max_size(f, values...);
    if (size > Room) [[unlikely]]
      return false;
    end = write_fields(f, memory, memory + (Room - size), values...);
    return !f.parts_.may_fail || end != nullptr;
  }

  template <bool Newline, arg_kind... Kinds, class... Args>
  [[gnu::always_inline]] static void print(writer& to, const compiled_format<Kinds...>& f,
                                           Args&... args) {
#ifdef __OPTIMIZE__
    const std::uint64_t* step = f.steps_;
    const any_values<sizeof...(Args)> all = {{make_any_value(*step++, args)...}};
    const format_plan plan = f.parts_.plan.with_flags(false, Newline);
    if (f.parts_.way == format_way::in_order)
      return print_steps(to, f.parts_.text, plan, all.array);
    // The call has no pointer into `f`: compilers know the contents of `f` only while no other
    // function can change them.
    const other_call call{all.array, compiled_format<Kinds...>::kinds(), f.parts_.order,
                          f.steps_[sizeof...(Args)]};
    print_otherwise(to, {f.parts_.text, f.parts_.text_size}, plan, call, sizeof...(Args));
#else
    any_values<sizeof...(Args)> all = {{make_any_value(args)...}};
    print_any(to, f.parts_, f.steps_, all.array, sizeof...(Args), Newline);
#endif
  }

  template <class... Types, class... Args>
  [[gnu::always_inline]] static std::string format(const custom_format<Types...>& f,
                                                   Args&... args) {
    if constexpr (custom_formatters<Types...>::all_written_by_leat)
      if (f.parts_.way == format_way::in_order) {
        const any_values<sizeof...(Args)> all = f.formatters_.values(f.steps_, args...);
        if constexpr (custom_format<Types...>::in_buffer)
          return format_steps(f.parts_.text, f.parts_.plan, all.array);
        else
          return format_custom_steps(f.parts_.text, f.parts_.plan, all.array);
      }
    return with_custom_args(
        [&](formatting::format_args all) {
          return vformat_custom({f.parts_.text, f.parts_.text_size}, all);
        },
        custom_argument(args)...);
  }

  template <bool Newline, class... Types, class... Args>
  [[gnu::always_inline]] static void print(writer& to, const custom_format<Types...>& f,
                                           Args&... args) {
    if constexpr (custom_formatters<Types...>::all_written_by_leat)
      if (f.parts_.way == format_way::in_order) {
        const any_values<sizeof...(Args)> all = f.formatters_.values(f.steps_, args...);
        const format_plan plan = f.parts_.plan.with_flags(false, Newline);
        if constexpr (custom_format<Types...>::in_buffer)
          return print_steps(to, f.parts_.text, plan, all.array);
        else
          return print_custom_steps(to, f.parts_.text, plan, all.array);
      }
    with_custom_args(
        [&](formatting::format_args all) {
          vprint_custom(to, {f.parts_.text, f.parts_.text_size}, all, Newline);
        },
        custom_argument(args)...);
  }

  /// True if arguments of these types are so few that inlined code can be shorter.
  template <class... Args>
  static constexpr bool may_be_short =
      !has_custom<Args...> &&
      sizeof...(Args) <= ((true && ... && is_quick(kind_of<Args>())) ? 8 : 3);
  /// True if the compiler knows the format, and inlined code is shorter. may_be_short must be true.
  template <arg_kind... Kinds>
  [[gnu::always_inline]] static bool is_short(const compiled_format<Kinds...>& f) {
    return __builtin_constant_p(f.parts_.can_inline) && f.parts_.can_inline;
  }

  /// The most bytes that a call writes, without the C strings of unknown length.
  template <arg_kind... Kinds, class... Values>
  [[gnu::always_inline]] static std::size_t max_size(const compiled_format<Kinds...>& f,
                                                     const Values&... values) {
    // The store of a text may extend this far beyond its end.
    constexpr std::size_t room = (false || ... || is_string(Kinds)) ? copy_room : std::size_t{16};
    return f.parts_.plan.max_size() + (room + ... + text_size(values));
  }

  /// Writes a short format at `to`. There must be room for max_size() bytes after `to` and after
  /// `limit`. If a text needs more room, or if put() returns null, returns null; this happens only
  /// if f.parts_.may_fail is true.
  template <arg_kind... Kinds, class... Values>
  [[gnu::always_inline]] static char* write_fields(const compiled_format<Kinds...>& f, char* to,
                                                   [[maybe_unused]] char* limit,
                                                   const Values&... values) {
    const std::uint64_t* step = f.steps_;
    const char* text = f.parts_.text;
    if (!(true && ... && put_field(to, limit, *step++, text, values))) return nullptr;
    const auto tail = static_cast<std::size_t>(f.parts_.text + f.parts_.text_size - text);
    std::memcpy(to, text, tail);
    return to + tail;
  }

  /// True if write_fields() may return null.
  template <arg_kind... Kinds>
  [[gnu::always_inline]] static bool may_fail(const compiled_format<Kinds...>& f) {
    return f.parts_.may_fail;
  }

  /// True for the format "{}".
  template <arg_kind Kind>
  [[gnu::always_inline]] static bool is_one_plain_field(const compiled_format<Kind>& f) {
    return f.parts_.text_size == 2 && f.parts_.plan.field_count() == 1;
  }

 private:
  [[gnu::always_inline]] static char* put_literal(char* to, std::uint64_t step, const char*& text) {
    const format_step of(step);
    std::memcpy(to, text, of.literal_code());
    text += of.text_size();
    return to + of.literal_code();
  }

  /// Sets `to` to the result of put(). Returns false if the result is null: the text needs more
  /// room, or only the interpreter can write the value.
  template <class Value>
  [[gnu::always_inline]] static bool put_field(char*& to, char* limit, std::uint64_t step,
                                               const char*& text, const Value& value) {
    to = put(to, limit, step, text, value);
    return to != nullptr || !(is_c_text<Value> || format_step(step).is_mostly_quick());
  }
  /// Writes the literal and the field of a step.
  template <class Value>
  [[gnu::always_inline]] static char* put(char* to, [[maybe_unused]] char* limit,
                                          std::uint64_t step, const char*& text,
                                          const Value& value) {
    to = put_literal(to, step, text);
    if constexpr (is_c_text<Value>) {
      if (value.size == c_text::unknown) return copy_c_text(to, limit, value.text);
      return write_value(to, std::string_view(value.text, value.size));
    } else if constexpr (std::is_same_v<Value, named_error>) {
      return write_value(to, value);  // takes no specification
    } else if constexpr (std::is_same_v<Value, std::string_view>) {
      const format_step of(step);
      if (!of.is_specified()) return write_value(to, value);
      return of.type() == '?' ? quote_ascii(to, limit, value) : write_specified(to, value, step);
    } else if constexpr (std::is_same_v<Value, time_stamp>) {
      const format_step of(step);
      if (!of.is_specified()) return write_value(to, value);
      if (of.type() != '%') return write_specified(to, value, step);
      const std::size_t field = of.text_size() - of.literal_code();
      return write_calendar(to, value, {text - field, field});
    } else {
      const format_step of(step);
      if constexpr (std::is_integral_v<Value> && sizeof(Value) > 1)
        if (of.is_specified() && of.type() == 'c' && of.width() == 0) {
          *to = static_cast<char>(value);
          return value >= 0 && value <= 127 ? to + 1 : nullptr;
        }
      return of.is_specified() ? write_specified<widest<Value>>(to, value, step)
                               : write_value(to, value);
    }
  }
};

template <class T>
inline constexpr bool is_quick_number = kind_of<std::remove_cv_t<T>>() >= arg_kind::signed_32 &&
                                        kind_of<std::remove_cv_t<T>>() <= arg_kind::unsigned_64;

template <class Format, class... Args>
[[gnu::always_inline]] inline std::string format(const Format& format, Args&... args) {
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
  // Without room in `memory`, the arguments are used twice.
  if constexpr (!has_custom<std::remove_cv_t<Args>...> &&
                (false || ... || runs_code_for_value<std::remove_cv_t<Args>>))
    return [&](auto&&... values) { return detail::format(format, values...); }(once(args)...);
  if constexpr (format_access::may_be_short<std::remove_cv_t<Args>...>)
    if (format_access::is_short(format)) {
      if constexpr (sizeof...(Args) == 1 && (false || ... || is_quick_number<Args>))
        if (format_access::is_one_plain_field(format))
          return (make_string(widest<decltype(value_of(args))>(value_of(args))), ...);
      char memory[192];
      char* end = nullptr;
      if (format_access::format_short(format, memory, end, value_of(args)...))
        return make_string(memory, end);
    }
#endif
  return format_access::format(format, args...);
}

template <class... Args>
std::string vformat_values(std::string_view format, Args&... args) {
  const any_values<sizeof...(Args)> all = {{make_any_value(args)...}};
  return vformat(format, all.array, sizeof...(Args));
}

/// As with_custom_args, for a format that was not checked at compile time.
template <class Use, class... Args>
inline decltype(auto) with_runtime_args(std::string_view format, const Use& use, Args&... args) {
  if constexpr (!(... || named_argument<std::remove_cv_t<Args>>)) {
    constexpr arg_kind kinds[] = {kind_of<std::remove_cv_t<Args>>()...};
    check_format(format, kinds, sizeof...(Args));
  }
  return with_custom_args(use, custom_argument(args)...);
}

template <class... Args>
std::string format_runtime(std::string_view format, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>)
    return with_runtime_args(
        format, [&](formatting::format_args all) { return vformat_custom(format, all); }, args...);
  else
    return vformat_values(format, args...);
}

}  // namespace detail

/// Returns the formatted text as a string. Throws what writer::print throws, and std::bad_alloc.
template <class... Args>
[[nodiscard]] LEAT_INLINE_CALL std::string format(const format_string<Args...>& format,
                                                  Args&&... args) {
  return detail::format(format, args...);
}

template <class... Args>
[[nodiscard]] std::string format(runtime_format format, Args&&... args) {
  return detail::format_runtime(format.text, args...);
}

}  // namespace v0
}  // namespace leat
