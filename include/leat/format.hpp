// Format strings compiled at compile time from plain literals, without a macro.
//
// The consteval constructor of basic_format_string checks the literal and compiles it into steps: a
// word for each field. Positional arguments, and widths that are arguments, are interpreted at run
// time by the same parser. Arguments with a formatter of {fmt} or of the standard library are
// written by that one: leat/detail/custom_format.hpp.
//
// A std::chrono::sys_time of integers is written in ISO 8601, with as many decimals as its unit
// has, up to nanoseconds: "2026-11-21T09:27:19.123Z". A time in days is written as "2026-11-21". A
// field for a time takes a fill, an alignment and a width; or a specification with '%', as {fmt}
// and the standard library have it: "{:%d %b %H:%M}". leat writes the usual letters by itself
// (native_conversions), and asks them for the rest.
#pragma once

#include <leat/endian.hpp>
#include <leat/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <leat/detail/copy.hpp>
#include <leat/detail/custom_format.hpp>
#include <leat/detail/custom_formatters.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/format_string.hpp>
#include <leat/detail/time_stamp.hpp>

// A call of print is expanded in place where speed is asked for. Else it is a function for all
// calls with arguments of the same types.
#if defined(__OPTIMIZE__)
#  define LEAT_INLINE_CALL [[gnu::always_inline]] inline
#else
#  define LEAT_INLINE_CALL inline
#endif

namespace leat {
inline namespace v0 {

struct format_access;
class writer;

/// A format string that is known only at run time. If it is wrong, print throws format_error and
/// writes nothing.
struct runtime_format {
  std::string_view text;
};
inline runtime_format runtime(std::string_view text) noexcept { return {text}; }

namespace detail {

// Without `__extension__` a pedantic compiler says that ISO C++ has no such types.
__extension__ typedef __int128 int128;            // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using)

// The kinds of values

template <class T>
inline constexpr bool is_standard_string = false;
template <class Traits, class Allocator>
inline constexpr bool is_standard_string<std::basic_string<char, Traits, Allocator>> = true;
template <class Traits>
inline constexpr bool is_standard_string<std::basic_string_view<char, Traits>> = true;

template <class T>
inline constexpr bool is_text =
    std::is_same_v<T, const char*> || std::is_same_v<T, char*> || is_standard_string<T> ||
    (std::is_array_v<T> && std::is_same_v<std::remove_cv_t<std::remove_extent_t<T>>, char>);

/// With -fno-char8_t there is no char8_t, and u8'a' is a char.
template <class T>
inline constexpr bool is_wide_character =
    std::is_same_v<T, wchar_t> || std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t> ||
    (std::is_same_v<T, decltype(u8'a')> && !std::is_same_v<T, char>);

template <class T>
concept has_format_as = requires(const T& value) { format_as(value); };
template <class T>
using format_as_result = decltype(format_as(std::declval<const T&>()));
template <class Result>
inline constexpr bool lasts = std::is_arithmetic_v<std::remove_cvref_t<Result>> ||
                              (is_text<std::remove_cvref_t<Result>> &&
                               (std::is_reference_v<Result> || !std::is_class_v<Result> ||
                                std::is_same_v<std::remove_cv_t<Result>, std::string_view>));

/// An enumeration that is an integer, and that has no format of its own.
template <class T>
concept plain_enum =
    std::is_enum_v<T> && std::is_convertible_v<T, std::underlying_type_t<T>> && !has_format<T>;

/// The native type that a value of type T is printed as: the number in a `little` or `big`, the
/// integer of an unscoped enumeration. Else T.
template <class T>
struct held_by {
  using type = T;
};
template <class T, std::endian Order>
struct held_by<stored<T, Order>> {
  using type = T;
};
template <plain_enum T>
struct held_by<T> {
  using type = std::underlying_type_t<T>;
};
/// What a format_as() returns, if it is a number or a text that lives as long as the argument.
template <has_format_as T>
  requires(lasts<format_as_result<T>>)
struct held_by<T> {
  using type = std::remove_cvref_t<format_as_result<T>>;
};
template <class T>
using held = typename held_by<T>::type;
/// T is printed as another type.
template <class T>
concept holder = !std::same_as<held<T>, T>;
/// The value that it is printed as.
template <holder T>
[[gnu::always_inline]] inline decltype(auto) held_in(const T& value) {
  if constexpr (has_format_as<T>)
    return format_as(value);
  else
    return held<T>(value);
}

/// The kind of argument that a T (without reference and cv) is.
template <class T>
consteval arg_kind kind_of() {
  if constexpr (holder<T>) {
    return kind_of<held<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return arg_kind::boolean;
  } else if constexpr (std::is_same_v<T, char>) {
    return arg_kind::character;
  } else if constexpr (std::is_same_v<T, int128>) {  // is_integral: false with -std=c++20
    return arg_kind::signed_128;
  } else if constexpr (std::is_same_v<T, uint128>) {
    return arg_kind::unsigned_128;
  } else if constexpr (std::is_integral_v<T> && !is_wide_character<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) <= 4)
      return is_signed ? arg_kind::signed_32 : arg_kind::unsigned_32;
    else
      return is_signed ? arg_kind::signed_64 : arg_kind::unsigned_64;
  } else if constexpr (std::is_same_v<T, std::byte>) {
    return arg_kind::unsigned_32;
  } else if constexpr (std::is_same_v<T, float>) {
    return arg_kind::float_32;
  } else if constexpr (std::is_same_v<T, double>) {
    return arg_kind::float_64;
  } else if constexpr (std::is_same_v<T, long double>) {
    return arg_kind::float_80;
  } else if constexpr (is_standard_string<T>) {
    return arg_kind::text;
  } else if constexpr (is_text<T>) {
    return arg_kind::c_string;
  } else if constexpr (std::is_same_v<T, std::error_code>) {
    return arg_kind::error_code;
  } else if constexpr (is_time<T> || std::is_same_v<T, time_stamp> || stamped<T>) {
    return arg_kind::time;
  } else if constexpr (std::is_same_v<T, void*> || std::is_same_v<T, const void*> ||
                       std::is_same_v<T, std::nullptr_t>) {
    return arg_kind::pointer;
  } else {
    return arg_kind::custom;
  }
}

template <class... T>
inline constexpr bool has_custom = (0 + ... + int{kind_of<T>() == arg_kind::custom}) != 0;

/// A C string. One whose length the compiler does not know is measured while it is copied.
struct c_text {
  static constexpr std::size_t unknown = ~std::size_t{0};
  const char* text;
  std::size_t size;
};
[[gnu::always_inline]] inline c_text c_text_of(const char* text) noexcept {
  const bool known = __builtin_constant_p(__builtin_strlen(text));
  return {text, known ? __builtin_strlen(text) : c_text::unknown};
}
template <class T>
inline constexpr bool is_c_text = std::is_same_v<T, c_text>;

/// An argument as the number and text writers take it: the widest type of its kind.
template <class T>
[[gnu::always_inline]] inline auto value_of(const T& arg) {
  if constexpr (holder<T>)
    return value_of<held<T>>(held_in(arg));
  else if constexpr (std::is_same_v<T, std::byte>)
    return static_cast<unsigned>(arg);
  else if constexpr (std::is_same_v<T, std::nullptr_t>)
    return static_cast<const void*>(nullptr);
  else if constexpr (std::is_same_v<T, void*>)
    return static_cast<const void*>(arg);
  else if constexpr (is_standard_string<T>)
    return std::string_view(arg.data(), arg.size());
  else if constexpr (is_text<T>)
    return c_text_of(arg);
  else if constexpr (std::is_same_v<T, std::error_code>)
    return &arg;
  else if constexpr (is_time<T>)
    return stamp_of(arg);
  else if constexpr (stamped<T>)
    return arg.parts();
  else if constexpr (kind_of<T>() == arg_kind::signed_32)
    return std::int32_t{arg};
  else if constexpr (kind_of<T>() == arg_kind::unsigned_32)
    return std::uint32_t{arg};
  else if constexpr (kind_of<T>() == arg_kind::signed_64)
    return std::int64_t{arg};
  else if constexpr (kind_of<T>() == arg_kind::unsigned_64)
    return std::uint64_t{arg};
  else
    return arg;
}

template <class T>
  requires std::is_scalar_v<T>
[[gnu::always_inline]] inline auto value_of(const volatile T& arg) {
  const T value = arg;
  return value_of(value);
}

/// Throws format_error if there is no string.
inline void check_text(const char* text) {
  if (text == nullptr) [[unlikely]]
    throw_format_error("the argument is a null pointer, not a string", format_error::no_position);
}

struct custom_writer;
/// An argument that its own formatter writes.
struct custom_value {
  const void* object;
  const custom_writer* writer;
};

/// An argument with the step that writes it. Where the format is interpreted the step is only the
/// kind.
struct any_value {
  std::uint64_t step;
  union {
    bool boolean;
    char character;
    std::int32_t signed_32;
    std::uint32_t unsigned_32;
    std::int64_t signed_64;
    std::uint64_t unsigned_64;
    float float_32;
    double float_64;
    std::string_view text;
    const char* c_string;
    const void* pointer;
    const std::error_code* error_code;
    time_stamp time;
    custom_value custom;
    std::uint64_t words[2];  ///< of a type that would make each argument larger by its alignment
  };

  any_value() noexcept : step(0), unsigned_64(0) {}
  any_value(std::uint64_t s, bool v) noexcept : step(s), boolean(v) {}
  any_value(std::uint64_t s, char v) noexcept : step(s), character(v) {}
  any_value(std::uint64_t s, std::int32_t v) noexcept : step(s), signed_32(v) {}
  any_value(std::uint64_t s, std::uint32_t v) noexcept : step(s), unsigned_32(v) {}
  any_value(std::uint64_t s, std::int64_t v) noexcept : step(s), signed_64(v) {}
  any_value(std::uint64_t s, std::uint64_t v) noexcept : step(s), unsigned_64(v) {}
  any_value(std::uint64_t s, float v) noexcept : step(s), float_32(v) {}
  any_value(std::uint64_t s, double v) noexcept : step(s), float_64(v) {}
  any_value(std::uint64_t s, std::string_view v) noexcept : step(s), text(v) {}
  any_value(std::uint64_t s, c_text v) noexcept : step(s), c_string(v.text) {}
  any_value(std::uint64_t s, const void* v) noexcept : step(s), pointer(v) {}
  any_value(std::uint64_t s, const std::error_code* v) noexcept : step(s), error_code(v) {}
  any_value(std::uint64_t s, time_stamp v) noexcept : step(s), time(v) {}
  any_value(std::uint64_t s, custom_value v) noexcept : step(s), custom(v) {}
  any_value(std::uint64_t s, int128 v) noexcept : any_value(s, v, sizeof v) {}
  any_value(std::uint64_t s, uint128 v) noexcept : any_value(s, v, sizeof v) {}
  any_value(std::uint64_t s, long double v) noexcept : any_value(s, v, sizeof v) {}

  arg_kind kind() const noexcept { return format_step(step).kind(); }
  int128 signed_128() const noexcept { return wide<int128>(); }
  uint128 unsigned_128() const noexcept { return wide<uint128>(); }
  long double float_80() const noexcept { return wide<long double>(); }

 private:
  template <class T>
  any_value(std::uint64_t s, const T& v, std::size_t size) noexcept : step(s), words{} {
    std::memcpy(words, &v, size);
  }
  template <class T>
  T wide() const noexcept {
    T value;
    std::memcpy(&value, words, sizeof value);
    return value;
  }
};

/// The arguments of a call, if there are any.
template <std::size_t Count>
struct any_values {
  any_value array[Count == 0 ? 1 : Count];
};

template <class T>
inline any_value any_of(std::uint64_t step, T& arg) noexcept {
  return {step, value_of(arg)};
}
/// For the interpreter.
template <class T>
inline any_value any_of(T& arg) noexcept {
  return any_of(format_step::of(kind_of<std::remove_cv_t<T>>()), arg);
}

// The writers. Each writes at `to`, where there must be room for max_size() + 16 bytes (that of a
// text: for copy_room), and returns the end of what it wrote.

LEAT_API char* write_value(char* to, std::uint32_t value) noexcept;
LEAT_API char* write_value(char* to, std::int32_t value) noexcept;
LEAT_API char* write_value(char* to, std::uint64_t value) noexcept;
LEAT_API char* write_value(char* to, std::int64_t value) noexcept;
LEAT_API char* write_value(char* to, uint128 value) noexcept;
LEAT_API char* write_value(char* to, int128 value) noexcept;
LEAT_API char* write_value(char* to, float value) noexcept;
LEAT_API char* write_value(char* to, double value) noexcept;
LEAT_API char* write_value(char* to, long double value) noexcept;
LEAT_API char* write_value(char* to, const void* value) noexcept;
LEAT_API char* write_value(char* to, const std::error_code* value) noexcept;
LEAT_API char* write_value(char* to, time_stamp value) noexcept;
/// A time whose format_step has the type '%'. `field` is the text of the field: "{:%H:%M}".
LEAT_API char* write_calendar(char* to, time_stamp value, std::string_view field);
/// The same with the specification of a format_step.
template <class T>
LEAT_API char* write_specified(char* to, T value, std::uint64_t step);
/// Declared, so that the compiler does not make a second specialisation.
template <>
LEAT_API char* write_specified(char* to, double value, std::uint64_t step);

/// The widest type for integers; other types stay as they are.
template <class T>
using widest =
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t,
                       std::conditional_t<std::is_same_v<T, std::uint32_t>, std::uint64_t, T>>;

/// Both words have eight bytes, so there is no branch.
inline constexpr char words_of_bool[2][8] = {"false", "true"};
inline char* write_value(char* to, bool value) noexcept {
  std::memcpy(to, words_of_bool[value], 8);
  return to + 5 - value;
}
inline char* write_value(char* to, char value) noexcept {
  *to = value;
  return to + 1;
}
[[gnu::always_inline]] inline char* write_value(char* to, std::string_view value) noexcept {
  return copy_with_room(to, value.data(), value.size());
}

/// A native argument of a call that goes through `formatting`, where leat writes it all the same.
struct custom_native {
  any_value value;
};

/// {fmt} writes what leat writes, except for error codes and times: for these it needs headers that
/// depend on its version. The standard library writes other texts of floating-point numbers, and
/// leat asks it for integers only.
template <class T>
inline constexpr bool stays_native =
    kind_of<T>() == arg_kind::error_code || kind_of<T>() == arg_kind::time ||
    (LEAT_FORMAT_STD && kind_of<T>() != arg_kind::custom &&
     (kind_of<T>() < arg_kind::signed_32 || kind_of<T>() > arg_kind::unsigned_64));

/// Writes the field of a native value. `spec` is what stands behind the colon; `counts` are the
/// values of the arguments that it names.
LEAT_API std::string format_field(const any_value& value, std::string_view spec,
                                  const long long* counts);

/// An argument in the form that `formatting` takes.
template <class T>
[[gnu::always_inline]] inline decltype(auto) custom_argument(T& arg) {
  if constexpr (stays_native<std::remove_cv_t<T>>)
    return custom_native{any_of(arg)};
  else if constexpr (holder<std::remove_cv_t<T>>)
    return held<std::remove_cv_t<T>>(held_in(arg));
  else if constexpr (std::is_same_v<std::remove_cv_t<T>, std::byte>)
    return static_cast<unsigned char>(arg);
  else
    return (arg);
}
template <class T>
using custom_type = std::remove_cvref_t<decltype(custom_argument(std::declval<T&>()))>;

/// A T that is not native has a formatter.
template <class T>
consteval void check_argument() {
  if constexpr (kind_of<T>() == arg_kind::custom) check_formatter<T>();
}

/// Calls use(formatting::format_args) with all arguments.
template <class Use, class... Args>
inline decltype(auto) with_custom_args(const Use& use, Args&&... args) {
  (check_argument<std::remove_cvref_t<Args>>(), ...);
  return use(formatting::make_format_args(args...));
}

inline std::size_t text_size(std::string_view value) noexcept { return value.size(); }
inline std::size_t text_size(c_text value) noexcept {
  return value.size == c_text::unknown ? 0 : value.size;
}
inline std::size_t text_size(const std::error_code* value) noexcept {
  return std::strlen(value->category().name());
}
template <class T>
std::size_t text_size(const T&) noexcept {
  return 0;
}

/// Interprets a format string.
LEAT_API std::string vformat(std::string_view format, const any_value* args, std::size_t count);
/// The same to a writer; `newline` adds "\n" at the end.
LEAT_API void vprint(writer& to, std::string_view format, const any_value* args, std::size_t count,
                     bool newline);
/// Throws format_error where the constructor of a format string would not compile.
LEAT_API void check_format(std::string_view format, const arg_kind* kinds, std::size_t count);
/// Formats through `formatting`. Its format_error becomes leat's.
LEAT_API std::string vformat_custom(std::string_view format, formatting::format_args args);
LEAT_API void vprint_custom(writer& to, std::string_view format, formatting::format_args args,
                            bool newline);

/// What there is to know about a format beside its steps, in one word.
class format_plan {
 public:
  constexpr format_plan() = default;
  /// The sizes of the text and of what a call writes, and the number of fields.
  constexpr format_plan(std::size_t text, std::uint64_t size, std::size_t count)
      : bits_(static_cast<std::uint32_t>(text | size << 12 | count << 24)) {}
  static constexpr bool holds(std::size_t text, std::uint64_t size, std::size_t count) {
    return text < 4096 && size < 4096 && count < 64;
  }
  /// Has room for so many bytes more.
  constexpr format_plan with_room(std::size_t more) const {
    return {text(), size() + more, count()};
  }
  constexpr format_plan with(bool escaped_tail, bool newline) const {
    format_plan plan = *this;
    plan.bits_ |= std::uint32_t{escaped_tail} << 30 | std::uint32_t{newline} << 31;
    return plan;
  }

  constexpr std::size_t text() const { return bits_ & 0xFFF; }
  constexpr std::size_t count() const { return bits_ >> 24 & 63; }
  /// The most bytes that a call writes, without texts, names of error categories and the "\n".
  constexpr std::size_t size() const { return bits_ >> 12 & 0xFFF; }
  /// Behind the last field stands "{{" or "}}".
  constexpr bool has_escaped_tail() const { return (bits_ >> 30 & 1) != 0; }
  constexpr bool has_newline() const { return bits_ >> 31 != 0; }

 private:
  std::uint32_t bits_ = 0;
};

/// Formats by the steps of `args`.
LEAT_API std::string format_steps(const char* text, format_plan plan, const any_value* args);
LEAT_API void print_steps(writer& to, const char* text, format_plan plan, const any_value* args);
/// The same where some arguments are written by formatters of their own.
LEAT_API std::string format_custom_steps(const char* text, format_plan plan, const any_value* args);
LEAT_API void print_custom_steps(writer& to, const char* text, format_plan plan,
                                 const any_value* args);

/// Checks a format and compiles it into `count` steps.
struct compiled_steps {
  format_plan plan;
  bool compiled = true;  ///< else it is interpreted, and the steps are only the kinds
  bool simple = true;    ///< it may be expanded in place

  constexpr compiled_steps(std::string_view text, const arg_kind* kinds, std::size_t count,
                           std::uint64_t* steps) {
    format_parser parser(text, kinds, count);
    segment next;
    std::size_t fields = 0;
    std::size_t begin = 0;  // of the literal
    std::uint64_t size = text.size();
    bool escaped = false;
    while (parser.next(next)) {
      const std::size_t end = next.literal_end;
      if (!next.is_field) {
        escaped = escaped || parser.position() != end;
        continue;
      }
      const arg_kind kind = kinds[next.arg];
      const std::size_t field = parser.position() - end;
      compiled = compiled && next.arg == static_cast<int>(fields) && next.is_static() &&
                 format_step::holds(end - begin, escaped, field, next.spec);
      if (compiled) steps[fields] = format_step::of(end - begin, escaped, field, kind, next.spec);
      simple = simple && !escaped && (kind != arg_kind::c_string || next.spec.plain);
      size += max_size(kind, next.spec);
      ++fields;
      begin = parser.position();
      escaped = false;
    }
    // A larger size isn't worth the room that each call would need.
    compiled = compiled && fields == count && format_plan::holds(text.size(), size, count);
    simple = simple && compiled && !escaped;
    if (compiled)
      plan = format_plan(text.size(), size, count).with(escaped, false);
    else
      for (std::size_t i = 0; i != count; ++i) steps[i] = format_step::of(kinds[i]);
  }
};

/// A format for arguments of these kinds. All types of a kind share it.
template <arg_kind... Kinds>
class compiled_format {
 public:
  constexpr std::string_view text() const noexcept { return {text_, text_size_}; }

 protected:
  consteval explicit compiled_format(std::string_view text)
      : text_(text.data()), text_size_(text.size()) {
    constexpr arg_kind kinds[] = {Kinds..., arg_kind::custom};
    const compiled_steps made(text, kinds, sizeof...(Kinds), steps_);
    plan_ = made.plan;
    compiled_ = made.compiled;
    simple_ = made.simple;
  }

  friend struct leat::v0::format_access;

  const char* text_;
  std::size_t text_size_;
  format_plan plan_;
  bool compiled_;
  bool simple_;
  std::uint64_t steps_[sizeof...(Kinds) + 1]{};
};

/// What argument number Index of type T adds to a format: its formatter, if it has one.
template <std::size_t Index, class T>
struct formatter_of {
  constexpr bool parse(std::size_t, std::string_view, std::size_t) { return true; }
  template <class Arg>
  any_value value(std::uint64_t step, Arg& arg) const noexcept {
    return any_of(step, arg);
  }
};

#if LEAT_FORMAT_FMT

template <std::size_t Index, class T>
  requires(kind_of<T>() == arg_kind::custom && has_formatter<T>)
struct formatter_of<Index, T> : custom_formatter<T> {
  constexpr bool parse(std::size_t index, std::string_view spec, std::size_t size) {
    return index != Index || custom_formatter<T>::parse(spec, size);
  }
  any_value value(std::uint64_t step, const T& arg) const noexcept {
    return {step, custom_value{__builtin_addressof(arg), this}};
  }
};

/// Else `formatting` prints the whole call.
template <class T>
inline constexpr bool is_known = kind_of<T>() != arg_kind::custom || has_formatter<T>;

/// No function of the program runs while a T is written. It could print to the same stream.
template <class T>
inline constexpr bool is_data = kind_of<T>() != arg_kind::custom;
template <class T>
  requires(kind_of<T>() == arg_kind::custom && puts<T>)
inline constexpr bool is_data<T> = formatting::formatter<T>::template is_data<T>;

#else

template <class T>
inline constexpr std::size_t room_of = 0;
template <class T>
inline constexpr bool is_data = kind_of<T>() != arg_kind::custom;

template <class T>
inline constexpr bool is_known = kind_of<T>() != arg_kind::custom;

#endif

template <class Indices, class... Args>
struct custom_formatters_of;
template <std::size_t... Indices, class... Args>
struct custom_formatters_of<std::index_sequence<Indices...>, Args...>
    : formatter_of<Indices, Args>... {
  static constexpr bool known = (... && is_known<Args>);

  /// False if a formatter sees another end of its field.
  constexpr bool parse(std::string_view text) {
    constexpr arg_kind kinds[] = {kind_of<Args>()...};
    format_parser parser(text, kinds, sizeof...(Args));
    std::size_t index = 0;
    bool all = true;
    for (segment next; parser.next(next);) {
      if (!next.is_field) continue;
      const std::size_t colon = text.find_first_of(":}", next.literal_end);
      const std::size_t begin = text[colon] == ':' ? colon + 1 : colon;
      const std::size_t size = parser.position() - 1 - begin;
      all = (all && ... && formatter_of<Indices, Args>::parse(index, text.substr(begin), size));
      ++index;
    }
    return all;
  }

  template <class... Given>
  any_values<sizeof...(Args)> values(const std::uint64_t* steps, Given&... args) const noexcept {
    return {{formatter_of<Indices, Args>::value(steps[Indices], args)...}};
  }
};
template <class... Args>
using custom_formatters = custom_formatters_of<std::index_sequence_for<Args...>, Args...>;

/// A format with arguments that have formatters of their own.
template <class... Args>
class custom_format : public compiled_format<kind_of<Args>()...> {
 protected:
  consteval explicit custom_format(std::string_view text)
      : compiled_format<kind_of<Args>()...>(text) {
    (check_argument<custom_type<Args>>(), ...);
    static_cast<void>(formatting::format_string<custom_type<Args>...>(
        formatting::string_view(text.data(), text.size())));
    constexpr std::size_t more =
        (0 + ... + (kind_of<Args>() == arg_kind::custom ? room_of<Args> : 0));
    const format_plan plan = this->plan_;
    this->compiled_ = this->compiled_ && custom_formatters<Args...>::known &&
                      format_plan::holds(plan.text(), plan.size() + more, plan.count());
    this->compiled_ = this->compiled_ && formatters_.parse(text);
    if (this->compiled_) this->plan_ = plan.with_room(more).with(plan.has_escaped_tail(), false);
  }

  friend struct leat::v0::format_access;

  /// It is written where it goes to, and not into a buffer first.
  static constexpr bool in_window = (... && is_data<Args>);

  custom_formatters<Args...> formatters_;
};

template <bool Custom, class... Args>
struct format_for {
  using type = compiled_format<kind_of<Args>()...>;
};
template <class... Args>
struct format_for<true, Args...> {
  using type = custom_format<Args...>;
};

}  // namespace detail

/// The compiled form of a format string for arguments of types Args (without reference and cv). It
/// is constructed from a literal or another constant. If the string is wrong it does not compile:
/// the compiler names a function of leat::format_mistake, whose name says what is wrong.
template <class... Args>
class basic_format_string : public detail::format_for<detail::has_custom<Args...>, Args...>::type {
  using base = typename detail::format_for<detail::has_custom<Args...>, Args...>::type;

 public:
  consteval basic_format_string(const char* literal) : base(std::string_view(literal)) {}
  template <class Text>
    requires(std::convertible_to<const Text&, std::string_view> &&
             !std::convertible_to<const Text&, const char*>)
  consteval basic_format_string(const Text& literal) : base(std::string_view(literal)) {}
  /// A std::string is no constant, and the compiler says so.
  template <class Traits, class Allocator>
  consteval basic_format_string(const std::basic_string<char, Traits, Allocator>&) : base("") {
    static_assert(!std::is_same_v<Traits, Traits>,
                  "this format is not known at compile time: write leat::runtime(format)");
  }
};

/// Access for print and format to the parts of a format string.
struct format_access {
  template <detail::arg_kind... Kinds, class... Args>
  [[gnu::always_inline]] static std::string format(const detail::compiled_format<Kinds...>& f,
                                                   Args&... args) {
    const std::uint64_t* step = f.steps_;
    const detail::any_values<sizeof...(Args)> all = {{detail::any_of(*step++, args)...}};
    return f.compiled_ ? detail::format_steps(f.text_, f.plan_, all.array)
                       : detail::vformat({f.text_, f.text_size_}, all.array, sizeof...(Args));
  }

  template <bool Newline, detail::arg_kind... Kinds, class... Args>
  [[gnu::always_inline]] static void print(writer& to, const detail::compiled_format<Kinds...>& f,
                                           Args&... args) {
    const std::uint64_t* step = f.steps_;
    const detail::any_values<sizeof...(Args)> all = {{detail::any_of(*step++, args)...}};
    if (f.compiled_)
      detail::print_steps(to, f.text_, f.plan_.with(false, Newline), all.array);
    else
      detail::vprint(to, {f.text_, f.text_size_}, all.array, sizeof...(Args), Newline);
  }

  template <class... Types, class... Args>
  [[gnu::always_inline]] static std::string format(const detail::custom_format<Types...>& f,
                                                   Args&... args) {
    if constexpr (detail::custom_formatters<Types...>::known)
      if (f.compiled_) {
        const detail::any_values<sizeof...(Args)> all = f.formatters_.values(f.steps_, args...);
        if constexpr (detail::custom_format<Types...>::in_window)
          return detail::format_steps(f.text_, f.plan_, all.array);
        else
          return detail::format_custom_steps(f.text_, f.plan_, all.array);
      }
    return detail::with_custom_args(
        [&](detail::formatting::format_args all) {
          return detail::vformat_custom({f.text_, f.text_size_}, all);
        },
        detail::custom_argument(args)...);
  }

  template <bool Newline, class... Types, class... Args>
  [[gnu::always_inline]] static void print(writer& to, const detail::custom_format<Types...>& f,
                                           Args&... args) {
    if constexpr (detail::custom_formatters<Types...>::known)
      if (f.compiled_) {
        const detail::any_values<sizeof...(Args)> all = f.formatters_.values(f.steps_, args...);
        const detail::format_plan plan = f.plan_.with(false, Newline);
        if constexpr (detail::custom_format<Types...>::in_window)
          return detail::print_steps(to, f.text_, plan, all.array);
        else
          return detail::print_custom_steps(to, f.text_, plan, all.array);
      }
    detail::with_custom_args(
        [&](detail::formatting::format_args all) {
          detail::vprint_custom(to, {f.text_, f.text_size_}, all, Newline);
        },
        detail::custom_argument(args)...);
  }

  /// The format is known here, and a call with so few fields is shorter where it is expanded.
  template <detail::arg_kind... Kinds>
  [[gnu::always_inline]] static bool is_short(const detail::compiled_format<Kinds...>& f) {
    constexpr bool are_quick = (true && ... && detail::is_quick(Kinds));
    return sizeof...(Kinds) <= (are_quick ? 4 : 2) && __builtin_constant_p(f.simple_) && f.simple_;
  }

  /// The most bytes that a call writes, without the C strings of unknown length.
  template <detail::arg_kind... Kinds, class... Values>
  [[gnu::always_inline]] static std::size_t max_size(const detail::compiled_format<Kinds...>& f,
                                                     const Values&... values) {
    // The store of a text may reach this far beyond its end.
    constexpr std::size_t room =
        (false || ... || detail::is_string(Kinds)) ? detail::copy_room : std::size_t{16};
    return f.plan_.size() + (room + ... + detail::text_size(values));
  }

  /// Writes a short format at `to`, where there must be room for max_size(), and at `limit` too.
  /// Null if C strings need more.
  template <detail::arg_kind... Kinds, class... Values>
  [[gnu::always_inline]] static char* write_fields(const detail::compiled_format<Kinds...>& f,
                                                   char* to, [[maybe_unused]] char* limit,
                                                   const Values&... values) {
    const std::uint64_t* step = f.steps_;
    const char* text = f.text_;
    const bool all =
        (true && ... &&
         ((to = put(to, limit, *step++, text, values)) != nullptr || !may_fail<Values>));
    if (!all) return nullptr;
    const auto tail = static_cast<std::size_t>(f.text_ + f.text_size_ - text);
    std::memcpy(to, text, tail);
    return to + tail;
  }

  /// put() may return null.
  template <class Value>
  static constexpr bool may_fail = detail::is_c_text<Value>;

 private:
  [[gnu::always_inline]] static char* put_literal(char* to, std::uint64_t step, const char*& text) {
    const detail::format_step of(step);
    std::memcpy(to, text, of.literal());
    text += of.all();
    return to + of.literal();
  }

  /// The literal and the field of a step.
  template <class Value>
  [[gnu::always_inline]] static char* put(char* to, [[maybe_unused]] char* limit,
                                          std::uint64_t step, const char*& text,
                                          const Value& value) {
    to = put_literal(to, step, text);
    if constexpr (detail::is_c_text<Value>) {
      if (value.size == detail::c_text::unknown) return detail::copy_c_text(to, limit, value.text);
      return detail::write_value(to, std::string_view(value.text, value.size));
    } else if constexpr (std::is_same_v<Value, const std::error_code*>) {
      return detail::write_value(to, value);  // takes no specification
    } else if constexpr (std::is_same_v<Value, detail::time_stamp>) {
      const detail::format_step of(step);
      if (!of.is_specified()) return detail::write_value(to, value);
      if (of.type() != '%') return detail::write_specified(to, value, step);
      const std::size_t field = of.all() - of.literal();
      return detail::write_calendar(to, value, {text - field, field});
    } else {
      return detail::format_step(step).is_specified()
                 ? detail::write_specified<detail::widest<Value>>(to, value, step)
                 : detail::write_value(to, value);
    }
  }
};

namespace detail {

template <class... Args>
std::string vformat_values(std::string_view format, Args&... args) {
  const any_values<sizeof...(Args)> all = {{any_of(args)...}};
  return vformat(format, all.array, sizeof...(Args));
}

/// As with_custom_args, for a format that nobody has checked yet.
template <class Use, class... Args>
inline decltype(auto) with_runtime_args(std::string_view format, const Use& use, Args&... args) {
  constexpr arg_kind kinds[] = {kind_of<std::remove_cv_t<Args>>()...};
  check_format(format, kinds, sizeof...(Args));
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

/// The formatted text as a string.
template <class... Args>
[[nodiscard]] LEAT_INLINE_CALL std::string format(const format_string<Args...>& format,
                                                  Args&&... args) {
  return format_access::format(format, args...);
}

template <class... Args>
[[nodiscard]] std::string format(runtime_format format, Args&&... args) {
  return detail::format_runtime(format.text, args...);
}

}  // namespace v0
}  // namespace leat

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

template <>
struct leat::detail::formatting::formatter<leat::detail::custom_native> {
  // What the namespace numbers its arguments with.
  using id = std::conditional_t<LEAT_FORMAT_FMT, int, std::size_t>;

  // leat's own parser has checked it. A width and a precision may be the values of arguments.
  std::string_view spec;
  id ids[2] = {};
  int count = 0;

  template <class Context>
  constexpr auto parse(Context& context) {
    const auto begin = context.begin();
    auto at = begin;
    for (; at != context.end() && *at != '}'; ++at)
      if (*at == '{') ids[count++] = parse_id(context, ++at);
    if (at != begin) spec = {&*begin, static_cast<std::size_t>(at - begin)};
    return at;
  }

  template <class Context>
  auto format(const leat::detail::custom_native& native, Context& context) const {
    long long counts[2] = {};
    for (int i = 0; i != count; ++i) counts[i] = leat::detail::integer_of(context.arg(ids[i]));
    auto out = context.out();
    for (const char c : leat::detail::format_field(native.value, spec, counts)) *out++ = c;
    return out;
  }

 private:
  template <class Context, class Iterator>
  static constexpr id parse_id(Context& context, Iterator& at) {
    if (*at == '}') return context.next_arg_id();
    id number = 0;
    for (; *at != '}'; ++at) number = 10 * number + static_cast<id>(*at - '0');
    context.check_arg_id(number);
    return number;
  }
};

#endif
