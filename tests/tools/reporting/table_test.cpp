// The layout of the tables of a report on a page of a given width.
#include "reporting/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "reporting/text.hpp"

namespace bench {
namespace {

table sample() {
  table all({{""}, {"wall ms"}, {"spread", 2}, {"CPU ms", 1}, {"vs fprintf"}});
  all.add({{"leat", "3.21", "4 %", "3.20", "8.9×"}, style::winner, 3.21});
  all.add({{"fprintf", "28.5", "12 %", "28.4", "1.0×"}, style::plain, 28.5});
  all.add({{"write", "1.90", "1 %", "1.88", "15×"}, style::faint, 1.9});
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The column in which a piece of text ends.
int end_of(const std::string& line, const std::string& piece) {
  return width_of(line.substr(0, line.find(piece))) + width_of(piece);
}

TEST(table, aligns_numbers_with_the_right_end_of_the_heading) {
  const auto lines = lines_of(sample().text({80, false}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(end_of(lines[1], "3.21"), end_of(lines[0], "wall ms"));
  EXPECT_EQ(end_of(lines[2], "28.5"), end_of(lines[0], "wall ms"));
  EXPECT_EQ(end_of(lines[1], "8.9×"), end_of(lines[0], "vs fprintf"));
  EXPECT_EQ(end_of(lines[3], "15×"), end_of(lines[0], "vs fprintf"));
}

TEST(table, marks_the_winner_with_a_star) {
  const auto lines = lines_of(sample().text({80, false}));
  EXPECT_TRUE(lines[1].starts_with("* leat"));
  EXPECT_TRUE(lines[2].starts_with("  fprintf"));
}

TEST(table, has_no_line_wider_than_the_page) {
  for (const int width : {40, 50, 60, 80, 100, 160}) {
    for (const auto& line : lines_of(sample().text({width, false}))) {
      EXPECT_LE(width_of(line), width) << line;
    }
  }
}

TEST(table, has_bars_in_proportion_to_the_values_on_a_wide_page) {
  const auto lines = lines_of(sample().text({160, false}));
  const auto bar = [](const std::string& line) {
    return width_of(line.substr(line.find("×") + 2)) - 2;
  };
  EXPECT_EQ(bar(lines[2]), 32);  // the longest bar
  EXPECT_NEAR(bar(lines[1]), 32 * 3.21 / 28.5, 1);
}

TEST(table, drops_less_important_columns_on_a_narrow_page) {
  const auto headings = lines_of(sample().text({40, false}))[0];
  EXPECT_EQ(headings.find("spread"), std::string::npos);
  EXPECT_NE(headings.find("wall ms"), std::string::npos);
  EXPECT_NE(headings.find("vs fprintf"), std::string::npos);
}

TEST(table, cuts_a_name_too_long_for_the_page) {
  table all({{""}, {"ms"}});
  all.add({{std::string(60, 'x'), "1.00"}});
  const auto line = lines_of(all.text({40, false}))[1];
  EXPECT_EQ(width_of(line), 40);
  EXPECT_NE(line.find("x…"), std::string::npos);
  EXPECT_TRUE(line.ends_with("1.00"));
}

TEST(table, has_colours_only_if_the_page_has_colours) {
  EXPECT_EQ(sample().text({80, false}).find('\033'), std::string::npos);
  EXPECT_NE(sample().text({80, true}).find("\033[32m* leat"), std::string::npos);
}

}  // namespace
}  // namespace bench
