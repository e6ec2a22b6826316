// CPU dispatch: the first possible implementation is chosen, once.
#include "base/best_way.hpp"

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>

namespace {

struct additions {
  using way = int (*)(int& sum, int one) noexcept;
  static int first(int& sum, int one) noexcept { return sum += one; }
  static int second(int&, int) noexcept { return -1; }
  static std::span<const way> ways() noexcept {
    static constexpr way all[] = {&first, &second};
    ++asked;
    return all;
  }
  static inline int asked = 0;
};

TEST(best_way, is_the_first_one_and_is_chosen_once) {
  using best = leat::best_way<&additions::ways>;
  int sum = 1;
  static_assert(noexcept(best::call(sum, 2)));
  EXPECT_EQ(best::call(sum, 2), 3);
  EXPECT_EQ(best::call(sum, 3), 6);
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(additions::asked, 1);
}

struct refusals_by_throwing {
  using way = void (*)();
  static void refuse() { throw std::runtime_error("refused"); }
  static std::span<const way> ways() noexcept {
    static constexpr way all[] = {&refuse};
    return all;
  }
};

TEST(best_way, may_throw) {
  using best = leat::best_way<&refusals_by_throwing::ways>;
  static_assert(!noexcept(best::call()));
  EXPECT_THROW(best::call(), std::runtime_error);
  EXPECT_THROW(best::call(), std::runtime_error);
}

}  // namespace
