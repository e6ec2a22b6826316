// Offsets of the delimiters in a text (list_delimiters, skip_to_delimiter), with each
// implementation.
#include "search/delimiters.hpp"

#include "search/every_kernel.hpp"
#include "support/guarded_memory.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace {

using offsets = std::vector<std::uint16_t>;
constexpr std::size_t first_offset = 1000;

offsets expected_offsets(std::string_view text, char delimiter) {
  offsets all;
  for (std::size_t i = 0; i != text.size(); ++i)
    if (text[i] == delimiter) all.push_back(static_cast<std::uint16_t>(first_offset + i));
  return all;
}

/// Lists delimiters into exactly the room that the call requires. Guard values are before and after
/// the room.
offsets listed_offsets(std::string_view text, char delimiter) {
  constexpr std::uint16_t untouched = 12345;
  offsets all(1 + text.size() + leat::search::offset_padding + 1, untouched);
  const auto count =
      leat::search::list_delimiters(text.data(), text.size(), delimiter, first_offset, &all[1]);
  EXPECT_EQ(all.front(), untouched);
  EXPECT_EQ(all.back(), untouched);
  return {all.begin() + 1, all.begin() + 1 + static_cast<std::ptrdiff_t>(count)};
}

/// Returns random bytes below `alphabet`.
std::string random_text(std::size_t size, unsigned alphabet, std::mt19937& random) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random() % alphabet);
  return text;
}

class search_delimiters : public leat::test::every_kernel {};
LEAT_TEST_EVERY_KERNEL(search_delimiters);

TEST_P(search_delimiters, are_found_at_the_same_offsets_as_by_a_plain_loop) {
  std::mt19937 random(7);
  leat::test::guarded_memory memory(4096);
  for (std::size_t size = 0; size <= 400; ++size) {
    for (const unsigned alphabet : {1u, 2u, 20u, 256u}) {
      const std::string text = random_text(size, alphabet, random);
      for (const char delimiter : {'\0', '\1', '\n'}) {
        const auto all = expected_offsets(text, delimiter);
        ASSERT_EQ(listed_offsets(memory.at_end(text), delimiter), all) << size;
        ASSERT_EQ(listed_offsets(memory.at_begin(text), delimiter), all) << size;
      }
    }
  }
}

TEST_P(search_delimiters, are_found_from_the_end) {
  std::mt19937 random(8);
  leat::test::guarded_memory memory(4096);
  for (std::size_t size = 0; size <= 300; ++size) {
    for (const unsigned alphabet : {1u, 2u, 100u, 256u}) {
      const std::string text = random_text(size, alphabet, random);
      const auto last = std::min(text.rfind('\1'), size);  // npos: size
      for (const std::string_view placed : {memory.at_end(text), memory.at_begin(text)})
        ASSERT_EQ(leat::search::find_last_delimiter(placed.data(), size, '\1'), last) << size;
    }
  }
}

TEST_P(search_delimiters, skip_to_delimiter_ends_less_than_a_block_before_the_delimiter) {
  constexpr std::size_t block = 256;  // the largest block of any implementation
  leat::test::guarded_memory memory(4096);
  for (std::size_t size = 0; size <= 1200; size += size % 256 < 64 ? 1U : 61U) {
    for (std::size_t at = 0; at <= size; at += 1 + at / 3) {
      std::string text(size, 'x');
      if (at != size) text[at] = '\n';
      for (const auto placed : {memory.at_end(text), memory.at_begin(text)}) {
        const auto passed = leat::search::skip_to_delimiter(placed.data(), size, '\n');
        ASSERT_LE(passed, at) << size;
        ASSERT_LT(at - passed, block) << size;
      }
    }
  }
}

TEST_P(search_delimiters, can_be_any_byte) {
  std::string text;
  for (int value = 0; value != 256; ++value) text += static_cast<char>(value);
  for (const char delimiter : text)
    ASSERT_EQ(listed_offsets(text, delimiter), expected_offsets(text, delimiter));
}

TEST_P(search_delimiters, are_found_at_every_alignment) {
  std::string text;
  for (int i = 0; i != 4096 + 64; ++i) text += i % 7 == 0 || i % 11 == 3 ? '\n' : 'x';
  for (std::size_t offset = 0; offset != 64; ++offset) {
    const auto part = std::string_view(text).substr(offset, 4096);
    ASSERT_EQ(listed_offsets(part, '\n'), expected_offsets(part, '\n'));
  }
}

}  // namespace
