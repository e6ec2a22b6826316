// Compressed files with more than 4 GiB of content, so that positions have more than 32 bits.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "codecs/tools.hpp"
#include "support/sanitizer.hpp"

namespace codecs_test {
namespace {

constexpr std::uint64_t zero_bytes = (std::uint64_t{4} << 30) + (1 << 20);
constexpr std::string_view end = "the end";

/// Files with more than 4 GiB of content, which zstd compresses to less than 1 MiB. Other codecs
/// would take many seconds.
class large : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available(zstd)) GTEST_SKIP();
    if (leat_test::under_asan || leat_test::under_tsan)
      GTEST_SKIP() << "takes minutes with a sanitizer";
  }

  const tool& zstd = tools()[1];
  const leat_test::temporary_folder folder;
  const std::string file = folder / "large";
};

TEST_F(large, output_beyond_four_gib_is_decoded_by_the_command) {
  const std::string block(1 << 20, '\0');
  auto out = leat::create(file, {.compression = zstd.format});
  while (out.tell() != zero_bytes) out.write(block);
  out.write(end);
  out.close();
  const std::string counted = folder / "counted";
  ASSERT_TRUE(run_command(zstd.decode + " <" + file + " | wc -c >" + counted));
  EXPECT_EQ(leat_test::read_all(counted), std::to_string(zero_bytes + end.size()) + "\n");
}

TEST_F(large, input_beyond_four_gib_keeps_every_byte_and_position) {
  // The contents of several frames in a row are read as one content.
  constexpr std::uint64_t frames = 4097;
  static_assert(zero_bytes == frames << 20);
  const std::string frame = folder / "frame";
  ASSERT_TRUE(run_command("head -c 1048576 /dev/zero | " + zstd.encode + " >" + frame));
  ASSERT_TRUE(
      run_command("printf '" + std::string(end) + "' | " + zstd.encode + " >" + file + ".end"));
  const std::string zeros = leat_test::read_all(frame);
  std::string all;
  for (std::uint64_t i = 0; i != frames; ++i) all += zeros;
  leat_test::write_file(file, all + leat_test::read_all(file + ".end"));
  auto in = leat::open(file, {.compression = leat::compression::automatic});
  in.seek(zero_bytes - 1);
  EXPECT_EQ(in.find(end), zero_bytes);
  in.seek(zero_bytes - 1);
  EXPECT_EQ(in.get(), '\0');
  EXPECT_EQ(in.tell(), zero_bytes);
  std::string rest;
  EXPECT_TRUE(in.read_line(rest));
  EXPECT_EQ(rest, end);
  EXPECT_EQ(in.get(), EOF);
}

}  // namespace
}  // namespace codecs_test
