// write_csv and write_json: text with the quotes and escapes of CSV and JSON.
#include <leat/detail/copy.hpp>
#include <leat/quoted.hpp>
#include <leat/writer.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "base/over_read.hpp"
#include "base/vector.hpp"

namespace leat {
inline namespace v0 {

namespace {

#if defined(__SSE2__) || (defined(__aarch64__) && defined(__ARM_NEON))
using vector = simd::native;
#else
using vector = simd::word;
#endif

constexpr std::size_t block = 32;

/// Returns one bit for each of 32 bytes: set if `marks` flags the byte.
template <class Marks>
std::uint64_t marked_in(const char* bytes, const Marks& marks) noexcept {
  std::uint64_t all = 0;
  for (std::size_t at = 0; at != block; at += vector::width)
    all |= vector::bits(marks(vector::load(bytes + at))) << at;
  return all;
}

/// Returns the offset of the first byte that `marks` flags, or the size. Most texts are short and
/// have no such byte. A short text is loaded as a whole block, if possible with the bytes that
/// follow it in memory, so no branch depends on its length.
template <class Marks>
std::size_t find_marked(std::string_view text, const Marks& marks) noexcept {
  const auto position = [&](std::size_t at, std::uint64_t bits) {
    return at + static_cast<std::size_t>(std::countr_zero(bits));
  };
  if (text.empty()) return 0;  // the pointer may be null
  if (text.size() < block) {
    char copy[block];
    const std::uint64_t inside = (std::uint64_t{1} << text.size()) - 1;
    const std::uint64_t bits = marked_in(extend_to(text.data(), text.size(), copy), marks) & inside;
    return bits == 0 ? text.size() : position(0, bits);
  }
  // The last block may overlap the block before it.
  for (std::size_t at = 0;; at = std::min(at + block, text.size() - block)) {
    if (const std::uint64_t bits = marked_in(text.data() + at, marks)) return position(at, bits);
    if (at == text.size() - block) return text.size();
  }
}

template <class Emit>
void quote_for_csv(std::string_view field, const Emit& emit) {
  emit("\"");
  while (!field.empty()) {
    const std::size_t size = std::min(field.find('"'), field.size() - 1) + 1;
    emit(field.substr(0, size));
    if (field[size - 1] == '"') emit("\"");
    field.remove_prefix(size);
  }
  emit("\"");
}

constexpr auto special_in_json = [](auto bytes) {
  const auto controls =
      vector::equal(vector::bit_and(bytes, vector::splat('\xE0')), vector::splat('\0'));
  return vector::bit_or(controls, vector::bit_or(vector::equal(bytes, vector::splat('"')),
                                                 vector::equal(bytes, vector::splat('\\'))));
};

template <class Emit>
void quote_for_json(std::string_view text, const Emit& emit) {
  constexpr std::string_view letters = "btn?fr";  // the escapes of bytes 8 to 13; byte 11 has none
  constexpr std::string_view digits = "0123456789abcdef";
  emit("\"");
  for (;;) {
    const std::size_t clean = find_marked(text, special_in_json);
    emit(text.substr(0, clean));
    if (clean == text.size()) break;
    const auto value = static_cast<unsigned char>(text[clean]);
    char escape[] = {'\\', text[clean], '0', '0', digits[value >> 4 & 15], digits[value & 15]};
    const bool has_letter = value >= 8 && value <= 13 && value != 11;
    const bool is_long = value < 32 && !has_letter;
    if (has_letter) escape[1] = letters[value - std::size_t{8}];
    if (is_long) escape[1] = 'u';
    emit(std::string_view(escape, is_long ? 6 : 2));
    text.remove_prefix(clean + 1);
  }
  emit("\"");
}

/// Writes the output of `quote` in one piece. If there is no memory for the whole output, writes
/// several pieces.
template <class Quote>
void write_quoted(writer& to, std::string_view text, const Quote& quote) {
  std::string whole;
  bool complete = false;
  try {
    whole.reserve(text.size() + text.size() / 8 + 16);
    quote(text, [&](std::string_view piece) { whole += piece; });
    complete = true;
  } catch (const std::bad_alloc&) {
    complete = false;
  }
  if (complete)
    to.write(whole);
  else
    quote(text, [&](std::string_view piece) { to.write(piece); });
}

}  // namespace

void write_csv(writer& to, std::string_view field, char delimiter) {
  const auto special = [=](auto bytes) {
    return vector::bit_or(vector::bit_or(vector::equal(bytes, vector::splat(delimiter)),
                                         vector::equal(bytes, vector::splat('"'))),
                          vector::bit_or(vector::equal(bytes, vector::splat('\r')),
                                         vector::equal(bytes, vector::splat('\n'))));
  };
  if (find_marked(field, special) == field.size())
    to.write(field);
  else
    write_quoted(to, field, [](auto text, const auto& emit) { quote_for_csv(text, emit); });
}

void write_json(writer& to, std::string_view text) {
  // C programs use this function, too, and link without {fmt}. So this function does not use print,
  // which needs {fmt}.
  char quoted[254];  // for a short text and its quotes
  if (text.size() > sizeof quoted - 2 || find_marked(text, special_in_json) != text.size()) {
    write_quoted(to, text, [](auto all, const auto& emit) { quote_for_json(all, emit); });
    return;
  }
  quoted[0] = '"';
  char* const end = detail::copy(quoted + 1, text.data(), text.size());
  *end = '"';
  to.write(std::string_view(quoted, text.size() + 2));
}

}  // namespace v0
}  // namespace leat
