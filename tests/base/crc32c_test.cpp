// CRC-32C: all implementations, compared with a computation bit by bit.
#include "base/crc32c.hpp"

#include <gtest/gtest.h>
#include <leat/bytes.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace leat::crc;

/// Computes the CRC bit by bit, from the polynomial.
std::uint32_t crc_bit_by_bit(std::uint32_t state, std::string_view bytes) {
  for (const char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit != 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return state;
}

std::vector<implementation> all_implementations() {
  std::vector<implementation> all{fastest(), by_tables};
  if (by_instruction() != nullptr) all.push_back(*by_instruction());
  return all;
}

/// Four examples of RFC 3720, appendix B.4, and two other known sums.
TEST(crc32c, known_texts_have_the_known_checksums) {
  std::string up, down;
  for (int i = 0; i != 32; ++i) {
    up += static_cast<char>(i);
    down += static_cast<char>(31 - i);
  }
  const struct {
    std::string bytes;
    std::uint32_t sum;
  } known[] = {{std::string(32, '\0'), 0x8a9136aa},
               {std::string(32, '\xff'), 0x62a8ab43},
               {up, 0x46dd794e},
               {down, 0x113fdb5c},
               {"123456789", 0xe3069283},
               {"", 0}};
  for (const auto& example : known) {
    EXPECT_EQ(leat::crc32c(example.bytes), example.sum);
    for (const auto& tested : all_implementations())
      EXPECT_EQ(~tested.extend(~0u, example.bytes.data(), example.bytes.size()), example.sum);
  }
}

TEST(crc32c, all_implementations_agree_with_a_computation_bit_by_bit) {
  std::mt19937_64 random(1);
  std::string bytes;
  for (int i = 0; i != 5000; ++i) bytes += static_cast<char>(random());
  for (std::size_t size = 0; size < bytes.size(); size += size < 1700 ? 1 : 97) {
    const std::size_t at = random() % (bytes.size() - size);
    const auto state = static_cast<std::uint32_t>(random());
    const std::uint32_t wanted = crc_bit_by_bit(state, std::string_view(bytes).substr(at, size));
    for (const auto& tested : all_implementations()) {
      ASSERT_EQ(tested.extend(state, bytes.data() + at, size), wanted);
      if (size < 4) continue;
      std::uint32_t word = 0;
      for (std::size_t i = 4; i-- != 0;)
        word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
      ASSERT_EQ(tested.extend_from(state, word, bytes.data() + at + 4, size - 4), wanted);
    }
  }
}

TEST(crc32c, zeros_can_be_added_without_reading_memory) {
  const std::string zeros(leat::crc::most_zeros, '\0');
  for (std::size_t n = 0; n <= zeros.size(); n += n < 600 ? 1 : 61) {
    const std::uint32_t state = 0x12345678 + static_cast<std::uint32_t>(n);
    ASSERT_EQ(leat::crc::extend_by_zeros(state, n), leat::crc::extend(state, zeros.data(), n)) << n;
  }
  EXPECT_EQ(leat::crc::extend_by_zeros(1, zeros.size()),
            leat::crc::extend(1, zeros.data(), zeros.size()));
}

TEST(crc32c, a_text_may_be_added_in_parts) {
  const std::string bytes(2000, 'x');
  for (const auto& tested : all_implementations()) {
    const std::uint32_t whole = tested.extend(~0u, bytes.data(), bytes.size());
    for (std::size_t cut = 0; cut <= bytes.size(); cut += 37) {
      const std::uint32_t first_part = tested.extend(~0u, bytes.data(), cut);
      ASSERT_EQ(tested.extend(first_part, bytes.data() + cut, bytes.size() - cut), whole);
    }
  }
}

}  // namespace
