// Extreme sizes and counts in access options, and extreme models of simulated devices: the results
// are right.
#include <gtest/gtest.h>
#include <leat/records.hpp>
#include <leat/simulated.hpp>
#include <leat/testing.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/files.hpp"

namespace {

using namespace leat_test;

constexpr std::size_t max_size = std::numeric_limits<std::size_t>::max();
constexpr std::size_t sizes[] = {
    0, 1, 2, 4'095, 4'096, 65'537, 1 << 20, max_size / 2, max_size - 64, max_size - 1, max_size};

class any_size : public testing::Test {
 protected:
  any_size() {
    for (std::uint64_t i = 0; i != count; ++i) numbers_.push_back(static_cast<std::uint32_t>(i));
    write_file(path_, {reinterpret_cast<const char*>(numbers_.data()), 4 * numbers_.size()});
    std::mt19937 random(4);
    for (int i = 0; i != 3'000; ++i) positions_.push_back(random() % count);
  }

  /// Reads and updates with these options by each route. A read may fail for lack of memory, or
  /// because of too many threads or requests. A direct read may also fail as invalid.
  void check(leat::access_options options, const std::string& description) {
    for (const auto route : {leat::route::automatic, leat::route::mapped, leat::route::merged,
                             leat::route::single, leat::route::direct}) {
      options.route = route;
      SCOPED_TRACE(description + ", route " + std::to_string(static_cast<int>(route)));
      std::error_code ec;
      auto file =
          leat::records<std::uint32_t>::open(path_, leat::mode::update, {.access = options}, ec);
      ASSERT_FALSE(ec) << ec.message();
      std::vector<std::uint32_t> got(positions_.size());
      file.gather(positions_, got, ec);
      if (ec == std::errc::not_enough_memory || ec == std::errc::resource_unavailable_try_again)
        continue;  // too many threads or requests
      if (route == leat::route::direct && ec == std::errc::invalid_argument) continue;
      ASSERT_FALSE(ec) << ec.message();
      for (std::size_t i = 0; i != positions_.size(); ++i)
        ASSERT_EQ(got[i], numbers_[positions_[i]]);
      file.update(positions_, [](std::uint32_t& number) { number += 1; }, ec);
      ASSERT_FALSE(ec) << ec.message();
      for (const auto at : positions_) ++numbers_[at];
    }
  }

  static constexpr std::uint64_t count = 30'000;
  const temporary_folder folder_;
  const std::string path_ = folder_ / "f";
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint64_t> positions_;
};

TEST_F(any_size, of_gaps_and_ranges_gives_correct_results) {
  for (const std::size_t gap : sizes) check({.gap = gap}, "gap " + std::to_string(gap));
  for (const std::size_t longest : sizes)
    check({.longest = longest}, "longest " + std::to_string(longest));
  for (const std::size_t both : sizes)
    check({.gap = both, .longest = both}, "both " + std::to_string(both));
}

TEST_F(any_size, of_memory_gives_correct_results) {
  for (const std::size_t memory : sizes)
    check({.memory = memory}, "memory " + std::to_string(memory));
}

TEST_F(any_size, of_requests_gives_correct_results) {
  for (const std::size_t depth : sizes) check({.depth = depth}, "depth " + std::to_string(depth));
}

TEST_F(any_size, of_threads_gives_correct_results) {
  for (const unsigned threads : {0U, 1U, 2U, 64U, 1'000U, std::numeric_limits<unsigned>::max()})
    check({.threads = threads}, "threads " + std::to_string(threads));
}

/// Reads at single positions and in a batch from a simulated disk with this model.
void check(const leat::simulated_model& model, const char* description) {
  leat::volatile_file disk(std::string(1 << 20, 'a'));
  auto device = std::make_unique<leat::simulated_device>(disk.open(), model);
  std::error_code ec;
  char bytes[100];
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{50}}) {
    device->read_at(at, bytes, ec);
    EXPECT_FALSE(ec) << description;
  }
  EXPECT_GE(device->now().count(), 0) << description;
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i != 2'000; ++i) positions.push_back(i * 7'919 % (1 << 18));
  const leat::records<std::uint32_t> records{leat::file(std::move(device))};
  EXPECT_EQ(records.gather(positions), std::vector<std::uint32_t>(positions.size(), 0x61616161))
      << description;
}

TEST(simulated_model, with_extreme_times_and_channels_gives_correct_results) {
  using std::chrono::nanoseconds;
  check({}, "nothing is set");
  for (const auto wait : {nanoseconds::min(), nanoseconds(-1), nanoseconds::max()}) {
    auto model = leat::model_of(leat::simulated_disk::s3);
    model.read = {.latency = wait, .interval = wait, .rate = 1, .stream_rate = 1};
    model.submit = model.sync = wait;
    check(model, "times");
  }
  for (const unsigned channels : {0U, 1U, std::numeric_limits<unsigned>::max()}) {
    auto model = leat::model_of(leat::simulated_disk::nvme);
    model.channels = channels;
    check(model, "channels");
  }
}

TEST(simulated_model, with_an_extreme_platter_gives_correct_results) {
  const auto hdd = leat::model_of(leat::simulated_disk::hdd);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{max_size}}) {
    for (const auto member :
         {&leat::simulated_platter::capacity, &leat::simulated_platter::outer_rate,
          &leat::simulated_platter::inner_rate, &leat::simulated_platter::read_ahead}) {
      auto model = hdd;
      (*model.platter).*member = size;
      check(model, "sizes");
    }
    auto model = hdd;
    model.platter->queue = static_cast<unsigned>(size);
    check(model, "queue");
  }
  for (const auto wait : {std::chrono::nanoseconds::min(), std::chrono::nanoseconds(0),
                          std::chrono::nanoseconds(1), std::chrono::nanoseconds::max()}) {
    for (const auto member :
         {&leat::simulated_platter::rotation, &leat::simulated_platter::track_switch,
          &leat::simulated_platter::average_seek, &leat::simulated_platter::full_stroke}) {
      auto model = hdd;
      (*model.platter).*member = wait;
      check(model, "times");
    }
  }
  auto model = hdd;
  model.platter.emplace();
  check(model, "nothing is set");
}

}  // namespace
