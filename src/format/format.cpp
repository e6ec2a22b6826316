// write_specified() and other functions that compiled formats call for a field; and vformat(),
// vformat_custom() and check_format().
#include <leat/format.hpp>

#include <bit>
#include <cmath>
#include <utility>

#include "base/cpu_dispatch.hpp"
#include "base/processor.hpp"
#include "format/digits.hpp"
#include "format/few_decimals.hpp"
#include "format/field.hpp"
#include "format/interpret.hpp"
#include "format/vector_implementations.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

char* write_value(char* to, const void* value) noexcept {
  to[0] = '0';
  to[1] = 'x';
  return write_in_base<4>(to + 2, std::uint64_t{reinterpret_cast<std::uintptr_t>(value)});
}

named_error named(const std::error_code& code) noexcept {
  const char* const name = code.category().name();
  return {name, static_cast<std::uint32_t>(std::strlen(name)), code.value()};
}

char* write_value(char* to, named_error value) noexcept {
  memory_output out{to};
  write_field(out, {}, value);
  return out.at;
}

namespace {

// Padding is stored with a fixed size, and the output after the padding overwrites the surplus.
// Reason: the length of the padding depends on the value, so a branch on the length would be
// mispredicted.

/// Writes a number in a field with a width: the sign, "0x" if `base` is 'x', and `size` characters
/// by put(to). Returns null if the padding is long. Needs room for the width and 16 bytes more than
/// for the number.
template <class Put>
[[gnu::always_inline]] inline char* put_padded(char* to, const format_step& spec, std::size_t size,
                                               bool negative, const Put& put,
                                               char base = '\0') noexcept {
  constexpr std::size_t most = 16;
  const auto width = static_cast<std::size_t>(spec.width());
  const bool has_sign = negative || spec.sign() != '-';
  const std::size_t prefix = has_sign + (base != '\0' ? std::size_t{2} : 0);
  size += prefix;
  const std::size_t missing = size < width ? width - size : 0;
  if (missing > most) return nullptr;
  const bool by_zeros = spec.align() == alignment::numeric;
  const char fill = by_zeros ? '0' : spec.fill();
  const std::size_t before = missing_before(spec.align(), missing);
  std::memset(to + (by_zeros ? prefix : 0), fill, most);
  char* const sign = to + (by_zeros ? 0 : before);
  *sign = negative ? '-' : has_sign ? spec.sign() : fill;
  if (base != '\0') {
    sign[has_sign] = '0';
    sign[has_sign + 1] = base;
  }
  char* const end = put(to + before + prefix);
  std::memset(end, fill, most);
  return to + size + missing;
}

constexpr std::size_t longest_padded = 32;

/// Computes the count of missing characters, and the count of missing characters before the text.
/// If the text or the field is long, or if there is a precision, returns false. Then other
/// functions must write the text.
[[gnu::always_inline]] inline bool compute_padding(const format_step& spec, std::size_t size,
                                                   std::size_t& missing,
                                                   std::size_t& before) noexcept {
  const auto width = static_cast<std::size_t>(spec.width());
  missing = size < width ? width - size : 0;
  const alignment align = spec.align() == alignment::none ? alignment::left : spec.align();
  before = missing_before(align, missing);
  return size <= longest_padded && width <= longest_padded && spec.precision() < 0;
}

char* put_padded_text(char* to, std::string_view text, std::uint64_t step) noexcept {
  constexpr std::size_t most = longest_padded;
  const format_step spec(step);
  const std::size_t size = text.size();
  std::size_t missing, before;
  if (!compute_padding(spec, size, missing, before)) return nullptr;
  char* const at = to + before;
  std::memset(to, spec.fill(), 2 * most);
  copy_with_room(at, text.data(), size);
  std::uint64_t words[most / 8];
  std::memcpy(words, at, most);
  constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;
  if (((words[0] | words[1] | words[2] | words[3]) & high_bits) != 0) return nullptr;
  std::memset(at + size, spec.fill(), most);
  return to + size + missing;
}

#if defined(LEAT_WIDE_VECTORS)
/// The masked load takes only the bytes of the text, and the fill character for all other bytes.
[[gnu::target("avx512f,avx512bw,avx512vl,bmi,bmi2")]] char* put_padded_text_by_avx512(
    char* to, std::string_view text, std::uint64_t step) noexcept {
  const format_step spec(step);
  std::size_t missing, before;
  if (!compute_padding(spec, text.size(), missing, before)) return nullptr;
  const __m256i fill = _mm256_set1_epi8(spec.fill());
  const __m256i bytes = _mm256_mask_loadu_epi8(
      fill, _bzhi_u32(~std::uint32_t{0}, static_cast<unsigned>(text.size())), text.data());
  if (_mm256_movepi8_mask(bytes) != 0) return nullptr;
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), fill);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to + before), bytes);
  return to + text.size() + missing;
}
#endif

/// Cuts a text to its precision. Returns false if a character that is not ASCII is among the kept
/// bytes, or follows these bytes and may belong to the last character. Then the precision might not
/// be the number of bytes to keep.
bool cut_to_precision(std::string_view& text, std::size_t precision) noexcept {
  if (precision >= text.size()) return is_ascii(text);
  const bool is_certain = is_ascii(text.substr(0, precision + 1));
  text = text.substr(0, precision);
  return is_certain;
}

/// Writes any value with any specification.
template <class T>
[[gnu::noinline]] char* write_any(char* to, T value, std::uint64_t step) {
  memory_output out{to};
  write_field(out, format_step(step).spec(), value);
  return out.at;
}

/// Writes "{:c}" of a number that is an ASCII character. Returns null for other numbers.
template <class T>
char* write_character(char* to, T value, std::uint64_t step) noexcept {
  const format_step spec(step);
  if (static_cast<std::uint64_t>(value) > 127) return nullptr;
  const char character = static_cast<char>(value);
  if (spec.width() <= 1) {
    *to = character;
    return to + 1;
  }
  memory_output out{to};
  pad(out, padding_of(spec.spec(), alignment::left), 1, [&] { out.write({&character, 1}); });
  return out.at;
}

/// Writes an integer with any specification that has a width. A separate function, so that
/// integers without a width keep nothing in registers for this call.
template <class T>
[[gnu::noinline]] char* write_with_width(char* to, T value, std::uint64_t step) {
  const format_step spec(step);
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = value < 0 ? 0 - bits : bits;
  if (spec.type() == '\0' || spec.type() == 'd') {
    if (const auto small = static_cast<std::uint32_t>(magnitude); small == magnitude) {
      const std::size_t count = count_digits(small);
      const auto put = [small, count](char* at) { return put_counted(at, small, count); };
      if (char* const end = put_padded(to, spec, count, value < 0, put)) return end;
    } else {
      const auto put = [magnitude](char* at) { return put_branchless(at, magnitude); };
      if (char* const end = put_padded(to, spec, count_digits(magnitude), value < 0, put))
        return end;
    }
  }
  if (spec.type() == 'x' || spec.type() == 'X') {
    const bool upper = spec.type() == 'X';
    const auto count = static_cast<std::size_t>(std::bit_width(magnitude | 1) + 3) / 4;
    const auto put = [magnitude, upper](char* at) {
      return write_in_base<4>(at, magnitude, upper);
    };
    const char base = spec.alternate() ? spec.type() : '\0';
    if (char* const end = put_padded(to, spec, count, value < 0, put, base)) return end;
  }
  if (spec.type() == 'c') return write_character(to, value, step);
  return write_any(to, value, step);
}

/// Returns the letter after the backslash in "{:?}". Returns 0 for a character that is written
/// unchanged, and '?' for a character that only {fmt} or a table of Unicode can write.
constexpr char escape_letter(char c, char quote) noexcept {
  if (c == quote || c == '\\') return c;
  if (c == '\n') return 'n';
  if (c == '\r') return 'r';
  if (c == '\t') return 't';
  return c >= ' ' && c <= '~' ? '\0' : '?';
}

/// True if one of the eight bytes is not a printable character of ASCII, or is '"' or a backslash.
bool may_need_escape(std::uint64_t word) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101, high = 0x80 * ones;
  const auto has_zero = [](std::uint64_t w) { return (w - ones) & ~w & high; };
  const std::uint64_t below_space = (word - ' ' * ones) & ~word & high;
  return (below_space | (word & high) | has_zero(word ^ 0x7F * ones) |
          has_zero(word ^ std::uint64_t{'"'} * ones) |
          has_zero(word ^ std::uint64_t{'\\'} * ones)) != 0;
}

bool may_need_escape(std::string_view text) noexcept {
  std::uint64_t word;
  std::size_t left = text.size();
  const char* at = text.data();
  bool any = false;
  for (; left >= 8; left -= 8, at += 8) {
    std::memcpy(&word, at, 8);
    any |= may_need_escape(word);
  }
  if (text.size() >= 8) {
    std::memcpy(&word, text.data() + text.size() - 8, 8);
    return any | may_need_escape(word);
  }
  for (const char* const end = at + left; at != end; ++at) any |= escape_letter(*at, '"') != '\0';
  return any;
}

}  // namespace

char* quote_ascii(char* to, const char* limit, std::string_view text) noexcept {
  if (limit - to < static_cast<std::ptrdiff_t>(text.size() + 2)) return nullptr;
  *to++ = '"';
  if (!may_need_escape(text)) {
    to = copy_any(to, text.data(), text.size());
  } else {
    if (limit - to <= static_cast<std::ptrdiff_t>(2 * text.size())) return nullptr;
    for (const char c : text) {
      const char letter = escape_letter(c, '"');
      if (letter == '?') return nullptr;
      if (letter != '\0') *to++ = '\\';
      *to++ = letter != '\0' ? letter : c;
    }
  }
  *to = '"';
  return to + 1;
}

char* quote_ascii(char* to, char character) noexcept {
  const char letter = escape_letter(character, '\'');
  if (letter == '?') return nullptr;
  *to++ = '\'';
  if (letter != '\0') *to++ = '\\';
  *to++ = letter != '\0' ? letter : character;
  *to = '\'';
  return to + 1;
}

template <class T>
char* write_specified(char* to, T value, std::uint64_t step) {
  const format_step spec(step);
  if constexpr (std::is_same_v<T, char>) {
    if (spec.type() == '?') return quote_ascii(to, value);
  }
  if constexpr (std::is_same_v<T, bool>) {
    if (spec.type() != '\0' && spec.type() != 's')
      return write_specified(to, std::uint64_t{value}, step);
    return write_specified(to, std::string_view(words_of_bool[value], value ? 4 : 5), step);
  }
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>) {
    if (spec.width() != 0) return write_with_width(to, value, step);
    if (spec.has_only_type()) {
      const bool upper = spec.type() == 'X';
      if (value >= 0 && (upper || spec.type() == 'x'))
        return write_in_base<4>(to, static_cast<std::uint64_t>(value), upper);
      if (spec.type() == 'd') return write_value(to, value);  // of a bool or a char
    }
    if (spec.type() == 'c') return write_character(to, value, step);
    // put_integer() uses only a part of the specification, so most of the step is not unpacked.
    const auto bits = static_cast<std::uint64_t>(value);
    std::size_t prefix;
    return put_integer(to, spec.spec(), value < 0 ? 0 - bits : bits, value < 0, prefix);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    using best = cpu_dispatch<&field_implementations::padded_text_implementations>;
    std::string_view text = value;
    if (spec.precision() < 0) {
      if (char* const end = best::call(to, text, step)) return end;
    } else if (cut_to_precision(text, static_cast<std::size_t>(spec.precision()))) {
      if (spec.width() == 0) return copy_any(to, text.data(), text.size());
      if (char* const end = best::call(to, text, spec.without_precision().bits())) return end;
    }
  }
  return write_any(to, value, step);
}

/// Floating-point numbers mostly have a specification with decimals, and perhaps a width, as
/// "{:.2f}" or "{:8.2f}".
template <>
char* write_specified(char* to, double value, std::uint64_t step) {
  const format_step spec(step);
  if (spec.is_fixed_point() && std::isfinite(value)) {
    const bool negative = std::signbit(value);
    const double magnitude = std::fabs(value);
    if (const few_decimals few(magnitude, spec.precision()); few.is_supported()) {
      if (spec.width() == 0) {
        *to = '-';
        return few.store(to + negative);
      }
      const auto put = [&few](char* at) { return few.store(at); };
      if (char* const end = put_padded(to, spec, few.size(), negative, put)) return end;
    } else if (spec.width() == 0) {
      *to = '-';
      if (char* const end = write_fixed(to + negative, magnitude, spec.precision())) return end;
    }
  }
  return write_any(to, value, step);
}

template char* write_specified(char*, bool, std::uint64_t);
template char* write_specified(char*, char, std::uint64_t);
template char* write_specified(char*, std::int64_t, std::uint64_t);
template char* write_specified(char*, std::uint64_t, std::uint64_t);
template char* write_specified(char*, __int128, std::uint64_t);
template char* write_specified(char*, unsigned __int128, std::uint64_t);
template char* write_specified(char*, float, std::uint64_t);
template char* write_specified(char*, long double, std::uint64_t);
template char* write_specified(char*, std::string_view, std::uint64_t);
template char* write_specified(char*, const void*, std::uint64_t);
template char* write_specified(char*, time_stamp, std::uint64_t);

std::string vformat(std::string_view format, const any_value* args, std::size_t count) {
  string_output out;
  interpret(out, format, args, count);
  return std::move(out.text);
}

void check_format(std::string_view format, const arg_kind* kinds, std::size_t count) {
  format_parser parser(format, kinds, count);
  for (segment next; parser.next(next);) continue;
}

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

std::string vformat_custom(std::string_view format, formatting::format_args args) {
  return translate_errors([&] {
    return formatting::vformat(formatting::string_view(format.data(), format.size()), args);
  });
}

#endif

}  // namespace detail

std::span<const field_implementations::padded_text_implementation>
field_implementations::padded_text_implementations() noexcept {
  static constexpr padded_text_implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &detail::put_padded_text_by_avx512,
#endif
      &detail::put_padded_text};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx512()) return std::span(all).subspan(1);
#endif
  return all;
}

}  // namespace v0
}  // namespace leat
