// The set of characters of scanf's "%[". scanner.hpp uses the set.
#pragma once

#include <cstdint>
#include <cwchar>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace stdio {

/// Calls take(low, high) for each range between the brackets; a single character is a range too.
template <class Char, class Take>
void for_each_range(const Char* first, const Char* last, Take take) noexcept {
  // NOLINTBEGIN(bugprone-signed-char-misuse): a type of the same size
  using code = std::make_unsigned_t<Char>;
  for (const Char* at = first; at != last; ++at) {
    const auto c = static_cast<code>(*at);
    if (c == '-' && at != first && at + 1 != last) {
      // C does not define '-' here. As in other libraries, "a-z" is a range, and "z-a" is not.
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

/// Returns the ']' that ends the set at `first`, or null. A ']' that comes first belongs to the
/// set: "%[]a]".
template <class Char>
const Char* end_of_set(const Char* first) noexcept {
  const Char* at = first + (*first == ']');
  while (*at != ']')
    if (*at++ == 0) return nullptr;
  return at;
}

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

}  // namespace stdio
}  // namespace v0
}  // namespace leat
