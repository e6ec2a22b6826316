// Decoders access no byte outside their input and output. Parts of the decoders are assembler,
// which sanitizers do not check.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "codecs/decoder.hpp"
#include "codecs/tools.hpp"
#include "support/guarded_memory.hpp"

namespace codecs_test {
namespace {

using leat::codecs::decode_result;
using leat::codecs::format_of;
using leat::test::guarded_memory;

class guarded : public ::testing::TestWithParam<tool> {};

/// Decodes `in` by calls with up to `most_in` bytes of input and room for up to `most_out` bytes.
/// Returns the decoded bytes.
std::string decoded(leat::codecs::decoder& decoder, std::string_view in, std::size_t most_in,
                    std::size_t most_out, std::mt19937& random) {
  guarded_memory input(most_in), output(most_out);
  std::string all;
  EXPECT_TRUE(decoder.begin());
  for (bool ended = false, failed = false; !ended && !failed;) {
    const auto piece = in.substr(0, 1 + random() % most_in);
    const auto room = 1 + random() % most_out;
    char* const out = output.last_bytes(room);
    const decode_result result = decoder.decode(input.at_end(piece), {out, room});
    all.append(out, result.produced);
    in.remove_prefix(result.consumed);
    ended = result.frame_ended;
    failed =
        result.error.has_value() || (result.consumed == 0 && result.produced == 0 && in.empty());
  }
  return all;
}

TEST_P(guarded, decoders_access_only_their_own_memory) {
  if (!is_available(GetParam())) GTEST_SKIP();
  std::mt19937 random(22);
  for (const std::size_t size : {0U, 1U, 105U, 70'000U, 300'000U}) {
    const auto text =
        size % 7 == 0 ? log_lines(size) : random_bytes(size / 2) + log_lines(size - size / 2);
    const auto encoded = output_of_command(GetParam().encode, text);
    const auto decoder = format_of(GetParam().format)->make_decoder(std::uint64_t{128} << 20);
    for (const std::size_t most : {1U, 7U, 1000U, 200'000U}) {
      if (most < 10 && size > 1000) continue;
      EXPECT_EQ(decoded(*decoder, encoded, most, 1 + random() % (2 * most), random), text);
      // One wrong bit. The decoder may return any bytes, but must stay in its memory.
      auto damaged = encoded;
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      decoded(*decoder, damaged, most, 1 + random() % (2 * most), random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(formats, guarded, ::testing::ValuesIn(tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace codecs_test
