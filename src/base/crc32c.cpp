// Implements CRC-32C by tables, and by the processor's instruction. Journals, and programs through
// <leat/bytes.hpp>, call these functions.
#include "base/crc32c.hpp"

#include <leat/bytes.hpp>
#include <leat/detail/crc32c.hpp>

#include <array>
#include <atomic>
#include <cstring>

#include "base/processor.hpp"

#if defined(__x86_64__)
#  include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#  include <arm_acle.h>
#endif

namespace leat {
inline namespace v0 {
namespace crc {

namespace {

/// The polynomial of CRC-32C, bit-reflected: the lowest power is the highest bit.
constexpr std::uint32_t polynomial = 0x82f63b78;

using one_table = std::array<std::uint32_t, 256>;

/// The result's [k][b] is the state after byte b and k zero bytes, from state 0.
constexpr std::array<one_table, 8> make_tables() noexcept {
  std::array<one_table, 8> result{};
  for (std::uint32_t b = 0; b != 256; ++b) {
    std::uint32_t state = b;
    for (int bit = 0; bit != 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
    result[0][b] = state;
  }
  for (std::size_t k = 1; k != 8; ++k) {
    for (std::size_t b = 0; b != 256; ++b)
      result[k][b] = (result[k - 1][b] >> 8) ^ result[0][result[k - 1][b] & 0xff];
  }
  return result;
}

constexpr std::array<one_table, 8> tables = make_tables();

constexpr std::uint32_t with_byte(std::uint32_t state, unsigned char byte) noexcept {
  return (state >> 8) ^ tables[0][(state ^ byte) & 0xff];
}

/// Loads four bytes, little-endian on every machine.
inline std::uint32_t four_bytes(const char* at) noexcept {
  unsigned char b[4];
  std::memcpy(b, at, 4);
  return b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
}

#if defined(__x86_64__) || (defined(__aarch64__) && defined(__ARM_FEATURE_CRC32))
#  define LEAT_CRC32C_INSTRUCTION

/// The instruction takes three cycles, but the processor starts one instruction in each cycle. So
/// the loop extends the checksums of three adjacent parts together. A stride is the size of one
/// part in bytes. short_stride is for records of about 100 bytes.
constexpr std::size_t long_stride = 256, short_stride = 32;

using shift_tables = std::array<one_table, 4>;

/// The result's [k][b] is the state after `stride` zero bytes, from the state whose byte k is b and
/// whose other bytes are 0. CRC is linear: a state is shifted byte by byte, and the results are
/// combined with XOR.
constexpr shift_tables make_shift(std::size_t stride) noexcept {
  std::array<std::uint32_t, 32> state_of_bit{};
  for (std::size_t bit = 0; bit != 32; ++bit) {
    std::uint32_t state = std::uint32_t{1} << bit;
    for (std::size_t i = 0; i != stride; ++i) state = with_byte(state, 0);
    state_of_bit[bit] = state;
  }
  shift_tables result{};
  for (std::size_t k = 0; k != 4; ++k) {
    for (std::size_t b = 0; b != 256; ++b) {
      for (std::size_t bit = 0; bit != 8; ++bit) {
        if ((b >> bit & 1) != 0) result[k][b] ^= state_of_bit[8 * k + bit];
      }
    }
  }
  return result;
}

template <std::size_t Stride>
constexpr shift_tables shift = make_shift(Stride);

template <std::size_t Stride>
inline std::uint32_t shifted(std::uint32_t state) noexcept {
  const shift_tables& shifts = shift<Stride>;
  return shifts[0][state & 0xff] ^ shifts[1][state >> 8 & 0xff] ^ shifts[2][state >> 16 & 0xff] ^
         shifts[3][state >> 24];
}

#  if defined(__x86_64__)
#    define LEAT_CRC32C_TARGET [[gnu::target("sse4.2,crc32")]]
LEAT_CRC32C_TARGET inline std::uint64_t step(std::uint64_t state, const char* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return _mm_crc32_u64(state, word);
}
LEAT_CRC32C_TARGET inline std::uint32_t step_byte(std::uint32_t state, char byte) noexcept {
  return _mm_crc32_u8(state, static_cast<unsigned char>(byte));
}
LEAT_CRC32C_TARGET inline std::uint32_t step_word(std::uint32_t state,
                                                  std::uint32_t word) noexcept {
  return _mm_crc32_u32(state, word);
}
#  else
#    define LEAT_CRC32C_TARGET
inline std::uint64_t step(std::uint64_t state, const char* at) noexcept {
  const std::uint64_t word = four_bytes(at) | std::uint64_t{four_bytes(at + 4)} << 32;
  return __crc32cd(static_cast<std::uint32_t>(state), word);
}
inline std::uint32_t step_byte(std::uint32_t state, char byte) noexcept {
  return __crc32cb(state, static_cast<unsigned char>(byte));
}
inline std::uint32_t step_word(std::uint32_t state, std::uint32_t word) noexcept {
  return __crc32cw(state, word);
}
#  endif

/// Extends the state `sum` by three adjacent parts of Stride bytes each.
template <std::size_t Stride>
LEAT_CRC32C_TARGET inline std::uint64_t step_three(std::uint64_t sum, const char* bytes) noexcept {
  std::uint64_t second = 0, third = 0;
  for (std::size_t i = 0; i != Stride; i += 8) {
    sum = step(sum, bytes + i);
    second = step(second, bytes + Stride + i);
    third = step(third, bytes + 2 * Stride + i);
  }
  sum = shifted<Stride>(static_cast<std::uint32_t>(sum)) ^ second;
  return shifted<Stride>(static_cast<std::uint32_t>(sum)) ^ third;
}

LEAT_CRC32C_TARGET std::uint32_t extend_by_instruction(std::uint32_t state, const char* bytes,
                                                       std::size_t n) noexcept {
  std::uint64_t sum = state;
  for (; n >= 3 * long_stride; bytes += 3 * long_stride, n -= 3 * long_stride)
    sum = step_three<long_stride>(sum, bytes);
  for (; n >= 3 * short_stride; bytes += 3 * short_stride, n -= 3 * short_stride)
    sum = step_three<short_stride>(sum, bytes);
  for (; n >= 8; bytes += 8, n -= 8) sum = step(sum, bytes);
  auto rest = static_cast<std::uint32_t>(sum);
  if (n >= 4) {
    rest = step_word(rest, four_bytes(bytes));
    bytes += 4;
    n -= 4;
  }
  for (; n != 0; ++bytes, --n) rest = step_byte(rest, *bytes);
  return rest;
}

LEAT_CRC32C_TARGET std::uint32_t extend_from_by_instruction(std::uint32_t state, std::uint32_t word,
                                                            const char* bytes,
                                                            std::size_t n) noexcept {
  return extend_by_instruction(step_word(state, word), bytes, n);
}

constexpr implementation instruction{extend_by_instruction, extend_from_by_instruction};

#endif

std::uint32_t extend_by_tables(std::uint32_t state, const char* bytes, std::size_t n) noexcept {
  for (; n >= 8; bytes += 8, n -= 8) {
    const std::uint32_t low = state ^ four_bytes(bytes), high = four_bytes(bytes + 4);
    state = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
            tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
            tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
  }
  for (; n != 0; ++bytes, --n) state = with_byte(state, static_cast<unsigned char>(*bytes));
  return state;
}

std::uint32_t extend_from_by_tables(std::uint32_t state, std::uint32_t word, const char* bytes,
                                    std::size_t n) noexcept {
  const std::uint32_t low = state ^ word;
  return extend_by_tables(tables[3][low & 0xff] ^ tables[2][low >> 8 & 0xff] ^
                              tables[1][low >> 16 & 0xff] ^ tables[0][low >> 24],
                          bytes, n);
}

/// Multiplies polynomials modulo CRC-32C's polynomial. All polynomials are bit-reflected, so the
/// highest bit is the polynomial 1.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (std::uint32_t bit = std::uint32_t{1} << 31; bit != 0; bit >>= 1) {
    product ^= (a & bit) != 0 ? b : 0;
    b = (b >> 1) ^ ((b & 1) != 0 ? polynomial : 0);
  }
  return product;
}

/// n zero bytes multiply a state by x to the power of 8n.
constexpr std::size_t near_count = 256;
struct zero_powers {
  std::array<std::uint32_t, near_count> near{};                  // for i zero bytes
  std::array<std::uint32_t, most_zeros / near_count + 1> far{};  // for near_count * i zero bytes
};
constexpr zero_powers make_powers() noexcept {
  zero_powers result{};
  std::uint32_t power = std::uint32_t{1} << 31;
  for (auto& one : result.near) {
    one = power;
    power = with_byte(power, 0);
  }
  const std::uint32_t step = power;
  power = std::uint32_t{1} << 31;
  for (auto& one : result.far) {
    one = power;
    power = multiply(power, step);
  }
  return result;
}
constexpr zero_powers powers = make_powers();

// Constant-initialised, so that constructors of static objects can use fastest(). Threads that
// find null at the same time all choose the same implementation.
constinit std::atomic<const implementation*> chosen{nullptr};

[[gnu::cold]] const implementation& choose() noexcept {
  const implementation* best = by_instruction();
  if (best == nullptr) best = &by_tables;
  chosen.store(best, std::memory_order_relaxed);
  return *best;
}

}  // namespace

constexpr implementation by_tables{extend_by_tables, extend_from_by_tables};

const implementation* by_instruction() noexcept {
#if defined(LEAT_CRC32C_INSTRUCTION)
  return processor::has_crc32c() ? &instruction : nullptr;
#else
  return nullptr;
#endif
}

std::uint32_t extend_by_zeros(std::uint32_t state, std::size_t n) noexcept {
  return multiply(powers.far[n / near_count], multiply(powers.near[n % near_count], state));
}

const implementation& fastest() noexcept {
  const implementation* const found = chosen.load(std::memory_order_relaxed);
  return found != nullptr ? *found : choose();
}

}  // namespace crc

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) noexcept {
  return ~crc::extend(~before, bytes.data(), bytes.size());
}

std::uint32_t detail::crc32c(std::uint32_t state, const char* bytes, std::size_t n) noexcept {
  return leat::crc::extend(state, bytes, n);
}

}  // namespace v0
}  // namespace leat
