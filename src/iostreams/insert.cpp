// Formats values by std::ostream's flags, width and precision. The standard defines the result by
// printf, so leat's printf conversions do the work. Operators << and the facets call these
// functions.
#include <leat/detail/stream_buffer.hpp>
#include <leat/format.hpp>

#include <algorithm>
#include <climits>
#include <concepts>
#include <cstring>
#include <string>

#include "format/number_text.hpp"
#include "format/padding.hpp"
#include "iostreams/insert.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

using std::ios_base;

/// Position of a field's padding.
enum class padding_side { before, inside, after };

padding_side side_of(ios_base::fmtflags flags) noexcept {
  const auto adjust = flags & ios_base::adjustfield;
  return adjust == ios_base::left       ? padding_side::after
         : adjust == ios_base::internal ? padding_side::inside
                                        : padding_side::before;
}

/// Returns the number of characters before the padding inside a number.
std::size_t prefix_size_of(std::string_view number) noexcept {
  if (number.starts_with('-') || number.starts_with('+')) return 1;
  if (number.starts_with("0x") || number.starts_with("0X")) return 2;
  return 0;
}

char* copy_to(char* to, const char* from, std::size_t size) noexcept {
  if (size != 0) std::memcpy(to, from, size);
  return to + size;
}

char* fill_up(char* to, char with, std::size_t size) noexcept {
  std::memset(to, with, size);
  return to + size;
}

/// Writes a text without padding. Returns false if the buffer does not take the whole text.
inline bool put_whole(stream_buffer& to, const char* text, std::size_t size) {
  if (to.room() >= static_cast<std::ptrdiff_t>(size)) {
    to.move_put_cursor(copy_to(to.cursor(), text, size));
    return true;
  }
  return to.sputn(text, static_cast<std::streamsize>(size)) == static_cast<std::streamsize>(size);
}

/// Writes a text that is shorter than the width, with its padding. Returns the end of the output.
char* pad_to(char* to, std::string_view text, std::size_t prefix_size, const field_style& style) {
  const std::size_t missing = static_cast<std::size_t>(style.width) - text.size();
  switch (side_of(style.flags)) {
    case padding_side::before:
      prefix_size = 0;
      break;
    case padding_side::inside:
      break;
    case padding_side::after:
      prefix_size = text.size();
      break;
  }
  to = copy_to(to, text.data(), prefix_size);
  to = fill_up(to, style.fill, missing);
  return copy_to(to, text.data() + prefix_size, text.size() - prefix_size);
}

/// The state that std's operators set if the buffer takes no more.
#ifdef _LIBCPP_VERSION
constexpr ios_base::iostate failed_output = ios_base::badbit | ios_base::failbit;
#else
constexpr ios_base::iostate failed_output = ios_base::badbit;
#endif

void put_field(stream_core& core, std::ios& s, std::string_view text, std::size_t prefix_size) {
  stream_buffer& to = core.buffer();
  bool good = true;
  const std::streamsize width = s.width();
  if (width <= static_cast<std::streamsize>(text.size())) [[likely]] {
    good = put_whole(to, text.data(), text.size());
  } else if (const field_style style{s.flags(), width, s.precision(), s.fill()};
             width <= to.room()) {
    to.move_put_cursor(pad_to(to.cursor(), text, prefix_size, style));
  } else {
    field_memory memory;
    const std::string_view all = padded(memory, text, prefix_size, style);
    good = put_whole(to, all.data(), all.size());
  }
  s.width(0);
  if (!good) s.setstate(failed_output);
}

/// Returns the pieces of a number as one text in `memory`.
std::string_view joined(field_memory& memory, const number_text& text) {
  char* const start = memory.room(text.size());
  char* at = copy_to(start, text.prefix, text.prefix_size);
  at = fill_up(at, '0', text.leading_zeros);
  at = copy_to(at, text.digits.data(), text.digits.size());
  at = fill_up(at, '0', text.trailing_zeros);
  at = copy_to(at, text.suffix, text.suffix_size);
  return {start, static_cast<std::size_t>(at - start)};
}

char float_type(ios_base::fmtflags flags) noexcept {
  const auto kind = flags & ios_base::floatfield;
  const char letter = kind == ios_base::fixed                            ? 'f'
                      : kind == ios_base::scientific                     ? 'e'
                      : kind == (ios_base::fixed | ios_base::scientific) ? 'a'
                                                                         : 'g';
  return (flags & ios_base::uppercase) != 0 ? static_cast<char>(letter - 0x20) : letter;
}

template <class Float>
void set_text(number_text& text, char* buffer, const field_style& style, Float value) noexcept {
  const char type = float_type(style.flags);
  const bool hexadecimal = (type | 0x20) == 'a';
  const int precision =
      hexadecimal ? -1 : static_cast<int>(std::max<std::streamsize>(-1, style.precision));
  set_float<Float>(text, buffer, value, (style.flags & ios_base::showpos) != 0 ? '+' : '-', type,
                   precision, (style.flags & ios_base::showpoint) != 0);
}

/// The fast path for common styles: printf's %g or %.3f with a usual precision. Returns the end of
/// the output, or null for other styles and values. Needs room for quick_float_size bytes.
[[gnu::always_inline]] inline char* write_quickly(char* to, ios_base::fmtflags flags,
                                                  std::streamsize precision, double value) {
  constexpr auto mask =
      ios_base::floatfield | ios_base::showpos | ios_base::showpoint | ios_base::uppercase;
  constexpr std::streamsize most_precision = 17;
  const auto style = flags & mask;
  if (!std::isfinite(value) || precision < 0 || precision > most_precision) return nullptr;
  const bool negative = std::signbit(value);
  *to = '-';
  to += negative;
  value = std::fabs(value);
  if (style == 0) return write_general(to, value, static_cast<int>(precision), 'e');
  if (style == ios_base::fixed) return write_fixed(to, value, static_cast<int>(precision));
  return nullptr;
}

/// Room that write_quickly() needs, for a number and the bytes that stores of fixed size write
/// after it.
constexpr std::size_t quick_float_size = 64;

/// Writes a value in any style. If is_portable_float() is false, writes nothing and returns false.
template <class Float>
[[gnu::noinline]] bool insert_other_float(stream_core& core, std::ios& s, Float value) {
  if (!is_portable_float(s, value)) return false;
  with_precise_memory<Float>([&](char* buffer) {
    number_text text;
    set_text(text, buffer, {s.flags(), 0, s.precision(), ' '}, value);
    field_memory memory;
    const std::string_view number = joined(memory, text);
    put_field(core, s, number, prefix_size_of(number));
  });
  return true;
}

template <class Float>
[[gnu::always_inline]] inline bool insert_any_float(stream_core& core, std::ios& s, Float value) {
  core.recheck_locale(s);
  if (!core.is_plain_at_any_width() || !core.is_classic()) return false;
  if constexpr (std::same_as<Float, double>) {
    stream_buffer& to = core.buffer();
    if (s.width() != 0) {
      char digits[quick_float_size];
      if (const char* const end = write_quickly(digits, s.flags(), s.precision(), value)) {
        put_field(core, s, {digits, static_cast<std::size_t>(end - digits)}, *digits == '-');
        return true;
      }
    } else if (to.has_room(quick_float_size)) [[likely]] {
      if (const char* const end = write_quickly(to.cursor(), s.flags(), s.precision(), value)) {
        to.move_put_cursor(end);
        return true;
      }
    }
  }
  return insert_other_float(core, s, value);
}

}  // namespace

std::string_view padded(field_memory& memory, std::string_view text, std::size_t prefix_size,
                        const field_style& style) {
  const auto width = static_cast<std::size_t>(std::max<std::streamsize>(style.width, 0));
  if (width <= text.size()) return text;
  char* const start = memory.room_outside(text, width);
  pad_to(start, text, prefix_size, style);
  return {start, width};
}

std::string_view integer_text(char (&memory)[integer_memory], const field_style& style,
                              std::uint64_t bits, std::size_t size, bool is_signed) noexcept {
  const auto base = style.flags & ios_base::basefield;
  const bool hexadecimal = base == ios_base::hex, octal = base == ios_base::oct;
  char* at = memory;
  const bool shows = (style.flags & ios_base::showbase) != 0 && bits != 0;
  if (hexadecimal || octal) {
    if (size < 8) bits &= (std::uint64_t{1} << 8 * size) - 1;
    const bool upper = (style.flags & ios_base::uppercase) != 0;
    if (shows) {
      *at++ = '0';
      if (hexadecimal) *at++ = upper ? 'X' : 'x';
    }
    at = hexadecimal ? write_in_base<4>(at, bits, upper) : write_in_base<3>(at, bits);
  } else {
    if (is_signed) {
      if (static_cast<std::int64_t>(bits) < 0) {
        *at++ = '-';
        bits = 0 - bits;
      } else if ((style.flags & ios_base::showpos) != 0) {
        *at++ = '+';
      }
    }
    at = write_value(at, bits);
  }
  return {memory, static_cast<std::size_t>(at - memory)};
}

std::string_view padded_integer(field_memory& memory, char (&digits)[integer_memory],
                                const field_style& style, std::uint64_t bits, std::size_t size,
                                bool is_signed) {
  const std::string_view text = integer_text(digits, style, bits, size, is_signed);
  return padded(memory, text, prefix_size_of(text), style);
}

template <class Float>
std::string_view padded_float(field_memory& memory, const field_style& style, Float value) {
  if constexpr (std::same_as<Float, double>) {
    char* const start = memory.room(quick_float_size);
    if (const char* const end = write_quickly(start, style.flags, style.precision, value))
      return padded(memory, {start, static_cast<std::size_t>(end - start)}, *start == '-', style);
  }
  return with_precise_memory<Float>([&](char* buffer) {
    number_text text;
    set_text(text, buffer, style, value);
    const std::string_view number = joined(memory, text);
    return padded(memory, number, prefix_size_of(number), style);
  });
}
template std::string_view padded_float(field_memory&, const field_style&, double);
template std::string_view padded_float(field_memory&, const field_style&, long double);

bool insert_integer(stream_core& core, std::ios& s, std::uint64_t bits, std::size_t size,
                    bool is_signed) {
  core.recheck_locale(s);
  if (!core.is_plain_at_any_width() || !core.is_classic()) return false;
  char digits[integer_memory];
  const std::string_view text = integer_text(digits, {s.flags(), 0, 0, ' '}, bits, size, is_signed);
  put_field(core, s, text, prefix_size_of(text));
  return true;
}

bool insert_float(stream_core& core, std::ios& s, double value) {
  return insert_any_float(core, s, value);
}
bool insert_float(stream_core& core, std::ios& s, long double value) {
  return insert_any_float(core, s, value);
}

bool insert_text(stream_core& core, std::ios& s, const char* text, std::size_t size) {
  core.recheck_locale(s);
  if (!core.is_plain_at_any_width() || !core.is_classic()) return false;
  put_field(core, s, {text, size}, 0);
  return true;
}

bool insert_pointer(stream_core& core, std::ios& s, const void* value) {
  if (value == nullptr) return false;  // standard libraries differ
  core.recheck_locale(s);
  if (!core.is_plain_at_any_width() || !core.is_classic()) return false;
  char digits[integer_memory];
  const field_style style{(s.flags() & ~(ios_base::basefield | ios_base::uppercase)) |
                              ios_base::hex | ios_base::showbase,
                          0, 0, ' '};
  const std::string_view text =
      integer_text(digits, style, reinterpret_cast<std::uintptr_t>(value), sizeof value, false);
  put_field(core, s, text, prefix_size_of(text));
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
