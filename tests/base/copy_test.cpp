// Tests every implementation of base/copy.hpp: copies of bytes and of C strings, and lengths of C
// strings. The compiler does not know the lengths.
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

using leat::copies::copy_implementation, leat::copies::copy_implementations;
using leat::detail::copy_room;
using leat::test::guarded_memory;

constexpr std::size_t longest = 3 * copy_room;

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i != size; ++i) text += static_cast<char>('!' + (i * 7 + size) % 90);
  return text;
}

TEST(copies, have_all_bytes_and_access_no_memory_outside_the_text_and_the_room) {
  guarded_memory source(longest), target(longest);
  for (const copy_implementation copy : copy_implementations()) {
    for (std::size_t n = 0; n <= longest; ++n) {
      const std::string text = text_of(n);
      // The byte before or the byte after the text, and the byte after the room, are inaccessible.
      for (const std::string_view from : {source.at_begin(text), source.at_end(text)}) {
        const std::size_t size = std::max(n, copy_room);
        char* const to = target.last_bytes(size);
        std::fill_n(to, size, '\xA5');
        ASSERT_EQ(copy(to, from.data(), n), to + n);
        ASSERT_EQ(std::string_view(to, n), text) << n;
      }
    }
  }
}

TEST(copies, keep_the_bytes_before_the_target) {
  for (const copy_implementation copy : copy_implementations()) {
    for (std::size_t n = 0; n <= longest; ++n) {
      std::string all(8 + std::max(n, copy_room), '-');
      copy(all.data() + 8, text_of(n).data(), n);
      ASSERT_EQ(all.substr(0, 8), "--------") << n;
    }
  }
}

TEST(copies, of_no_bytes_accept_a_null_pointer) {
  char to[copy_room];
  for (const copy_implementation copy : copy_implementations()) EXPECT_EQ(copy(to, nullptr, 0), to);
}

TEST(copies, into_a_target_of_the_size_of_the_text_write_no_byte_after_the_text) {
  guarded_memory target(longest);
  for (std::size_t n = 0; n <= longest; ++n) {
    const std::string text = text_of(n);
    char* const to = target.last_bytes(n);
    ASSERT_EQ(leat::detail::copy_within(to, static_cast<std::ptrdiff_t>(n), text.data(), n),
              to + n);
    ASSERT_EQ(std::string_view(to, n), text);
  }
}

/// Calls check(text, position) for texts that end at many positions of two pages.
template <class Check>
void for_each_position(const Check& check) {
  constexpr std::size_t page = 4096;
  guarded_memory memory(2 * page);
  char* const end = memory.last_bytes(2 * page) + 2 * page;
  for (std::size_t n = 0; n <= longest; ++n) {
    const std::string text = text_of(n);
    for (std::size_t from_end = 1; from_end != 80; ++from_end)
      for (char* const nul : {end - from_end, end - page - from_end, end - page + from_end}) {
        std::fill(end - 2 * page, end, from_end % 2 == 0 ? '\0' : 'x');
        *nul = '\0';
        check(text, std::copy(text.begin(), text.end(), nul - n) - n);
      }
  }
}

TEST(c_strings, are_copied_only_if_they_fit_before_the_limit) {
  guarded_memory target(2 * longest);
  for (const leat::copies::c_text_implementation copy : leat::copies::c_text_implementations())
    for_each_position([&](const std::string& text, const char* from) {
      const std::size_t n = text.size();
      // The limit is at the end of the text, before the end, in the middle, after the end, and
      // before the start.
      for (const std::ptrdiff_t room :
           {static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(n) - 1,
            static_cast<std::ptrdiff_t>(n / 2), static_cast<std::ptrdiff_t>(n + 1),
            std::ptrdiff_t{-5}}) {
        const auto size = static_cast<std::size_t>(std::max(room, std::ptrdiff_t{0})) + copy_room;
        char* const to = target.last_bytes(size);
        char* const end = copy(to, to + room, from);
        if (room < static_cast<std::ptrdiff_t>(n)) {
          ASSERT_EQ(end, nullptr) << n << " in " << room;
          continue;
        }
        ASSERT_EQ(end, to + n) << n << " in " << room;
        ASSERT_EQ(std::string_view(to, n), text);
      }
    });
}

TEST(c_strings, are_copied_without_a_change_before_the_target_and_may_be_null) {
  for (const leat::copies::c_text_implementation copy : leat::copies::c_text_implementations())
    for (std::size_t n = 0; n <= longest; ++n) {
      const std::string text = text_of(n);
      std::string all(8 + n + copy_room, '-');
      char* const to = all.data() + 8;
      ASSERT_EQ(copy(to, to + n, text.c_str()), to + n);
      ASSERT_EQ(all.substr(0, 8), "--------") << n;
      ASSERT_EQ(copy(to, to + n, nullptr), nullptr);
    }
}

TEST(c_strings, of_thousands_of_bytes_are_copied_if_they_fit) {
  std::string to(30000 + copy_room, '-');
  for (const leat::copies::c_text_implementation copy : leat::copies::c_text_implementations())
    for (const std::size_t n : {4000U, 5000U, 8300U, 30000U}) {
      const std::string text = text_of(n);
      ASSERT_EQ(copy(to.data(), to.data() + n, text.c_str()), to.data() + n);
      ASSERT_EQ(std::string_view(to.data(), n), text);
      ASSERT_EQ(copy(to.data(), to.data() + n - 1, text.c_str()), nullptr);
    }
}

TEST(c_strings, are_measured_at_any_offset_in_a_page) {
  constexpr std::size_t page = 4096;
  guarded_memory memory(2 * page);
  char* const end = memory.last_bytes(2 * page) + 2 * page;
  for (const leat::copies::length_implementation length : leat::copies::length_implementations())
    for (std::size_t n = 0; n <= longest; ++n)
      for (std::size_t from_end = 1; from_end != 80; ++from_end)
        for (char* const nul : {end - from_end, end - page - from_end, end - page + from_end}) {
          std::fill(end - 2 * page, end, '\0');
          std::fill_n(nul - n, n, 'x');
          ASSERT_EQ(length(nul - n), n) << from_end;
        }
}

}  // namespace
