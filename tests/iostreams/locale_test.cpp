// Locales of leat's streams, and leat::fast_locale() in std's streams.
#include <gtest/gtest.h>
#include <leat/fstream.hpp>

#include <iomanip>
#include <locale>
#include <sstream>

#include "support/compare_output.hpp"

namespace {

using namespace leat_test;

TEST(locale, a_changed_locale_applies_to_later_output) {
  const std::locale grouped(std::locale::classic(), new grouping);
  leat::ostringstream out;
  out << 1234567 << ' ';
  out.imbue(grouped);
  out << 1234567 << ' ' << 1.5 << ' ';
  static_cast<std::ios_base&>(out).imbue(std::locale::classic());
  out << 1234567 << ' ';
  std::ostringstream other;
  other.imbue(grouped);
  out.copyfmt(other);
  out << 1234567 << ' ';
  out.copyfmt(std::ostringstream());
  out << 1234567 << ' ';
  leat::ostringstream third;
  other.copyfmt(third);
  other << 1234567;
  out.copyfmt(third);
  out << 1234567;
  EXPECT_EQ(out.str(), "1234567 1.234.567 1,5 1234567 1.234.567 1234567 1234567");
  EXPECT_EQ(other.str(), "1234567");
}

TEST(locale, of_a_new_stream_is_the_global_locale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new grouping));
  leat::ostringstream out;
  std::locale::global(before);
  out << 1234567 << ' ' << 0.5;
  EXPECT_EQ(out.str(), "1.234.567 0,5");
}

TEST(fast_locale, writes_the_same_text_as_the_classic_locale) {
  std::ostringstream out;
  out.imbue(leat::fast_locale());
  out << 42 << ' ' << 1.5 << ' ' << std::hex << 255 << ' ' << std::setw(8) << 0.1f;
  EXPECT_EQ(out.str(), "42 1.5 ff      0.1");
}

}  // namespace
