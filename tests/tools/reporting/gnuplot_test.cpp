// Charts drawn by gnuplot, as SVG for a page or a file, and as PNG.
#include "reporting/gnuplot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "measuring/scratch_folder.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

drawing bars() {
  drawing result;
  result.title = "it's";
  result.unit = "ms";
  result.bars = {{"leat's `rm` \"{x}\" <&>", role::leat, 1.25, {}},
                 {"fprintf", role::baseline, 12.5, {}}};
  return result;
}

#if !defined(_WIN32)  // nothing is drawn on Windows
drawing curves() {
  drawing result;
  result.unit = "ms";
  result.axis = "buffer size";
  result.logarithmic = true;
  result.ticks = {{8192, "8 KiB"}, {16384, "16 KiB"}};
  result.curves = {{"leat", role::leat, {{8192, 2}, {16384, 1}}, false},
                   {"fprintf", role::baseline, {{8192, 40}, {16384, 40}}, true}};
  return result;
}

drawing boxes() {
  auto result = bars();
  result.unit = "ns";
  result.logarithmic = true;
  result.bars[0].per_operation = {1, 2, 3, 9, 1, 2, 4, 8};
  return result;
}

/// A folder for temporary files. The folder's name has characters that are special to a shell.
/// TMPDIR names the folder while the object exists.
class temporary_files {
 public:
  temporary_files() {
    std::filesystem::create_directory(path());
    setenv("TMPDIR", path().c_str(), 1);
  }
  ~temporary_files() {
    EXPECT_TRUE(std::filesystem::is_empty(path()));
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
  }
  temporary_files(const temporary_files&) = delete;
  temporary_files& operator=(const temporary_files&) = delete;

 private:
  std::filesystem::path path() const { return folder_.path() / "a b'c"; }

  std::string before_ = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "";
  scratch_folder folder_{std::filesystem::temp_directory_path()};
};

std::string picture_of(const drawing& drawn, const canvas& shape) {
  const temporary_files files;
  return run_gnuplot(gnuplot_script(drawn, shape));
}
#endif

TEST(gnuplot, shows_special_characters_of_names_literally) {
  const auto script = gnuplot_script(bars(), {});
  EXPECT_THAT(script, HasSubstr("'leat''s `rm` \"{x}\" <&>'"));
  EXPECT_THAT(script, HasSubstr("noenhanced"));
}

TEST(gnuplot, puts_names_above_the_bars_on_a_narrow_page) {
  EXPECT_THAT(gnuplot_script(bars(), {}), HasSubstr("set ytics ('leat"));
  EXPECT_THAT(gnuplot_script(bars(), {.narrow = true}), HasSubstr("unset ytics"));
  EXPECT_THAT(gnuplot_script(bars(), {.narrow = true}), HasSubstr("size 360,"));
}

TEST(gnuplot, pictures_outside_of_a_page_have_a_title) {
  EXPECT_THAT(gnuplot_script(bars(), {}), Not(HasSubstr("set title")));
  EXPECT_THAT(gnuplot_script(bars(), {.format = picture::png}),
              HasSubstr("'it''s: ms, less is better'"));
}

#if !defined(_WIN32)
TEST(gnuplot, draws_every_kind_of_chart) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (const auto& drawn : {bars(), curves(), boxes()}) {
    for (const bool narrow : {false, true}) {
      const auto svg = picture_of(drawn, {.narrow = narrow});
      EXPECT_THAT(svg, HasSubstr("<svg"));
      EXPECT_THAT(svg, HasSubstr("fprintf"));
      EXPECT_THAT(svg_for_page(svg, "c1", "x"), HasSubstr("var(--leat)"));
      EXPECT_THAT(svg_for_page(svg, "c1", "x"), HasSubstr("var(--baseline)"));
    }
    EXPECT_THAT(picture_of(drawn, {.format = picture::png}), StartsWith("\x89PNG"));
  }
}

TEST(gnuplot, draws_for_light_and_for_dark_paper) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (const auto& drawn : {bars(), curves(), boxes()}) {
    const auto svg = picture_of(drawn, {.format = picture::svg});
    for (const bool dark : {false, true}) {
      const auto text = standalone_svg(svg, dark, "x");
      EXPECT_THAT(text, HasSubstr(dark ? "#5FB0FF" : "#0B62C4"));  // leat's colour
      EXPECT_THAT(text, HasSubstr(dark ? "#E6E9ED" : "#1B1F24"));  // ink
      // Black or white would be invisible on one of the pages.
      EXPECT_THAT(text, Not(HasSubstr("black")));
      EXPECT_THAT(text, Not(HasSubstr("white")));
      EXPECT_THAT(text, Not(HasSubstr("rgb(")));
      EXPECT_THAT(text, Not(HasSubstr(" \n")));
    }
  }
}

TEST(gnuplot, that_fails_is_reported_with_the_reason) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const temporary_files files;
  try {
    run_gnuplot("plot nonsense(");
    FAIL() << "run_gnuplot() threw no failure";
  } catch (const failure& error) {
    EXPECT_THAT(error.what(), HasSubstr("gnuplot failed: "));
    EXPECT_THAT(error.what(), HasSubstr("nonsense"));
  }
}
#endif

TEST(embedded_svg, has_the_colours_of_the_page_and_unique_ids) {
  const auto text = svg_for_page(
      "<?xml version=\"1.0\"?>\n<svg \n width=\"1\">\n<title>Gnuplot</title><desc>x</desc>"
      "<circle id='gpPt5'/><use xlink:href='#gpPt5'/><g color=\"black\" fill=\"black\">"
      "<path stroke='rgb( 11,  98, 196)'/><path fill='rgb(1,2,3)'/></g></svg>\n",
      "c7", "a \"b\" <c>");
  EXPECT_THAT(text, StartsWith("<svg role=\"img\" aria-label=\"a &quot;b&quot; &lt;c&gt;\""));
  EXPECT_THAT(text, HasSubstr("<circle id='c7-gpPt5'/><use xlink:href='#c7-gpPt5'/>"));
  EXPECT_THAT(text, HasSubstr("<g  fill=\"currentColor\">"));
  EXPECT_THAT(text, HasSubstr("<path stroke='var(--leat)'/><path fill='rgb(1,2,3)'/>"));
  EXPECT_THAT(text, Not(HasSubstr("title>")));
}

}  // namespace
}  // namespace bench
