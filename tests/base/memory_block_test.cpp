// memory_block: blocks of memory that grow and keep their bytes.
#include "base/memory_block.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <limits>

#include "support/sanitizer.hpp"

namespace {

using leat::memory_block;

TEST(memory_block, keeps_its_bytes_as_it_grows) {
  memory_block block;
  std::size_t written = 0;
  for (std::size_t size = 256; size <= std::size_t{leat_test::emulated ? 2 : 32} << 20;
       size = size * 3 / 2) {
    ASSERT_TRUE(grow(block, size));
    ASSERT_GE(block.size, size);
    for (std::size_t i = 0; i < written; ++i) {
      ASSERT_EQ(block.data[i], static_cast<char>(i * i >> 8)) << i << " of " << size;
    }
    for (; written < block.size; ++written) {
      block.data[written] = static_cast<char>(written * written >> 8);
    }
  }
  release(block);
}

TEST(memory_block, small_blocks_have_exactly_the_requested_size) {
  memory_block block;
  ASSERT_TRUE(grow(block, memory_block::largest_on_heap));
  EXPECT_EQ(block.size, memory_block::largest_on_heap);
  release(block);
  release(memory_block{});
}

TEST(memory_block, stays_unchanged_if_there_is_no_memory) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{3} << 20}) {
    memory_block block;
    ASSERT_TRUE(grow(block, size));
    std::memset(block.data, 'x', size);
    const memory_block before = block;
    for (const std::size_t impossible_size :
         {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2}) {
      EXPECT_FALSE(grow(block, impossible_size));
      EXPECT_EQ(block.data, before.data);
      EXPECT_EQ(block.size, before.size);
      EXPECT_EQ(block.data[size - 1], 'x');
    }
    release(block);
  }
}

}  // namespace
