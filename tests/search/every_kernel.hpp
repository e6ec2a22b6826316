// Runs tests with each implementation (kernels) of the search loops that this machine supports.
#pragma once

#include "search/kernels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leat::test {

/// While a test runs, the search loops use the kernels that are the test's parameter.
class every_kernel : public testing::TestWithParam<const search::kernels*> {
 protected:
  void SetUp() override { search::use_kernels(*GetParam()); }
  void TearDown() override { search::use_kernels(before_); }

 private:
  const search::kernels& before_ = search::active_kernels();
};

/// Returns the kernels that this machine supports.
inline std::vector<const search::kernels*> usable_kernels() {
  const search::kernels* all[search::max_kernels];
  const std::size_t count = search::list_usable_kernels(all);
  return {all, all + count};
}

/// Returns the last part of a test's name.
inline std::string kernels_name(const testing::TestParamInfo<const search::kernels*>& info) {
  return info.param->name;
}

}  // namespace leat::test

/// Instantiates `suite`, a class derived from every_kernel, for all kernels of this machine.
#define LEAT_TEST_EVERY_KERNEL(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(kernels, suite, testing::ValuesIn(leat::test::usable_kernels()), \
                           leat::test::kernels_name)
