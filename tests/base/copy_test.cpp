#include "base/copy.hpp"

#include <gtest/gtest.h>
#include <leat/detail/copy.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "support/guarded_memory.hpp"

namespace {

using leat::copies::max_ways, leat::copies::named_way, leat::copies::usable_ways;
using leat::detail::copy_room;
using leat::test::guarded_memory;

constexpr std::size_t longest = 3 * copy_room;

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i != size; ++i) text += static_cast<char>('!' + (i * 7 + size) % 90);
  return text;
}

/// Calls check(way) for each one that this processor has.
template <class Check>
void each_way(const Check& check) {
  named_way all[max_ways];
  const std::size_t count = usable_ways(all);
  for (const named_way& way : std::span(all, count)) {
    SCOPED_TRACE(way.name);
    check(way.copy);
  }
}

TEST(copies, have_all_bytes_and_touch_no_others) {
  guarded_memory source(longest), target(longest);
  each_way([&](leat::copies::way copy) {
    for (std::size_t n = 0; n <= longest; ++n) {
      const std::string text = text_of(n);
      // A byte before or behind the text, or behind the room, is in a page that nobody may touch.
      for (const std::string_view from : {source.at_begin(text), source.at_end(text)}) {
        const std::size_t size = std::max(n, copy_room);
        char* const to = target.room(size);
        std::fill_n(to, size, '\xA5');
        ASSERT_EQ(copy(to, from.data(), n), to + n);
        ASSERT_EQ(std::string_view(to, n), text) << n;
      }
    }
  });
}

TEST(copies, leave_what_is_before_them) {
  each_way([&](leat::copies::way copy) {
    for (std::size_t n = 0; n <= longest; ++n) {
      std::string all(8 + std::max(n, copy_room), '-');
      copy(all.data() + 8, text_of(n).data(), n);
      ASSERT_EQ(all.substr(0, 8), "--------") << n;
    }
  });
}

TEST(copies, of_nothing_may_come_from_nowhere) {
  char to[copy_room];
  each_way([&](leat::copies::way copy) { EXPECT_EQ(copy(to, nullptr, 0), to); });
}

TEST(copies, without_more_room_are_exact) {
  guarded_memory target(longest);
  for (std::size_t n = 0; n <= longest; ++n) {
    const std::string text = text_of(n);
    char* const to = target.room(n);
    ASSERT_EQ(leat::detail::copy_within(to, static_cast<std::ptrdiff_t>(n), text.data(), n),
              to + n);
    ASSERT_EQ(std::string_view(to, n), text);
  }
}

TEST(lengths, of_texts_anywhere_in_a_page) {
  constexpr std::size_t page = 4096;
  guarded_memory memory(2 * page);
  char* const end = memory.room(2 * page) + 2 * page;
  for (const leat::copies::length_way length : leat::copies::lengths())
    for (std::size_t n = 0; n <= longest; ++n)
      for (std::size_t behind = 1; behind != 80; ++behind)
        for (char* const nul : {end - behind, end - page - behind, end - page + behind}) {
          std::fill(end - 2 * page, end, '\0');
          std::fill_n(nul - n, n, 'x');
          ASSERT_EQ(length(nul - n), n) << behind;
        }
}

}  // namespace
