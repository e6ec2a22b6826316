// Formats numbers as std::ostream does. insert.cpp calls these functions for leat's operators <<,
// and stream_core.cpp for the facets.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ios>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

/// The formatting state of a std::ios.
struct field_style {
  std::ios_base::fmtflags flags;
  std::streamsize width;
  std::streamsize precision;
  char fill;
};

/// Memory for a number with its padding: up to 128 bytes in this object, more bytes on the heap.
class field_memory {
 public:
  /// Returns memory for a text. Valid until the next call of room().
  char* room(std::size_t size) {
    if (size <= sizeof inside_) return inside_;
    text_.resize(size);
    return text_.data();
  }
  /// Like room(), but the memory of `kept` stays valid.
  char* room_outside(std::string_view kept, std::size_t size) {
    if (kept.data() != scratch_ && size <= sizeof scratch_) return scratch_;
    other_.resize(size);
    return other_.data();
  }

 private:
  char inside_[128];
  char scratch_[128];
  std::string text_, other_;
};

/// Size for 64 bits in base 8, a prefix, and the bytes that stores of fixed size write after them.
inline constexpr std::size_t integer_memory = 48;

/// Returns the text with its padding, in `memory`, or returns `text` itself if no padding is
/// needed. `prefix_size`: number of characters before a padding inside a number.
std::string_view padded(field_memory& memory, std::string_view text, std::size_t prefix_size,
                        const field_style& style);
/// Formats an integer of `size` bytes, whose value is `bits`, without padding. A signed value is
/// sign-extended to 64 bits. Returns the text, which is in `memory`.
std::string_view integer_text(char (&memory)[integer_memory], const field_style& style,
                              std::uint64_t bits, std::size_t size, bool is_signed) noexcept;
/// integer_text() with its padding. The text is in `memory` or in `digits`.
std::string_view padded_integer(field_memory& memory, char (&digits)[integer_memory],
                                const field_style& style, std::uint64_t bits, std::size_t size,
                                bool is_signed);
/// Returns false for values that standard libraries write differently, and for values that would
/// need much memory.
template <class Float>
bool is_portable_float(const std::ios_base& s, Float value) noexcept {
  constexpr std::streamsize most_precision = 100'000;
  // C leaves the first hexadecimal digit open. For a normal double, all C libraries choose 1.
  constexpr auto hexadecimal = std::ios_base::fixed | std::ios_base::scientific;
  if ((s.flags() & hexadecimal) == hexadecimal && !(sizeof value <= 8 && std::isnormal(value)))
    return false;
  return s.precision() <= most_precision &&
         (std::isfinite(value) || (s.flags() & std::ios_base::uppercase) == 0);
}
/// Formats a floating-point number, with its padding. The text is in `memory`.
template <class Float>
std::string_view padded_float(field_memory& memory, const field_style& style, Float value);

}  // namespace detail
}  // namespace v0
}  // namespace leat
