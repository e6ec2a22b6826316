// The loops of kernels.hpp, for each instruction set of vector.hpp.
#pragma once

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

/// Whether the needle is at `text`. Up to 16 bytes are compared by two loads that overlap.
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

/// Judges the candidate at `at`: found, tired, or absent, which means to go on.
template <size_t Probes>
outcome judge(const pattern& p, run& r, size_t at) {
  size_t compared = 0;
  // If all bytes of the needle have been looked for, at different places, there is nothing to
  // compare.
  if (p.size == Probes || matches(p, r.text + at, compared)) {
    r.at = at;
    return outcome::found;
  }
  r.compared += compared;
  r.spent += p.cost + compared;
  // Until the run ends, r.at is its first start: at - r.at bytes were passed. `at` may go back
  // once, because the last vector may overlap the one before it.
  if (r.spent <= r.credit + (at - r.at)) [[likely]]
    return outcome::absent;
  r.at = at + 1;
  return outcome::tired;
}

template <class V, size_t Probes>
struct scanner {
  const pattern& p;
  run& r;
  const char* text[Probes];
  typename V::type bytes[Probes];

  scanner(const pattern& pattern, run& run) : p(pattern), r(run) {
    for (size_t k = 0; k != Probes; ++k) {
      text[k] = r.text + p.at[k];
      bytes[k] = V::splat(p.byte[k]);
    }
  }

  /// A flag for each candidate among the next starts, from i on.
  [[gnu::always_inline]] typename V::type look(size_t i) const {
    auto hits = V::equal(V::load(text[0] + i), bytes[0]);
    if constexpr (Probes > 1) hits = V::both(hits, V::equal(V::load(text[1] + i), bytes[1]));
    if constexpr (Probes > 2) hits = V::both(hits, V::equal(V::load(text[2] + i), bytes[2]));
    if constexpr (Probes > 3) hits = V::both(hits, V::equal(V::load(text[3] + i), bytes[3]));
    return hits;
  }

  /// Judges the candidates of 128 starts one after the other; there is at least one. The code must
  /// not branch on the word that has the candidate: that branch could not be predicted.
  [[gnu::always_inline]] outcome judge_all(uint64_t low, uint64_t high, size_t i) const {
    do {
      const bool upper = low == 0;
      const auto bit = static_cast<size_t>(__builtin_ctzll(upper ? high : low));
      const outcome result = judge<Probes>(p, r, i + bit + (upper ? 64 : 0));
      if (result != outcome::absent) return result;
      high = upper ? high & (high - 1) : high;
      low &= low - 1;  // a zero stays zero
    } while ((low | high) != 0);
    return outcome::absent;
  }

  [[gnu::always_inline]] outcome one(size_t i) const {
    const auto hits = look(i);
    return V::any(hits) ? judge_all(V::bits(hits), 0, i) : outcome::absent;
  }

  /// Several vectors with one test for all of them.
  static constexpr size_t block = V::width == 32 ? 128 : 64;
  [[gnu::always_inline]] outcome many(size_t i) const {
    constexpr size_t half = 64 / V::width;
    typename V::type hits[block / V::width];
    auto all = hits[0] = look(i);
#pragma GCC unroll 8
    for (size_t k = 1; k != block / V::width; ++k)
      all = V::either(all, hits[k] = look(i + k * V::width));
    if (!V::any(all)) [[likely]]
      return outcome::absent;
    return judge_all(bits_64<V>(hits), block == 128 ? bits_64<V>(hits + half * (block / 128)) : 0,
                     i);
  }
};

template <size_t Probes>
outcome scan_bytes(const pattern& p, run& r) {
  for (size_t i = r.at; i != r.end; ++i) {
    bool hit = true;
    for (size_t k = 0; k != Probes; ++k) hit &= r.text[i + p.at[k]] == p.byte[k];
    if (!hit) continue;
    const outcome result = judge<Probes>(p, r, i);
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
  outcome result = s.one(i);
  if (result != outcome::absent) return result;
  // From here on the first of the loads is aligned. That halves the loads that cross cache lines.
  i += V::width - reinterpret_cast<uintptr_t>(s.text[0] + i) % V::width;
  for (; i + s.block <= end; i += s.block) {
    result = s.many(i);
    if (result != outcome::absent) [[unlikely]]
      return result;
  }
  for (; i + V::width <= end; i += V::width) {
    result = s.one(i);
    if (result != outcome::absent) return result;
  }
  if (i < end) result = s.one(end - V::width);
  if (result == outcome::absent) r.at = end;
  return result;
}

/// Writes first + i for each bit i of the mask, and returns what follows.
template <class V>
[[gnu::always_inline]] inline uint16_t* list_bits(uint64_t mask, size_t first, uint16_t* to) {
  if constexpr (requires { V::lowest(mask); }) {
    // Some are written whether there are that many or not, since a branch on their number could
    // not be predicted. What is too much is written over.
    const auto count = static_cast<size_t>(__builtin_popcountll(mask));
    const auto next = [&] {
      const auto bit = static_cast<uint16_t>(first + V::lowest(mask));
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
            uint16_t* places) noexcept {
  const auto bytes = V::splat(delimiter);
  uint16_t* to = places;
  for (; size >= 64; size -= 64, text += 64, first += 64)
    to = list_bits<V>(mark_64<V>(text, bytes), first, to);
  if (size != 0) {
    char rest[64] = {};
    memcpy(rest, text, size);
    to = list_bits<V>(mark_64<V>(rest, bytes) & ((uint64_t{1} << size) - 1), first, to);
  }
  return static_cast<size_t>(to - places);
}

template <class V>
constexpr kernels make_kernels(const char* name) {
  return {name, {scan<V, 1>, scan<V, 2>, scan<V, 3>, scan<V, 4>}, list<V>};
}

}  // namespace loops
}  // namespace
}  // namespace search
}  // namespace v0
}  // namespace leat
