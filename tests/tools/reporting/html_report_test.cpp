// The report of `leat bench --html`: a page of HTML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "measuring/scratch_folder.hpp"
#include "reporting/report.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string paint(const drawing& drawn, bool narrow) {
  return std::string("<svg>") + (narrow ? "narrow " : "wide ") + drawn.unit + "</svg>";
}

class html_report_test : public ::testing::Test {
 protected:
  html_report_test() {
    all_.machine.cpu = "CPU <8> & \"co\"";
    all_.machine.optimized = true;
    all_.version = "1.2.3";
    all_.command = {"leat", "bench", "--dir", "/a&b"};
    add("print", "/a&b<i>");
    add("memory", "/a&b<i>");
  }

  void add(const std::string& name, const std::string& dir) {
    auto& one = all_.records.emplace_back();
    one.experiment = name;
    one.title = "title of " + name;
    one.published_id = "E1";
    one.published = "fprintf 40.1 ms.";
    one.dir = dir;
    one.volume = {"ext4", 4096, "nvme0n1, <Disk>"};
    one.findings = {{"it is fast, which is confirmed.", judgement::confirmed},
                    {"it is blue, which is not confirmed here.", judgement::not_confirmed},
                    {"it took long."}};
    one.published_tables = {{"in 2020", {"buffer", "ms"}, {{"8 KiB", "7.66"}}}};
    one.charts = {{.title = "a chart"}};
    one.headline = {.work = "lines", .ours = "leat", .theirs = "fprintf"};
    for (const auto& [variant, seconds] : {std::pair{"leat", 0.005}, {"fprintf", 0.04}}) {
      auto& measured = one.result.measurements.emplace_back();
      measured.variant = variant;
      measured.role = std::string(variant) == "leat" ? role::leat : role::baseline;
      measured.load = {"work of <" + name + ">", 1000, 10, ""};
      measured.wall = measured.cpu = {seconds, seconds, seconds};
    }
  }

  session all_;
};

TEST_F(html_report_test, has_a_chart_a_table_and_findings_for_each_experiment) {
  const auto page = html_report(all_, paint);
  for (const auto* name : {"print", "memory"}) {
    const auto start = page.find(std::string("<h2>E1 ") + name + ": title of " + name);
    ASSERT_NE(start, std::string::npos);
    const auto section = page.substr(start, page.find("</section>", start) - start);
    EXPECT_THAT(section, HasSubstr("<svg>wide ms</svg>"));
    EXPECT_THAT(section, HasSubstr("<svg>narrow ms</svg>"));
    EXPECT_THAT(section, HasSubstr("<h3>work of &lt;" + std::string(name) + "&gt;</h3>"));
    EXPECT_THAT(section, HasSubstr("<tr class=\"winner\"><td>leat</td><td>5.00</td>"));
    EXPECT_THAT(section, HasSubstr("badge yes\">confirmed</span>it is fast"));
    EXPECT_THAT(section, HasSubstr("badge no\">not confirmed here</span>it is blue"));
    EXPECT_THAT(section, HasSubstr("measured</span>it took long."));
    EXPECT_THAT(section, HasSubstr("Published: fprintf 40.1 ms."));
    EXPECT_THAT(section, HasSubstr("<td>8 KiB</td><td>7.66</td>"));
    EXPECT_THAT(section, HasSubstr("ext4, blocks of 4 KiB, on nvme0n1, &lt;Disk&gt;"));
  }
  EXPECT_THAT(page, Not(HasSubstr("gnuplot")));
}

TEST_F(html_report_test, begins_with_the_headlines) {
  const auto page = html_report(all_, paint);
  const auto glance = page.substr(0, page.find("<h2>"));
  EXPECT_THAT(glance, HasSubstr("<a href=\"#r1-print\">print</a>"));
  EXPECT_THAT(glance, HasSubstr("<td>40.0 ms<small>fprintf</small></td>"
                                "<td>5.00 ms<small>leat</small></td><td class=\"times\">8.0×"));
  EXPECT_THAT(page, HasSubstr("<section id=\"r1-print\">"));
  all_.records[0].result.measurements.pop_back();
  EXPECT_THAT(html_report(all_, paint), Not(HasSubstr("href=\"#r1-print\"")));
}

TEST_F(html_report_test, escapes_names_and_other_text) {
  const auto page = html_report(all_, paint);
  EXPECT_THAT(page, HasSubstr("CPU &lt;8&gt; &amp; &quot;co&quot;"));
  EXPECT_THAT(page, HasSubstr("/a&amp;b&lt;i&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<8>")));
  EXPECT_THAT(page, Not(HasSubstr("/a&b")));
}

TEST_F(html_report_test, gives_the_reason_if_there_are_no_charts) {
  const auto page = html_report(all_, nullptr, "gnuplot <missing>");
  EXPECT_THAT(page, HasSubstr("There are no charts: gnuplot &lt;missing&gt;."));
  EXPECT_THAT(page, Not(HasSubstr("<figure")));
  EXPECT_THAT(page, HasSubstr("<td>leat</td><td>5.00</td>"));
}

TEST_F(html_report_test, says_that_the_run_was_interrupted) {
  EXPECT_THAT(html_report(all_, paint), Not(HasSubstr("interrupted")));
  all_.complete = false;
  EXPECT_THAT(html_report(all_, paint), HasSubstr("The run was interrupted"));
  all_.records.clear();
  EXPECT_THAT(html_report(all_, paint), HasSubstr("</html>"));
}

TEST_F(html_report_test, distinguishes_several_folders) {
  add("print", "/other");
  const auto page = html_report(all_, paint);
  EXPECT_THAT(page, HasSubstr(">print in /other</a>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"r3-print\">"));
}

// The page is XML that browsers read as HTML, so an XML parser can check the page.
TEST_F(html_report_test, is_well_formed) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const scratch_folder folder(std::filesystem::temp_directory_path());
  const auto file = folder.path() / "page";
  std::ofstream(file) << html_report(all_, paint);
  const auto parse =
      "python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' " +
      file.string();
  EXPECT_EQ(std::system(parse.c_str()), 0);
}

}  // namespace
}  // namespace bench
