// Lines of a reader: delimiters, length limits, line numbers, failed reads, and calls between two
// lines.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using strings = std::vector<std::string>;

strings lines_of(leat::reader& in, const leat::line_options& options = {}) {
  strings result;
  for (std::string_view line : in.lines(options)) result.emplace_back(line);
  return result;
}
strings lines_one_by_one(leat::reader& in, const leat::line_options& options = {}) {
  strings result;
  for (std::string line; in.read_line(line, options);) result.push_back(line);
  return result;
}

struct lines_case {
  std::string text;
  leat::line_options options;
  strings lines;
};

class lines_of_text : public testing::TestWithParam<lines_case> {};

TEST_P(lines_of_text, are_the_same_for_every_reader) {
  const auto& [text, options, expected] = GetParam();
  for (const reader_kind kind : reader_kinds) {
    for (const std::size_t buffer : buffer_sizes) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      test_reader all(kind, text, buffer), single(kind, text, buffer);
      EXPECT_EQ(lines_of(all.get(), options), expected);
      EXPECT_EQ(all.get().tell(), text.size());
      EXPECT_EQ(all.get().get(), leat::reader::end_of_file);
      EXPECT_EQ(lines_one_by_one(single.get(), options), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, lines_of_text,
    testing::Values(
        lines_case{"", {}, {}}, lines_case{"\n", {}, {""}}, lines_case{"\n\n", {}, {"", ""}},
        lines_case{"a", {}, {"a"}}, lines_case{"a\n", {}, {"a"}},
        lines_case{"a\n\nb", {}, {"a", "", "b"}},
        lines_case{"a\r\nb\n\r\n", {}, {"a\r", "b", "\r"}},
        lines_case{"a\r\nb\n\r\n", {.crlf = true}, {"a", "b", ""}},
        lines_case{"a\r\r\n\rb\n", {.crlf = true}, {"a\r", "\rb"}},
        lines_case{std::string("a\0b\nc\0\0d", 8), {.delimiter = '\0'}, {"a", "b\nc", "", "d"}},
        lines_case{"a\xff\xff", {.delimiter = '\xff'}, {"a", ""}},
        lines_case{"abc\nde\nabc", {.longest = 3}, {"abc", "de", "abc"}},
        lines_case{"\n\n", {.longest = 0}, {"", ""}},
        lines_case{"abc\r\nabc\n", {.crlf = true, .longest = 3}, {"abc", "abc"}}));

TEST(lines, of_every_length_are_delivered_whole) {
  std::string text;
  strings expected;
  for (std::size_t length = 0; length != 300; ++length) {
    expected.push_back(std::string(length, static_cast<char>('a' + length % 26)));
    text.append(expected.back()).append("\n");
  }
  // Lengths around one step of the search for delimiters (512 bytes), around the sizes of buffers,
  // and short lines between long lines.
  for (const std::size_t length : {511u, 512u, 513u, 8191u, 8192u, 8193u, 16383u, 16384u, 16385u,
                                   65535u, 65536u, 65537u, 262144u, 1u, 0u, 300000u}) {
    expected.push_back(std::string(length, 'x'));
    text.append(expected.back()).append("\n");
  }
  for (const reader_kind kind : reader_kinds) {
    test_reader r(kind, text);
    ASSERT_TRUE(lines_of(r.get()) == expected) << kind;
  }
}

TEST(lines, long_and_short_ones_in_alternation_are_delivered_whole) {
  // The search for delimiters passes long lines in blocks of up to 256 bytes, and marks the
  // delimiters of short lines in steps of 512 bytes, up to 16 KiB ahead.
  constexpr std::size_t lengths[] = {0,    1,    255,  256,  257,  511,  512,   513,   767,
                                     1023, 1024, 1025, 1279, 1280, 5000, 15000, 16384, 20000};
  std::string text;
  strings expected;
  for (const std::size_t first : lengths) {
    for (const std::size_t second : lengths) {
      for (const std::size_t length : {first, second}) {
        expected.push_back(std::string(length, static_cast<char>('a' + expected.size() % 26)));
        text.append(expected.back()).append("\n");
      }
    }
  }
  for (const reader_kind kind : reader_kinds) {
    test_reader r(kind, text);
    ASSERT_TRUE(lines_of(r.get()) == expected) << kind;
  }
}

TEST(lines, of_several_mib_are_delivered_whole) {
  // Lengths around 256 KiB (a long line is read in pieces of this size), and around 1 MiB (the
  // memory of a larger buffer is a mapping). Lengths grow, shrink and grow again.
  constexpr std::size_t kib = 1024, mib = 1024 * kib;
  std::string text;
  strings expected;
  std::string pool = numbered_text(6 * mib);
  std::ranges::replace(pool, '\n', ' ');
  for (const std::size_t length :
       {std::size_t{10}, 256 * kib - 1, 256 * kib, 512 * kib + 1, std::size_t{0}, mib - 4096, mib,
        mib + 1, std::size_t{5000}, 2 * mib - 5000, 5 * mib, 300 * kib, 3 * mib, std::size_t{7}}) {
    expected.push_back(pool.substr(expected.size() * 1001, length));
    text.append(expected.back()).append("\n");
  }
  for (const reader_kind kind : {reader_kind::file, reader_kind::memory_device, reader_kind::pipe,
                                 reader_kind::random_reads, reader_kind::lent}) {
    for (const std::size_t buffer : {0u, 1000u, 1u << 20}) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      test_reader all(kind, text, buffer), single(kind, text, buffer);
      ASSERT_TRUE(lines_of(all.get()) == expected);
      ASSERT_TRUE(lines_one_by_one(single.get()) == expected);
    }
  }
}

TEST(lines, of_3_mib_are_delivered_whole_with_a_buffer_of_one_byte) {
  const std::string text = std::string(3 << 20, 'x') + "\nend";
  auto script = new_script();
  script->content = text;
  leat::file_reader in(device_of(script), {.buffer_size = 1});
  const strings lines = lines_of(in);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), 3u << 20);
  EXPECT_EQ(lines[1], "end");
  EXPECT_LT(script->reads.size(), 100u) << "the size of the buffer doubles";
  in.seek(0);
  script->reads.clear();
  std::string line;
  ASSERT_TRUE(in.read_line(line));
  EXPECT_EQ(line, lines[0]);
  EXPECT_LT(script->reads.size(), 100u);
}

TEST(lines, longer_than_allowed_are_errors_and_stay_unread) {
  for (const reader_kind kind : reader_kinds) {
    for (const std::size_t buffer : buffer_sizes) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      const leat::line_options options{.longest = 3};
      test_reader r(kind, "abc\nabcd\nabc\nabcde", buffer);
      leat::reader& in = r.get();
      std::error_code ec;
      strings got;
      for (std::string_view line : in.lines(options, ec)) got.emplace_back(line);
      EXPECT_EQ(ec, leat::errc::line_too_long);
      EXPECT_EQ(got, strings{"abc"});
      EXPECT_EQ(in.tell(), 4u);
      std::string line = "old";
      EXPECT_FALSE(in.read_line(line, options, ec));
      EXPECT_EQ(ec, leat::errc::line_too_long);
      EXPECT_EQ(line, "");
      EXPECT_EQ(in.tell(), 4u);
      in.skip(5);
      try {
        for (std::string_view each : in.lines(options)) EXPECT_EQ(each, "abc");
        ADD_FAILURE();
      } catch (const leat::io_error& error) {
        EXPECT_EQ(error.code(), leat::errc::line_too_long);
        EXPECT_EQ(error.offset(), 13u);
        EXPECT_TRUE(std::string(error.what())
                        .ends_with("': The line or row is too long (line 2, at byte 13)"))
            << error.what();
      }
      EXPECT_EQ(in.peek(9), "abcde");
    }
  }
}

TEST(lines, line_number_counts_the_lines_from_one) {
  const std::string text = "a\n\n" + std::string(3000, '\n') + "last";
  for (const reader_kind kind : reader_kinds) {
    test_reader r(kind, text, 16);
    auto lines = r.get().lines();
    EXPECT_EQ(lines.line_number(), 0u);
    std::uint64_t number = 0;
    for (std::string_view line : lines) {
      EXPECT_EQ(lines.line_number(), ++number);
      EXPECT_EQ(line, number == 1 ? "a" : number == 3003 ? "last" : "");
    }
    EXPECT_EQ(number, 3003u);
    auto moved = std::move(lines);
    EXPECT_EQ(moved.line_number(), 3003u);
  }
}

TEST(lines, a_range_of_a_closed_reader_can_be_assigned_to) {
  const std::string text(3000, '\n');
  leat::memory_reader in(text);
  leat::file_reader closed;
  std::error_code ec;
  auto lines = in.lines();
  EXPECT_EQ(*lines.begin(), "");
  lines = closed.lines(ec);
  EXPECT_EQ(lines.begin(), lines.end());
  EXPECT_EQ(ec, leat::errc::closed);
  auto rows = in.rows();
  EXPECT_EQ((*rows.begin()).text(), "");
  rows = closed.rows(ec);
  EXPECT_EQ(rows.begin(), rows.end());
  EXPECT_EQ(ec, leat::errc::closed);
}

TEST(lines, a_successful_read_clears_an_earlier_error_code) {
  leat::memory_reader in("one\ntwo");
  auto ec = std::make_error_code(std::errc::io_error);
  strings got;
  for (std::string_view line : in.lines(ec)) got.emplace_back(line);
  EXPECT_EQ(got, (strings{"one", "two"}));
  EXPECT_FALSE(ec);
  ec = std::make_error_code(std::errc::io_error);
  std::string line;
  EXPECT_FALSE(in.read_line(line, ec));
  EXPECT_FALSE(ec) << "the end is no error";
}

TEST(lines, cut_off_by_a_failed_read_leave_the_string_of_read_line_empty) {
  auto script = new_script();
  script->content = std::string(1 << 20, 'x') + "\r\nend";
  script->read_limit = 700'000;
  leat::file_reader in(device_of(script));
  std::string line;
  line.reserve(2 << 20);
  EXPECT_THROW(in.read_line(line), leat::io_error);
  EXPECT_EQ(line, "");
  EXPECT_EQ(in.tell(), 0u);
  EXPECT_THROW(in.read_line(line, {.longest = 1000}), leat::io_error);
  EXPECT_EQ(line, "");
  script->read_limit = script->content.size() + 1;
  EXPECT_TRUE(in.read_line(line, {.crlf = true}));
  EXPECT_TRUE(line == std::string(1 << 20, 'x'));
  EXPECT_TRUE(in.read_line(line));
  EXPECT_EQ(line, "end");
}

TEST(lines, without_an_end_are_refused_before_the_rest_is_read) {
  auto script = new_script();
  script->content = std::string(1 << 20, 'x');
  leat::file_reader in(device_of(script), {.buffer_size = 16});
  std::error_code ec;
  for ([[maybe_unused]] auto line : in.lines({.longest = 20}, ec)) ADD_FAILURE();
  EXPECT_EQ(ec, leat::errc::line_too_long);
  EXPECT_LT(script->reads.back().at, 100u);
}

#if defined(HAS_FORK) && defined(HAS_LIMITS) && defined(HAS_SYSTEM_FILES)
TEST(lines, memory_for_long_lines_is_freed_with_the_stream) {
  if (sanitized) GTEST_SKIP() << "sanitizers need more address space";
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  const auto child = run_in_child([] {
    limit_resource(RLIMIT_AS, rlim_t{512} << 20);
    const std::string text(5 << 20, 'x');
    for (int i = 0; i != 200; ++i) {
      leat::file_reader in(std::make_unique<leat::memory_device>(text));
      for (const std::string_view line : in.lines()) require(line.size() == text.size());
      if (i % 2 == 0) in.close();  // otherwise the destructor frees the memory
    }
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(lines, that_do_not_fit_into_memory_end_with_an_error) {
  if (sanitized) GTEST_SKIP() << "sanitizers need more address space";
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  const auto child = run_in_child([] {
    limit_resource(RLIMIT_AS, rlim_t{512} << 20);
    auto zeros = leat::open("/dev/zero");
    std::error_code ec;
    for ([[maybe_unused]] auto line : zeros.lines(ec)) require(false);
    require(ec == std::errc::not_enough_memory);
    std::string line;
    require(!zeros.read_line(line, ec));
    require(ec == std::errc::not_enough_memory);
    require(zeros.tell() == 0);
    require(zeros.get() == 0);
    try {
      zeros.lines().begin();
      require(false);
    } catch (const leat::io_error& error) {
      require(error.code() == std::errc::not_enough_memory);
      require(error.offset() > 1000000);
    }
    zeros.close();
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

TEST(lines, two_ranges_of_one_reader_can_be_read_alternately) {
  std::string text;
  for (int i = 0; i != 5000; ++i) text.append(std::to_string(i)).append("\n");
  for (const std::size_t buffer : buffer_sizes) {
    test_reader r(reader_kind::memory_device, text, buffer);
    auto a = r.get().lines(), b = r.get().lines();
    for (int i = 0; i != 5000; i += 2) {
      ASSERT_EQ(*a.begin(), std::to_string(i));
      ASSERT_EQ(*b.begin(), std::to_string(i + 1));
    }
    EXPECT_TRUE(a.begin() == a.end());
  }
}

TEST(lines, are_searched_again_if_a_new_buffer_has_the_address_of_the_old_one) {
  // When the reader seeks back, the device has fewer bytes: of the old delimiters, only the first
  // is before the end of the new content.
  auto script = new_script();
  for (int i = 0; i != 500; ++i) script->content += "line\n";
  leat::file_reader in(device_of(script));
  auto range = in.lines();
  auto i = range.begin();
  EXPECT_EQ(*i, "line");
  in.seek(1 << 20);
  EXPECT_EQ(in.get(), leat::reader::end_of_file);
  script->content = "other\nend";
  in.seek(0);
  EXPECT_EQ(in.peek(1), "o");
  in.seek(5);
  ++i;
  EXPECT_EQ(*i, "");
  ++i;
  EXPECT_EQ(*i, "end");
  ++i;
  EXPECT_TRUE(i == range.end());
}

TEST(lines, a_range_continues_with_the_stream_that_is_assigned_to_its_reader) {
  leat::memory_reader in(std::string_view("one\ntwo\nthree\n"));
  auto range = in.lines();
  auto i = range.begin();
  EXPECT_EQ(*i, "one");
  in = leat::memory_reader(std::string_view("uno\ndos\n"));
  ++i;
  EXPECT_EQ(*i, "uno");
  leat::memory_reader other = std::move(in);
  ++i;
  EXPECT_THROW(static_cast<void>(*i), leat::io_error);
  in = std::move(other);
  ++i;
  EXPECT_EQ(*i, "dos");
}

TEST(lines, are_read_on_after_the_file_has_grown) {
  auto script = new_script();
  script->content = "one\ntw";
  leat::file_reader in(device_of(script));
  EXPECT_EQ(lines_of(in), (strings{"one", "tw"}));
  script->content += "o\nthree\n";
  EXPECT_EQ(lines_of(in), (strings{"o", "three"}));
}

TEST(lines, end_without_a_further_read_after_a_last_line_without_a_delimiter) {
  const auto log = std::make_shared<request_log>();
  log->content = "one\ntwo\nthree";
  leat::file_reader in(std::make_unique<counted_device>(log));
  auto lines = in.lines();
  std::size_t reads = 0;
  strings found;
  for (std::string_view line : lines) {
    found.emplace_back(line);
    reads = log->reads;
  }
  EXPECT_EQ(found, (strings{"one", "two", "three"}));
  EXPECT_TRUE(lines.unfinished());
  EXPECT_EQ(log->reads, reads);
}

TEST(lines, a_loop_that_begins_after_an_unfinished_line_reads_new_bytes) {
  auto script = new_script();
  script->content = "one\ntw";
  leat::file_reader in(device_of(script));
  auto lines = in.lines();
  for (std::string_view line : lines)
    if (line == "tw") break;
  script->content += "o\n";
  strings found;
  for (std::string_view line : lines) found.emplace_back(line);
  EXPECT_EQ(found, strings{"o"});
}

TEST(lines, before_a_failed_read_are_delivered_and_the_incomplete_line_stays_unread) {
  for (const std::size_t buffer : buffer_sizes) {
    for (std::uint64_t limit = 0; limit != 13; ++limit) {
      SCOPED_TRACE(testing::Message() << "buffer " << buffer << ", limit " << limit);
      auto script = new_script();
      script->content = "one\ntwo\nthree";
      script->read_limit = limit;
      leat::file_reader in(device_of(script), {.buffer_size = buffer}, "the device");
      strings got;
      try {
        for (std::string_view line : in.lines()) got.emplace_back(line);
        ADD_FAILURE();
      } catch (const leat::io_error& error) {
        std::string expected = "cannot read 'the device': ";
        expected.append(message_of(std::errc::io_error)).append(" (at byte ");
        expected.append(std::to_string(limit)).append(")");
        EXPECT_EQ(error.what(), expected);
      }
      const std::size_t whole = limit < 4 ? 0 : limit < 8 ? 1 : 2;
      EXPECT_EQ(got.size(), whole);
      EXPECT_EQ(in.tell(), whole * 4);
      std::error_code ec;
      std::string line = "old";
      EXPECT_FALSE(in.read_line(line, ec));
      EXPECT_EQ(ec, std::errc::io_error);
      EXPECT_EQ(line, "");
      script->read_limit = 100;
      for (std::string_view each : in.lines(ec)) got.emplace_back(each);
      EXPECT_FALSE(ec);
      EXPECT_EQ(got, (strings{"one", "two", "three"})) << "the next read delivers the rest";
      in.close();
    }
  }
}

}  // namespace
