// The memory that a test may have. A fault that takes more ends the test, and not the machine.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/sanitizer.hpp"

namespace {

class memory_limit final : public testing::Environment {
 public:
  void SetUp() override {
    if (leat_test::sanitized) return;  // sanitizers reserve more than they use
    // Maps of files do not count.
    const rlimit most{rlim_t{1} << 30, rlim_t{1} << 30};
    ASSERT_EQ(::setrlimit(RLIMIT_DATA, &most), 0);
  }
};

[[maybe_unused]] const auto* const limit = testing::AddGlobalTestEnvironment(new memory_limit);

}  // namespace
