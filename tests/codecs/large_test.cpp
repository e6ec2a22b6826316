// Positions that have more than 32 bits.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "codecs/tools.hpp"
#include "support/sanitizer.hpp"

namespace codecs_test {
namespace {

// The other codecs take many seconds for so many bytes.
TEST(large, files_beyond_four_gib_keep_every_byte_and_position) {
  const tool& zstd = tools()[1];
  if (!is_here(zstd)) GTEST_SKIP();
  if (leat_test::under_asan || leat_test::under_tsan) GTEST_SKIP() << "minutes with a sanitizer";
  constexpr std::uint64_t size = (std::uint64_t{4} << 30) + (1 << 20);
  constexpr std::string_view end = "the end";
  const leat_test::temporary_folder folder;
  const std::string file = folder / "large";
  {
    const std::string block(1 << 20, '\0');
    auto out = leat::create(file, {.compression = zstd.format});
    while (out.tell() != size) out.write(block);
    out.write(end);
    out.close();
  }
  const std::string told = folder / "told";
  ASSERT_TRUE(succeeds(zstd.decode + " <" + file + " | wc -c >" + told));
  EXPECT_EQ(leat_test::read_all(told), std::to_string(size + end.size()) + "\n");
  auto in = leat::open(file, {.compression = leat::compression::automatic});
  EXPECT_EQ(in.find(end), size);
  in.seek(size - 1);
  EXPECT_EQ(in.get(), '\0');
  EXPECT_EQ(in.tell(), size);
  std::string rest;
  EXPECT_TRUE(in.read_line(rest));
  EXPECT_EQ(rest, end);
  EXPECT_EQ(in.get(), EOF);
}

}  // namespace
}  // namespace codecs_test
