// Parses scanf's directives after '%', and takes the pointers that the directives store to.
// scanner.hpp calls this code.
#pragma once

#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace stdio {

/// A parsed directive: "%5d" has the width 5 and the letter d.
struct scan_directive {
  std::size_t width = SIZE_MAX;
  unsigned position = 0;  // 0: the next argument
  bool suppressed = false;
  bool allocates = false;
  bool is_long = false;  // %lc, %ls, %l[, %lf
  bool is_long_double = false;
  unsigned char size = sizeof(int);  // of integers
  char letter = '\0';
};

/// The arguments, which are all pointers. The caller begins the list, with va_start or va_copy, and
/// calls va_end. A variadic function does not copy the list: one wide load of the copy would wait
/// for the narrow stores of va_start.
struct pointer_arguments {
  explicit pointer_arguments(bool takes_binary) noexcept : accepts_binary(takes_binary) {}

  std::va_list list;
  const bool accepts_binary;  // "%i" accepts "0b101" (C23)

  [[gnu::always_inline]] void* get(const scan_directive& directive) noexcept {
    if (directive.suppressed) return nullptr;
    if (directive.position == 0) [[likely]]
      return va_arg(list, void*);
    return at(directive.position);
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

template <class Char>
const Char* read_number(const Char* at, std::size_t& number) noexcept {
  number = 0;
  for (; *at >= '0' && *at <= '9'; ++at)
    if (number < SIZE_MAX / 16) number = 10 * number + static_cast<std::size_t>(*at - '0');
  return at;
}

/// Parses the size after 'w': "32" for int32_t, "f32" for int_fast32_t. Returns the end of the
/// size, or null for sizes other than 8, 16, 32 and 64.
template <class Char>
const Char* read_bits(const Char* at, scan_directive& directive) noexcept {
  const bool fast = *at == 'f';
  std::size_t bits;
  at = read_number(at + fast, bits);
  switch (bits) {
    case 8:
      directive.size = fast ? sizeof(std::int_fast8_t) : 1;
      return at;
    case 16:
      directive.size = fast ? sizeof(std::int_fast16_t) : 2;
      return at;
    case 32:
      directive.size = fast ? sizeof(std::int_fast32_t) : 4;
      return at;
    case 64:
      directive.size = fast ? sizeof(std::int_fast64_t) : 8;
      return at;
    default:
      return nullptr;
  }
}

/// Parses the argument's length: "hh" for char, "l" for long. Returns the end of the length: `at`
/// if there is no length, and null for an unknown size after 'w'.
template <class Char>
const Char* read_length(const Char* at, scan_directive& directive) noexcept {
  switch (*at) {
    case 'h':
      directive.size = at[1] == 'h' ? sizeof(char) : sizeof(short);
      return at + 1 + (at[1] == 'h');
    case 'l':
      if (at[1] != 'l') {
        directive.size = sizeof(long);
        directive.is_long = true;
        return at + 1;
      }
      ++at;
      [[fallthrough]];
    case 'L':
    case 'q':
      directive.size = sizeof(long long);
      directive.is_long_double = true;
      return at + 1;
    case 'j':
      directive.size = sizeof(std::intmax_t);
      return at + 1;
    case 'z':
      directive.size = sizeof(std::size_t);
      return at + 1;
    case 't':
      directive.size = sizeof(std::ptrdiff_t);
      return at + 1;
    case 'w':
      return read_bits(at + 1, directive);
    default:
      return at;
  }
}

/// Parses "1$", flags, width, 'm', length and letter. Returns the end, or null if the text is not a
/// directive.
template <class Char>
[[gnu::noinline]] const Char* read_modifiers(const Char* at, scan_directive& directive) noexcept {
  std::size_t number = 0;
  if (*at >= '0' && *at <= '9') {
    const Char* const after_number = read_number(at, number);
    if (*after_number == '$') {
      if (number == 0 || number > INT_MAX) return nullptr;
      directive.position = static_cast<unsigned>(number);
      number = 0;
      at = after_number + 1;
    }
  }
  // The flags ' and I request the locale's grouping and digits. leat supports neither grouping nor
  // these digits, and ignores the flags.
  for (; *at == '*' || *at == '\'' || *at == 'I'; ++at) directive.suppressed |= *at == '*';
  at = read_number(at, number);
  if (number != 0) directive.width = number;
  if (*at == 'm') {
    directive.allocates = true;
    ++at;
  }
  at = read_length(at, directive);
  if (at == nullptr || *at <= 0 || *at > 127) return nullptr;
  directive.letter = static_cast<char>(*at++);
  if (directive.letter == 'C' || directive.letter == 'S') {
    directive.letter = static_cast<char>(directive.letter | 0x20);
    directive.is_long = true;
  }
  return at;
}

/// Parses a directive after '%', including its letter. Returns the directive's end, or null if the
/// text is not a directive. Does not check that the letter is known.
template <class Char>
[[gnu::always_inline]] inline const Char* read_directive(const Char* at,
                                                         scan_directive& directive) noexcept {
  const Char c = *at;
  if (c >= 'a' && c <= 'z' && c != 'h' && c != 'j' && c != 'l' && c != 'm' && c != 'q' &&
      c != 't' && c != 'w' && c != 'z') [[likely]] {
    directive.letter = static_cast<char>(c);
    return at + 1;
  }
  return read_modifiers(at, directive);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
