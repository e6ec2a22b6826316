// The arguments of print: their kinds, their stored forms, and their writers. The steps of a
// format, the inline code of print, and the operators << of iostreams call the writers.
#pragma once

#include <leat/error.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <leat/detail/copy.hpp>
#include <leat/detail/custom_format.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/time_stamp.hpp>

namespace leat {
inline namespace v0 {
template <class T, std::endian Order>
  requires std::is_arithmetic_v<T>
class stored;  // <leat/endian.hpp>

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
inline constexpr bool outlives_the_call =
    std::is_arithmetic_v<std::remove_cvref_t<Result>> ||
    (is_text<std::remove_cvref_t<Result>> &&
     (std::is_reference_v<Result> || !std::is_class_v<Result> ||
      std::is_same_v<std::remove_cv_t<Result>, std::string_view>));

/// True for an unscoped enumeration without a formatter.
template <class T>
concept plain_enum =
    std::is_enum_v<T> && std::is_convertible_v<T, std::underlying_type_t<T>> && !has_format<T>;

/// The native type for printing a T: the number in a `little` or `big`, the integer of an unscoped
/// enumeration, else T.
template <class T>
struct printed_type_of {
  using type = T;
};
template <class T, std::endian Order>
struct printed_type_of<stored<T, Order>> {
  using type = T;
};
template <plain_enum T>
struct printed_type_of<T> {
  using type = std::underlying_type_t<T>;
};
/// The result type of format_as(), if it is a number or a text that lives as long as the argument.
template <has_format_as T>
  requires(outlives_the_call<format_as_result<T>>)
struct printed_type_of<T> {
  using type = std::remove_cvref_t<format_as_result<T>>;
};
template <class T>
using printed_type = typename printed_type_of<T>::type;
/// True if T is printed as another type.
template <class T>
concept printed_as_other_type = !std::same_as<printed_type<T>, T>;
/// The value for printing.
template <printed_as_other_type T>
[[gnu::always_inline]] inline decltype(auto) printed_value(const T& value) {
  if constexpr (has_format_as<T>)
    return format_as(value);
  else
    return printed_type<T>(value);
}

/// An error code with the name of its category. error_category::name() is a function of the
/// program, and may print or format. So leat calls name() before a call of print or format writes
/// anything.
struct named_error {
  const char* category;
  std::uint32_t category_size;
  std::int32_t value;
};
/// Calls error_category::name().
LEAT_API named_error named(const std::error_code& code) noexcept;

/// The kind of argument that a T (without reference and cv) is.
template <class T>
consteval arg_kind kind_of() {
  if constexpr (printed_as_other_type<T>) {
    return kind_of<printed_type<T>>();
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
  } else if constexpr (std::is_same_v<T, std::error_code> || std::is_same_v<T, named_error>) {
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

/// A C string. If the compiler does not know the length, the copy measures the length.
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

/// An argument in the form for the number and text writers: the widest type of its kind.
template <class T>
[[gnu::always_inline]] inline auto value_of(const T& arg) {
  if constexpr (printed_as_other_type<T>)
    return value_of<printed_type<T>>(printed_value(arg));
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
    return named(arg);
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

/// True if value_of() calls a function of the program. Such a function may print or format, or
/// return another value at each call.
template <class T>
inline constexpr bool runs_code_for_value =
    (printed_as_other_type<T> && has_format_as<T>) || std::is_same_v<T, std::error_code>;

/// The argument itself, or, if value_of() calls a function of the program, the function's result.
template <class T>
[[gnu::always_inline]] inline decltype(auto) once(T& arg) {
  using type = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<type, std::error_code>)
    return named(arg);
  else if constexpr (runs_code_for_value<type>)
    return printed_value(arg);
  else
    return (arg);
}

/// Reports a mistake in a specification: at compile time as format_parser does, else by a
/// format_error.
constexpr void report_mistake(const char* (*mistake)() noexcept) {
  if (std::is_constant_evaluated())
    mistake();
  else
    throw_format_error(mistake(), format_error::no_position);
}

/// If `text` is null, throws format_error.
inline void check_text(const char* text) {
  if (text == nullptr) [[unlikely]]
    throw_format_error("the argument is a null pointer, not a string", format_error::no_position);
}

struct custom_writer;
/// An argument that is written by its formatter.
struct custom_value {
  const void* object;
  const custom_writer* writer;
};

/// An argument with the step that writes it. If the format is interpreted, the step is only the
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
    named_error error;
    time_stamp time;
    custom_value custom;
    std::uint64_t words[2];  ///< for a type whose alignment would make each argument larger
  };

  any_value() noexcept : step(0), unsigned_64(0) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, bool v) noexcept : step(s), boolean(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, char v) noexcept : step(s), character(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, std::int32_t v) noexcept : step(s), signed_32(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, std::uint32_t v) noexcept : step(s), unsigned_32(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, std::int64_t v) noexcept : step(s), signed_64(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, std::uint64_t v) noexcept : step(s), unsigned_64(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, float v) noexcept : step(s), float_32(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, double v) noexcept : step(s), float_64(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, std::string_view v) noexcept : step(s), text(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, c_text v) noexcept : step(s), c_string(v.text) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, const void* v) noexcept : step(s), pointer(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, named_error v) noexcept : step(s), error(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, time_stamp v) noexcept : step(s), time(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, custom_value v) noexcept : step(s), custom(v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, int128 v) noexcept : any_value(s, v, sizeof v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, uint128 v) noexcept : any_value(s, v, sizeof v) {}
  LEAT_INLINE_CALL any_value(std::uint64_t s, long double v) noexcept : any_value(s, v, sizeof v) {}

  arg_kind kind() const noexcept { return format_step(step).kind(); }
  int128 signed_128() const noexcept { return wide<int128>(); }
  uint128 unsigned_128() const noexcept { return wide<uint128>(); }
  long double float_80() const noexcept { return wide<long double>(); }

 private:
  template <class T>
  LEAT_INLINE_CALL any_value(std::uint64_t s, const T& v, std::size_t size) noexcept
      : step(s), words{} {
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
LEAT_INLINE_CALL any_value make_any_value(std::uint64_t step, T& arg) noexcept {
  return {step, value_of(arg)};
}
/// As above, for an interpreted format: the step is only the kind.
template <class T>
LEAT_INLINE_CALL any_value make_any_value(T& arg) noexcept {
  return make_any_value(format_step::of(kind_of<std::remove_cv_t<T>>()), arg);
}

// The writers. Each writer writes at `to`, and returns the end of the written text. There must be
// room for max_size() + 16 bytes, and for a text also for at least copy_room bytes.

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
LEAT_API char* write_value(char* to, named_error value) noexcept;
LEAT_API char* write_value(char* to, time_stamp value) noexcept;
/// Writes a time whose format_step has the type '%'. `field` is the text of the field: "{:%H:%M}".
LEAT_API char* write_calendar(char* to, time_stamp value, std::string_view field);
/// Writes a value with the specification of a format_step. If format_step::is_mostly_quick() is
/// true and only the interpreter can write the value, returns null.
template <class T>
LEAT_API char* write_specified(char* to, T value, std::uint64_t step);
/// A source file defines this specialization. Without the declaration the compiler would
/// instantiate the template.
template <>
LEAT_API char* write_specified(char* to, double value, std::uint64_t step);

/// Writes a text or a character as "{:?}" does. Returns null if the quoted text does not fit before
/// `limit`, or if a character is not ASCII, or a control character without a name.
LEAT_API char* quote_ascii(char* to, const char* limit, std::string_view text) noexcept;
LEAT_API char* quote_ascii(char* to, char character) noexcept;

/// A string with the bytes [begin, end). At least 15 bytes after `begin` can be read. (`char*`, as
/// GCC warns if uninitialised memory is passed as a const char*.)
LEAT_API std::string make_string(char* begin, char* end);
/// The text of a number.
LEAT_API std::string make_string(std::int64_t number);
LEAT_API std::string make_string(std::uint64_t number);

/// The widest type for integers; other types stay as they are.
template <class T>
using widest =
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t,
                       std::conditional_t<std::is_same_v<T, std::uint32_t>, std::uint64_t, T>>;

/// Each word is stored in eight bytes, so that copying a word needs no branch.
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

}  // namespace detail
}  // namespace v0
}  // namespace leat
