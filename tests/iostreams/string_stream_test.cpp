// leat's string streams give the same results as std's, for any order of calls and any sizes.
#include <gtest/gtest.h>
#include <leat/fstream.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "support/compare_string_streams.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

TEST(string_streams, random_calls_have_the_same_results_as_with_std) {
  // Each run has a new seed. On Linux fuzz/iostreams.cpp makes the same comparisons,
  // and shortens and repeats failures.
  const random_engine random(std::random_device{}());
  EXPECT_EQ((differing_strings<std::ostringstream, leat::ostringstream>(random, rounds(40))), "");
  EXPECT_EQ((differing_strings<std::istringstream, leat::istringstream>(random, rounds(40))), "");
  EXPECT_EQ((differing_strings<std::stringstream, leat::stringstream>(random, rounds(40))), "");
}

TEST(string_streams, hold_any_sequence_of_numbers_and_texts) {
  const auto fill = [](auto&& s) {
    for (int i = 0; i < 2'000; ++i) s << i << ' ' << i * 0.5 << "text" << '\n';
    return s.str();
  };
  EXPECT_EQ(fill(leat::ostringstream()), fill(std::ostringstream()));
  EXPECT_EQ(fill(leat::stringstream()), fill(std::stringstream()));
  const auto append = [&](auto&& s) { return fill(s); };
  const std::string text(300, 'x');
  EXPECT_EQ(append(leat::ostringstream(text, std::ios_base::ate)),
            append(std::ostringstream(text, std::ios_base::ate)));
  EXPECT_EQ(append(leat::ostringstream(text, std::ios_base::app)),
            append(std::ostringstream(text, std::ios_base::app)));
  for (std::size_t before = 0; before < 600; ++before) {
    const auto around = [&](auto&& s) {
      for (std::size_t i = 0; i < before; ++i) s.put('x');
      s << -1234567890123456789LL << 0.1 << std::string(700, 'y');
      s << 1e300 << std::fixed << 1e300;
      return s.str();
    };
    ASSERT_EQ(around(leat::ostringstream()), around(std::ostringstream())) << before;
  }
}

TEST(string_streams, can_write_parts_of_their_own_text) {
  for (const std::size_t size : {10u, 63u, 64u, 100u, 191u, 192u, 193u, 500u, 5'000u}) {
    std::string expected;
    for (std::size_t i = 0; i < size; ++i) expected += static_cast<char>('a' + i % 26);
    leat::ostringstream s;
    s << expected;
    for (int i = 0; i < 4; ++i) {
      s << s.view().substr(1);
      expected.append(expected.substr(1));
      ASSERT_EQ(s.view(), expected) << size;
    }
    s.write(s.view().data(), static_cast<std::streamsize>(s.view().size()));
    expected.append(std::string(expected));
    ASSERT_EQ(s.view(), expected) << size;
    s << std::setw(static_cast<int>(2 * expected.size())) << s.view();
    expected += std::string(expected.size(), ' ') + std::string(expected);
    ASSERT_EQ(s.view(), expected) << size;
    // A part of the text is written over the text, as if the part had been copied before.
    s.seekp(3);
    const std::string part(s.view().substr(0, size));
    s << s.view().substr(0, size);
    expected.replace(3, size, part);
    ASSERT_EQ(s.view(), expected) << size;
    s.str(s.view().substr(2, size));
    EXPECT_EQ(s.view(), expected.substr(2, size));
  }
}

TEST(string_streams, set_badbit_if_memory_runs_out) {
  if constexpr (sanitized) GTEST_SKIP() << "sanitizers end the program";
  // No memory is large enough for this size, so the text is never read.
  volatile std::ptrdiff_t largest = std::numeric_limits<std::ptrdiff_t>::max();
  const std::ptrdiff_t most = largest;  // the compiler would warn if it knew the size
  leat::ostringstream s;
  s << "text";
  s.write("", most);
  EXPECT_TRUE(s.bad());
  EXPECT_EQ(s.view(), "text");
  s.clear();
  s << std::string_view("", static_cast<std::size_t>(most));
  EXPECT_TRUE(s.bad());
  s.clear();
  s.exceptions(std::ios_base::badbit);
  EXPECT_ANY_THROW(s << std::string_view("", static_cast<std::size_t>(most)));
}

}  // namespace
