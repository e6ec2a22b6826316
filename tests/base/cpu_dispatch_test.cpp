// CPU dispatch: the first call chooses an implementation. Exceptions of the implementation pass.
#include "base/cpu_dispatch.hpp"

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>

namespace {

struct additions {
  using implementation = int (*)(int& sum, int addend) noexcept;
  static int first(int& sum, int addend) noexcept { return sum += addend; }
  static int second(int&, int) noexcept { return -1; }
  static std::span<const implementation> implementations() noexcept {
    static constexpr implementation all[] = {&first, &second};
    ++choices;
    return all;
  }
  static inline int choices = 0;
};

TEST(cpu_dispatch, chooses_the_first_implementation_once_for_all_calls) {
  using best = leat::cpu_dispatch<&additions::implementations>;
  int sum = 1;
  static_assert(noexcept(best::call(sum, 2)));
  EXPECT_EQ(best::call(sum, 2), 3);
  EXPECT_EQ(best::call(sum, 3), 6);
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(additions::choices, 1);
}

struct refusals_by_throwing {
  using implementation = void (*)();
  static void refuse() { throw std::runtime_error("refused"); }
  static std::span<const implementation> implementations() noexcept {
    static constexpr implementation all[] = {&refuse};
    return all;
  }
};

TEST(cpu_dispatch, passes_on_an_exception_of_the_implementation) {
  using best = leat::cpu_dispatch<&refusals_by_throwing::implementations>;
  static_assert(!noexcept(best::call()));
  EXPECT_THROW(best::call(), std::runtime_error);
  EXPECT_THROW(best::call(), std::runtime_error);
}

}  // namespace
