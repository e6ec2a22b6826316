// thread_number: small numbers that identify threads, also in a forked child.
#include "base/thread_number.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "support/process.hpp"

namespace {

using leat::thread_number;

TEST(thread_number, stays_the_same_and_is_unique) {
  const unsigned mine = thread_number::mine();
  EXPECT_GE(mine, 1u);
  EXPECT_EQ(thread_number::mine(), mine);
  unsigned other = 0;
  std::thread([&] { other = thread_number::mine(); }).join();
  EXPECT_NE(other, mine);
  EXPECT_GE(other, 1u);
}

TEST(thread_number, is_reused_after_a_thread_ends) {
  for (unsigned i = 0; i != 3 * thread_number::most; ++i) {
    unsigned number = 0;
    std::thread([&] { number = thread_number::mine(); }).join();
    EXPECT_NE(number, 0u);
  }
}

TEST(thread_number, is_zero_if_other_threads_use_all_numbers) {
  static_cast<void>(thread_number::mine());
  std::vector<unsigned> numbers(thread_number::most + 5);
  std::vector<std::thread> threads;
  std::atomic<std::size_t> assigned{0};
  for (auto& number : numbers) {
    threads.emplace_back([&] {
      number = thread_number::mine();
      ++assigned;
      while (assigned != numbers.size()) std::this_thread::yield();
    });
  }
  for (auto& thread : threads) thread.join();
  std::multiset<unsigned> all(numbers.begin(), numbers.end());
  EXPECT_GE(all.count(0), 6u);  // at least 6, because this thread has a number, too
  all.erase(0);
  EXPECT_EQ(std::set<unsigned>(all.begin(), all.end()).size(), all.size());
  EXPECT_LT(*all.rbegin(), thread_number::most + 1);
}

#if defined(HAS_FORK)
TEST(thread_number, a_forked_child_keeps_the_number_of_its_thread) {
  std::atomic<int> state{0};
  std::thread other([&] {
    static_cast<void>(thread_number::mine());
    state = 1;
    while (state == 1) std::this_thread::yield();
  });
  while (state == 0) std::this_thread::yield();
  const unsigned mine = thread_number::mine();
  const auto result = leat_test::run_in_child([&] {
    thread_number::after_fork_in_child();
    leat_test::require(thread_number::mine() == mine);
  });
  EXPECT_TRUE(leat_test::succeeded(result));
  state = 2;
  other.join();
}
#endif

}  // namespace
