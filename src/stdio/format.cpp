#include <leat/format.hpp>

#include <wchar.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cmath>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

#include "format/number_text.hpp"
#include "stdio/error.hpp"
#include "stdio/printf.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

template <class Char>
void output<Char>::put_slowly(const Char* text, std::size_t n) noexcept {
  for (;;) {
    const std::size_t fits = std::min(n, room());
    copy(text, fits);
    text += fits;
    n -= fits;
    if (n == 0) return;
    if (!make_room()) {
      passed_ += n;
      return;
    }
  }
}

template <class Char>
void output<Char>::put_ascii(const char* text, std::size_t n) noexcept {
  if constexpr (sizeof(Char) == 1) {
    put(text, n);
  } else {
    for (; n != 0; --n) {
      const auto wide = static_cast<Char>(*text++);
      put(&wide, 1);
    }
  }
}

template <class Char>
void output<Char>::fill(char c, std::size_t n) noexcept {
  while (n != 0) {
    const std::size_t fits = std::min(n, room());
    std::fill_n(next_, fits, static_cast<Char>(c));
    next_ += fits;
    n -= fits;
    if (n != 0 && !make_room()) {
      passed_ += n;
      return;
    }
  }
}

template class output<char>;
template class output<wchar_t>;

namespace {

/// The types that arguments are passed as.
enum class argument_type : unsigned char {
  none,
  plain_int,
  long_int,
  long_long_int,
  plain_double,
  long_double,
  pointer,
  wide_char,
};

union argument {
  std::int64_t integer;  // of int and long: extended by the sign
  double real;
  long double long_real;
  const void* pointer;
};

enum class length : unsigned char { none, hh, h, l, ll, big_l };

constexpr int from_arguments = -2;

/// A conversion as the format has it. Widths and precisions of `from_arguments` stand among the
/// arguments, as number `…_argument`, or as the next where that is 0; so does the value.
struct conversion {
  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  length size = length::none;
  char type = '\0';
  int width = 0;
  int precision = -1;
  int width_argument = 0;
  int precision_argument = 0;
  int argument = 0;
};

constexpr bool is_digit(auto c) noexcept { return c >= '0' && c <= '9'; }

/// A number, INT_MAX for all that is larger; moves `at` behind it.
template <class Char>
int read_number(const Char*& at) noexcept {
  int value = 0;
  for (; is_digit(*at); ++at)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, static_cast<int>(*at - '0'), &value))
      value = INT_MAX;
  return value;
}

/// "3$", as in "%3$d" and "*3$"; 0, without moving, if it is not there.
template <class Char>
int read_position(const Char*& at) noexcept {
  const Char* end = at;
  if (!is_digit(*end) || *end == '0') return 0;
  const int position = read_number(end);
  if (*end != '$') return 0;
  at = end + 1;
  return position;
}

/// A width or a precision.
template <class Char>
int read_count(const Char*& at, int& argument) noexcept {
  if (*at != '*') return read_number(at);
  argument = read_position(++at);
  return from_arguments;
}

/// A size by its bits, C23's "w32" and "wf32".
template <class Char>
bool read_bits(const Char*& at, length& size) noexcept {
  const bool fast = *at == 'f';
  if (fast) ++at;
  const int bits = read_number(at);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return false;
  if (bits == 8)
    size = length::hh;
  else if (fast)
    size = sizeof(std::int_fast16_t) == 8 ? length::l : length::none;
  else
    size = bits == 16 ? length::h : bits == 32 ? length::none : length::l;
  if (bits == 64 && sizeof(long) < 8) size = length::ll;
  return true;
}

template <class Char>
bool read_length(const Char*& at, length& size) noexcept {
  switch (*at) {
    case 'h':
      size = *++at == 'h' ? (++at, length::hh) : length::h;
      return true;
    case 'l':
      size = *++at == 'l' ? (++at, length::ll) : length::l;
      return true;
    case 'q':
    case 'j':
      ++at;
      size = sizeof(long) == 8 ? length::l : length::ll;
      return true;
    case 'z':
    case 'Z':
    case 't':
      ++at;
      size = length::l;
      return true;
    case 'L':
      ++at;
      size = length::big_l;
      return true;
    case 'w':
      return read_bits(++at, size);
    default:
      return true;
  }
}

/// Reads what is behind a '%'; false if it is no conversion.
template <class Char>
bool read_conversion(const Char*& at, conversion& c) noexcept {
  c.argument = read_position(at);
  for (;; ++at) {
    if (*at == '-')
      c.left = true;
    else if (*at == '+')
      c.plus = true;
    else if (*at == ' ')
      c.blank = true;
    else if (*at == '#')
      c.alternate = true;
    else if (*at == '0')
      c.zero = true;
    else if (*at != '\'' && *at != 'I')  // what a locale would do differently
      break;
  }
  c.width = read_count(at, c.width_argument);
  if (*at == '.') {
    // A negative precision is as if there were none.
    const bool negative = *++at == '-';
    if (negative) ++at;
    c.precision = read_count(at, c.precision_argument);
    if (negative) c.precision = -1;
  }
  if (!read_length(at, c.size)) return false;
  if (*at <= 0 || *at > 'z') return false;
  c.type = static_cast<char>(*at++);
  if (c.type == 'C' || c.type == 'S') {
    c.type = c.type == 'C' ? 'c' : 's';
    c.size = length::l;
  }
  return true;
}

argument_type type_of(const conversion& c) noexcept {
  switch (c.type) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
      return c.size == length::l                               ? argument_type::long_int
             : c.size == length::ll || c.size == length::big_l ? argument_type::long_long_int
                                                               : argument_type::plain_int;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return c.size == length::big_l ? argument_type::long_double : argument_type::plain_double;
    case 'c':
      return c.size == length::l ? argument_type::wide_char : argument_type::plain_int;
    case 's':
    case 'p':
    case 'n':
      return argument_type::pointer;
    default:
      return argument_type::none;
  }
}

/// The arguments, one after another or by their numbers.
class argument_list {
 public:
  explicit argument_list(va_list arguments) noexcept { va_copy(list_, arguments); }
  ~argument_list() { va_end(list_); }
  argument_list(const argument_list&) = delete;
  argument_list& operator=(const argument_list&) = delete;

  /// The next argument, or the one of this number.
  argument take(argument_type type, int number) noexcept {
    return values_ != nullptr ? values_[number - 1] : next(type);
  }
  int take_int(int number) noexcept {
    return values_ != nullptr ? static_cast<int>(values_[number - 1].integer) : va_arg(list_, int);
  }
  /// Quicker than take(), while arguments have no numbers.
  int next_int() noexcept { return va_arg(list_, int); }
  const char* next_text() noexcept { return va_arg(list_, const char*); }
  bool numbered() const noexcept { return values_ != nullptr; }

  /// Fetches all arguments of a format that has numbers; false (errno) if some have and some not.
  template <class Char>
  bool number(const Char* text) noexcept;

 private:
  argument next(argument_type type) noexcept;

  static constexpr int few = 16;
  static constexpr int most_numbered = 4096;  // as glibc's NL_ARGMAX

  va_list list_;
  argument* values_ = nullptr;
  argument first_[few];
  std::unique_ptr<argument[]> more_;
};

argument argument_list::next(argument_type type) noexcept {
  argument value{};
  switch (type) {
    case argument_type::plain_int:
      value.integer = va_arg(list_, int);
      break;
    case argument_type::long_int:
      value.integer = va_arg(list_, long);
      break;
    case argument_type::long_long_int:
      value.integer = va_arg(list_, long long);
      break;
    case argument_type::plain_double:
      value.real = va_arg(list_, double);
      break;
    case argument_type::long_double:
      value.long_real = va_arg(list_, long double);
      break;
    case argument_type::pointer:
      value.pointer = va_arg(list_, const void*);
      break;
    case argument_type::wide_char:
      value.integer = static_cast<std::int64_t>(va_arg(list_, decltype(+wint_t{})));
      break;
    default:
      break;
  }
  return value;
}

/// Calls use(number, type) for each argument that the format names; false if one has no number.
template <class Char, class Use>
bool for_each_numbered(const Char* at, const Use& use) noexcept {
  for (; *at != '\0'; ++at) {
    if (*at != '%') continue;
    ++at;
    conversion c;
    if (!read_conversion(at, c)) return false;
    --at;
    if (c.type == '%' || c.type == 'm') continue;
    if (c.argument == 0 || (c.width == from_arguments && c.width_argument == 0) ||
        (c.precision == from_arguments && c.precision_argument == 0))
      return false;
    if (c.width_argument != 0) use(c.width_argument, argument_type::plain_int);
    if (c.precision_argument != 0) use(c.precision_argument, argument_type::plain_int);
    use(c.argument, type_of(c));
  }
  return true;
}

template <class Char>
bool argument_list::number(const Char* text) noexcept {
  int count = 0;
  const auto count_them = [&count](int number, argument_type) { count = std::max(count, number); };
  if (!for_each_numbered(text, count_them) || count > most_numbered) return fail(EINVAL, false);
  values_ = first_;
  if (count > few) {
    more_.reset(new (std::nothrow) argument[static_cast<std::size_t>(count)]);
    if (more_ == nullptr) return fail(ENOMEM, false);
    values_ = more_.get();
  }
  for (int i = 0; i != count; ++i) values_[i].integer = static_cast<int>(argument_type::none);
  for_each_numbered(text, [this](int number, argument_type type) {
    values_[number - 1].integer = static_cast<int>(type);
  });
  // One that is not used would have to be passed over without its type being known.
  for (int i = 0; i != count; ++i) {
    const auto type = static_cast<argument_type>(values_[i].integer);
    if (type == argument_type::none) return fail(EINVAL, false);
    values_[i] = next(type);
  }
  return true;
}

/// Pads to the width and puts what `content` puts, of `size` characters.
template <class Char, class Content>
void pad(output<Char>& to, const conversion& c, std::size_t size, const Content& content) noexcept {
  const auto width = static_cast<std::size_t>(c.width);
  const std::size_t padding = width > size ? width - size : 0;
  if (!c.left) to.fill(' ', padding);
  content();
  if (c.left) to.fill(' ', padding);
}

/// A number between its padding; `zeros` stand between prefix and digits in any case.
template <class Char>
void put_number(output<Char>& to, const conversion& c, const detail::number_text& number,
                std::size_t zeros, bool zero_padded) noexcept {
  const std::size_t size = number.size() + zeros;
  const auto width = static_cast<std::size_t>(c.width);
  if (zero_padded && !c.left && width > size) zeros += width - size;
  pad(to, c, number.size() + zeros, [&] {
    to.put_ascii(number.prefix, number.prefix_size);
    to.fill('0', zeros);
    to.put_ascii(number.digits.data(), number.digits.size());
    to.fill('0', number.zeros);
    to.put_ascii(number.suffix, number.suffix_size);
  });
}

void add_sign(detail::number_text& number, const conversion& c, bool negative) noexcept {
  if (negative)
    number.add_prefix('-');
  else if (c.plus || c.blank)
    number.add_prefix(c.plus ? '+' : ' ');
}

std::int64_t narrowed(std::int64_t value, length size) noexcept {
  switch (size) {
    case length::hh:
      return static_cast<signed char>(value);
    case length::h:
      return static_cast<short>(value);
    case length::none:
      return static_cast<int>(value);
    default:
      return value;
  }
}

std::uint64_t narrowed(std::uint64_t value, length size) noexcept {
  switch (size) {
    case length::hh:
      return static_cast<unsigned char>(value);
    case length::h:
      return static_cast<unsigned short>(value);
    case length::none:
      return static_cast<unsigned>(value);
    default:
      return size == length::l ? static_cast<unsigned long>(value) : value;
  }
}

template <class Char>
void put_integer(output<Char>& to, const conversion& c, std::int64_t value) noexcept {
  detail::number_text number;
  char digits[64 + 8];
  std::uint64_t magnitude;
  if (c.type == 'd' || c.type == 'i') {
    const std::int64_t narrow = narrowed(value, c.size);
    add_sign(number, c, narrow < 0);
    magnitude =
        narrow < 0 ? 0 - static_cast<std::uint64_t>(narrow) : static_cast<std::uint64_t>(narrow);
  } else {
    magnitude = narrowed(static_cast<std::uint64_t>(value), c.size);
  }
  char* end = digits;
  switch (c.type) {
    case 'o':
      end = detail::write_in_base<3>(digits, magnitude);
      break;
    case 'x':
    case 'X':
      end = detail::write_in_base<4>(digits, magnitude, c.type == 'X');
      break;
    case 'b':
    case 'B':
      end = detail::write_in_base<1>(digits, magnitude);
      break;
    default:
      end = detail::write_value(digits, magnitude);
  }
  if (magnitude == 0 && c.precision == 0) end = digits;  // zero is then no digits
  number.digits = {digits, static_cast<std::size_t>(end - digits)};
  const auto precision = static_cast<std::size_t>(std::max(c.precision, 0));
  std::size_t zeros = precision > number.digits.size() ? precision - number.digits.size() : 0;
  if (c.alternate) {
    if (c.type == 'o' && zeros == 0 && (magnitude != 0 || number.digits.empty())) zeros = 1;
    if ((c.type == 'x' || c.type == 'X' || c.type == 'b' || c.type == 'B') && magnitude != 0) {
      number.add_prefix('0');
      number.add_prefix(c.type);
    }
  }
  put_number(to, c, number, zeros, c.zero && c.precision < 0);
}

template <class Char, class Float>
[[gnu::noinline]] void put_float(output<Char>& to, const conversion& c, Float value) noexcept {
  char buffer[detail::precise_size<Float>];
  detail::number_text number;
  add_sign(number, c, std::signbit(value));
  value = std::fabs(value);
  const bool finite = std::isfinite(value);
  if (!finite) {
    const bool upper = c.type < 'a';
    number.digits = std::isnan(value) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
  } else {
    const int precision = c.precision < 0 && (c.type | 0x20) != 'a' ? 6 : c.precision;
    detail::write_precise<Float>(number, buffer, value, c.type, precision, c.alternate);
  }
  put_number(to, c, number, 0, c.zero && finite);
}

template <class Char>
void put_text(output<Char>& to, const conversion& c, const Char* text, std::size_t size) noexcept {
  pad(to, c, size, [&] { to.put(text, size); });
}

std::size_t bounded_size(const char* text, int most) noexcept {
  return most < 0 ? std::strlen(text) : ::strnlen(text, static_cast<std::size_t>(most));
}
std::size_t bounded_size(const wchar_t* text, int most) noexcept {
  return most < 0 ? ::wcslen(text) : ::wcsnlen(text, static_cast<std::size_t>(most));
}

// Text in the other kind of characters goes through the locale's encoding, one character at a time:
// first to see how much there is, then to put it.

/// Of bytes no character is cut. Calls use(bytes, count); false for what is no character.
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
bool put_converted(output<Char>& to, const conversion& c, const Convert& convert) noexcept {
  std::size_t size = 0;
  if (!convert([&size](const Char*, std::size_t n) { size += n; })) return false;
  pad(to, c, size,
      [&] { convert([&to](const Char* characters, std::size_t n) { to.put(characters, n); }); });
  return true;
}

constexpr std::size_t null_size = 6;

template <class Char>
bool put_string(output<Char>& to, conversion& c, const void* pointer) noexcept {
  if (pointer == nullptr) {
    // Cut off it would say nothing.
    const bool fits = c.precision < 0 || c.precision >= static_cast<int>(null_size);
    detail::number_text null;
    null.digits = fits ? "(null)" : "";
    put_number(to, c, null, 0, false);
    return true;
  }
  const bool wide = c.size == length::l;
  if (wide == (sizeof(Char) != 1)) {
    const auto* const text = static_cast<const Char*>(pointer);
    put_text(to, c, text, bounded_size(text, c.precision));
    return true;
  }
  if constexpr (sizeof(Char) == 1)
    return put_converted(to, c, [&](const auto& use) {
      return encode(static_cast<const wchar_t*>(pointer), c.precision, use);
    });
  else
    return put_converted(to, c, [&](const auto& use) {
      return decode(static_cast<const char*>(pointer), c.precision, use);
    });
}

template <class Char>
bool put_character(output<Char>& to, const conversion& c, std::int64_t value) noexcept {
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
void put_pointer(output<Char>& to, const conversion& c, const void* pointer) noexcept {
  if (pointer == nullptr) {
    detail::number_text nil;
    nil.digits = "(nil)";
    return put_number(to, c, nil, 0, false);
  }
  conversion hexadecimal = c;
  hexadecimal.type = 'x';
  hexadecimal.alternate = true;
  hexadecimal.size = length::ll;
  put_integer(to, hexadecimal, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(pointer)));
}

void store_count(const conversion& c, const void* pointer, std::uint64_t count) noexcept {
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

/// Puts one conversion with its argument; false (errno) if that can't be.
template <class Char>
[[gnu::noinline]] bool put_conversion(output<Char>& to, conversion& c, argument_list& arguments,
                                      bool percent_n) noexcept {
  if (c.width == from_arguments) {
    c.width = arguments.take_int(c.width_argument);
    if (c.width < 0) {
      c.left = true;
      if (c.width == INT_MIN) return fail(EOVERFLOW, false);
      c.width = -c.width;
    }
  }
  if (c.width == INT_MAX) return fail(EOVERFLOW, false);
  if (c.precision == from_arguments)
    c.precision = std::max(arguments.take_int(c.precision_argument), -1);
  if (c.precision == INT_MAX && type_of(c) != argument_type::pointer) return fail(EOVERFLOW, false);
  if (c.type == '%') {
    to.put_ascii("%", 1);
    return true;
  }
  if (c.type == 'm') {
    c.size = length::none;
    return put_string(to, c, std::strerror(errno));
  }
  const argument_type type = type_of(c);
  if (type == argument_type::none) return fail(EINVAL, false);
  const argument value = arguments.take(type, c.argument);
  switch (type) {
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
      if (!percent_n) return fail(EINVAL, false);
      store_count(c, value.pointer, to.count());
      return true;
    default:
      if (c.type == 'c') return put_character(to, c, value.integer);
      put_integer(to, c, value.integer);
      return true;
  }
}

/// What most conversions are: one letter. Returns false for all else.
template <class Char>
[[gnu::always_inline]] inline bool put_plain(output<Char>& to, Char type,
                                             argument_list& arguments) noexcept {
  if constexpr (sizeof(Char) == 1) {
    if (type == 's') {
      const char* const text = arguments.next_text();
      if (text == nullptr)
        to.put("(null)", null_size);
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

}  // namespace

template <class Char>
int format(output<Char>& to, const Char* text, va_list list, bool percent_n) noexcept {
  argument_list arguments(list);
  const Char* at = text;
  for (;;) {
    const Char* const literal = at;
    while (*at != '%' && *at != '\0') ++at;
    if (at != literal) to.put(literal, static_cast<std::size_t>(at - literal));
    if (*at == '\0') break;
    ++at;
    if (!arguments.numbered() && put_plain(to, *at, arguments)) {
      ++at;
      continue;
    }
    conversion c;
    if (!read_conversion(at, c)) return fail(EINVAL, -1);
    if (c.argument != 0 && !arguments.numbered() && !arguments.number(text)) return -1;
    if (!put_conversion(to, c, arguments, percent_n)) return -1;
  }
  if (to.failed()) return -1;
  if (to.count() > INT_MAX) return fail(EOVERFLOW, -1);
  return static_cast<int>(to.count());
}

#if defined(__SSE2__)
// 16 bytes at a time, as long as they can't lie on a page that is not there.
__attribute__((no_sanitize("address", "thread"))) char* copy_text(char* to, const char* const end,
                                                                  const char* text) noexcept {
  constexpr std::ptrdiff_t step = sizeof(__m128i);
  constexpr std::uintptr_t page = 4096;
  for (; end - to >= step; to += step, text += step) {
    if ((reinterpret_cast<std::uintptr_t>(text) & (page - 1)) > page - step) break;
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const auto zeros =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    if (zeros != 0) return to + std::countr_zero(zeros);
  }
  const std::size_t size = std::strlen(text);
  if (size > static_cast<std::size_t>(end - to)) return nullptr;
  std::memcpy(to, text, size);  // NOLINT(bugprone-not-null-terminated-result): no NUL is wanted
  return to + size;
}
#else
char* copy_text(char* to, const char* const end, const char* text) noexcept {
  const std::size_t size = std::strlen(text);
  if (size > static_cast<std::size_t>(end - to)) return nullptr;
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): no NUL is wanted
  return static_cast<char*>(std::memcpy(to, text, size)) + size;
}
#endif

char* format_quickly(char* to, char* const end, const char* at, va_list arguments) noexcept {
  // What the widest of the conversions below needs, so that one comparison serves them all.
  constexpr std::ptrdiff_t enough = 64;
  const std::ptrdiff_t room = end - to;
  if (room < enough || room > INT_MAX) return nullptr;
  const char* const limit = end - enough;
  for (; to <= limit; ++at) {
    if (*at != '%') {
      *to = *at;
      if (*at == '\0') return to;
      ++to;
      continue;
    }
    switch (*++at) {
      case 's': {
        const char* const text = va_arg(arguments, const char*);
        if (text == nullptr) return nullptr;
        to = copy_text(to, end, text);
        if (to == nullptr) return nullptr;
        break;
      }
      case 'd':
        to = detail::write_value(to, std::int32_t{va_arg(arguments, int)});
        break;
      case 'u':
        to = detail::write_value(to, std::uint32_t{va_arg(arguments, unsigned)});
        break;
      case 'x':
        to = detail::write_in_base<4>(to, std::uint64_t{va_arg(arguments, unsigned)});
        break;
      case 'c':
        *to++ = static_cast<char>(va_arg(arguments, int));
        break;
      case 'z':
      case 'l':
        if (at[1] == 'd')
          to = detail::write_value(to, std::int64_t{va_arg(arguments, long)});
        else if (at[1] == 'u')
          to = detail::write_value(to, std::uint64_t{va_arg(arguments, unsigned long)});
        else
          return nullptr;
        ++at;
        break;
      case 'f':
      case '.': {
        int precision = 6;
        if (*at == '.') {
          if (!is_digit(at[1]) || at[2] != 'f') return nullptr;
          precision = at[1] - '0';
          at += 2;
        }
        const double value = va_arg(arguments, double);
        if (!std::isfinite(value)) return nullptr;
        *to = '-';
        to = detail::write_fixed(to + std::signbit(value), std::fabs(value), precision);
        if (to == nullptr) return nullptr;
        break;
      }
      default:
        return nullptr;
    }
  }
  return nullptr;
}

template int format(output<char>&, const char*, va_list, bool) noexcept;
template int format(output<wchar_t>&, const wchar_t*, va_list, bool) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
