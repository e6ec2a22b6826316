// The inputs of scanf: files and strings, of bytes or wide characters. scanf.cpp and wscanf.cpp
// define the inputs.
//
// peek() returns the next symbol without taking it, or `none` at the end and on errors. take()
// takes the symbol. So symbols that do not match are never taken: of "12ab", "%d" leaves "ab".
// count() is the count of symbols taken.
//
// An input with a buffer (has_buffer) gives access to its next bytes in memory, [begin(), end()).
// advance_to(at) takes the bytes before `at`. A field that is in the buffer, with the byte after
// it, is read from the buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cwchar>
#include <cwctype>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace stdio {

/// The symbols of an input: each character as a non-negative value, and `none`.
template <class Char>
struct symbols;

template <>
struct symbols<char> {
  using character = char;
  using symbol = int;
  static constexpr symbol none = -1;
  static constexpr symbol symbol_of(char c) noexcept { return static_cast<unsigned char>(c); }
  /// True for ASCII white space, independent of the locale.
  static constexpr bool is_space(symbol c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
};

template <>
struct symbols<wchar_t> {
  using character = wchar_t;
  using symbol = wint_t;
  static constexpr symbol none = WEOF;
  static constexpr symbol symbol_of(wchar_t c) noexcept { return static_cast<symbol>(c); }
  static bool is_space(symbol c) noexcept { return std::iswspace(c) != 0; }
};

/// The result of a directive.
enum class outcome : unsigned char {
  matched,
  mismatch,
  no_input,  // also for an invalid sequence of bytes
  no_memory,
};

/// Returns the buffer's first byte that is not white space, or the buffer's end.
template <class Input>
[[gnu::always_inline]] inline const char* after_space(const Input& in) noexcept {
  const char* at = in.begin();
  while (at != in.end() && Input::is_space(Input::symbol_of(*at))) ++at;
  return at;
}

template <class Input>
[[gnu::noinline]] void skip_space_slowly(Input& in) noexcept {
  for (auto c = in.peek(); c != Input::none && Input::is_space(c); c = in.peek()) in.take();
}
template <class Input>
[[gnu::always_inline]] inline void skip_space(Input& in) noexcept {
  if constexpr (Input::has_buffer) {
    const char* const at = after_space(in);
    const bool within = at != in.end();
    in.advance_to(at);
    if (within) [[likely]]
      return;
  }
  skip_space_slowly(in);
}

/// If the symbol `wanted` is next, takes it and returns `matched`. Otherwise returns `mismatch`, or
/// `no_input` at the end.
template <class Input>
outcome match(Input& in, typename Input::symbol wanted) noexcept {
  const auto c = in.peek();
  if (c == Input::none) return outcome::no_input;
  if (c != wanted) return outcome::mismatch;
  in.take();
  return outcome::matched;
}

/// The symbols of one field, up to its width.
template <class Input>
class field {
  using symbol = typename Input::symbol;

 public:
  field(Input& in, std::size_t width) noexcept : in_(in), left_(width) {}
  symbol peek() noexcept { return left_ == 0 ? Input::none : in_.peek(); }
  void take() noexcept {
    in_.take();
    --left_;
  }
  /// If one of the two characters is next, takes it and returns true.
  bool take(char one, char other) noexcept {
    const symbol c = peek();
    if (c != static_cast<symbol>(one) && c != static_cast<symbol>(other)) return false;
    take();
    return true;
  }
  /// Takes a word, given in lower case; the input may have any case. Returns false at the first
  /// character that differs, which is not taken.
  bool take_word(std::string_view word) noexcept {
    return std::ranges::all_of(
        word, [this](char c) { return take(c, c >= 'a' ? static_cast<char>(c & ~0x20) : c); });
  }

 private:
  Input& in_;
  std::size_t left_;
};

template <class Symbol>
constexpr bool is_digit(Symbol c) noexcept {
  return c >= '0' && c <= '9';
}
template <class Symbol>
constexpr bool is_digit_of(Symbol c, int base) noexcept {
  if (base <= 10) return c >= '0' && c < static_cast<Symbol>('0' + base);
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
