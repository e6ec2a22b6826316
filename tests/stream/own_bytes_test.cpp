// Calls with bytes that are in the stream's own memory.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <span>
#include <string>
#include <string_view>

#include "support/files.hpp"

namespace {

using namespace leat_test;

std::string letters(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i != size; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

TEST(own_bytes, a_string_writer_can_write_a_part_of_its_own_text) {
  for (const std::size_t size : {1u, 30u, 64u, 255u, 256u, 300u, 5'000u, 70'000u}) {
    leat::string_writer out;
    std::string expected = letters(size);
    out.write(expected);
    for (int i = 0; i != 3; ++i) {
      out.write(out.view());
      expected.append(std::string(expected));
      ASSERT_EQ(out.view(), expected) << size;
    }
    out.println("<{}>", out.view());
    expected += '<' + expected + ">\n";
    ASSERT_EQ(out.view(), expected) << size;
    out.print(leat::runtime("[{1:>8}{0}]"), out.view().substr(size / 2), out.view());
    expected += '[' + (expected.size() < 8 ? std::string(8 - expected.size(), ' ') : "") +
                expected + expected.substr(size / 2) + ']';
    ASSERT_EQ(out.view(), expected) << size;
    // Bytes of the text are written over other bytes of the same text.
    out.seek(size / 3 + 1);
    const std::string part(out.view().substr(0, size));
    out.write(out.view().substr(0, size));
    expected.replace(size / 3 + 1, size, part);
    ASSERT_EQ(out.view(), expected) << size;
    out.patch(1, out.view().substr(0, size));
    expected.replace(1, size, std::string(expected.substr(0, size)));
    EXPECT_EQ(out.view(), expected) << size;
  }
}

TEST(own_bytes, a_memory_writer_can_write_a_part_of_its_own_text) {
  char memory[1000];
  leat::memory_writer out(memory);
  std::string expected = letters(100);
  out.write(expected);
  out.write(out.view());
  expected += std::string(expected);
  out.patch(3, out.view().substr(0, 100));
  expected.replace(3, 100, std::string(expected.substr(0, 100)));
  out.seek(10);
  out.write(out.view().substr(0, 150));
  expected.replace(10, 150, std::string(expected.substr(0, 150)));
  EXPECT_EQ(out.view(), expected);
}

TEST(own_bytes, a_file_stream_can_write_bytes_that_it_has_peeked) {
  const temporary_folder folder;
  for (const std::size_t size : {10u, 100u, 4'000u, 300'000u}) {
    std::string expected = letters(size);
    write_file(folder / "f", expected);
    auto both = leat::update(folder / "f");
    const std::size_t n = size / 2;
    const std::string_view seen = both.peek(n);
    ASSERT_EQ(seen, expected.substr(0, n));
    both.skip(3);
    both.write(seen);
    expected.replace(3, n, std::string(expected.substr(0, n)));
    both.seek(0);
    const std::string_view again = both.peek(n);
    both.skip(n + 3);
    both.patch(2, again);
    expected.replace(2, n, std::string(expected.substr(0, n)));
    both.close();
    EXPECT_EQ(read_all(folder / "f"), expected) << size;
  }
}

TEST(own_bytes, can_be_printed_over_themselves) {
  const temporary_folder folder;
  for (const std::size_t size : {10u, 100u, 4'000u, 20'000u, 300'000u}) {
    for (const bool compiled : {true, false}) {
      std::string expected = letters(size);
      const std::size_t n = size / 2;
      std::string text = "AB" + expected.substr(0, n) + '|' + expected.substr(0, n);
      const auto print = [&](leat::writer& to, std::string_view part) {
        if (compiled)
          to.print("AB{}|{}", part, part);
        else
          to.print(leat::runtime("AB{}|{}"), part, part);
      };
      write_file(folder / "f", expected);
      auto both = leat::update(folder / "f");
      print(both, both.peek(n));
      both.close();
      std::string memory(4 * size, '\0');
      leat::memory_writer out(std::span(memory.data(), memory.size()));
      out.write(expected);
      out.seek(0);
      print(out, out.view().substr(0, n));
      expected.replace(0, text.size(), text);
      EXPECT_TRUE(read_all(folder / "f") == expected) << size << compiled;
      EXPECT_TRUE(out.view() == expected) << size << compiled;
      // The printed bytes, all of view(), begin before the cursor and end after the cursor.
      out.seek(size / 2);
      text = "AB" + expected + '|' + expected;
      print(out, out.view());
      expected.replace(size / 2, text.size(), text);
      EXPECT_TRUE(out.view() == expected) << size << compiled;
    }
  }
}

}  // namespace
