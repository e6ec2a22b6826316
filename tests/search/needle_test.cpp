// Searching for a needle: results, reads beyond the text, and the work in bad cases.
#include "search/needle.hpp"

#include "search/every_kernel.hpp"
#include "support/guarded_memory.hpp"
#include "support/sanitizer.hpp"

#include <algorithm>
#include <random>
#include <string>

namespace {

using leat::search::needle;

/// The result of a plain search.
std::size_t expected(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  if (from > text.size()) return needle::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                 wanted.begin(), wanted.end());
  return found == text.end() && !wanted.empty() ? needle::npos
                                                : static_cast<std::size_t>(found - text.begin());
}

class search_needle : public leat::test::every_kernel {
 protected:
  std::mt19937 random{2024};

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  }

  std::string letters(std::size_t size, std::size_t alphabet) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>('a' + below(alphabet));
    return text;
  }
};
LEAT_TEST_EVERY_KERNEL(search_needle);

TEST_P(search_needle, finds_an_empty_needle_everywhere) {
  needle empty("");
  EXPECT_EQ(empty.find(""), 0u);
  EXPECT_EQ(empty.find("ab", 1), 1u);
  EXPECT_EQ(empty.find("ab", 2), 2u);
  EXPECT_EQ(empty.find("ab", 3), needle::npos);
  EXPECT_EQ(needle().find("ab", 1), 1u);
}

TEST_P(search_needle, is_not_found_in_a_shorter_text) {
  for (std::size_t size = 1; size != 70; ++size) {
    const std::string wanted(size, 'x');
    needle n(wanted);
    for (std::size_t length = 0; length != size; ++length)
      EXPECT_EQ(n.find(std::string_view(wanted).substr(0, length)), needle::npos);
    EXPECT_EQ(n.find(wanted), 0u);
    EXPECT_EQ(n.find(wanted, 1), needle::npos);
    EXPECT_EQ(n.find(wanted, size + 1), needle::npos);
  }
}

TEST_P(search_needle, finds_the_same_as_a_plain_search) {
  for (int round = 0; round != leat_test::rounds(20000); ++round) {
    const std::size_t alphabet = 1 + below(5);
    const std::string text = letters(below(300), alphabet);
    const std::string wanted =
        text.size() > 20 && below(2) == 0
            ? text.substr(below(text.size() - 18), 1 + below(18))  // certainly occurs
            : letters(1 + below(round % 10 == 0 ? 60 : 8), alphabet);
    const std::size_t from = below(4) == 0 ? below(text.size() + 2) : 0;
    needle n(wanted);
    ASSERT_EQ(n.find(text, from), expected(text, wanted, from))
        << '"' << wanted << "\" from " << from << " in \"" << text << '"';
  }
}

// One object searches all texts, and keeps what earlier searches have learnt. The texts are long
// enough for every stage of learning.
TEST_P(search_needle, can_search_many_texts_and_finds_all_occurrences_in_each) {
  for (int round = 0; round != leat_test::rounds(60); ++round) {
    const std::size_t alphabet = 1 + below(3);
    const std::string wanted = letters(1 + below(round % 2 == 0 ? 40 : 9), alphabet);
    needle n(wanted);
    for (int texts = 0; texts != 4; ++texts) {
      std::string text = letters(20000 + below(50000), alphabet);
      for (std::size_t planted = below(20); planted != 0; --planted)
        text.replace(below(text.size() - 40), wanted.size(), wanted);
      std::size_t from = 0;
      for (int found = 0; found != 500; ++found) {  // overlapping occurrences, too
        const std::size_t at = n.find(text, from);
        ASSERT_EQ(at, expected(text, wanted, from)) << wanted << " from " << from;
        if (at == needle::npos) break;
        from = at + 1;
      }
    }
  }
}

TEST_P(search_needle, finds_every_byte_value) {
  std::string text(700, '\0');
  for (int value = 0; value != 256; ++value) {
    const char byte = static_cast<char>(value), other = static_cast<char>(value ^ 0x80);
    for (const std::size_t size : {1u, 2u, 3u, 5u, 9u, 20u}) {
      std::fill(text.begin(), text.end(), other);
      std::string wanted(size, byte);
      if (size > 2) wanted[1] = other;
      const std::size_t at = below(text.size() - size);
      text.replace(at, size, wanted);
      EXPECT_EQ(needle(wanted).find(text), at) << value << ' ' << size;
    }
  }
}

TEST_P(search_needle, reads_no_byte_beyond_the_text_and_the_needle) {
  leat::test::guarded_memory memory(4096), needle_memory(4096);
  for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 70u}) {
    for (std::size_t length = 0; length <= 200; ++length) {
      const std::string text = letters(length, 2);
      for (int kind = 0; kind != 3; ++kind) {
        std::string wanted = letters(size, 2);
        if (kind == 0 && length >= size) wanted = text.substr(length - size);
        if (kind == 1) wanted.back() = 'z';
        const std::size_t at = expected(text, wanted);
        needle n(kind == 2 ? needle_memory.at_begin(wanted) : needle_memory.at_end(wanted));
        ASSERT_EQ(n.find(memory.at_end(text)), at) << wanted << " in " << text;
        ASSERT_EQ(n.find(memory.at_begin(text)), at) << wanted << " in " << text;
      }
    }
  }
}

TEST_P(search_needle, finds_at_every_alignment_and_offset) {
  alignas(64) char memory[64 + 300 + 16];
  for (const std::string_view wanted :
       {"#", "#!", "#!?", "#!?+", "#!?+-*%", "#!?+-*%=~", "#!?+-*%=~&|<>^@$/"}) {
    needle n(wanted);
    for (std::size_t alignment = 0; alignment != 64; ++alignment) {
      for (std::size_t at = 0; at <= 280; at += 1 + below(3)) {
        std::fill(std::begin(memory), std::end(memory), '.');
        std::copy(wanted.begin(), wanted.end(), memory + alignment + at);
        const std::string_view text(memory + alignment, at + wanted.size() + below(3));
        ASSERT_EQ(n.find(text), at) << wanted << ' ' << alignment;
        ASSERT_EQ(n.find(text.substr(0, at + wanted.size() - 1)), needle::npos);
      }
    }
  }
}

// Parts (windows) of a longer text. For a needle of n bytes, each part begins with the last n - 1
// bytes of the part before.
TEST_P(search_needle, finds_across_parts_of_a_text) {
  std::string text = letters(300000, 2);
  const std::string wanted = letters(30, 2) + 'c';
  text.replace(250000, wanted.size(), wanted);
  for (const std::size_t window : {64u, 1000u, 4096u, 65536u}) {
    needle n(wanted);
    std::size_t begin = 0, found = needle::npos;
    for (; found == needle::npos && begin < text.size(); begin += window - wanted.size() + 1)
      if (const auto at = n.find(std::string_view(text).substr(begin, window)); at != needle::npos)
        found = begin + at;
    EXPECT_EQ(found, 250000u);
  }
}

/// A needle, and a unit that is repeated as the text. A naive search reads each byte of this text
/// many times.
struct bad_case {
  const char* name;
  std::string wanted, unit;
};

std::string repeat(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) text += unit;
  text.resize(size);
  return text;
}

std::vector<bad_case> bad_cases() {
  std::vector<bad_case> all;
  for (const std::size_t size : {4u, 10u, 16u, 17u, 100u, 2000u}) {
    const std::string run(size - 1, 'a');
    all.push_back({"aaaab in a", run + 'b', "a"});
    all.push_back({"baaaa in a", 'b' + run, "a"});
    all.push_back({"aabaa in a", run.substr(0, size / 2) + 'b' + run.substr(size / 2), "a"});
    all.push_back({"aaaab in aab", run + 'b', repeat("a", size - 2) + 'b'});
    all.push_back({"baaaa in baa", 'b' + run, 'b' + repeat("a", size - 2)});
    all.push_back({"abab...c", repeat("ab", size - 1) + 'c', "ab"});
    all.push_back({"ababbab", repeat("ab", size / 2) + 'b' + repeat("ab", size / 2), "ab"});
    all.push_back({"abc, out of order", repeat("abc", size), repeat("acb", size)});
    // In each repetition all letters match, also at both ends, except two letters that are swapped.
    std::string near = repeat("abcdefgh", std::max<std::size_t>(size, 40)), broken = near;
    std::swap(broken[20], broken[21]);
    all.push_back({"one pair swapped", near, broken});
  }
  return all;
}

TEST_P(search_needle, takes_linear_work_in_the_worst_cases) {
  constexpr int bits = leat_test::emulated || leat_test::sanitized ? 14 : 17;
  constexpr std::size_t n = std::size_t{1} << bits;
  for (const bad_case& bad : bad_cases()) {
    const std::string text = repeat(bad.unit, 4 * n);
    std::size_t work[2];
    for (const int k : {0, 1}) {
      needle search(bad.wanted);
      const auto part = std::string_view(text).substr(0, k == 0 ? n : 4 * n);
      if (search.find(part) != expected(part, bad.wanted)) ADD_FAILURE() << bad.name;
      work[k] = search.work();
    }
    EXPECT_LT(work[1], 4 * 4 * n) << bad.name << ' ' << bad.wanted.size();
    EXPECT_LE(work[1], work[0] * 9 / 2) << bad.name << ' ' << bad.wanted.size();
  }
}

TEST_P(search_needle, takes_linear_work_in_many_calls) {
  constexpr int bits = leat_test::emulated || leat_test::sanitized ? 15 : 17;
  constexpr std::size_t n = std::size_t{1} << bits, window = 4096;
  for (const bad_case& bad : bad_cases()) {
    const std::string text = repeat(bad.unit, n);
    needle search(bad.wanted);
    std::size_t bytes = 0;  // overlaps count twice: they are searched twice
    for (std::size_t begin = 0; begin + bad.wanted.size() <= n;
         begin += window - bad.wanted.size() + 1) {
      const auto part = std::string_view(text).substr(begin, window);
      bytes += part.size();
      ASSERT_EQ(search.find(part) == needle::npos, expected(part, bad.wanted) == needle::npos);
    }
    EXPECT_LT(search.work(), 4 * bytes + 16 * bad.wanted.size() + 32768)
        << bad.name << ' ' << bad.wanted.size();
  }
}

TEST_P(search_needle, takes_linear_work_again_after_a_text_full_of_partial_matches) {
  const std::string wanted = "aaaaaaaabaaaaaaac";
  needle n(wanted);
  EXPECT_EQ(n.find(repeat("aaaaaaaabaaaaaaa", 1 << 20)), needle::npos);
  const std::size_t before = n.work();
  // A text without candidates costs one unit of work per byte. The rest of the linear search that
  // began in the previous text costs work, too.
  EXPECT_EQ(n.find(repeat("xyz", 1 << 20)), needle::npos);
  EXPECT_LT(n.work() - before, (1 << 20) + (1 << 16));
}

}  // namespace
