// The printf engine for char and wchar_t: conversions with flags, width and precision. Called by
// printf.cpp and wprintf.cpp.
#include "stdio/format.hpp"

#include <string.h>
#include <wchar.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "base/error_text.hpp"
#include "base/memory_block.hpp"
#include "format/padding.hpp"
#include "stdio/error.hpp"
#include "stdio/file.hpp"
#include "stdio/print_arguments.hpp"
#include "stdio/print_conversion.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

using length = print_conversion::length;

detail::padding padding_of(const print_conversion& c, bool zeros) noexcept {
  using detail::alignment;
  return {static_cast<std::size_t>(c.width),
          c.left  ? alignment::left
          : zeros ? alignment::numeric
                  : alignment::right,
          " "};
}

/// The sign to print before a number that is not negative; '-' for none.
char sign_of(const print_conversion& c) noexcept { return c.plus ? '+' : c.blank ? ' ' : '-'; }

template <class Char>
[[gnu::noinline]] void put_number(output<Char>& to, const print_conversion& c,
                                  const detail::number_text& number, bool zeros) noexcept {
  detail::write_number(to, padding_of(c, zeros), number);
}

template <class Char>
void put_integer(output<Char>& to, const print_conversion& c, std::int64_t value) noexcept {
  detail::number_text number;
  std::uint64_t magnitude;
  if (c.type == 'd' || c.type == 'i') {
    const std::int64_t narrow = narrowed(value, c.size);
    number.add_sign(narrow < 0, sign_of(c));
    magnitude = static_cast<std::uint64_t>(narrow);
    if (narrow < 0) magnitude = 0 - magnitude;
  } else {
    magnitude = narrowed(static_cast<std::uint64_t>(value), c.size);
  }
  char digits[64 + 8];
  const char* end = detail::write_digits(digits, magnitude, c.type);
  if (magnitude == 0 && c.precision == 0) end = digits;  // "%.0d" of 0 has no digits
  number.digits = {digits, static_cast<std::size_t>(end - digits)};
  const auto precision = static_cast<std::size_t>(std::max(c.precision, 0));
  if (precision > number.digits.size()) number.leading_zeros = precision - number.digits.size();
  if (c.alternate) {
    const char base = static_cast<char>(c.type | 0x20);
    // An octal number with '#' begins with a zero, which the precision may have added already.
    if (base == 'o' && number.leading_zeros == 0 && (magnitude != 0 || number.digits.empty()))
      number.leading_zeros = 1;
    if ((base == 'x' || base == 'b') && magnitude != 0) {
      number.add_prefix('0');
      number.add_prefix(c.type);
    }
  }
  put_number(to, c, number, c.zero && c.precision < 0);
}

template <class Char, class Float>
[[gnu::noinline]] void put_float(output<Char>& to, const print_conversion& c,
                                 Float value) noexcept {
  detail::with_precise_memory<Float>([&](char* buffer) {
    detail::number_text number;
    detail::set_float(number, buffer, value, sign_of(c), c.type, c.precision, c.alternate);
    put_number(to, c, number, c.zero);
  });
}

template <class Char>
void put_text(output<Char>& to, const print_conversion& c, const Char* text,
              std::size_t size) noexcept {
  detail::pad(to, padding_of(c, false), size, [&] { to.put(text, size); });
}

/// Writes a text of leat's own, which is ASCII.
template <class Char>
void put_ascii(output<Char>& to, const print_conversion& c, std::string_view text) noexcept {
  detail::pad(to, padding_of(c, false), text.size(), [&] { to.write(text); });
}

std::size_t bounded_size(const char* text, int most) noexcept {
  return most < 0 ? std::strlen(text) : ::strnlen(text, static_cast<std::size_t>(most));
}
std::size_t bounded_size(const wchar_t* text, int most) noexcept {
  return most < 0 ? ::wcslen(text) : ::wcsnlen(text, static_cast<std::size_t>(most));
}

// Text of the other character type is converted with the locale's encoding. put_converted()
// converts one character at a time, and all of the text twice: once to count the result, and once
// to write the result.

/// Calls use(bytes, count) for each character, up to `most` bytes. If `most` is negative, there is
/// no limit. A character is never cut. Returns false (errno) if a character can't be encoded.
template <class Use>
bool encode(const wchar_t* text, int most, const Use& use) noexcept {
  std::mbstate_t state{};
  char bytes[MB_LEN_MAX];
  for (std::size_t left = most < 0 ? SIZE_MAX : static_cast<std::size_t>(most);
       left != 0 && *text != L'\0'; ++text) {
    const std::size_t size = ::wcrtomb(bytes, *text, &state);
    if (size == static_cast<std::size_t>(-1)) return false;
    if (size > left) break;
    left -= size;
    use(bytes, size);
  }
  return true;
}

/// As encode(), from bytes to wide characters; `most` counts wide characters.
template <class Use>
bool decode(const char* text, int most, const Use& use) noexcept {
  std::mbstate_t state{};
  for (std::size_t left = most < 0 ? SIZE_MAX : static_cast<std::size_t>(most); left != 0; --left) {
    wchar_t character;
    const std::size_t size = ::mbrtowc(&character, text, MB_LEN_MAX, &state);
    if (size == 0) return true;
    if (size > MB_LEN_MAX) return fail(EILSEQ, false);
    text += size;
    use(&character, 1);
  }
  return true;
}

template <class Char, class Convert>
bool put_converted(output<Char>& to, const print_conversion& c, const Convert& convert) noexcept {
  std::size_t size = 0;
  if (!convert([&size](const Char*, std::size_t n) { size += n; })) return false;
  detail::pad(to, padding_of(c, false), size, [&] {
    convert([&to](const Char* characters, std::size_t n) { to.put(characters, n); });
  });
  return true;
}

constexpr std::string_view null_text = "(null)";

/// If the result and its NUL fit into `size` bytes, converts a wide text without a precision in one
/// pass. A call for each character would take much longer. Returns the count of bytes; -1 (errno)
/// if a character can't be encoded; 0 if the result does not fit or is empty.
std::size_t encode_short(const wchar_t* text, char* to, std::size_t size) noexcept {
  std::mbstate_t state{};
  const std::size_t count = ::wcsrtombs(to, &text, size, &state);
  return text == nullptr || count == static_cast<std::size_t>(-1) ? count : 0;
}

template <class Char>
bool put_string(output<Char>& to, const print_conversion& c, const void* pointer) noexcept {
  if (pointer == nullptr) {
    // "(null)" is written whole or not at all.
    const bool fits = c.precision < 0 || c.precision >= static_cast<int>(null_text.size());
    put_ascii(to, c, fits ? null_text : "");
    return true;
  }
  const bool wide = c.size == length::l;
  if (wide == (sizeof(Char) != 1)) {
    const auto* const text = static_cast<const Char*>(pointer);
    put_text(to, c, text, bounded_size(text, c.precision));
    return true;
  }
  if constexpr (sizeof(Char) == 1) {
    const auto* const text = static_cast<const wchar_t*>(pointer);
    if (c.precision < 0) {
      char bytes[256];
      const std::size_t size = encode_short(text, bytes, sizeof bytes);
      if (size == static_cast<std::size_t>(-1)) return false;
      if (size != 0) {
        put_text(to, c, bytes, size);
        return true;
      }
    }
    return put_converted(to, c, [&](const auto& use) { return encode(text, c.precision, use); });
  } else {
    return put_converted(to, c, [&](const auto& use) {
      return decode(static_cast<const char*>(pointer), c.precision, use);
    });
  }
}

template <class Char>
bool put_character(output<Char>& to, const print_conversion& c, std::int64_t value) noexcept {
  if constexpr (sizeof(Char) == 1) {
    char bytes[MB_LEN_MAX] = {static_cast<char>(value)};
    std::size_t size = 1;
    if (c.size == length::l) {
      std::mbstate_t state{};
      size = ::wcrtomb(bytes, static_cast<wchar_t>(value), &state);
      if (size == static_cast<std::size_t>(-1)) return false;
    }
    put_text(to, c, bytes, size);
  } else {
    const wint_t wide = c.size == length::l ? static_cast<wint_t>(value)
                                            : ::btowc(static_cast<unsigned char>(value));
    if (wide == WEOF) return fail(EILSEQ, false);
    const auto character = static_cast<Char>(wide);
    put_text(to, c, &character, 1);
  }
  return true;
}

template <class Char>
void put_pointer(output<Char>& to, const print_conversion& c, const void* pointer) noexcept {
  if (pointer == nullptr) return put_ascii(to, c, "(nil)");
  print_conversion hexadecimal = c;
  hexadecimal.type = 'x';
  hexadecimal.alternate = true;
  hexadecimal.size = length::ll;
  put_integer(to, hexadecimal, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(pointer)));
}

void store_count(const print_conversion& c, const void* pointer, std::uint64_t count) noexcept {
  void* const to = const_cast<void*>(pointer);
  const auto store = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (c.size) {
    case length::hh:
      return store(static_cast<signed char>(count));
    case length::h:
      return store(static_cast<short>(count));
    case length::none:
      return store(static_cast<int>(count));
    case length::l:
      return store(static_cast<long>(count));
    default:
      return store(static_cast<long long>(count));
  }
}

/// Returns the name of an error number, for example "ENOENT". Returns null if the C library has no
/// strerrorname_np(), or if no error has this number.
template <class Int>
const char* name_of_errno(Int error) noexcept {
  if constexpr (requires { strerrorname_np(error); })
    return strerrorname_np(error);
  else
    return nullptr;
}

/// Writes the text of an error. With '#': the error's name ("ENOENT"), or its number if there is no
/// name. Returns false (errno) if the text can't be converted.
template <class Char>
bool put_error(output<Char>& to, const print_conversion& c, int error) noexcept {
  detail::error_text_memory memory;
  char number[16];
  const char* text;
  if (!c.alternate) {
    text = detail::error_text(error, memory);
  } else {
    text = name_of_errno(error);
    if (text == nullptr) {
      *detail::write_value(number, std::int32_t{error}) = '\0';
      text = number;
    }
  }
  return put_string(to, c, text);
}

/// Returns false (EOVERFLOW) if the width or the precision is too large.
bool check_counts(print_conversion& c, argument_type type) noexcept {
  if (c.width == print_conversion::too_large) return fail(EOVERFLOW, false);
  // A precision larger than the text is not an error. A floating-point number with a precision of
  // INT_MAX is always too long.
  const bool is_text = type == argument_type::pointer || c.type == 'm';
  if (c.precision == print_conversion::too_large) {
    if (!is_text) return fail(EOVERFLOW, false);
    c.precision = INT_MAX;
  }
  const bool is_real = type == argument_type::plain_double || type == argument_type::long_double;
  if (is_real && c.precision == INT_MAX) return fail(EOVERFLOW, false);
  return true;
}

/// Writes a value. Returns false (errno) if the value can't be written.
template <class Char>
bool put_value(output<Char>& to, const print_conversion& c, argument_type type,
               const argument& value, percent_n n_policy) noexcept {
  switch (type) {
    case argument_type::none:
      return fail(EINVAL, false);
    case argument_type::plain_double:
      put_float(to, c, value.real);
      return true;
    case argument_type::long_double:
      put_float(to, c, value.long_real);
      return true;
    case argument_type::pointer:
      if (c.type == 's') return put_string(to, c, value.pointer);
      if (c.type == 'p') {
        put_pointer(to, c, value.pointer);
        return true;
      }
      if (n_policy == percent_n::refused) return fail(EINVAL, false);
      store_count(c, value.pointer, to.count());
      return true;
    default:
      if (c.type == 'c') return put_character(to, c, value.integer);
      put_integer(to, c, value.integer);
      return true;
  }
}

/// Writes one conversion with its argument. Returns false (errno) on errors.
template <class Char>
[[gnu::noinline]] bool put_conversion(output<Char>& to, print_conversion& c,
                                      argument_list& arguments, percent_n n_policy) noexcept {
  take_counts(c, [&arguments](int number) { return arguments.take_int(number); });
  const argument_type type = c.type_of_value();
  if (!check_counts(c, type)) return false;
  if (c.type == '%') {
    to.write("%");
    return true;
  }
  if (c.type == 'm') {
    c.size = length::none;
    return put_error(to, c, errno);
  }
  return put_value(to, c, type, arguments.take(type, c.argument), n_policy);
}

/// The fast path for the most frequent conversions: "%s", "%d", "%u". Returns false for all other
/// conversions, and for wchar_t.
template <class Char>
[[gnu::always_inline]] inline bool put_plain(output<Char>& to, Char type,
                                             argument_list& arguments) noexcept {
  if constexpr (sizeof(Char) == 1) {
    if (type == 's') {
      const char* const text = arguments.next_text();
      if (text == nullptr)
        to.write(null_text);
      else
        to.put(text, std::strlen(text));
      return true;
    }
    if (type == 'd' || type == 'u') {
      char digits[24];
      const int value = arguments.next_int();
      const char* const end = type == 'd'
                                  ? detail::write_value(digits, std::int32_t{value})
                                  : detail::write_value(digits, static_cast<std::uint32_t>(value));
      to.put(digits, static_cast<std::size_t>(end - digits));
      return true;
    }
  }
  return false;
}

template <class Char>
[[gnu::cold]] bool is_writable_text(const Char* text) noexcept {
  return is_writable(text, (std::char_traits<Char>::length(text) + 1) * sizeof(Char));
}

}  // namespace

template <class Char>
int format(output<Char>& to, const Char* text, const Char* at, print_arguments& arguments,
           percent_n n_policy) noexcept {
  argument_list list(arguments);
  for (;;) {
    const Char* const literal = at;
    while (*at != '%' && *at != '\0') ++at;
    if (at != literal) to.put(literal, static_cast<std::size_t>(at - literal));
    if (*at == '\0') break;
    ++at;
    if (!list.is_numbered() && put_plain(to, *at, list)) {
      ++at;
      continue;
    }
    print_conversion c;
    if (!read_conversion(at, c)) return fail(EINVAL, -1);
    if (c.argument != 0 && !list.is_numbered() && !list.fetch_numbered(text)) return -1;
    if (c.type == 'n' && n_policy == percent_n::allowed_in_constants && is_writable_text(text))
      abort_percent_n();
    if (!put_conversion(to, c, list, n_policy)) return -1;
  }
  if (to.failed()) return -1;
  if (to.count() > INT_MAX) return fail(EOVERFLOW, -1);
  return static_cast<int>(to.count());
}

template int format(output<char>&, const char*, const char*, print_arguments&, percent_n) noexcept;
template int format(output<wchar_t>&, const wchar_t*, const wchar_t*, print_arguments&,
                    percent_n) noexcept;

bool put_unfinished(output<char>& to, unfinished_conversion& rest) noexcept {
  print_conversion& c = rest.conversion;
  if (c.type == '\0') return true;
  const argument_type type = c.type_of_value();
  return check_counts(c, type) && put_value(to, c, type, rest.value, percent_n::refused);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
