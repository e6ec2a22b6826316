// Callbacks of a batch of random accesses: which functions are accepted, what remains after an
// exception, how often pages fault, and changes by other threads during the batch.
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "random/routes.hpp"
#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

#if defined(__linux__)
#  include <sys/resource.h>
#endif

namespace {

using namespace leat_test;
using leat::mode;
using leat::records;
using leat::records_options;
using leat::route;

void increment(int& value) { ++value; }

TEST(records, accept_functions_of_any_kind) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(40, '\0'));
  auto numbers = records<int>::open(folder / "file", mode::update);
  numbers.update(std::vector{1}, increment);
  numbers.update(std::vector{1}, &increment);
  const auto constant = [](int& value) { ++value; };
  numbers.update(std::vector{1}, constant);
  numbers.update(std::vector{1}, std::function<void(int&)>(increment));
  numbers.update(std::vector{1}, [times = 0](int& value) mutable { value += ++times; });
  EXPECT_EQ(numbers[1], 5);
}

TEST(records, report_changes_that_an_exception_leaves_unwritten) {
  const auto stop_at_2 = [](int& value, std::size_t occurrence) {
    if (occurrence == 2) throw std::runtime_error("stop");
    value = 7;
  };
  for (const bool full : {true, false}) {
    loss_recorder losses;
    auto script = new_script();
    script->content.assign(4000, '\0');
    if (full)
      script->room = 0;
    else
      script->sync_failure = std::make_error_code(std::errc::io_error);
    records<int> numbers(
        leat::file(device_of(script), mode::update, {.durability = leat::durability::system}));
    EXPECT_THROW(numbers.update(std::vector{0, 1, 2}, stop_at_2), std::runtime_error);
    const auto reported = losses.take();
    ASSERT_EQ(reported.size(), 1U);
    EXPECT_EQ(reported[0].code(), full ? std::errc::no_space_on_device : std::errc::io_error);
    EXPECT_EQ(reported[0].unwritten() != 0, full);
  }
}

TEST(records, keep_finished_changes_when_progress_throws) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(400'000, '\0'));
  for (const auto tested_route : all_routes) {
    records_options options{.access = options_for(tested_route)};
    options.access.progress = [](std::size_t, std::size_t) { throw std::runtime_error("stop"); };
    auto numbers = records<int>::open(folder / "file", mode::update, options);
    std::vector<int> positions;
    for (int i = 0; i != 20'000; ++i) positions.push_back(i * 5);
    std::vector<char> called(positions.size());
    const auto before = records<int>::open(folder / "file").gather(positions);
    EXPECT_THROW(numbers.update(positions,
                                [&](int& value, std::size_t occurrence) {
                                  ++value;
                                  called[occurrence] = 1;
                                }),
                 std::runtime_error);
    for (std::size_t i = 0; i != positions.size(); ++i)
      ASSERT_EQ(numbers[static_cast<std::uint64_t>(positions[i])], before[i] + called[i]) << i;
  }
}

#if defined(__linux__)
/// A page that was first mapped for reading would fault again when it is changed.
TEST(records, cause_one_page_fault_for_each_page_that_is_changed_through_a_mapping) {
  if (sanitized || emulated)
    GTEST_SKIP() << "sanitizers and emulators cause page faults of their own";
  constexpr int count = 1024;
  // A read fault maps at most this number of bytes of a sparse file.
  constexpr std::size_t apart = std::size_t{64} << 10;
  const auto faults = [] {
    struct rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt + usage.ru_majflt;
  };
  const temporary_folder folder;
  write_file(folder / "file", "");
  std::filesystem::resize_file(folder / "file", count * apart);
  records_options options{.stride = apart};
  options.access.route = route::mapped;
  auto numbers = records<int>::open(folder / "file", mode::update, options);
  std::vector<int> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<int> seen(count);
  const long before = faults();
  numbers.update(positions, [&](int& value, std::size_t i) { value = (seen[i] = value) + 1; });
  const long after = faults();
  ASSERT_EQ(numbers.last_plan().taken, route::mapped);
  EXPECT_LT(after - before, count + count / 2);
}
#endif

/// A batch by merged ranges also reads and writes the gaps between positions. Changes that other
/// threads make in the gaps during the batch are kept.
TEST(records, keep_changes_of_other_threads_in_the_gaps) {
  for (const auto access_mode : {mode::update, mode::copy}) {
    auto log = std::make_shared<request_log>();
    log->cached = false;
    log->content.assign(200'000, '\0');
    leat::access_options options = options_for(route::merged);
    options.gap = options.longest = 20'000;
    records<int> numbers(leat::file(std::make_unique<counted_device>(log), access_mode, options));
    std::vector<std::thread> threads;
    for (std::size_t thread_index = 0; thread_index != 4; ++thread_index) {
      threads.emplace_back([&, thread_index] {
        std::vector<std::size_t> own_positions;
        for (std::size_t i = thread_index; i < numbers.size(); i += 4) own_positions.push_back(i);
        for (int round = 0; round != 10; ++round) {
          numbers.update(own_positions, [&](int& value, std::size_t i) {
            ++value;
            if (i % 64 != 0) return;
            const std::lock_guard guard(log->lock);
            log->announced.clear();
            std::this_thread::yield();
          });
          numbers.set(own_positions[7], numbers[own_positions[7]]);
        }
      });
    }
    for (auto& one : threads) one.join();
    for (std::size_t i = 0; i != numbers.size(); ++i) ASSERT_EQ(numbers[i], 10) << i;
  }
}

}  // namespace
