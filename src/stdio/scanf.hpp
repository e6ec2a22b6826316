// Formatted input, for bytes and wide characters, of files and strings.
//
// An input gives one symbol at a time: peek() tells the next one, which stays, or `none`; take()
// passes over it. So what does not match is never taken. Where an input has a window, what lies
// in it whole is read in place: [begin(), end()) are the next bytes, take_to() passes over some.
#pragma once

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <cwctype>
#include <limits>
#include <string_view>
#include <type_traits>

#include "parse/number.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

// White space of bytes is ASCII's, whatever the locale.
constexpr bool is_space(int c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// A growing array that needs no memory of its own while it is small.
template <class T, std::size_t Inline>
class small_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // NOLINTNEXTLINE(modernize-use-equals-default): it would set the array to zeros
  small_array() noexcept {}
  ~small_array() {
    if (data_ != inline_) std::free(static_cast<void*>(data_));
  }
  small_array(const small_array&) = delete;
  small_array& operator=(const small_array&) = delete;

  bool add(T value) noexcept {
    if (size_ == capacity_ && !grow()) return false;
    data_[size_++] = value;
    return true;
  }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

 private:
  [[gnu::cold]] bool grow() noexcept {
    auto* const old = data_ == inline_ ? nullptr : static_cast<void*>(data_);
    void* const bigger = std::realloc(old, 2 * capacity_ * sizeof(T));
    if (bigger == nullptr) return false;
    if (old == nullptr) std::memcpy(bigger, static_cast<const void*>(inline_), sizeof inline_);
    data_ = static_cast<T*>(bigger);
    capacity_ *= 2;
    return true;
  }

  T inline_[Inline];
  T* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = Inline;
};

/// Where %c, %s and %[ store: nowhere, in the caller's array, or in memory they allocate.
template <class To>
class text_target {
 public:
  text_target(void* argument, bool allocates) noexcept {
    if (allocates && argument != nullptr) {
      result_ = static_cast<To**>(argument);
      *result_ = nullptr;
    } else {
      at_ = static_cast<To*>(argument);
    }
  }
  ~text_target() {
    if (memory_ != nullptr) std::free(memory_);
  }
  text_target(const text_target&) = delete;
  text_target& operator=(const text_target&) = delete;

  /// False without memory.
  bool add(const To* from, std::size_t n) noexcept {
    if (result_ != nullptr && n > capacity_ - size_ && !grow(n)) return false;
    if (at_ != nullptr) {
      std::memcpy(at_, from, n * sizeof(To));
      at_ += n;
    }
    size_ += n;
    return true;
  }
  /// Gives the caller what was allocated, no larger than need be.
  void deliver() noexcept {
    if (result_ == nullptr) return;
    void* const fitting = std::realloc(memory_, size_ * sizeof(To));
    *result_ = fitting != nullptr ? static_cast<To*>(fitting) : memory_;
    memory_ = nullptr;
  }

 private:
  bool grow(std::size_t n) noexcept {
    if (n > SIZE_MAX / sizeof(To) / 4 - size_) return false;
    const std::size_t wanted = 2 * (size_ + n) + 16;
    auto* const bigger = static_cast<To*>(std::realloc(memory_, wanted * sizeof(To)));
    if (bigger == nullptr) return false;
    memory_ = bigger;
    at_ = bigger + size_;
    capacity_ = wanted;
    return true;
  }

  To* at_ = nullptr;
  To** result_ = nullptr;
  To* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Calls take(low, high) for all that stands between the brackets of %[.
template <class Char, class Take>
void for_each_range(const Char* first, const Char* last, Take take) noexcept {
  // NOLINTBEGIN(bugprone-signed-char-misuse): the type of the same size
  using code = std::make_unsigned_t<Char>;
  for (const Char* at = first; at != last; ++at) {
    const auto c = static_cast<code>(*at);
    if (c == '-' && at != first && at + 1 != last) {
      // C leaves the meaning open. As in other libraries, this is a range unless it is reversed.
      const auto low = static_cast<code>(at[-1]);
      const auto high = static_cast<code>(at[1]);
      if (low <= high) {
        take(low, high);
        continue;
      }
    }
    take(c, c);
  }
  // NOLINTEND(bugprone-signed-char-misuse)
}

/// The set of %[.
template <class Char>
class scan_set;

template <>
class scan_set<char> {
 public:
  scan_set(const char* first, const char* last, bool excludes) noexcept : excludes_(excludes) {
    for_each_range(first, last, [this](unsigned low, unsigned high) {
      for (unsigned c = low; c <= high; ++c) words_[c / 64] |= std::uint64_t{1} << c % 64;
    });
  }
  bool has(int c) const noexcept {
    const auto code = static_cast<unsigned char>(c);
    return ((words_[code / 64] >> code % 64 & 1) != 0) != excludes_;
  }

 private:
  std::uint64_t words_[4]{};
  bool excludes_;
};

template <>
class scan_set<wchar_t> {
 public:
  scan_set(const wchar_t* first, const wchar_t* last, bool excludes) noexcept
      : first_(first), last_(last), excludes_(excludes) {}
  bool has(wint_t c) const noexcept {
    const auto code = static_cast<std::make_unsigned_t<wchar_t>>(c);
    bool found = false;
    for_each_range(first_, last_,
                   [&](auto low, auto high) { found |= low <= code && code <= high; });
    return found != excludes_;
  }

 private:
  const wchar_t* first_;
  const wchar_t* last_;
  bool excludes_;
};

/// One conversion as the format has it.
struct conversion {
  std::size_t width = SIZE_MAX;
  unsigned position = 0;  // 0: the next argument
  bool suppressed = false;
  bool allocates = false;
  bool is_long = false;  // %lc, %ls, %l[, %lf
  bool is_long_double = false;
  unsigned char size = sizeof(int);  // of integers
  char letter = '\0';
};

/// The arguments, all of which are pointers. Whoever calls begins and ends the list; it is not
/// copied, as reading at once what va_start has just stored in parts is slow.
struct pointer_arguments {
  std::va_list list;

  [[gnu::always_inline]] void* get(const conversion& c) noexcept {
    if (c.suppressed) return nullptr;
    if (c.position == 0) [[likely]]
      return va_arg(list, void*);
    return at(c.position);
  }

 private:
  [[gnu::noinline]] void* at(unsigned position) noexcept {
    std::va_list from_first;
    va_copy(from_first, list);
    void* found = nullptr;
    for (unsigned i = 0; i != position; ++i) found = va_arg(from_first, void*);
    va_end(from_first);
    return found;
  }
};

inline void store_integer(void* to, std::uint64_t value, unsigned char size) noexcept {
  const auto store = [to](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (size) {
    case 1:
      return store(static_cast<std::uint8_t>(value));
    case 2:
      return store(static_cast<std::uint16_t>(value));
    case 4:
      return store(static_cast<std::uint32_t>(value));
    default:
      return store(value);
  }
}

/// The integer of 64 bits that a magnitude with a sign is, at the end of the range if it is beyond.
inline std::uint64_t with_sign(std::uint64_t magnitude, bool fits, bool negative,
                               bool is_signed) noexcept {
  constexpr auto least = std::uint64_t{1} << 63;
  if (is_signed && fits && magnitude > least - 1 + negative) fits = false;
  if (!fits) [[unlikely]] {
    errno = ERANGE;
    if (!is_signed) return UINT64_MAX;
    return negative ? least : least - 1;
  }
  return (magnitude ^ (0 - std::uint64_t{negative})) + negative;
}

/// Whether a number that is out of range is so because it is large. The text is a sign, digits, and
/// perhaps an exponent.
inline bool is_huge(const char* at, const char* end, bool hexadecimal) noexcept {
  constexpr std::int64_t enough = INT64_MAX / 32;
  const std::int64_t weight = hexadecimal ? 4 : 1;
  std::int64_t size = 0;  // in digits of the exponent's base
  bool behind_point = false;
  bool any = false;
  for (; at != end; ++at) {
    const char c = static_cast<char>(*at | 0x20);
    if (c == (hexadecimal ? 'p' : 'e')) break;
    if (*at == '-') continue;
    if (*at == '.') {
      behind_point = true;
      continue;
    }
    any |= *at != '0';
    if (any && !behind_point) size += weight;
    if (!any && behind_point) size -= weight;
  }
  if (at == end) return size > 0;
  ++at;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  std::int64_t exponent = 0;
  for (; at != end; ++at)
    if (exponent < enough) exponent = 10 * exponent + (*at - '0');
  return size + (negative ? -exponent : exponent) > 0;
}

/// Stores what a text was parsed as, as strtod would have it.
template <class Float>
void store_floating(void* to, std::from_chars_result result, Float value, const char* text,
                    bool hexadecimal) noexcept {
  if (result.ec == std::errc::result_out_of_range) {
    errno = ERANGE;
    value = is_huge(text, result.ptr, hexadecimal) ? std::numeric_limits<Float>::infinity() : 0;
    if (*text == '-') value = -value;
  } else if (std::fpclassify(value) == FP_SUBNORMAL) {
    errno = ERANGE;
  }
  *static_cast<Float*>(to) = value;
}

template <class Float>
void store_text(void* to, const char* text, const char* end, bool hexadecimal) noexcept {
  Float value = 0;
  const std::from_chars_result result = hexadecimal ? detail::parse_hexadecimal(text, end, value)
                                                    : detail::parse_floating(text, end, value);
  store_floating(to, result, value, text, hexadecimal);
}

/// Reads one call's input as its format says.
template <class Input>
class scanner {
  using Char = typename Input::character;  // NOLINT(readability-identifier-naming): as elsewhere
  using symbol = typename Input::symbol;
  static constexpr bool is_wide = !std::is_same_v<Char, char>;
  static constexpr auto none = Input::none;

  enum class outcome : unsigned char {
    matched,
    mismatch,
    no_input,  // also bytes that are no character
    no_memory,
  };

 public:
  scanner(Input& in, pointer_arguments& arguments) noexcept : in_(in), arguments_(arguments) {}

  [[gnu::always_inline]] int scan(const Char* format) noexcept {
    for (;;) {
      const Char c = *format;
      if (c == 0) return matched_;
      ++format;
      outcome result;
      if (c != '%') [[unlikely]] {
        if (is_white(Input::symbol_of(c))) {
          skip_space();
          continue;
        }
        result = match(Input::symbol_of(c));
      } else {
        conversion what;
        format = read_conversion(format, what);
        if (format == nullptr) [[unlikely]] {
          errno = EINVAL;
          return matched_;
        }
        result = convert(what, format);
      }
      if (result != outcome::matched) [[unlikely]]
        return end(result);
    }
  }

 private:
  // --- the format --------------------------------------------------------------------------------

  static bool is_white(symbol c) noexcept {
    if constexpr (is_wide)
      return std::iswspace(c) != 0;
    else
      return is_space(c);
  }
  static constexpr bool is_digit(symbol c) noexcept { return c >= '0' && c <= '9'; }

  static const Char* read_number(const Char* at, std::size_t& number) noexcept {
    number = 0;
    for (; *at >= '0' && *at <= '9'; ++at)
      if (number < SIZE_MAX / 16) number = 10 * number + static_cast<std::size_t>(*at - '0');
    return at;
  }

  /// Reads what is behind a '%', up to and with the letter; null if that is nothing known.
  [[gnu::always_inline]] static const Char* read_conversion(const Char* at,
                                                            conversion& what) noexcept {
    const Char c = *at;
    if (c >= 'a' && c <= 'z' && c != 'h' && c != 'j' && c != 'l' && c != 'm' && c != 'q' &&
        c != 't' && c != 'w' && c != 'z') [[likely]] {
      what.letter = static_cast<char>(c);
      return at + 1;
    }
    return read_modifiers(at, what);
  }

  [[gnu::noinline]] static const Char* read_modifiers(const Char* at, conversion& what) noexcept {
    std::size_t number = 0;
    if (*at >= '0' && *at <= '9') {
      const Char* const behind = read_number(at, number);
      if (*behind == '$') {
        if (number == 0 || number > INT_MAX) return nullptr;
        what.position = static_cast<unsigned>(number);
        number = 0;
        at = behind + 1;
      }
    }
    // Digits of the locale, grouped or not, are none of leat's: these flags change nothing.
    for (; *at == '*' || *at == '\'' || *at == 'I'; ++at) what.suppressed |= *at == '*';
    at = read_number(at, number);
    if (number != 0) what.width = number;
    if (*at == 'm') {
      what.allocates = true;
      ++at;
    }
    at = read_length(at, what);
    if (at == nullptr || *at <= 0 || *at > 127) return nullptr;
    what.letter = static_cast<char>(*at++);
    if (what.letter == 'C' || what.letter == 'S') {
      what.letter = static_cast<char>(what.letter | 0x20);
      what.is_long = true;
    }
    return at;
  }

  static const Char* read_length(const Char* at, conversion& what) noexcept {
    switch (*at) {
      case 'h':
        what.size = at[1] == 'h' ? sizeof(char) : sizeof(short);
        return at + 1 + (at[1] == 'h');
      case 'l':
        if (at[1] != 'l') {
          what.size = sizeof(long);
          what.is_long = true;
          return at + 1;
        }
        ++at;
        [[fallthrough]];
      case 'L':
      case 'q':
        what.size = sizeof(long long);
        what.is_long_double = true;
        return at + 1;
      case 'j':
        what.size = sizeof(std::intmax_t);
        return at + 1;
      case 'z':
        what.size = sizeof(std::size_t);
        return at + 1;
      case 't':
        what.size = sizeof(std::ptrdiff_t);
        return at + 1;
      case 'w':
        return read_bits(at + 1, what);
      default:
        return at;
    }
  }

  /// Behind 'w': the bits of an integer, or with 'f' the least of a fast one.
  static const Char* read_bits(const Char* at, conversion& what) noexcept {
    const bool fast = *at == 'f';
    std::size_t bits;
    at = read_number(at + fast, bits);
    switch (bits) {
      case 8:
        what.size = fast ? sizeof(std::int_fast8_t) : 1;
        return at;
      case 16:
        what.size = fast ? sizeof(std::int_fast16_t) : 2;
        return at;
      case 32:
        what.size = fast ? sizeof(std::int_fast32_t) : 4;
        return at;
      case 64:
        what.size = fast ? sizeof(std::int_fast64_t) : 8;
        return at;
      default:
        return nullptr;
    }
  }

  // --- the input ---------------------------------------------------------------------------------

  [[gnu::always_inline]] void skip_space() noexcept {
    if constexpr (Input::has_window) {
      const char* at = in_.begin();
      const char* const end = in_.end();
      while (at != end && is_space(static_cast<unsigned char>(*at))) ++at;
      in_.take_to(at);
      if (at != end) [[likely]]
        return;
    }
    skip_space_slowly();
  }
  [[gnu::noinline]] void skip_space_slowly() noexcept {
    for (symbol c; (c = in_.peek()) != none && is_white(c);) in_.take();
  }

  outcome match(symbol wanted) noexcept {
    const symbol c = in_.peek();
    if (c == none) return outcome::no_input;
    if (c != wanted) return outcome::mismatch;
    in_.take();
    return outcome::matched;
  }

  /// Symbols of one field, no more than its width.
  class field {
   public:
    field(Input& in, std::size_t width) noexcept : in_(in), left_(width) {}
    symbol peek() noexcept { return left_ == 0 ? none : in_.peek(); }
    void take() noexcept {
      in_.take();
      --left_;
    }
    /// Takes one of the two, if it is next.
    bool take(char one, char other) noexcept {
      const symbol c = peek();
      if (c != static_cast<symbol>(one) && c != static_cast<symbol>(other)) return false;
      take();
      return true;
    }
    /// Takes a word of small letters, whatever their case; false where it is left.
    bool take_word(std::string_view word) noexcept {
      return std::ranges::all_of(
          word, [this](char c) { return take(c, c >= 'a' ? static_cast<char>(c & ~0x20) : c); });
    }

   private:
    Input& in_;
    std::size_t left_;
  };

  // --- conversions -------------------------------------------------------------------------------

  /// Integers come most often, so their way through here is short.
  [[gnu::always_inline]] outcome convert(const conversion& what, const Char*& format) noexcept {
    int base = 10;
    bool is_signed = false;
    switch (what.letter) {
      case 'd':
        is_signed = true;
        break;
      case 'i':
        is_signed = true;
        base = 0;
        break;
      case 'u':
        break;
      case 'o':
        base = 8;
        break;
      case 'x':
      case 'X':
        base = 16;
        break;
      case 'b':
        base = 2;
        break;
      default:
        return convert_other(what, format);
    }
    return convert_integer(what, base, is_signed);
  }

  [[gnu::noinline]] outcome convert_other(const conversion& what, const Char*& format) noexcept {
    switch (what.letter) {
      case 'p':
        return convert_pointer(what);
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return convert_floating(what);
      case 's':
        return convert_string(what);
      case 'c':
        return convert_characters(what);
      case '[':
        return convert_set(what, format);
      case 'n':
        if (void* const to = arguments_.get(what)) store_integer(to, in_.taken(), what.size);
        return outcome::matched;
      case '%':
        skip_space();
        return match('%');
      default:
        errno = EINVAL;
        return outcome::mismatch;
    }
  }

  [[gnu::always_inline]] outcome convert_integer(const conversion& what, int base,
                                                 bool is_signed) noexcept {
    std::uint64_t value;
    if (!quick_integer(what, base, is_signed, value)) [[unlikely]] {
      skip_space();
      const outcome result = read_integer(what, base, is_signed, value);
      if (result != outcome::matched) return result;
    }
    if (what.suppressed) return outcome::matched;
    store_integer(arguments_.get(what), value, what.size);
    ++matched_;
    return outcome::matched;
  }

  [[gnu::noinline]] outcome convert_pointer(conversion what) noexcept {
    what.size = sizeof(void*);
    skip_space();
    if (in_.peek() != '(') return convert_integer(what, 16, false);
    // As null pointers are written.
    field text(in_, what.width);
    if (!text.take_word("(nil)")) return outcome::mismatch;
    if (what.suppressed) return outcome::matched;
    store_integer(arguments_.get(what), 0, what.size);
    ++matched_;
    return outcome::matched;
  }

  /// The window's first byte that is not white space. What is passed over is taken later, with the
  /// number: each number waits for the one before to say where it ends, by as short a way as may
  /// be.
  [[gnu::always_inline]] const char* behind_space() const noexcept {
    const char* at = in_.begin();
    while (at != in_.end() && is_space(static_cast<unsigned char>(*at))) ++at;
    return at;
  }

  /// An integer that lies in the window, with what is behind it. False if this can't tell.
  [[gnu::always_inline]] bool quick_integer(const conversion& what, int base, bool is_signed,
                                            std::uint64_t& value) noexcept {
    if constexpr (Input::has_window) {
      const char* at = behind_space();
      const char* end = in_.end();
      const bool cut = what.width <= static_cast<std::size_t>(end - at);
      if (cut) end = at + what.width;
      if (at == end) return false;
      const bool negative = *at == '-';
      at += negative | (*at == '+');  // no branch, as signs are hard to foresee
      if (base != 10 && base != 8 && at != end && *at == '0') {
        if (base == 2 || end - at < 3 || (at[1] | 0x20) != 'x') return false;
        at += 2;
        base = 16;
      }
      std::uint64_t magnitude = 0;
      const auto [stop, error] = detail::parse_integer(at, end, magnitude, base == 0 ? 10 : base);
      if (error == std::errc::invalid_argument || (stop == end && !cut)) return false;
      in_.take_to(stop);
      value = with_sign(magnitude, error == std::errc{}, negative, is_signed);
      return true;
    } else {
      return false;
    }
  }

  [[gnu::noinline]] outcome read_integer(const conversion& what, int base, bool is_signed,
                                         std::uint64_t& value) noexcept {
    if (in_.peek() == none) return outcome::no_input;
    field text(in_, what.width);
    const bool negative = text.peek() == '-';
    text.take('-', '+');
    bool any = false;
    if (base != 10 && base != 8 && text.take('0', '0')) {
      any = true;
      if (base != 2 && text.take('x', 'X')) {
        base = 16;
        any = false;
      } else if (base != 16 && text.take('b', 'B')) {
        base = 2;
        any = false;
      } else if (base == 0) {
        base = 8;
      }
    }
    if (base == 0) base = 10;
    // Zeros in front don't count, and more digits than this are too many in any base.
    char digits[65];
    std::size_t count = 0;
    for (symbol c; (c = text.peek()) != none && is_digit_of(c, base); text.take()) {
      any = true;
      if ((count != 0 || c != '0') && count != sizeof digits)
        digits[count++] = static_cast<char>(c);
    }
    if (!any) return outcome::mismatch;
    std::uint64_t magnitude = 0;
    const auto error = detail::parse_integer(digits, digits + count, magnitude, base).ec;
    value = with_sign(magnitude, error != std::errc::result_out_of_range, negative, is_signed);
    return outcome::matched;
  }

  static constexpr bool is_digit_of(symbol c, int base) noexcept {
    if (base <= 10) return c >= '0' && c < static_cast<symbol>('0' + base);
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  outcome convert_floating(const conversion& what) noexcept {
    if (what.is_long) return convert_to<double>(what);
    if (what.is_long_double) return convert_to<long double>(what);
    return convert_to<float>(what);
  }

  template <class Float>
  outcome convert_to(const conversion& what) noexcept {
    Float ignored;
    void* const to = what.suppressed ? &ignored : arguments_.get(what);
    if (!quick_floating<Float>(what, to)) [[unlikely]] {
      skip_space();
      const outcome result = read_floating<Float>(what, to);
      if (result != outcome::matched) return result;
    }
    matched_ += !what.suppressed;
    return outcome::matched;
  }

  /// A decimal number that lies in the window, with what is behind it. False if this can't tell.
  template <class Float>
  bool quick_floating(const conversion& what, void* to) noexcept {
    if constexpr (Input::has_window) {
      const char* at = behind_space();
      const char* const first = at;
      const char* end = in_.end();
      const bool cut = what.width <= static_cast<std::size_t>(end - at);
      if (cut) end = at + what.width;
      if (at == end) return false;
      if (*at == '+') ++at;
      const char* const digits = at + (at != end && *at == '-' && at == first);
      if (digits == end || (!is_digit(static_cast<unsigned char>(*digits)) && *digits != '.'))
        return false;
      Float value = 0;
      const std::from_chars_result result = detail::parse_floating(at, end, value);
      if (result.ec == std::errc::invalid_argument) return false;
      if (result.ptr == end) {
        if (!cut) return false;
      } else {
        // "1e+" and "0x": what follows is part of the field, and decides.
        const char next = static_cast<char>(*result.ptr | 0x20);
        if (next == 'e' || next == 'x') return false;
      }
      in_.take_to(result.ptr);
      store_floating(to, result, value, at, false);
      return true;
    } else {
      return false;
    }
  }

  template <class Float>
  [[gnu::noinline]] outcome read_floating(const conversion& what, void* to) noexcept {
    if (in_.peek() == none) return outcome::no_input;
    field text(in_, what.width);
    number_text number;
    bool hexadecimal = false;
    const outcome result = take_floating(text, number, hexadecimal);
    if (result == outcome::matched)
      store_text<Float>(to, number.begin(), number.end(), hexadecimal);
    return result;
  }

  using number_text = small_array<char, 256>;

  /// Takes the longest text that a number may begin with, which must be one then. The result is
  /// without '+' and "0x".
  outcome take_floating(field& text, number_text& number, bool& hexadecimal) noexcept {
    if (text.peek() == '-') number.add('-');
    text.take('-', '+');
    if (text.take('i', 'I')) {
      if (!text.take_word("nf")) return outcome::mismatch;
      if (text.take('i', 'I') && !text.take_word("nity")) return outcome::mismatch;
      for (const char c : {'i', 'n', 'f'}) number.add(c);
      return outcome::matched;
    }
    if (text.take('n', 'N')) {
      if (!text.take_word("an")) return outcome::mismatch;
      if (text.take('(', '(')) {
        for (symbol c; (c = text.peek()) != none && is_word(c);) text.take();
        if (!text.take(')', ')')) return outcome::mismatch;
      }
      for (const char c : {'n', 'a', 'n'}) number.add(c);
      return outcome::matched;
    }
    bool any = false;
    if (text.take('0', '0')) {
      hexadecimal = text.take('x', 'X');
      any = !hexadecimal;
      if (any) number.add('0');
    }
    const auto take_digits = [&](int base) noexcept {
      for (symbol c; (c = text.peek()) != none && is_digit_of(c, base); text.take()) {
        any = true;
        if (!number.add(static_cast<char>(c))) return false;
      }
      return true;
    };
    const int base = hexadecimal ? 16 : 10;
    if (!take_digits(base)) return outcome::no_memory;
    if (text.take('.', '.') && !(number.add('.') && take_digits(base))) return outcome::no_memory;
    if (!any) return outcome::mismatch;
    if (hexadecimal ? text.take('p', 'P') : text.take('e', 'E')) {
      const bool negative = text.peek() == '-';
      text.take('-', '+');
      any = false;
      if (!number.add(hexadecimal ? 'p' : 'e') || (negative && !number.add('-')) ||
          !take_digits(10))
        return outcome::no_memory;
      if (!any) return outcome::mismatch;
    }
    return outcome::matched;
  }

  static constexpr bool is_word(symbol c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  outcome convert_string(const conversion& what) noexcept {
    skip_space();
    return convert_text(what, what.width, true, [](symbol c) { return !is_white(c); });
  }

  // Where the input ends early C does not say it all; the characters that are there are given, as
  // other libraries do.
  [[gnu::noinline]] outcome convert_characters(const conversion& what) noexcept {
    const std::size_t count = what.width == SIZE_MAX ? 1 : what.width;
    return convert_text(what, count, false, [](symbol) { return true; });
  }

  [[gnu::noinline]] outcome convert_set(const conversion& what, const Char*& format) noexcept {
    const bool excludes = *format == '^';
    const Char* const first = format + excludes;
    const Char* last = first + (*first == ']');
    while (*last != ']') {
      if (*last == 0) {
        errno = EINVAL;
        return outcome::mismatch;
      }
      ++last;
    }
    format = last + 1;
    const scan_set<Char> set(first, last, excludes);
    return convert_text(what, what.width, true, [&set](symbol c) { return set.has(c); });
  }

  /// Takes up to `most` characters as long as `wanted` wants them, at least one.
  template <class Wanted>
  outcome convert_text(const conversion& what, std::size_t most, bool terminated,
                       Wanted wanted) noexcept {
    void* const to = arguments_.get(what);
    if (what.is_long) return store_text_as<wchar_t>(what, to, most, terminated, wanted);
    return store_text_as<char>(what, to, most, terminated, wanted);
  }

  template <class To, class Wanted>
  outcome store_text_as(const conversion& what, void* to, std::size_t most, bool terminated,
                        Wanted wanted) noexcept {
    text_target<To> target(to, what.allocates);
    const symbol first = in_.peek();
    if (first == none) return outcome::no_input;
    if (!wanted(first)) return outcome::mismatch;
    outcome result;
    if constexpr (std::is_same_v<To, Char>)
      result = copy(target, most, wanted);
    else if constexpr (is_wide)
      result = copy_narrowed(target, most, wanted);
    else
      result = copy_widened(target, most, wanted);
    if (result != outcome::matched) return result;
    const To nul{};
    if (terminated && !target.add(&nul, 1)) return outcome::no_memory;
    if (what.allocates && to != nullptr && !allocated_.add(static_cast<void**>(to)))
      return outcome::no_memory;
    target.deliver();
    matched_ += to != nullptr;
    return outcome::matched;
  }

  template <class Wanted>
  outcome copy(text_target<Char>& target, std::size_t left, Wanted wanted) noexcept {
    while (left != 0) {
      const symbol c = in_.peek();
      if (c == none || !wanted(c)) break;
      if constexpr (Input::has_window) {
        const char* const first = in_.begin();
        const auto room = static_cast<std::size_t>(in_.end() - first);
        const char* const end = first + (left < room ? left : room);
        const char* at = first + 1;
        while (at != end && wanted(static_cast<unsigned char>(*at))) ++at;
        const auto n = static_cast<std::size_t>(at - first);
        if (!target.add(first, n)) return outcome::no_memory;
        in_.take_to(at);
        left -= n;
      } else {
        const auto character = static_cast<Char>(c);
        if (!target.add(&character, 1)) return outcome::no_memory;
        in_.take();
        --left;
      }
    }
    return outcome::matched;
  }

  /// The width counts characters, not their bytes.
  template <class Wanted>
  outcome copy_widened(text_target<wchar_t>& target, std::size_t left, Wanted wanted) noexcept {
    std::mbstate_t state{};
    bool within = false;
    while (left != 0) {
      const symbol c = in_.peek();
      if (c == none || !wanted(c)) break;
      in_.take();
      const auto byte = static_cast<char>(c);
      wchar_t character;
      const std::size_t taken = std::mbrtowc(&character, &byte, 1, &state);
      if (taken == static_cast<std::size_t>(-1)) return outcome::no_input;  // errno is EILSEQ
      within = taken == static_cast<std::size_t>(-2);
      if (within) continue;
      if (!target.add(&character, 1)) return outcome::no_memory;
      --left;
    }
    if (within) errno = EILSEQ;
    return within ? outcome::no_input : outcome::matched;
  }

  template <class Wanted>
  outcome copy_narrowed(text_target<char>& target, std::size_t left, Wanted wanted) noexcept {
    std::mbstate_t state{};
    for (; left != 0; --left) {
      const symbol c = in_.peek();
      if (c == none || !wanted(c)) break;
      in_.take();
      char bytes[MB_LEN_MAX];
      const std::size_t n = std::wcrtomb(bytes, static_cast<wchar_t>(c), &state);
      if (n == static_cast<std::size_t>(-1)) return outcome::no_input;  // errno is EILSEQ
      if (!target.add(bytes, n)) return outcome::no_memory;
    }
    return outcome::matched;
  }

  /// What the call returns after a failure.
  [[gnu::noinline]] int end(outcome why) noexcept {
    if (why == outcome::no_memory) {
      // The caller won't know that some were stored.
      for (void** const to : allocated_) {
        std::free(*to);
        *to = nullptr;
      }
      errno = ENOMEM;
      return EOF;
    }
    return why == outcome::no_input && matched_ == 0 ? EOF : matched_;
  }

  Input& in_;
  pointer_arguments& arguments_;
  int matched_ = 0;
  small_array<void**, 8> allocated_;  // by %m
};

template <class Input>
[[gnu::always_inline]] inline int scan(Input& in, const typename Input::character* format,
                                       pointer_arguments& arguments) noexcept {
  return scanner<Input>(in, arguments).scan(format);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
