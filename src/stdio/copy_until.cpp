#include "stdio/copy_until.hpp"

#include <leat/detail/copy.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/processor.hpp"
#include "base/vector.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

// Lines have all lengths, so a branch that depends on the length is often predicted wrongly.

/// It has few of them.
copied by_common(char* to, const char* from, std::size_t most, char delimiter) noexcept {
  constexpr std::size_t block = 64;
  constexpr std::size_t step = 16;
  const auto move = [&](std::size_t at) { std::memcpy(to + at, from + at, step); };
  const auto wanted = simd::native::splat(delimiter);
  std::size_t done = 0;
  for (; most - done >= block; done += block) {
    const std::uint64_t found = simd::mark_64<simd::native>(from + done, wanted);
    if (found == 0) {
      std::memcpy(to + done, from + done, block);
      continue;
    }
    const std::size_t size = done + static_cast<std::size_t>(std::countr_zero(found)) + 1;
    if (size < step) {
      detail::copy(to, from, size);
    } else {
      // The copies may overlap. They reach the last byte, and no byte behind it.
      const std::size_t last = size - step;
      move(std::min(done, last));
      move(std::min(done + step, last));
      move(std::min(done + 2 * step, last));
      move(last);
    }
    return {size, true};
  }
  const std::size_t left = most - done;
  if (left == 0) return {done, false};
  const void* const found = std::memchr(from + done, delimiter, left);
  const std::size_t rest =
      found == nullptr
          ? left
          : static_cast<std::size_t>(static_cast<const char*>(found) - from) + 1 - done;
  std::memcpy(to + done, from + done, rest);
  return {done + rest, found != nullptr};
}

#if defined(LEAT_WIDE_VECTORS)

/// 128 bytes at a time, and none for lines that are shorter. Masked loads and stores touch no other
/// byte.
[[gnu::target("avx512f,avx512bw,avx512vl,bmi,bmi2")]] copied by_avx512(char* to, const char* from,
                                                                       std::size_t most,
                                                                       char delimiter) noexcept {
  constexpr std::size_t block = 128, half = block / 2;
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const __m256i wanted = _mm256_set1_epi8(delimiter);
  for (std::size_t done = 0;; done += block) {
    const std::size_t n = std::min(most - done, block);
    // A bit for each byte that may be read, then for those that are the delimiter.
    std::uint64_t bits[2] = {_bzhi_u64(all, static_cast<unsigned>(n)),
                             _bzhi_u64(all, static_cast<unsigned>(std::max(n, half) - half))};
    __m256i bytes[4];
#  pragma GCC unroll 2
    for (std::size_t i = 0; i != 2; ++i) {
      const auto low = static_cast<__mmask32>(bits[i]),
                 high = static_cast<__mmask32>(bits[i] >> 32U);
      const char* const at = from + done + i * half;
      bytes[2 * i] = _mm256_maskz_loadu_epi8(low, at);
      bytes[2 * i + 1] = _mm256_maskz_loadu_epi8(high, at + 32);
      bits[i] = _mm256_mask_cmpeq_epi8_mask(low, bytes[2 * i], wanted) |
                std::uint64_t{_mm256_mask_cmpeq_epi8_mask(high, bytes[2 * i + 1], wanted)} << 32U;
    }
    // The first place; 128 if there is none. Compilers make a branch of `?`.
    const std::uint64_t in_first = _tzcnt_u64(bits[0]), in_second = _tzcnt_u64(bits[1]);
    const std::size_t place = in_first + (in_second & (std::uint64_t{0} - (in_first >> 6U)));
    const std::size_t size = std::min(place + 1, n);
#  pragma GCC unroll 2
    for (std::size_t i = 0; i != 2; ++i) {
      const std::size_t here = i == 0 ? size : std::max(size, half) - half;
      const std::uint64_t mask = _bzhi_u64(all, static_cast<unsigned>(here));
      char* const at = to + done + i * half;
      _mm256_mask_storeu_epi8(at, static_cast<__mmask32>(mask), bytes[2 * i]);
      _mm256_mask_storeu_epi8(at + 32, static_cast<__mmask32>(mask >> 32U), bytes[2 * i + 1]);
    }
    if (place != block) [[likely]]
      return {done + size, true};
    if (n != block) return {done + n, false};
  }
}

#endif

copied choose(char* to, const char* from, std::size_t most, char delimiter) noexcept;

// Constant-initialised, as constructors of static objects read too.
constinit std::atomic<until_way> best{&choose};

[[gnu::cold]] copied choose(char* to, const char* from, std::size_t most, char delimiter) noexcept {
  const until_way chosen = until_ways().front();
  best.store(chosen, std::memory_order_relaxed);
  return chosen(to, from, most, delimiter);
}

}  // namespace

std::span<const until_way> until_ways() noexcept {
  static constexpr until_way all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &by_avx512,
#endif
      &by_common};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx512()) return std::span(all).subspan(1);
#endif
  return all;
}

copied copy_until(char* to, const char* from, std::size_t most, char delimiter) noexcept {
  return best.load(std::memory_order_relaxed)(to, from, most, delimiter);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
