// Callbacks of a batch that use the same file.
#include <gtest/gtest.h>
#include <leat/file.hpp>
#include <leat/records.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(reentrance, a_callback_can_not_change_or_close_the_file_that_its_batch_changes) {
  const temporary_folder folder;
  write_file(folder / "f", std::string(4'000 * sizeof(std::uint32_t), '\0'));
  for (const unsigned threads : {1u, 3u}) {
    auto numbers = leat::records<std::uint32_t>::open(folder / "f", leat::mode::update,
                                                      {.access = {.threads = threads}});
    std::vector<std::uint64_t> positions;
    for (std::uint64_t i = 0; i != 4'000; ++i) positions.push_back(i * 7 % 4'000);
    const std::vector<std::uint64_t> one{5};
    std::atomic<int> refused{0}, calls{0};
    numbers.update(positions, [&](std::uint32_t& number) {
      ++number;
      if (calls++ % 500 != 0) return;
      std::error_code ec;
      const auto count = [&] { refused += ec == std::errc::resource_deadlock_would_occur; };
      numbers.update(one, [](std::uint32_t& n) { n = 99; }, ec);
      count();
      numbers.set(5, 99, ec);
      count();
      numbers.close(ec);
      count();
    });
    EXPECT_EQ(refused.load(), 3 * 8);
    EXPECT_NO_THROW(numbers.close());
  }
  const auto numbers = leat::records<std::uint32_t>::open(folder / "f");
  for (const std::uint64_t at : {0u, 5u, 3'999u}) EXPECT_EQ(numbers.get(at), 2u);
}

TEST(reentrance, a_callback_may_write_the_bytes_of_a_range_to_the_same_file) {
  const temporary_folder folder;
  constexpr std::uint64_t count = 500, size = 1000;
  for (const auto mode : {leat::mode::update, leat::mode::copy}) {
    for (const auto route :
         {leat::route::automatic, leat::route::mapped, leat::route::merged, leat::route::single}) {
      std::string text = numbered_text(2 * count * size);
      write_file(folder / "f", text);
      auto file = leat::file::open(folder / "f", mode, {.route = route});
      std::vector<leat::byte_range> ranges;
      for (std::uint64_t i = 0; i != count; ++i) ranges.push_back({i * size, size});
      file.read_ranges(ranges, [&](std::string_view bytes, std::size_t index) {
        file.write_at((count + index) * size, bytes);
      });
      std::string got(text.size(), '#');
      file.read_at(0, got);
      EXPECT_TRUE(got == text.substr(0, count * size) + text.substr(0, count * size));
    }
  }
}

}  // namespace
