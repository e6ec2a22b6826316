// Format strings compiled at compile time from plain literals, without a macro.
//
// The consteval constructor of basic_format_string checks the literal and cuts it into pieces. A
// call then checks once for room; after that, each field is a copy or a call of a number writer.
// Positional arguments, and widths that are arguments, are interpreted at run time by the same
// parser. If an argument has a formatter of {fmt} or of the standard library, the call goes through
// that one: leat/detail/custom_format.hpp.
//
// A std::chrono::sys_time of integers is written in ISO 8601, with as many decimals as its unit
// has, up to nanoseconds: "2026-11-21T09:27:19.123Z". A time in days is written as "2026-11-21". A
// field for a time takes a fill, an alignment and a width; or a specification of {fmt} or the
// standard library with '%': "{:%d %b %H:%M}".
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
#include <leat/detail/format_parser.hpp>
#include <leat/detail/format_string.hpp>
#include <leat/detail/time_stamp.hpp>

namespace leat {
inline namespace v0 {

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
template <class T>
using held = typename held_by<T>::type;
/// T is printed as another type.
template <class T>
concept holder = !std::same_as<held<T>, T>;

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
    return std::is_signed_v<T> ? arg_kind::signed_64 : arg_kind::unsigned_64;
  } else if constexpr (std::is_same_v<T, std::byte>) {
    return arg_kind::unsigned_64;
  } else if constexpr (std::is_same_v<T, float>) {
    return arg_kind::float_32;
  } else if constexpr (std::is_same_v<T, double>) {
    return arg_kind::float_64;
  } else if constexpr (std::is_same_v<T, long double>) {
    return arg_kind::float_80;
  } else if constexpr (is_text<T>) {
    return arg_kind::text;
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

inline std::string_view text_of(const char* text) {
  if (text == nullptr) [[unlikely]]
    throw_format_error("the argument is a null pointer, not a string", format_error::no_position);
  const bool known = __builtin_constant_p(__builtin_strlen(text));
  return {text, known ? __builtin_strlen(text) : length_of(text)};
}

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
    return value_of<held<T>>(arg);
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
  else if constexpr (kind_of<T>() == arg_kind::signed_64)
    return std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>{arg};
  else if constexpr (kind_of<T>() == arg_kind::unsigned_64)
    return std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>{arg};
  else
    return arg;
}

template <class T>
  requires std::is_scalar_v<T>
[[gnu::always_inline]] inline auto value_of(const volatile T& arg) {
  const T value = arg;
  return value_of(value);
}

/// A value as outlined() takes it: a C string stays a pointer.
template <class T>
T unmeasured_value(T value) noexcept {
  return value;
}
inline const char* unmeasured_value(c_text value) noexcept { return value.text; }
/// As value_of, but a C string stays a pointer, which outlined() measures out of line.
template <class T>
[[gnu::always_inline]] inline auto unmeasured(T& arg) {
  return unmeasured_value(value_of(arg));
}
template <class T>
T outlined(T value) noexcept {
  return value;
}
inline std::string_view outlined(const char* text) { return text_of(text); }

/// An argument with its kind, for the interpreter.
struct any_value {
  arg_kind kind;
  union {
    bool boolean;
    char character;
    std::int64_t signed_64;
    std::uint64_t unsigned_64;
    int128 signed_128;
    uint128 unsigned_128;
    float float_32;
    double float_64;
    long double float_80;
    std::string_view text;
    const void* pointer;
    const std::error_code* error_code;
    time_stamp time;
  };

  any_value(bool v) noexcept : kind(arg_kind::boolean), boolean(v) {}
  any_value(char v) noexcept : kind(arg_kind::character), character(v) {}
  template <std::signed_integral T>
  any_value(T v) noexcept : kind(arg_kind::signed_64), signed_64(v) {}
  template <std::unsigned_integral T>
  any_value(T v) noexcept : kind(arg_kind::unsigned_64), unsigned_64(v) {}
  any_value(int128 v) noexcept : kind(arg_kind::signed_128), signed_128(v) {}
  any_value(uint128 v) noexcept : kind(arg_kind::unsigned_128), unsigned_128(v) {}
  any_value(float v) noexcept : kind(arg_kind::float_32), float_32(v) {}
  any_value(double v) noexcept : kind(arg_kind::float_64), float_64(v) {}
  any_value(long double v) noexcept : kind(arg_kind::float_80), float_80(v) {}
  any_value(std::string_view v) noexcept : kind(arg_kind::text), text(v) {}
  any_value(const void* v) noexcept : kind(arg_kind::pointer), pointer(v) {}
  any_value(const std::error_code* v) noexcept : kind(arg_kind::error_code), error_code(v) {}
  any_value(time_stamp v) noexcept : kind(arg_kind::time), time(v) {}
};

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
/// The same with a specification: `counts` and `marks` are the two words of a packed_spec.
template <class T>
LEAT_API char* write_specified(char* to, T value, std::uint64_t counts, std::uint64_t marks);
/// Declared, so that the compiler does not make a second specialisation.
template <>
LEAT_API char* write_specified(char* to, double value, std::uint64_t counts, std::uint64_t marks);

/// The widest type for integers; other types stay as they are.
template <class T>
using widest =
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t,
                       std::conditional_t<std::is_same_v<T, std::uint32_t>, std::uint64_t, T>>;

inline char* write_value(char* to, bool value) noexcept {
  std::memcpy(to, value ? "true" : "false", 5);
  return to + (value ? 4 : 5);
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
    (LEAT_FORMAT_STD && kind_of<T>() != arg_kind::signed_64 &&
     kind_of<T>() != arg_kind::unsigned_64 && kind_of<T>() != arg_kind::custom);

/// Writes the field of a native value. `spec` is what stands behind the colon; `counts` are the
/// values of the arguments that it names.
LEAT_API std::string format_field(const any_value& value, std::string_view spec,
                                  const long long* counts);

/// An argument in the form that `formatting` takes.
template <class T>
[[gnu::always_inline]] inline decltype(auto) custom_argument(T& arg) {
  if constexpr (stays_native<std::remove_cv_t<T>>)
    return custom_native{outlined(unmeasured(arg))};
  else if constexpr (holder<std::remove_cv_t<T>>)
    return held<std::remove_cv_t<T>>{arg};
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

/// Memory for the output of a call that can't be formatted in the window: of scratch_room bytes.
/// Null if `size` is more, or if it is in use. It belongs to the thread and is valid until the
/// thread's next call.
LEAT_API char* scratch(std::size_t size) noexcept;
inline constexpr std::size_t scratch_room = 1024;

/// Interprets a format string.
LEAT_API std::string vformat(std::string_view format, const any_value* args, std::size_t count);
/// Throws format_error where the constructor of a format string would not compile.
LEAT_API void check_format(std::string_view format, const arg_kind* kinds, std::size_t count);
/// Formats through `formatting`. Its format_error becomes leat's.
LEAT_API std::string vformat_custom(std::string_view format, formatting::format_args args);

/// A literal between two fields. Up to 16 bytes are held here, so that one store of fixed size
/// writes them. Longer ones are copied from the format string.
struct literal_piece {
  static constexpr std::size_t held = 16;
  char bytes[held]{};
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

}  // namespace detail

/// The compiled form of a format string for arguments of types Args (without reference and cv). It
/// is constructed from a literal or another constant. If the string is wrong it does not compile:
/// the compiler names a function of leat::format_mistake, whose name says what is wrong.
template <class... Args>
class basic_format_string {
  static constexpr bool custom = detail::has_custom<Args...>;
  static constexpr std::size_t count = sizeof...(Args);

 public:
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  consteval basic_format_string(const Text& literal)
      : text_(std::string_view(literal).data()), text_size_(std::string_view(literal).size()) {
    if constexpr (custom) {
      (detail::check_argument<detail::custom_type<Args>>(), ...);
      // What leat refuses of its own types, as 'L', is refused beside other types too.
      constexpr detail::arg_kind kinds[] = {detail::kind_of<Args>()...};
      detail::format_parser parser(text(), kinds, count);
      for (detail::segment next; parser.next(next);) continue;
      static_cast<void>(detail::formatting::format_string<detail::custom_type<Args>...>(
          detail::formatting::string_view(text_, text_size_)));
    } else {
      compile();
    }
  }

  constexpr std::string_view text() const noexcept { return {text_, text_size_}; }

 private:
  friend struct format_access;

  consteval void compile() {
    constexpr detail::arg_kind kinds[count + 1] = {detail::kind_of<Args>()...,
                                                   detail::arg_kind::custom};
    detail::format_parser parser(text(), kinds, count);
    detail::segment next;
    std::size_t fields = 0;
    detail::literal_piece piece;
    bool whole = true;  // false once an escape, "{{" or "}}", interrupts the run
    compiled_ = true;
    std::uint64_t size = 0;
    while (parser.next(next)) {
      if (next.literal_end != next.literal_begin) {
        whole = whole && (piece.size == 0 || piece.begin + piece.size == next.literal_begin);
        if (piece.size == 0) piece.begin = static_cast<std::uint32_t>(next.literal_begin);
        for (std::size_t i = next.literal_begin; i != next.literal_end; ++i, ++piece.size)
          if (piece.size < detail::literal_piece::held) piece.bytes[piece.size] = text_[i];
      }
      if (next.is_field) {
        compiled_ = compiled_ && next.arg == static_cast<int>(fields) && fields < count &&
                    next.is_static() && !next.spec.exotic &&
                    (whole || piece.size <= detail::literal_piece::held);
        if (fields < count) {
          literals_[fields] = piece;
          plain_[fields] = next.spec.plain;
          specs_[fields] = detail::packed_spec(next.spec);
          size += piece.size + detail::max_size(kinds[fields], next.spec);
        }
        ++fields;
        piece = {};
        whole = true;
      }
    }
    compiled_ =
        compiled_ && fields == count && (whole || piece.size <= detail::literal_piece::held);
    literals_[count] = piece;
    size += piece.size;
    compiled_ = compiled_ && size < max_compiled_size;
    size_ = static_cast<std::uint32_t>(size);
  }

  // A larger size isn't worth the room that each call would need.
  static constexpr std::uint64_t max_compiled_size = 4096;

  // Only scalars and arrays of scalars: if GCC copies a part of an object, it keeps the whole
  // object.
  const char* text_;
  std::size_t text_size_;
  bool compiled_ = false;
  std::uint32_t size_ = 0;  // the most bytes that a call writes, without text arguments
  detail::literal_piece literals_[custom ? 1 : count + 1]{};
  bool plain_[custom || count == 0 ? 1 : count]{};
  detail::packed_spec specs_[custom || count == 0 ? 1 : count]{};
};

/// Access for print and format to the parts of a format string.
struct format_access {
  template <class Format>
  [[gnu::always_inline]] static constexpr bool is_compiled(const Format& f) noexcept {
    return f.compiled_;
  }

  /// Measures the C strings that have a specification. Throws format_error if one is null.
  template <class Format, class... Values>
  [[gnu::always_inline]] static void measure(const Format& f, Values&... values) {
    std::size_t i = 0;
    (measure(f.plain_[i++], values), ...);
  }

  /// What a call writes at most, without the C strings that are not measured yet.
  template <class Format, class... Values>
  [[gnu::always_inline]] static std::size_t max_size(const Format& f, const Values&... values) {
    // The store of a literal or a text may reach this far beyond its end.
    constexpr bool has_text =
        (false || ... || (std::is_same_v<Values, std::string_view> || detail::is_c_text<Values>));
    constexpr std::size_t room = has_text ? detail::copy_room : detail::literal_piece::held;
    return f.size_ + (room + ... + detail::text_size(values));
  }

  template <class Format>
  [[gnu::always_inline]] static char* put_literal(const Format& f, std::size_t i, char* to) {
    const detail::literal_piece& piece = f.literals_[i];
    if (piece.size > detail::literal_piece::held)
      std::memcpy(to, f.text_ + piece.begin, piece.size);
    else if (piece.size > 8)
      std::memcpy(to, piece.bytes, detail::literal_piece::held);
    else if (piece.size > 1)
      std::memcpy(to, piece.bytes, 8);
    else if (piece.size == 1)
      *to = piece.bytes[0];
    return to + piece.size;
  }

  template <class Format, class Value>
  [[gnu::always_inline]] static char* put_field(const Format& f, std::size_t i, char* to,
                                                [[maybe_unused]] char* limit, const Value& value) {
    to = put_literal(f, i, to);
    if constexpr (detail::is_c_text<Value>) {
      if (value.size == detail::c_text::unknown) return detail::copy_c_text(to, limit, value.text);
      return put_measured(f, i, to, std::string_view(value.text, value.size));
    } else {
      return put_measured(f, i, to, value);
    }
  }

  /// Writes all pieces at `to`, where there must be room for max_size(), and at `limit` too. Null
  /// if C strings need more.
  template <class Format, class... Values>
  [[gnu::always_inline]] static char* write_fields(const Format& f, char* to,
                                                   [[maybe_unused]] char* limit,
                                                   const Values&... values) {
    std::size_t i = 0;
    const bool all =
        (true && ... &&
         (to = put_field(f, i++, to, limit, values), !detail::is_c_text<Values> || to != nullptr));
    return all ? put_literal(f, sizeof...(Values), to) : nullptr;
  }

  template <class Format, class... Values>
  [[gnu::always_inline]] static std::string format(const Format& f, Values... values) {
    if (f.compiled_) [[likely]] {
      measure(f, values...);
      const std::size_t size = max_size(f, values...);
      if (char* const begin = detail::scratch(size)) {
        char* const end = write_fields(f, begin, begin + (detail::scratch_room - size), values...);
        if (!may_fail<Values...> || end != nullptr) [[likely]]
          return std::string(begin, end);
      }
    }
    return vformat(f.text(), detail::unmeasured_value(values)...);
  }

  /// write_fields() may return null.
  template <class... Values>
  static constexpr bool may_fail = (false || ... || detail::is_c_text<Values>);

  template <class... Values>
  static std::string vformat(std::string_view text, Values... values) {
    const detail::any_value args[sizeof...(Values) + 1] = {
        detail::any_value(detail::outlined(values))..., false};
    return detail::vformat(text, args, sizeof...(Values));
  }

 private:
  template <class Value>
  [[gnu::always_inline]] static void measure(bool plain, Value& value) {
    if constexpr (detail::is_c_text<Value>)
      if (!plain && value.size == detail::c_text::unknown)
        value.size = detail::text_of(value.text).size();
  }

  template <class Format, class Value>
  [[gnu::always_inline]] static char* put_measured(const Format& f, std::size_t i, char* to,
                                                   const Value& value) {
    if (f.plain_[i]) return detail::write_value(to, value);
    if constexpr (std::is_same_v<Value, const std::error_code*>)
      return to;  // takes no specification
    else
      return detail::write_specified<detail::widest<Value>>(to, value, f.specs_[i].counts,
                                                            f.specs_[i].marks);
  }
};

namespace detail {

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
    return format_access::vformat(format, unmeasured(args)...);
}

}  // namespace detail

/// The formatted text as a string.
template <class... Args>
[[gnu::always_inline, nodiscard]] inline std::string format(format_string<Args...> format,
                                                            Args&&... args) {
  if constexpr (detail::has_custom<std::remove_cvref_t<Args>...>)
    return detail::with_custom_args(
        [&](detail::formatting::format_args all) {
          return detail::vformat_custom(format.text(), all);
        },
        detail::custom_argument(args)...);
  else
#if defined(__OPTIMIZE_SIZE__)
    return format_access::vformat(format.text(), detail::unmeasured(args)...);
#else
    return format_access::format(format, detail::value_of(args)...);
#endif
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
