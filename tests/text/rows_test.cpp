// Rows: fields, quotes, ends of lines and wrong quotes. Random texts are compared with a plain
// parser. Also: leat::count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include "search/every_kernel.hpp"
#include "support/guarded_memory.hpp"
#include "support/handles.hpp"
#include "support/platform.hpp"
#include "support/readers.hpp"
#include "support/reference_rows.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using strings = std::vector<std::string>;

static_assert(std::ranges::input_range<leat::row_range>);
static_assert(std::ranges::forward_range<leat::row>);

table read(leat::reader& in, const leat::row_options& options) {
  table result;
  try {
    for (const leat::row& row : in.rows(options)) {
      strings fields;
      for (std::string_view field : row) fields.emplace_back(field);
      EXPECT_EQ(fields.size(), row.size());
      EXPECT_EQ(row[row.size()].data(), nullptr);
      result.rows.push_back(std::move(fields));
    }
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), leat::errc::bad_quotes);
    result.error_position = error.offset();
  }
  return result;
}

void expect_rows(const std::string& text, const leat::row_options& options,
                 const std::vector<strings>& rows) {
  for (const reader_kind kind : reader_kinds) {
    for (const std::size_t buffer : buffer_sizes) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      test_reader in(kind, text, buffer);
      EXPECT_EQ(read(in.get(), options), (table{rows, {}}));
      EXPECT_EQ(in.get().tell(), text.size());
    }
  }
}

TEST(rows, refuse_a_delimiter_that_has_another_meaning) {
  const leat::row_options wrong[] = {{.delimiter = '\r'},
                                     {.delimiter = '\r', .quotes = true},
                                     {.delimiter = '\n'},
                                     {.delimiter = '\n', .lf_only = true},
                                     {.delimiter = '"', .quotes = true}};
  for (const auto& options : wrong) {
    leat::memory_reader in("a\r\nb\"c\n");
    std::error_code ec;
    for (const leat::row& row : in.rows(options, ec)) FAIL() << row.size();
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_THROW(in.rows(options).begin(), leat::io_error);
  }
  expect_rows("a\rb\r\n", {.delimiter = '\r', .lf_only = true}, {{"a", "b", ""}});
  expect_rows("a\"b\n", {.delimiter = '"'}, {{"a", "b"}});
}

TEST(rows, skip_a_byte_order_mark_again_after_a_seek) {
  leat::memory_reader in(
      "\xEF\xBB\xBF"
      "a,b\nc\n");
  auto rows = in.rows();
  for (int i = 0; i != 2; ++i) {
    EXPECT_EQ((*rows.begin())[0], "a");
    in.seek(0);
  }
  auto from_second = in.rows();
  in.seek(7);
  EXPECT_EQ((*from_second.begin())[0], "c");
  in.seek(0);
  EXPECT_EQ((*from_second.begin())[0], "a");
}

TEST(rows, skip_a_byte_order_mark) {
  expect_rows("\xEF\xBB\xBF\"a\",b\n", {.quotes = true}, {{"a", "b"}});
  expect_rows("\xEF\xBB\xBF", {}, {});
  expect_rows("\xEF\xBB", {}, {{"\xEF\xBB"}});
}

#if defined(HAS_SYSTEM_FILES)
TEST(rows, are_read_on_after_the_file_has_grown) {
  const std::vector<strings> before[] = {{}, {{"a", "b"}}, {{"a", "b"}, {"c", "d"}}};
  const char* const first[] = {"", "a,b\n", "a,b\r\n\"c\",\"d\"\r\n"};
  for (std::size_t i = 0; i != std::size(first); ++i) {
    auto script = new_script();
    script->content = first[i];
    leat::file_reader in(device_of(script));
    auto range = in.rows({.quotes = true});
    std::vector<strings> got;
    const auto take_all = [&] {
      for (auto row = range.begin(); row != range.end(); ++row)
        got.emplace_back(row->begin(), row->end());
    };
    take_all();
    take_all();
    // The file ends after "h", so "h" ends a row. The newline that follows later is an empty row.
    for (const char* const more : {"e,\"f\n\"\ng,h", "\ni,\"j\"\n"}) {
      script->content += more;
      take_all();
    }
    std::vector<strings> expected = before[i];
    for (strings row : {strings{"e", "f\n"}, {"g", "h"}, {""}, {"i", "j"}})
      expected.push_back(std::move(row));
    EXPECT_EQ(got, expected) << first[i];
    EXPECT_EQ(range.row_number(), expected.size());
  }
}

TEST(rows, of_one_byte_do_not_wait_for_a_byte_order_mark) {
  pipe_pair pipe;
  ASSERT_EQ(::write(pipe.writer(), "a\n", 2), 2);
  auto in = leat::open("/dev/fd/" + std::to_string(pipe.reader()));
  for (const leat::row& row : in.rows()) {
    EXPECT_EQ(row[0], "a");
    break;
  }
  ASSERT_EQ(::write(pipe.writer(), "\xEF\n", 2), 2);
  for (const leat::row& row : in.rows()) {
    EXPECT_EQ(row[0], "\xEF");
    break;
  }
}
#endif

TEST(rows, report_the_position_of_a_wrong_quote) {
  const auto error_position = [](std::string_view text,
                                 const leat::row_options& options = {.quotes = true}) {
    leat::memory_reader in(text);
    std::error_code ec;
    std::size_t rows = 0;
    for (const leat::row& row : in.rows(options, ec)) rows += row.size() != 0;
    EXPECT_EQ(ec, leat::errc::bad_quotes);
    EXPECT_EQ(ec, std::errc::bad_message);
    EXPECT_EQ(rows, 1u);
    EXPECT_EQ(in.tell(), 4u);  // at the beginning of the row
    EXPECT_THAT(leat::last_error().what(), testing::HasSubstr(" (row 2, at byte "));
    leat::memory_reader again(text);
    return read(again, options).error_position;
  };
  EXPECT_EQ(error_position("a,b\nc,d\"e\n"), 7u);
  EXPECT_EQ(error_position("a,b\n\"c\"d,e\n"), 7u);
  EXPECT_EQ(error_position("a,b\nc,\"d\n\n"), 6u);
  EXPECT_EQ(error_position("a,b\n\"c\" \n"), 7u);
  EXPECT_EQ(error_position("a,b\n\"c\"\rd\n"), 8u);
  EXPECT_EQ(error_position("a,b\n\"c\"\r\n", {.quotes = true, .lf_only = true}), 7u);
}

TEST(rows, row_number_counts_the_rows_from_one) {
  const std::string text = "id\n\"two\nlines\"\n" + std::string(3000, '\n') + "last";
  leat::memory_reader in(text);
  auto rows = in.rows({.quotes = true, .longest = 20});
  EXPECT_EQ(rows.row_number(), 0u);
  std::uint64_t number = 0;
  for (const leat::row& row : rows) {
    EXPECT_EQ(rows.row_number(), ++number);
    EXPECT_EQ(row[0], number == 1     ? "id"
                      : number == 2   ? "two\nlines"
                      : number < 3003 ? ""
                                      : "last");
  }
  EXPECT_EQ(number, 3003u);
}

TEST(rows, text_is_the_whole_row_and_the_reader_is_after_the_row) {
  leat::memory_reader in("a,\"b\"\"\"\r\nc,d\nrest\n");
  for (const leat::row& row : in.rows({.quotes = true})) {
    EXPECT_EQ(row.text(), in.tell() == 9 ? "a,\"b\"\"\"" : "c,d");
    if (in.tell() == 9) continue;
    std::string line;
    EXPECT_TRUE(in.read_line(line));  // other calls may read between two rows
    EXPECT_EQ(line, "rest");
  }
  EXPECT_EQ(in.tell(), 18u);
}

TEST(rows, of_a_temporary_stream_own_the_stream) {
  std::string all;
  for (const leat::row& row : leat::memory_reader("a,b\nc,d\n").rows()) all += row[1];
  EXPECT_EQ(all, "bd");
}

TEST(rows, may_have_100_000_fields_and_fields_of_300_kb) {
  std::string text;
  for (int i = 0; i != 100'000; ++i) text += std::to_string(i) + ',';
  text += '\n' + std::string(300'000, 'x') + ",\"" + std::string(300'000, ',') + "\"\nlast";
  for (const std::size_t buffer : {std::size_t{64}, std::size_t{4096}}) {
    test_reader in(reader_kind::file, text, buffer);
    EXPECT_EQ(read(in.get(), {.quotes = true}), reference_rows(text, {.quotes = true}));
  }
}

class rows_of_kernels : public leat::test::every_kernel {};
LEAT_TEST_EVERY_KERNEL(rows_of_kernels);

TEST_P(rows_of_kernels, are_the_same_as_those_of_a_plain_parser) {
  std::mt19937 random(7);
  leat::test::guarded_memory memory(8192);
  for (int i = 0; i != rounds(20'000); ++i) {
    // One text in four has many wrong quotes; the other texts have few wrong quotes.
    std::string text;
    const std::size_t size = random() % 300;
    const bool wild = random() % 4 == 0;
    while (text.size() < size) {
      if (wild) {
        text += "\",\n\ra"[random() % 5];
      } else {
        const auto letters = [&] { return std::string(random() % 12, 'a'); };
        constexpr const char* inner[] = {"\"\"", ",", "\n", "\r\n", "\"\"\"\"", "x"};
        constexpr const char* ends[] = {",", ",", ",", "\n", "\r\n"};
        std::string field = letters();
        if (random() % 2 == 0) field = '"' + field + inner[random() % 6] + letters() + '"';
        text += field + ends[random() % 5];
      }
    }
    const leat::row_options options{.quotes = random() % 4 != 0, .lf_only = random() % 4 == 0};
    const table all = reference_rows(text, options);
    leat::memory_reader at_end(memory.at_end(text));
    ASSERT_EQ(read(at_end, options), all) << testing::PrintToString(text);
    const std::size_t offset = random() % 64;
    const std::string shifted = std::string(offset, '!') + text;
    leat::memory_reader inside(shifted);
    inside.skip(offset);
    table shifted_rows = all;
    if (shifted_rows.error_position) *shifted_rows.error_position += offset;
    ASSERT_EQ(read(inside, options), shifted_rows) << testing::PrintToString(text);
    if (i % 20 != 0) continue;
    test_reader small(reader_kind::file, text, 64);
    ASSERT_EQ(read(small.get(), options), all) << testing::PrintToString(text);
  }
}

class count_of_kernels : public leat::test::every_kernel {};
LEAT_TEST_EVERY_KERNEL(count_of_kernels);

TEST_P(count_of_kernels, is_the_same_as_std_count) {
  std::mt19937 random(8);
  leat::test::guarded_memory memory(40'000);
  for (int i = 0; i != 2'000; ++i) {
    std::string text(random() % (i % 100 == 0 ? 40'000 : 400), '\0');
    const unsigned alphabet = 1 + random() % 4;
    for (char& c : text) c = static_cast<char>(random() % alphabet);
    const auto wanted = static_cast<std::size_t>(std::ranges::count(text, '\0'));
    ASSERT_EQ(leat::count(memory.at_end(text), '\0'), wanted);
    ASSERT_EQ(leat::count(memory.at_begin(text), '\0'), wanted);
  }
}

}  // namespace
