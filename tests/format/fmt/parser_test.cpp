// Mistakes in format strings that are known only at run time: the message and the position.
#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <string>
#include <string_view>

#include "format/outcome.hpp"

namespace leat::test {
namespace {

/// The format_error of this format string, as "position: text". Without an error: the output.
template <class... Args>
std::string mistake(std::string_view format, const Args&... args) {
  string_writer to;
  try {
    to.print(runtime(format), args...);
  } catch (const format_error& error) {
    const std::string_view message = error.what();
    return fmt::format(
        "{}: {}", error.position(),
        fmt::string_view(message.data(), std::min(message.find(" (at byte"), message.size())));
  }
  return fmt::format("no mistake, but \"{}\"",
                     fmt::string_view(to.view().data(), to.view().size()));
}

std::string at(std::size_t position, const char* (*text)() noexcept) {
  return fmt::format("{}: {}", position, text());
}

TEST(parser, refuses_wrong_braces_and_indexes) {
  using namespace format_mistake;
  EXPECT_EQ(mistake("}"), at(0, unmatched_closing_brace));
  EXPECT_EQ(mistake("text } text"), at(5, unmatched_closing_brace));
  EXPECT_EQ(mistake("{}}", 1), at(2, unmatched_closing_brace));
  EXPECT_EQ(mistake("{", 1), at(1, missing_closing_brace));
  EXPECT_EQ(mistake("{0", 1), at(2, missing_closing_brace));
  EXPECT_EQ(mistake("{:", 1), at(2, missing_closing_brace));
  EXPECT_EQ(mistake("{:5", 1), at(3, missing_closing_brace));
  EXPECT_EQ(mistake("{:{", 1), at(3, missing_closing_brace));
  EXPECT_EQ(mistake("{:{}", 1, 2), at(4, missing_closing_brace));
  EXPECT_EQ(mistake("{name}", 1), at(1, invalid_argument_index_or_single_brace));
  EXPECT_EQ(mistake("{00}", 1), at(1, invalid_argument_index_or_single_brace));
  EXPECT_EQ(mistake("{-1}", 1), at(1, invalid_argument_index_or_single_brace));
  EXPECT_EQ(mistake("{\"a\": {}}", 1), at(1, invalid_argument_index_or_single_brace));
  EXPECT_EQ(mistake("{ }", 1), at(1, invalid_argument_index_or_single_brace));
  EXPECT_EQ(mistake("{} {}", 1), at(4, argument_missing));
  EXPECT_EQ(mistake("{1}", 1), at(1, argument_missing));
  EXPECT_EQ(mistake("{:{}}", 1), at(3, argument_missing));
  EXPECT_EQ(mistake("{}"), at(1, argument_missing));
  EXPECT_EQ(mistake("{0} {}", 1), at(5, automatic_and_manual_indexing_mixed));
  EXPECT_EQ(mistake("{} {0}", 1), at(4, automatic_and_manual_indexing_mixed));
  EXPECT_EQ(mistake("{:{0}}", 1), at(3, automatic_and_manual_indexing_mixed));
  EXPECT_EQ(mistake("{2147483648}", 1), at(10, number_too_big));
}

TEST(parser, refuses_wrong_specifications) {
  using namespace format_mistake;
  EXPECT_EQ(mistake("{:{<5}", 1), at(2, invalid_fill_character));
  EXPECT_EQ(mistake("{:2147483648}", 1), at(11, number_too_big));
  EXPECT_EQ(mistake("{:d}", "text"), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:s}", 1), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:f}", 1), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:d}", 1.5), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:p}", "text"), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:x}", nullptr), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:c}", true), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:dd}", 1), at(3, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:!}", 1), at(2, invalid_type_for_this_argument));
  EXPECT_EQ(mistake("{:+}", "text"), at(2, sign_needs_a_signed_number));
  EXPECT_EQ(mistake("{:+}", 1U), at(2, sign_needs_a_signed_number));
  EXPECT_EQ(mistake("{:-}", true), at(2, sign_needs_a_signed_number));
  EXPECT_EQ(mistake("{:#}", "text"), at(2, alternate_form_needs_a_number));
  EXPECT_EQ(mistake("{:010}", "text"), at(2, zero_padding_needs_a_number));
  EXPECT_EQ(mistake("{:.3}", 1), at(2, precision_not_allowed_for_this_argument));
  EXPECT_EQ(mistake("{:.3}", nullptr), at(2, precision_not_allowed_for_this_argument));
  EXPECT_EQ(mistake("{:.}", 1.5), at(3, missing_precision));
  EXPECT_EQ(mistake("{:.f}", 1.5), at(3, missing_precision));
  EXPECT_EQ(mistake("{:{}}", 1, 2.5), at(3, width_or_precision_must_be_an_integer));
  EXPECT_EQ(mistake("{:.{}}", 1.5, "2"), at(4, width_or_precision_must_be_an_integer));
  EXPECT_EQ(mistake("{:{}}", 1, 'c'), at(3, width_or_precision_must_be_an_integer));
  EXPECT_EQ(mistake("{:{}}", 1, true), at(3, width_or_precision_must_be_an_integer));
  EXPECT_EQ(mistake("{:L}", 1), at(2, locale_not_supported));
  EXPECT_EQ(mistake("{:10.3Lf}", 1.5), at(6, locale_not_supported));
  EXPECT_EQ(mistake("{:>10}", std::error_code()),
            at(2, specification_not_allowed_for_this_argument));
}

TEST(parser, reads_widths_and_precisions_from_arguments) {
  for (const char* format : {"{:{}}", "{:>{}}", "{:0{}}"})
    for (const int width : {0, 1, 20, -1, INT_MIN})
      EXPECT_EQ(by_leat(format, 42, width), by_fmt(format, 42, width)) << format << ", " << width;
  for (const int precision : {0, 1, 20, -1}) {
    EXPECT_EQ(by_leat("{:.{}}", "text", precision), by_fmt("{:.{}}", "text", precision));
    EXPECT_EQ(by_leat("{:.{}f}", 2.5, precision), by_fmt("{:.{}f}", 2.5, precision));
  }
  const auto expect_refused = [](auto width) { EXPECT_TRUE(by_leat("{:{}}", 42, width).refused); };
  expect_refused(2147483648U);
  expect_refused(1ULL << 40);
  expect_refused(-1LL);
  expect_refused(static_cast<__int128>(-1));
  expect_refused(static_cast<__int128>(1) << 64);  // {fmt} takes 2^64 for 0
  EXPECT_EQ(by_leat("{:{}}", 42, static_cast<unsigned char>(5)).text, "   42");
  EXPECT_EQ(by_leat("{:{}}", 42, static_cast<__int128>(5)).text, "   42");
}

TEST(parser, refuses_a_null_pointer) {
  const char* const text = nullptr;
  char* const writable = nullptr;
  string_writer to;
  EXPECT_THROW(to.print("{}", text), format_error);
  EXPECT_THROW(to.print("{:>10}", text), format_error);
  EXPECT_THROW(to.print("{1} {0}", text, writable), format_error);
  EXPECT_THROW(to.print(runtime("{}"), writable), format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{}", writable)), format_error);
}

TEST(parser, a_format_error_writes_nothing_and_leaves_the_stream_usable) {
  string_writer to;
  EXPECT_THROW(to.print(runtime("one {} {:d}"), 1, "text"), format_error);
  EXPECT_FALSE(to.error());
  to.print("; two {}", 2);
  EXPECT_EQ(to.view(), "; two 2") << "a call that throws has written nothing";

  string_writer below;
  {
    synchronized shared{below};
    EXPECT_THROW(shared.println(runtime("one {}")), format_error);
    shared.println("two {}", 2);
  }
  EXPECT_EQ(below.view(), "two 2\n");
}

}  // namespace
}  // namespace leat::test
