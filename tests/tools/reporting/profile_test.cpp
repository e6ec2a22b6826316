// Parsing perf's output, and the profile in a report.
#include "reporting/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// perf 6.1's output for unbuffered fmemopen.
constexpr auto captured =
    "# To display the perf.data header info, please use --header/--header-only options.\n"
    "#\n"
    "# Total Lost Samples: 0\n"
    "#\n"
    "# Samples: 4K of event 'cpu-clock'\n"
    "# Event count (approx.): 1029500000\n"
    "#\n"
    "# Overhead;Symbol                                      ;IPC   [IPC Coverage]\n"
    " 61.80% ;[.] _IO_fwrite                                ;-      -            \n"
    " 9.06%  ;[.] new_do_write                              ;-      -            \n"
    " 1.53%  ;[.] bench::(anonymous namespace)::c_fmemopen  ;-      -            \n"
    " 0.02%  ;[k] __schedule                                ;-      -            \n"
    "\n\n#\n# (Tip: For hierarchical output, try: perf report --hierarchy)\n#\n";

TEST(profile, is_read_from_the_output_of_perf) {
  const auto parsed = parse_profile(captured);
  EXPECT_EQ(parsed.event, "cpu-clock");
  const std::map<std::string, double> expected{{"_IO_fwrite", 61.80},
                                               {"new_do_write", 9.06},
                                               {"bench::(anonymous namespace)::c_fmemopen", 1.53},
                                               {"[k] __schedule", 0.02}};
  EXPECT_EQ(parsed.percent_by_function, expected);
}

TEST(profile, of_invalid_text_is_empty) {
  for (const auto* text : {"", "\n", ";", "Error:\n;x\n", "# 5%;x\n", "5%", "5%;   \n"}) {
    EXPECT_TRUE(parse_profile(text).percent_by_function.empty()) << text;
  }
  EXPECT_EQ(parse_profile("5.00%;f").percent_by_function.at("f"), 5)
      << "without a second column or newline";
}

TEST(profile, table_is_sorted_by_the_differences_of_the_shares) {
  const profile buffered{"cycles", {{"_IO_fwrite", 80}, {"only_here", 12.5}}};
  const auto text = profile_table("a", buffered, "b", parse_profile(captured), {});
  EXPECT_THAT(text, HasSubstr("-18.20 %"));
  EXPECT_THAT(text, HasSubstr("-12.50 %"));
  EXPECT_THAT(text, HasSubstr("+9.06 %"));
  EXPECT_LT(text.find("_IO_fwrite"), text.find("only_here"));
  EXPECT_LT(text.find("only_here"), text.find("new_do_write"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace bench
