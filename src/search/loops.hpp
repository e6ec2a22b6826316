// The loops behind kernels.hpp, for any of the instruction sets in vector.hpp.
#pragma once

#include "search/kernels.hpp"
#include "search/vector.hpp"

namespace leat {
inline namespace v0 {
namespace search {
namespace {

template <class Integer>
bool same_ends(const char* a, const char* b, size_t size) {
  Integer a_head, b_head, a_tail, b_tail;
  memcpy(&a_head, a, sizeof a_head);
  memcpy(&b_head, b, sizeof b_head);
  memcpy(&a_tail, a + size - sizeof a_tail, sizeof a_tail);
  memcpy(&b_tail, b + size - sizeof b_tail, sizeof b_tail);
  return ((a_head ^ b_head) | (a_tail ^ b_tail)) == 0;
}

/// Whether the needle is at `text`. Up to 16 bytes two loads that overlap see all of it.
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
  return same_ends<uint16_t>(text, p.data, p.size);  // one byte is never a mere candidate
}

/// What to do with a candidate: `absent` is to go on.
template <size_t Probes>
outcome judge(const pattern& p, run& r, size_t at) {
  size_t compared = 0;
  // With as many bytes as the needle has, and all at different places, there is nothing to check.
  if (p.size == Probes || matches(p, r.text + at, compared)) {
    r.at = at;
    return outcome::found;
  }
  r.compared += compared;
  r.spent += p.cost + compared;
  // r.at is where the run began until it ends. The last vector may overlap the one before it.
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

  /// The candidates among the starts from i on.
  [[gnu::always_inline]] typename V::type look(size_t i) const {
    auto hits = V::equal(V::load(text[0] + i), bytes[0]);
    if constexpr (Probes > 1) hits = V::both(hits, V::equal(V::load(text[1] + i), bytes[1]));
    if constexpr (Probes > 2) hits = V::both(hits, V::equal(V::load(text[2] + i), bytes[2]));
    return hits;
  }

  [[gnu::always_inline]] outcome judge_all(typename V::type hits, size_t i) const {
    for (uint64_t bits = V::bits(hits); bits != 0; bits &= bits - 1) {
      const auto offset = static_cast<size_t>(__builtin_ctzll(bits)) / V::bit_step;
      const outcome result = judge<Probes>(p, r, i + offset);
      if (result != outcome::absent) return result;
    }
    return outcome::absent;
  }

  [[gnu::always_inline]] outcome one(size_t i) const {
    const auto hits = look(i);
    return V::any(hits) ? judge_all(hits, i) : outcome::absent;
  }

  /// Four vectors with one test for all.
  [[gnu::always_inline]] outcome four(size_t i) const {
    const auto a = look(i), b = look(i + V::width), c = look(i + 2 * V::width),
               d = look(i + 3 * V::width);
    if (!V::any(V::either(V::either(a, b), V::either(c, d)))) [[likely]]
      return outcome::absent;
    outcome result = judge_all(a, i);
    if (result == outcome::absent) result = judge_all(b, i + V::width);
    if (result == outcome::absent) result = judge_all(c, i + 2 * V::width);
    if (result == outcome::absent) result = judge_all(d, i + 3 * V::width);
    return result;
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
  // From here on the first of the loads is aligned, which saves half of what crosses lines.
  i += V::width - reinterpret_cast<uintptr_t>(s.text[0] + i) % V::width;
  for (; i + 4 * V::width <= end; i += 4 * V::width) {
    result = s.four(i);
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

/// 64 bytes make one word.
template <class V>
[[gnu::always_inline]] inline uint64_t mark_64(const char* text, typename V::type delimiter) {
  uint64_t mask = 0;
  for (size_t k = 0; k != 64; k += V::width)
    mask |= V::bits(V::equal(V::load(text + k), delimiter)) << k;
  return mask;
}

#if defined(__aarch64__) && defined(__ARM_NEON)
/// Four bits a byte are too many here: each byte gets a weight, and three sums of neighbours make
/// eight bytes into one.
template <>
[[gnu::always_inline]] inline uint64_t mark_64<neon>(const char* text, uint8x16_t delimiter) {
  const uint8x16_t weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  uint8x16_t part[4];
  for (size_t k = 0; k != 4; ++k)
    part[k] = vandq_u8(neon::equal(neon::load(text + 16 * k), delimiter), weights);
  const uint8x16_t sums = vpaddq_u8(vpaddq_u8(part[0], part[1]), vpaddq_u8(part[2], part[3]));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}
#endif

template <class V>
void mark(const char* text, size_t size, char delimiter, uint64_t* masks) noexcept {
  const auto bytes = V::splat(delimiter);
  for (; size >= 64; size -= 64, text += 64) *masks++ = mark_64<V>(text, bytes);
  if (size != 0) {
    char rest[64] = {};
    memcpy(rest, text, size);
    *masks = mark_64<V>(rest, bytes) & ((uint64_t{1} << size) - 1);
  }
}

template <class V>
constexpr kernels make_kernels(const char* name) {
  return {name, {scan<V, 1>, scan<V, 2>, scan<V, 3>}, mark<V>};
}

}  // namespace
}  // namespace search
}  // namespace v0
}  // namespace leat
