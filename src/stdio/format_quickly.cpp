// The fast path of printf: the most frequent conversions, straight into the buffer.
#include "stdio/format_quickly.hpp"

#include <leat/format.hpp>

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/vector.hpp"
#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// Copies a text near the end of a page, or with little room left. Not inline, so that copy_text()
/// reserves no registers for this case.
[[gnu::noinline]] copied_text copy_all_or_nothing(char* to, const char* end,
                                                  const char* text) noexcept {
  const std::size_t size = std::strlen(text);
  if (size > static_cast<std::size_t>(end - to)) return {to, text};
  // `to` is null if the stream has no buffer.
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): no NUL is wanted
  if (size != 0) std::memcpy(to, text, size);
  return {to + size, nullptr};
}

}  // namespace

// Reads whole vectors, which may reach beyond the text's end but never onto another page.
__attribute__((no_sanitize("address", "thread"))) copied_text copy_text(char* to,
                                                                        const char* const end,
                                                                        const char* text) noexcept {
  using vector = simd::native;
  constexpr std::ptrdiff_t step = vector::width;
  constexpr std::uintptr_t page = 4096;  // real pages have this size or a multiple
  for (; end - to >= step; to += step, text += step) {
    if ((reinterpret_cast<std::uintptr_t>(text) & (page - 1)) > page - step) break;
    const auto bytes = vector::load(text);
    const auto zeros = vector::equal(bytes, vector::splat('\0'));
    simd::store<vector>(to, bytes);
    if (vector::any(zeros)) return {to + std::countr_zero(vector::bits(zeros)), nullptr};
  }
  return copy_all_or_nothing(to, end, text);
}

namespace {

// Each of these functions writes one argument. The functions that return a bool return false if
// they can't write the whole argument; then `rest` has the remaining part.

[[gnu::always_inline]] inline bool put_text(char*& to, char* end,
                                            print_arguments& arguments) noexcept {
  const char* text = va_arg(arguments.list, const char*);
  if (text == nullptr) [[unlikely]] {
    constexpr std::string_view null = "(null)";
    to += null.copy(to, null.size());
    return true;
  }
  const copied_text copy = copy_text(to, end, text);
  to = copy.to;
  if (copy.rest == nullptr) return true;
  arguments.rest.precision = -1;
  arguments.rest.value.pointer = copy.rest;
  return false;
}

/// Returns false for values that write_fixed() does not support, such as infinity and 1e300.
[[gnu::always_inline]] inline bool put_decimals(char*& to, int decimals,
                                                print_arguments& arguments) noexcept {
  const double value = va_arg(arguments.list, double);
  if (std::isfinite(value)) {
    *to = '-';
    char* const end = detail::write_fixed(to + std::signbit(value), std::fabs(value), decimals);
    if (end != nullptr) {
      to = end;
      return true;
    }
  }
  arguments.rest.precision = decimals;
  arguments.rest.value.real = value;
  return false;
}

/// Writes an integer with a width of one digit, as in `%02x` and `%5ld`. `at` is after the `%`.
/// Returns the end of the written text, and in `rest` the conversion's last character, or null for
/// all other conversions. Not inline, so that format_quickly() reserves no registers for this case.
[[gnu::noinline]] copied_text put_padded(char* to, const char* at,
                                         print_arguments& arguments) noexcept {
  const bool zeros = *at == '0';
  at += zeros;
  if (*at < '1' || *at > '9') return {to, nullptr};
  const std::ptrdiff_t width = *at - '0';
  const bool is_long = *++at == 'l';
  at += is_long;
  char* end = to;
  if (*at == 'd') {
    const std::int64_t value = is_long ? va_arg(arguments.list, long) : va_arg(arguments.list, int);
    end = detail::write_value(to, value);
  } else if (*at == 'u' || *at == 'x') {
    const std::uint64_t value =
        is_long ? va_arg(arguments.list, unsigned long) : va_arg(arguments.list, unsigned);
    end = *at == 'u' ? detail::write_value(to, value) : detail::write_in_base<4>(to, value);
  } else {
    return {to, nullptr};
  }
  const std::ptrdiff_t missing = width - (end - to);
  if (missing <= 0) return {end, at};
  if (zeros && *to == '-') ++to;
  // At most eight bytes are shifted by at most eight, and the caller has room.
  std::uint64_t text;
  std::memcpy(&text, to, sizeof text);
  std::memset(to, zeros ? '0' : ' ', sizeof text);
  std::memcpy(to + missing, &text, sizeof text);
  return {end + missing, at};
}

}  // namespace

char* format_quickly(char* to, char* const end, const char* at,
                     print_arguments& arguments) noexcept {
  // Room for the longest conversion below, so that one comparison is enough for all of them.
  constexpr std::ptrdiff_t enough = 64;
  const auto stop = [&](const char* next, char unfinished_type = '\0') {
    arguments.rest.at = next;
    arguments.rest.to = to;
    arguments.rest.type = unfinished_type;
    return nullptr;
  };
  const std::ptrdiff_t room = end - to;
  if (room < enough || room > INT_MAX) return stop(at);
  const char* const limit = end - enough;
  for (; to <= limit; ++at) {
    if (*at != '%') {
      *to = *at;
      if (*at == '\0') return to;
      ++to;
      continue;
    }
    switch (*++at) {
      case 's':
        if (!put_text(to, end, arguments)) return stop(at + 1, 's');
        break;
      case 'd':
        to = detail::write_value(to, std::int32_t{va_arg(arguments.list, int)});
        break;
      case 'u':
        to = detail::write_value(to, std::uint32_t{va_arg(arguments.list, unsigned)});
        break;
      case 'x':
        to = detail::write_in_base<4>(to, std::uint64_t{va_arg(arguments.list, unsigned)});
        break;
      case 'c':
        *to++ = static_cast<char>(va_arg(arguments.list, int));
        break;
      case 'z':
        if (sizeof(std::size_t) != sizeof(long)) return stop(at - 1);
        [[fallthrough]];
      case 'l':
        if (at[1] == 'd')
          to = detail::write_value(to, std::int64_t{va_arg(arguments.list, long)});
        else if (at[1] == 'u')
          to = detail::write_value(to, std::uint64_t{va_arg(arguments.list, unsigned long)});
        else
          return stop(at - 1);
        ++at;
        break;
      case 'f':
        if (!put_decimals(to, 6, arguments)) return stop(at + 1, 'f');
        break;
      case '.':
        if (at[1] < '0' || at[1] > '9' || at[2] != 'f') return stop(at - 1);
        at += 2;
        if (!put_decimals(to, at[-1] - '0', arguments)) return stop(at + 1, 'f');
        break;
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        const copied_text padded = put_padded(to, at, arguments);
        if (padded.rest == nullptr) return stop(at - 1);
        to = padded.to;
        at = padded.rest;
        break;
      }
      default:
        return stop(at - 1);
    }
  }
  return stop(at);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
