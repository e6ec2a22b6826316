#include "search/delimiters.hpp"

#include "search/every_kernel.hpp"
#include "search/guarded_memory.hpp"

#include <random>
#include <string>
#include <vector>

namespace {

std::vector<std::uint64_t> expected(std::string_view text, char delimiter) {
  std::vector<std::uint64_t> masks((text.size() + 63) / 64);
  for (std::size_t i = 0; i != text.size(); ++i)
    masks[i / 64] |= std::uint64_t{text[i] == delimiter} << i % 64;
  return masks;
}

/// With a word in front and one behind that must stay as they are.
std::vector<std::uint64_t> marked(std::string_view text, char delimiter) {
  constexpr std::uint64_t untouched = 0x123456789abcdef0;
  std::vector<std::uint64_t> masks((text.size() + 63) / 64 + 2, untouched);
  leat::search::mark_delimiters(text.data(), text.size(), delimiter, masks.data() + 1);
  EXPECT_EQ(masks.front(), untouched);
  EXPECT_EQ(masks.back(), untouched);
  return {masks.begin() + 1, masks.end() - 1};
}

class search_delimiters : public leat::test::every_kernel {};
LEAT_TEST_EVERY_KERNEL(search_delimiters);

TEST_P(search_delimiters, are_what_a_plain_loop_marks) {
  std::mt19937 random(7);
  leat::test::guarded_memory memory(4096);
  for (std::size_t size = 0; size <= 400; ++size) {
    for (const unsigned alphabet : {1u, 2u, 20u, 256u}) {
      std::string text(size, '\0');
      for (char& c : text) c = static_cast<char>(random() % alphabet);
      for (const char delimiter : {'\0', '\1', '\n'}) {
        const auto masks = expected(text, delimiter);
        ASSERT_EQ(marked(memory.at_end(text), delimiter), masks) << size;
        ASSERT_EQ(marked(memory.at_begin(text), delimiter), masks) << size;
      }
    }
  }
}

TEST_P(search_delimiters, know_every_byte_value) {
  std::string text;
  for (int value = 0; value != 256; ++value) text += static_cast<char>(value);
  for (const char delimiter : text) ASSERT_EQ(marked(text, delimiter), expected(text, delimiter));
}

TEST_P(search_delimiters, are_marked_at_every_alignment) {
  std::string text;
  for (int i = 0; i != 4096 + 64; ++i) text += i % 7 == 0 || i % 11 == 3 ? '\n' : 'x';
  for (std::size_t from = 0; from != 64; ++from) {
    const auto part = std::string_view(text).substr(from, 4096);
    ASSERT_EQ(marked(part, '\n'), expected(part, '\n'));
  }
}

}  // namespace
