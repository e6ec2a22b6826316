// The loops of kernels.hpp, for each instruction set of vector.hpp. Included by kernels_avx2.cpp
// and kernels_baseline.cpp.
#pragma once

#include "base/over_read.hpp"
#include "base/vector.hpp"
#include "search/kernels.hpp"

namespace leat {
inline namespace v0 {
namespace search {
namespace {
namespace loops {

using namespace simd;

template <class Integer>
bool same_ends(const char* a, const char* b, size_t size) {
  Integer a_head, b_head, a_tail, b_tail;
  memcpy(&a_head, a, sizeof a_head);
  memcpy(&b_head, b, sizeof b_head);
  memcpy(&a_tail, a + size - sizeof a_tail, sizeof a_tail);
  memcpy(&b_tail, b + size - sizeof b_tail, sizeof b_tail);
  return ((a_head ^ b_head) | (a_tail ^ b_tail)) == 0;
}

/// True if the needle is at `text`. Adds the number of compared bytes to `compared`. Up to 16 bytes
/// are compared by two overlapping loads.
inline bool matches(const pattern& p, const char* text, size_t& compared) {
  if (p.size >= 8) {
    compared += p.size < 16 ? p.size : 16;
    if (!same_ends<uint64_t>(text, p.data, p.size)) return false;
    if (p.size <= 16) return true;
    compared += p.size - 16;
    return memcmp(text + 8, p.data + 8, p.size - 16) == 0;
  }
  compared += p.size;
  if (p.size >= 4) return same_ends<uint32_t>(text, p.data, p.size);
  return same_ends<uint16_t>(text, p.data, p.size);  // a needle of one byte needs no comparison
}

/// Judges the candidate at `at`. Returns found, too_slow, or absent if the search goes on.
template <size_t Probes>
outcome check_candidate(const pattern& p, run& r, size_t at) {
  size_t compared = 0;
  // If every byte of the needle was looked for, there is nothing left to compare.
  if (p.size == Probes || matches(p, r.text + at, compared)) {
    r.at = at;
    return outcome::found;
  }
  r.compared += compared;
  r.spent += p.cost + compared;
  // Until the run ends, r.at is its first start, and at - r.at bytes were passed. `at` may go back
  // once, because the last vector may overlap the vector before.
  if (r.spent <= r.credit + (at - r.at)) [[likely]]
    return outcome::absent;
  r.at = at + 1;
  return outcome::too_slow;
}

template <class V, size_t Probes>
struct scanner {
  const pattern& p;
  run& r;
  const char* text[Probes];
  typename V::type bytes[Probes];

  scanner(const pattern& pattern, run& run) : p(pattern), r(run) {
    for (size_t k = 0; k != Probes; ++k) {
      text[k] = r.text + p.offset[k];
      bytes[k] = V::splat(p.byte[k]);
    }
  }

  /// Returns a flag for each candidate among the starts from i on.
  [[gnu::always_inline]] typename V::type find_candidates(size_t i) const {
    auto hits = V::equal(V::load(text[0] + i), bytes[0]);
    if constexpr (Probes > 1) hits = V::bit_and(hits, V::equal(V::load(text[1] + i), bytes[1]));
    if constexpr (Probes > 2) hits = V::bit_and(hits, V::equal(V::load(text[2] + i), bytes[2]));
    if constexpr (Probes > 3) hits = V::bit_and(hits, V::equal(V::load(text[3] + i), bytes[3]));
    return hits;
  }

  /// Judges the candidates of up to 128 starts one after the other. Returns the outcome of the last
  /// judged candidate. At least one bit must be set. The code must not branch on which of the two
  /// words has the candidate: such a branch could not be predicted.
  [[gnu::always_inline]] outcome check_candidates(uint64_t low, uint64_t high, size_t i) const {
    do {
      const bool upper = low == 0;
      const auto bit = static_cast<size_t>(__builtin_ctzll(upper ? high : low));
      const outcome result = check_candidate<Probes>(p, r, i + bit + (upper ? 64 : 0));
      if (result != outcome::absent) return result;
      high = upper ? high & (high - 1) : high;
      low &= low - 1;  // a zero stays zero
    } while ((low | high) != 0);
    return outcome::absent;
  }

  [[gnu::always_inline]] outcome scan_vector(size_t i) const {
    const auto hits = find_candidates(i);
    return V::any(hits) ? check_candidates(V::bits(hits), 0, i) : outcome::absent;
  }

  /// Looks at several vectors, with one test for all of them.
  static constexpr size_t block = V::width == 32 ? 128 : 64;
  [[gnu::always_inline]] outcome scan_block(size_t i) const {
    constexpr size_t half = 64 / V::width;
    typename V::type hits[block / V::width];
    auto all = hits[0] = find_candidates(i);
#pragma GCC unroll 8
    for (size_t k = 1; k != block / V::width; ++k)
      all = V::bit_or(all, hits[k] = find_candidates(i + k * V::width));
    if (!V::any(all)) [[likely]]
      return outcome::absent;
    return check_candidates(bits_64<V>(hits),
                            block == 128 ? bits_64<V>(hits + half * (block / 128)) : 0, i);
  }
};

template <size_t Probes>
outcome scan_bytes(const pattern& p, run& r) {
  for (size_t i = r.at; i != r.end; ++i) {
    bool hit = true;
    for (size_t k = 0; k != Probes; ++k) hit &= r.text[i + p.offset[k]] == p.byte[k];
    if (!hit) continue;
    const outcome result = check_candidate<Probes>(p, r, i);
    if (result != outcome::absent) return result;
  }
  r.at = r.end;
  return outcome::absent;
}

template <class V, size_t Probes>
outcome scan(const pattern& p, run& r) noexcept {
  if (r.end - r.at < V::width) {
    if constexpr (V::width > word::width)
      return scan<typename V::narrower, Probes>(p, r);
    else
      return scan_bytes<Probes>(p, r);
  }
  const scanner<V, Probes> s(p, r);
  const size_t end = r.end;
  size_t i = r.at;
  outcome result = s.scan_vector(i);
  if (result != outcome::absent) return result;
  // From here on, the loads for the first byte to look for are aligned, except those of the last
  // vector. If there are two bytes to look for, the alignment halves the number of loads that cross
  // cache lines.
  i += V::width - reinterpret_cast<uintptr_t>(s.text[0] + i) % V::width;
  for (; i + s.block <= end; i += s.block) {
    result = s.scan_block(i);
    if (result != outcome::absent) [[unlikely]]
      return result;
  }
  for (; i + V::width <= end; i += V::width) {
    result = s.scan_vector(i);
    if (result != outcome::absent) return result;
  }
  if (i < end) result = s.scan_vector(end - V::width);
  if (result == outcome::absent) r.at = end;
  return result;
}

/// Writes first + i for each set bit i of the mask. Returns the end of the written numbers.
template <class V>
[[gnu::always_inline]] inline uint16_t* list_bits(uint64_t mask, size_t first, uint16_t* to) {
  if constexpr (requires { V::lowest_bit(mask); }) {
    // Three numbers are always written, since a branch on the count could not be predicted. The
    // next call overwrites the surplus.
    const auto count = static_cast<size_t>(__builtin_popcountll(mask));
    const auto next = [&] {
      const auto bit = static_cast<uint16_t>(first + V::lowest_bit(mask));
      mask &= mask - 1;
      return bit;
    };
    to[0] = next();
    to[1] = next();
    to[2] = next();
    if (count > 3) [[unlikely]]
      for (size_t k = 3; k != count; ++k) to[k] = next();
    return to + count;
  } else {
    for (; mask != 0; mask &= mask - 1)
      *to++ = static_cast<uint16_t>(first + static_cast<size_t>(__builtin_ctzll(mask)));
    return to;
  }
}

template <class V>
size_t list(const char* text, size_t size, char delimiter, size_t first,
            uint16_t* offsets) noexcept {
  const auto bytes = V::splat(delimiter);
  uint16_t* to = offsets;
  for (; size >= 64; size -= 64, text += 64, first += 64)
    to = list_bits<V>(mark_64<V>(text, bytes), first, to);
  if (size != 0) {
    char copy[64];
    const uint64_t marks = mark_64<V>(extend_to(text, size, copy), bytes);
    to = list_bits<V>(marks & ((uint64_t{1} << size) - 1), first, to);
  }
  return static_cast<size_t>(to - offsets);
}

template <class V>
size_t skip(const char* text, size_t size, char byte) noexcept {
  constexpr size_t block = 8 * V::width;
  const auto wanted = V::splat(byte);
  size_t at = 0;
  for (; size - at >= block; at += block) {
    auto found = V::equal(V::load(text + at), wanted);
#pragma GCC unroll 8
    for (size_t k = 1; k != 8; ++k)
      found = V::bit_or(found, V::equal(V::load(text + at + k * V::width), wanted));
    if (V::any(found)) break;
  }
  return at;
}

/// Appends a mark for each set bit: the offset after the byte of this bit.
template <class V>
[[gnu::always_inline]] inline void mark_bits(uint64_t mask, uint32_t first, row_scan& s) {
  uint32_t* to = s.marks + s.mark_count;
  ++first;
  if constexpr (requires { V::lowest_bit(mask); }) {
    // As in list_bits(), but at least eight marks are always written.
    const auto count = static_cast<uint32_t>(__builtin_popcountll(mask));
    s.mark_count += count;
    const auto four = [&](uint32_t* at) {
#pragma GCC unroll 4
      for (size_t k = 0; k != 4; ++k) {
        at[k] = first + static_cast<uint32_t>(V::lowest_bit(mask));
        mask &= mask - 1;
      }
    };
    four(to);
    four(to + 4);
    if (count > 8) [[unlikely]] {
      for (uint32_t k = 8; k < count; k += 4) four(to + k);
    }
  } else {
    for (; mask != 0; mask &= mask - 1)
      *to++ = first + static_cast<uint32_t>(__builtin_ctzll(mask));
    s.mark_count = static_cast<uint32_t>(to - s.marks);
  }
}

/// Bit i of the result is set if the number of set bits from 0 to i is odd.
[[gnu::always_inline]] inline uint64_t odd_bits(uint64_t mask) {
  for (unsigned by = 1; by != 64; by *= 2) mask ^= mask << by;
  return mask;
}

/// Marks the separators in 64 bytes. The first `size` bytes (1 to 64) belong to the text. Returns
/// the index of the first byte that is not allowed, or 64.
template <class V, bool Quotes>
[[gnu::always_inline]] inline size_t rows_64(const char* text, size_t size, uint32_t first,
                                             row_scan& s) {
  const auto delimiter = V::splat(s.delimiter), newline = V::splat('\n');
  [[maybe_unused]] const auto quote = V::splat('"');
  typename V::type bytes[64 / V::width], either[64 / V::width], ends[64 / V::width],
      quotes[64 / V::width];
#pragma GCC unroll 8
  for (size_t k = 0; k != 64 / V::width; ++k) {
    bytes[k] = V::load(text + k * V::width);
    ends[k] = V::equal(bytes[k], newline);
    either[k] = V::bit_or(V::equal(bytes[k], delimiter), ends[k]);
    if constexpr (Quotes) quotes[k] = V::equal(bytes[k], quote);
  }
  uint64_t valid = size == 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1;
  uint64_t separators = bits_64<V>(either) & valid;
  uint64_t stops = bits_64<V>(ends) & valid;
  [[maybe_unused]] uint64_t doubled = 0;
  size_t bad = 64;
  if constexpr (Quotes) {
    const uint64_t quote_bits = bits_64<V>(quotes) & valid;
    const uint64_t inside = odd_bits(quote_bits) ^ s.in_quotes;
    separators &= ~inside;
    stops &= ~inside;
    const uint64_t opening = quote_bits & inside;
    const uint64_t closing = quote_bits & ~inside;
    const uint64_t after_closing = closing << 1 | uint64_t{s.after_quote};
    doubled = opening & after_closing;
    uint64_t wrong = opening & ~(separators << 1 | uint64_t{s.after_separator} | after_closing);
    wrong |= after_closing & ~(separators | quote_bits) & valid;
    const auto last = static_cast<unsigned>(size - 1);
    bool carried = false;
    if ((wrong | uint64_t{s.after_return}) != 0) [[unlikely]] {
      // A row may end with a carriage return and a newline.
      const uint64_t returns =
          s.crlf ? mark_64<V>(text, V::splat('\r')) & after_closing & valid : 0;
      wrong = (wrong & ~returns) | ((returns << 1 | uint64_t{s.after_return}) & ~stops & valid);
      carried = (returns >> last & 1) != 0;
      if (wrong != 0) {
        bad = static_cast<size_t>(__builtin_ctzll(wrong));
        valid = (uint64_t{1} << bad) - 1;
        separators &= valid;
        stops &= valid;
        doubled &= valid;
      }
    }
    s.after_return = carried;
    s.in_quotes = uint64_t{0} - (inside >> 63);
    s.after_separator = (separators >> last & 1) != 0;
    s.after_quote = (closing >> last & 1) != 0;
  }
  const uint32_t before = s.mark_count;
  mark_bits<V>(separators, first, s);
  uint32_t* to = s.ends + s.end_count;
  if constexpr (Quotes) {
    if ((doubled | uint64_t{s.has_doubled_quote}) != 0) [[unlikely]] {
      for (uint64_t left = stops; left != 0; left &= left - 1) {
        const uint64_t up_to = left ^ (left - 1);
        const bool any = s.has_doubled_quote || (doubled & up_to) != 0;
        *to++ = (before + static_cast<uint32_t>(__builtin_popcountll(separators & up_to))) |
                (any ? row_scan::doubled_mark : 0);
        doubled &= ~up_to;
        s.has_doubled_quote = false;
      }
      s.has_doubled_quote |= doubled != 0;
      s.end_count = static_cast<uint32_t>(to - s.ends);
      return bad;
    }
  }
  for (; stops != 0; stops &= stops - 1)
    *to++ =
        before + static_cast<uint32_t>(__builtin_popcountll(separators & (stops ^ (stops - 1))));
  s.end_count = static_cast<uint32_t>(to - s.ends);
  return bad;
}

/// Copies the members that a loop uses, one by one. The caller has just stored some of the members.
/// A vector load of several members would have to wait until these stores are complete.
template <bool Quotes>
[[gnu::always_inline]] inline void copy_scan(const row_scan& from, row_scan& to) {
  to.delimiter = from.delimiter;
  if constexpr (Quotes) {
    to.crlf = from.crlf;
    to.in_quotes = from.in_quotes;
    to.after_separator = from.after_separator;
    to.after_quote = from.after_quote;
    to.after_return = from.after_return;
    to.has_doubled_quote = from.has_doubled_quote;
  }
  to.marks = from.marks;
  to.mark_count = from.mark_count;
  to.ends = from.ends;
  to.end_count = from.end_count;
}

template <class V, bool Quotes>
size_t rows(const char* text, size_t size, uint32_t first, row_scan& scan) noexcept {
  row_scan s;
  copy_scan<Quotes>(scan, s);
  size_t at = 0;
  size_t bad = 64;
  for (; at + 64 <= size; at += 64) {
    bad = rows_64<V, Quotes>(text + at, 64, first + static_cast<uint32_t>(at), s);
    if (Quotes && bad != 64) [[unlikely]]
      break;
  }
  if (at != size && bad == 64) {
    char copy[64];
    bad = rows_64<V, Quotes>(extend_to(text + at, size - at, copy), size - at,
                             first + static_cast<uint32_t>(at), s);
  }
  copy_scan<Quotes>(s, scan);
  return bad != 64 ? at + bad : size;
}

/// Returns a bit for each byte of a text of up to 64 bytes: set if the byte equals `byte`.
/// Overlapping loads reach every byte of the text, and no byte after it.
template <class V>
[[gnu::always_inline]] inline uint64_t mark_some(const char* text, size_t size, char byte) {
  if (size < V::width) {
    if constexpr (V::width > word::width) {
      return mark_some<typename V::narrower>(text, size, byte);
    } else {
      uint64_t marks = 0;
      for (size_t i = 0; i != size; ++i) marks |= uint64_t{text[i] == byte} << i;
      return marks;
    }
  }
  const auto wanted = V::splat(byte);
  const size_t last = size - V::width;
  uint64_t marks = V::bits(V::equal(V::load(text + last), wanted)) << last;
  for (size_t at = 0; at < last; at += V::width)
    marks |= V::bits(V::equal(V::load(text + at), wanted)) << at;
  return marks;
}

template <class V>
uint64_t mark(const char* text, size_t size, char byte) noexcept {
  return mark_some<V>(text, size, byte);
}

/// Returns a bit for each of 64 bytes: set if the byte is a blank.
template <class V>
[[gnu::always_inline]] inline uint64_t blanks(const char* text) noexcept {
  uint64_t marks = 0;
  if constexpr (V::width > 8) {
    for (size_t at = 0; at != 64; at += V::width) {
      const auto bytes = V::load(text + at);
      const auto controls =
          V::less_equal(V::subtract(bytes, V::splat('\t')), V::splat('\r' - '\t'));
      marks |= V::bits(V::bit_or(controls, V::equal(bytes, V::splat(' ')))) << at;
    }
  } else {
    for (size_t i = 0; i != 64; ++i)
      marks |= uint64_t{text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')} << i;
  }
  return marks;
}

template <class V>
size_t word_edges(const char* text, size_t size, uint16_t* offsets, size_t most) noexcept {
  uint16_t* to = offsets;
  uint64_t before = 1;  // the byte before the text counts as a blank
  for (size_t at = 0; at < size && most - static_cast<size_t>(to - offsets) >= 64 + edge_padding;
       at += 64) {
    const size_t left = size - at;
    char copy[64];
    const uint64_t marks = blanks<V>(left >= 64 ? text + at : extend_to(text + at, left, copy));
    uint64_t edges = marks ^ (marks << 1 | before);
    if (left < 64) edges &= (uint64_t{1} << left) - 1;
    before = marks >> 63;
    if constexpr (requires { V::lowest_bit(edges); }) {
      // As in list_bits(), but the numbers are always written in groups of eight.
      uint16_t* const end = to + __builtin_popcountll(edges);
      do {
#pragma GCC unroll 8
        for (size_t k = 0; k != edge_padding; ++k) {
          to[k] = static_cast<uint16_t>(at + V::lowest_bit(edges));
          edges &= edges - 1;
        }
        to += edge_padding;
      } while (to < end);
      to = end;
    } else {
      to = list_bits<V>(edges, at, to);
    }
  }
  return static_cast<size_t>(to - offsets);
}

template <class V>
size_t count(const char* text, size_t size, char byte) noexcept {
  const auto wanted = V::splat(byte);
  size_t found = 0;
  size_t at = 0;
  if constexpr (requires { V::sum(wanted); }) {
    // For an equal byte, equal() has -1. Subtracting -1 adds 1 to a byte of the sums, which can
    // count to 255.
    constexpr size_t block = 4 * V::width;
    while (size - at >= block) {
      size_t times = (size - at) / block;
      if (times > 255) times = 255;
      typename V::type sums[4] = {V::splat(0), V::splat(0), V::splat(0), V::splat(0)};
      for (; times != 0; --times, at += block) {
#pragma GCC unroll 4
        for (size_t k = 0; k != 4; ++k)
          sums[k] = V::subtract(sums[k], V::equal(V::load(text + at + k * V::width), wanted));
      }
#pragma GCC unroll 4
      for (const auto& sum : sums) found += V::sum(sum);
    }
  }
  for (; size - at >= 64; at += 64)
    found += static_cast<size_t>(__builtin_popcountll(mark_64<V>(text + at, wanted)));
  for (; at != size; ++at) found += text[at] == byte;
  return found;
}

template <class V>
constexpr kernels make_kernels(const char* name) {
  return {name,    {scan<V, 1>, scan<V, 2>, scan<V, 3>, scan<V, 4>},
          list<V>, {rows<V, false>, rows<V, true>},
          mark<V>, count<V>,
          skip<V>, word_edges<V>};
}

}  // namespace loops
}  // namespace
}  // namespace search
}  // namespace v0
}  // namespace leat
