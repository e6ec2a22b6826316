// Numbers parsed from a stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>

#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

template <class T>
class parse_integer : public testing::Test {};
using integers = testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned,
                                long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(parse_integer, integers);

TYPED_TEST(parse_integer, accepts_the_limits_and_nothing_beyond) {
  using limits = std::numeric_limits<TypeParam>;
  const std::string least = std::to_string(limits::min()), most = std::to_string(limits::max());
  // `above` and `below` are one beyond the limits. An increment of the last digit is enough,
  // because no limit ends with a 9. For unsigned types, `below` is -1.
  std::string above = most, below = std::is_signed_v<TypeParam> ? least : "-1";
  ++above.back();
  if (std::is_signed_v<TypeParam>) ++below.back();
  std::string text = " ";
  text.append(least).append("\t\n\v\f\r").append(most).append(" ");
  for (const std::size_t buffer : buffer_sizes) {
    for (const reader_kind kind : reader_kinds) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      test_reader good(kind, text, buffer);
      EXPECT_EQ(good.get().parse<TypeParam>(), limits::min());
      EXPECT_EQ(good.get().parse<TypeParam>(), limits::max());
      EXPECT_EQ(good.get().parse<TypeParam>(), std::nullopt);
      EXPECT_EQ(good.get().tell(), text.size());
      for (const std::string& wrong : {above, below}) {
        test_reader bad(kind, " " + wrong, buffer);
        std::error_code ec;
        EXPECT_EQ(bad.get().parse<TypeParam>(ec), std::nullopt);
        EXPECT_EQ(ec, wrong == "-1" ? make_error_code(leat::errc::not_a_number)
                                    : make_error_code(std::errc::result_out_of_range));
        EXPECT_EQ(bad.get().tell(), 0u);
      }
    }
  }
}

struct wrong_number {
  std::string text;
  std::string message;
};

TEST(parse, reports_errors_and_does_not_move_the_reader) {
  const std::string too_large = message_of(std::errc::result_out_of_range);
  const wrong_number cases[] = {{"x", "Not a number (line 1, at byte 0)"},
                                {"+5", "Not a number (line 1, at byte 0)"},
                                {"-", "Not a number (line 1, at byte 0)"},
                                {"--5", "Not a number (line 1, at byte 0)"},
                                {"- 5", "Not a number (line 1, at byte 0)"},
                                {" \n -x", "Not a number (line 2, at byte 3)"},
                                {".5", "Not a number (line 1, at byte 0)"},
                                {" 2147483648 ", too_large + " (line 1, at byte 1)"},
                                {"-2147483649", too_large + " (line 1, at byte 0)"}};
  for (const auto& [text, message] : cases) {
    for (const reader_kind kind : reader_kinds) {
      for (const std::size_t buffer : buffer_sizes) {
        SCOPED_TRACE(testing::Message() << text << ", " << kind << ", buffer " << buffer);
        test_reader r(kind, text, buffer);
        for (int again = 0; again != 2; ++again) {
          try {
            r.get().parse<int>();
            ADD_FAILURE();
          } catch (const leat::io_error& error) {
            EXPECT_TRUE(std::string(error.what()).ends_with("': " + message)) << error.what();
            EXPECT_STREQ(error.operation(), "parse");
          }
          EXPECT_EQ(r.get().tell(), 0u);
        }
        EXPECT_EQ(r.get().peek(100), text);
        r.get().close();
      }
    }
  }
}

std::string parse_message(leat::reader& in) {
  try {
    while (in.parse<int>()) {
    }
  } catch (const leat::io_error& error) {
    const std::string text = error.what();
    return text.substr(text.find("': ") + 3);
  }
  return {};
}

TEST(parse, an_error_names_the_line_if_the_buffer_has_the_start_of_the_input) {
  for (const reader_kind kind : reader_kinds) {
    SCOPED_TRACE(testing::Message() << kind);
    test_reader near(kind, "1 2\n3\n\n 4 x");
    EXPECT_EQ(parse_message(near.get()), "Not a number (line 4, at byte 10)");
    std::string lines;
    for (int i = 0; i != 100'000; ++i) lines += "1\n";
    test_reader far(kind, lines + "x");
    const bool whole = kind == reader_kind::memory;
    EXPECT_EQ(parse_message(far.get()), whole ? "Not a number (line 100001, at byte 200000)"
                                              : "Not a number (at byte 200000)");
  }
}

TEST(parse, an_error_names_a_byte_order_mark_and_counts_its_bytes) {
  for (const reader_kind kind : reader_kinds) {
    SCOPED_TRACE(testing::Message() << kind);
    test_reader r(kind,
                  "\xEF\xBB\xBF"
                  "1 x");
    r.get().peek(4);  // otherwise a pipe may deliver only a part of the mark
    EXPECT_EQ(parse_message(r.get()), "Not a number (a byte-order mark, at byte 0)");
    r.get().skip(3);
    EXPECT_THAT(parse_message(r.get()), testing::EndsWith("at byte 5)"));
  }
}

TEST(parse, skips_the_blanks_of_the_c_locale_and_no_other_character) {
  for (int c = 0; c != 256; ++c) {
    const std::string text = std::string("1") + static_cast<char>(c) + "2";
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    const std::string padded_text = text + std::string(40, ' ');
    leat::memory_reader in(text), padded(padded_text);
    for (leat::reader* const r : std::initializer_list<leat::reader*>{&in, &padded}) {
      std::error_code ec;
      if (c >= '0' && c <= '9') {
        EXPECT_EQ(r->parse<int>(ec), 102 + 10 * (c - '0'));
        continue;
      }
      EXPECT_EQ(r->parse<int>(ec), 1) << c;
      const auto second = r->parse<int>(ec);
      if (c == '-')
        EXPECT_EQ(second, -2);
      else if (blank)
        EXPECT_EQ(second, 2) << c;
      else
        EXPECT_EQ(ec, leat::errc::not_a_number) << c;
    }
  }
}

TEST(parse, reads_no_byte_after_the_end_of_a_text_in_memory) {
  const std::string memory = "12 -7 99 1234567890123456789012345678901234567890";
  for (const std::size_t size : {0u, 2u, 3u, 5u, 6u, 8u, 9u}) {
    leat::memory_reader ints(std::string_view(memory).substr(0, size));
    leat::memory_reader doubles(std::string_view(memory).substr(0, size));
    for (const int expected : {12, -7, 99}) {
      const std::size_t end = ints.tell() + (ints.tell() == 0 ? 2 : 3);
      if (end > size) break;
      EXPECT_EQ(ints.parse<int>(), expected) << size;
      EXPECT_EQ(doubles.parse<double>(), expected) << size;
      EXPECT_EQ(ints.tell(), end);
    }
    EXPECT_EQ(ints.parse<int>(), std::nullopt) << size;
    EXPECT_EQ(doubles.parse<double>(), std::nullopt) << size;
    EXPECT_EQ(ints.tell(), size);
  }
}

TEST(parse, reads_no_byte_after_the_number) {
  struct {
    std::string text;
    int value;
    std::string rest;
  } const cases[] = {{"0x10", 0, "x10"},   {"5abc", 5, "abc"},  {"1e5", 1, "e5"},
                     {"12-13", 12, "-13"}, {"1.5", 1, ".5"},    {"007", 7, ""},
                     {"-0", 0, ""},        {"5", 5, ""},        {"5 ", 5, " "},
                     {"5,6", 5, ",6"},     {"5\xff", 5, "\xff"}};
  for (const auto& [text, value, rest] : cases) {
    for (const reader_kind kind : reader_kinds) {
      for (const std::size_t buffer : buffer_sizes) {
        SCOPED_TRACE(testing::Message() << text << ", " << kind << ", buffer " << buffer);
        test_reader r(kind, text, buffer);
        EXPECT_EQ(r.get().parse<int>(), value);
        EXPECT_EQ(r.get().peek(100), rest);
      }
    }
  }
}

template <class T>
void expect_floating() {
  struct {
    std::string text;
    T value;
    std::string rest;
  } const cases[] = {{"1e+5", T(1e5), ""},
                     {"1e-2;", T(1) / T(100), ";"},
                     {"1e+", T(1), "e+"},
                     {"1e+x", T(1), "e+x"},
                     {"-.5", T(-0.5), ""},
                     {"5.", T(5), ""},
                     {"inf", std::numeric_limits<T>::infinity(), ""},
                     {"-infinity ", -std::numeric_limits<T>::infinity(), " "},
                     {"infinit", std::numeric_limits<T>::infinity(), "init"},
                     {"0x10", T(0), "x10"}};
  for (const auto& [text, value, rest] : cases) {
    for (const reader_kind kind : reader_kinds) {
      for (const std::size_t buffer : buffer_sizes) {
        SCOPED_TRACE(testing::Message() << text << ", " << kind << ", buffer " << buffer);
        test_reader r(kind, " " + text, buffer);
        EXPECT_EQ(r.get().parse<T>(), value);
        EXPECT_EQ(r.get().peek(100), rest);
        test_reader nan(kind, "nan(abc)nan NAN", buffer);
        for (int i = 0; i != 3; ++i) EXPECT_TRUE(std::isnan(nan.get().parse<T>().value_or(0)));
        EXPECT_EQ(nan.get().get(), leat::reader::end_of_file);
        test_reader far(kind, "1e99999", buffer);
        std::error_code ec;
        EXPECT_EQ(far.get().parse<T>(ec), std::nullopt);
        EXPECT_EQ(ec, std::errc::result_out_of_range);
        test_reader plus(kind, "+1", buffer);
        EXPECT_EQ(plus.get().parse<T>(ec), std::nullopt);
        EXPECT_EQ(ec, leat::errc::not_a_number);
      }
    }
  }
}

TEST(parse, reads_floating_point_numbers_across_buffers) {
  expect_floating<float>();
  expect_floating<double>();
  expect_floating<long double>();
}

TEST(parse, reads_numbers_that_end_where_a_buffer_ends) {
  // Nothing follows the number, but the reader may move the buffer's bytes when it looks for more
  // bytes.
  for (const std::size_t buffer : {1u, 2u, 3u, 8u, 4096u, 8192u}) {
    for (const std::size_t blanks : {0u, 1u, 5u, 4090u, 4095u, 8187u, 8191u}) {
      std::string text(blanks, ' ');
      text += "12345";
      test_reader r(reader_kind::memory_device, text, buffer);
      ASSERT_EQ(r.get().parse<int>(), 12345) << buffer << ' ' << blanks;
      ASSERT_EQ(r.get().tell(), text.size());
      ASSERT_EQ(r.get().get(), leat::reader::end_of_file);
    }
  }
}

TEST(parse, reads_numbers_of_any_length) {
  const std::string zeros(100000, '0'), nines(100000, '9');
  for (const reader_kind kind :
       {reader_kind::memory, reader_kind::memory_device, reader_kind::short_reads}) {
    for (const std::size_t buffer : {1u, 4096u}) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      std::string text = zeros;
      text.append("7 ").append(nines).append(" 0.").append(zeros).append("1e100000 end");
      test_reader r(kind, text, buffer);
      leat::reader& in = r.get();
      EXPECT_EQ(in.parse<int>(), 7);
      EXPECT_THROW(in.parse<long long>(), leat::io_error);
      EXPECT_EQ(in.tell(), 100001u);
      EXPECT_THROW(in.parse<double>(), leat::io_error);
      EXPECT_EQ(in.find(" 0"), 200002u);
      EXPECT_DOUBLE_EQ(in.parse<double>().value_or(0), 0.1);
      EXPECT_EQ(in.peek(100), " end");
    }
  }
}

TEST(parse, leaves_a_number_unread_if_a_read_fails) {
  for (const std::size_t buffer : buffer_sizes) {
    for (std::uint64_t limit = 0; limit != 8; ++limit) {
      SCOPED_TRACE(testing::Message() << "buffer " << buffer << ", limit " << limit);
      auto script = new_script();
      script->content = "  12345";
      script->read_limit = limit;
      leat::file_reader in(device_of(script), {.buffer_size = buffer}, "the device");
      try {
        in.parse<int>();
        ADD_FAILURE();
      } catch (const leat::io_error& error) {
        std::string expected = "cannot read 'the device': ";
        expected.append(message_of(std::errc::io_error)).append(" (at byte ");
        expected.append(std::to_string(limit)).append(")");
        EXPECT_EQ(error.what(), expected);
      }
      EXPECT_EQ(in.tell(), 0u);
      std::error_code ec;
      EXPECT_EQ(in.parse<double>(ec), std::nullopt);
      EXPECT_EQ(ec, std::errc::io_error);
      script->read_limit = 100;
      EXPECT_EQ(in.parse<int>(), 12345);
      in.close();
    }
  }
}

TEST(parse, accepts_only_a_point_as_the_decimal_separator) {
  leat::memory_reader in(std::string_view("1,5 1.5"));
  EXPECT_EQ(in.parse<double>(), 1.0);
  EXPECT_EQ(in.get(), ',');
  EXPECT_EQ(in.parse<double>(), 5.0);
  EXPECT_EQ(in.parse<double>(), 1.5);
}

}  // namespace
