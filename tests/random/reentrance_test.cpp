// Functions that a batch calls, and that use the same file.
#include <gtest/gtest.h>
#include <leat/records.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(reentrance, a_batch_that_changes_the_file_refuses_others_and_close) {
  const temporary_folder folder;
  write_file(folder / "f", std::string(4'000 * sizeof(std::uint32_t), '\0'));
  for (const unsigned threads : {1u, 3u}) {
    auto numbers = leat::records<std::uint32_t>::open(folder / "f", leat::mode::update,
                                                      {.access = {.threads = threads}});
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 0; i != 4'000; ++i) places.push_back(i * 7 % 4'000);
    const std::vector<std::uint64_t> one{5};
    std::atomic<int> refused{0}, calls{0};
    numbers.update(places, [&](std::uint32_t& number) {
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

}  // namespace
