// Limits for the memory and the time of a test. If a defect takes too much memory, only the test
// fails, and the machine still works.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "support/sanitizer.hpp"

namespace {

/// Resident memory that the process of a test, and each of its children, may use: 1 GiB. Checked
/// after each test.
constexpr long max_resident_kib = 1 << 20;  // KiB, like ru_maxrss
/// Memory that each process may reserve, which includes unused parts of stacks and buffers.
constexpr rlim_t max_reserved = rlim_t{8} << 30;

class memory_limit final : public testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const testing::UnitTest&) override {
    if (leat_test::sanitized) return;  // sanitizers need more
    const rlimit most{max_reserved, max_reserved};
    ASSERT_EQ(::setrlimit(RLIMIT_DATA, &most), 0);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (leat_test::sanitized) return;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage used{};
      ASSERT_EQ(::getrusage(who, &used), 0);
      if (used.ru_maxrss <= max_resident_kib) continue;
      ADD_FAILURE() << (who == RUSAGE_SELF ? "" : "a child process of ") << test.test_suite_name()
                    << '.' << test.name() << " has used " << used.ru_maxrss
                    << " KiB of resident memory; the limit is " << max_resident_kib << " KiB";
    }
  }
};

/// Processor time of this process and of its children that have ended, in seconds.
double processor_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    EXPECT_EQ(::getrusage(who, &used), 0);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return sum;
}

/// Fails each test that takes more than LEAT_TEST_SECONDS of processor time. The limit of elapsed
/// time is larger, because a test waits while other programs use the processors. ctest's limit is
/// for all tests of a process together.
class time_limit final : public testing::EmptyTestEventListener {
 public:
  explicit time_limit(double seconds) : limit_(seconds) {}
  void OnTestStart(const testing::TestInfo&) override { start_ = processor_seconds(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    const double elapsed = static_cast<double>(test.result()->elapsed_time()) / 1000;
    EXPECT_LE(processor_seconds() - start_, limit_)
        << "seconds of processor time of " << test.test_suite_name() << '.' << test.name();
    EXPECT_LE(elapsed, elapsed_factor * limit_)
        << "seconds that a test takes: " << test.test_suite_name() << '.' << test.name();
  }

 private:
  static constexpr double elapsed_factor = 5;

  double limit_;
  double start_ = 0;
};

[[maybe_unused]] const bool are_installed = [] {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new memory_limit);
  if (const char* const seconds = std::getenv("LEAT_TEST_SECONDS"))
    listeners.Append(new time_limit(std::atof(seconds)));
  return true;
}();

}  // namespace
