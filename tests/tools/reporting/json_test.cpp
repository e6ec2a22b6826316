// JSON text, and the report in JSON.
#include "reporting/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "reporting/report.hpp"

namespace bench {
namespace {

TEST(json, keeps_plain_text_unchanged) { EXPECT_EQ(json_string("leat 1×"), "\"leat 1×\""); }

TEST(json, escapes_quotes_backslashes_and_control_characters) {
  EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_string(std::string_view("\n\t\0\x1f", 4)), R"("\n\t\u0000\u001f")");
  EXPECT_EQ(json_string("\x7f"), "\"\x7f\"");
}

TEST(json, replaces_bytes_that_are_not_utf8) {
  EXPECT_EQ(json_string("a\xff"
                        "b"),
            "\"a\uFFFDb\"");
  EXPECT_EQ(json_string("\xc3"), "\"\uFFFD\"");                        // truncated
  EXPECT_EQ(json_string("\xc0\xaf"), "\"\uFFFD\uFFFD\"");              // overlong
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");    // surrogate
  EXPECT_EQ(json_string("\xf4\x90\x80\x80").size(), 4 * 3 + 2u);       // above U+10FFFF
  EXPECT_EQ(json_string("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");  // valid
}

TEST(json, values_of_all_types_are_written) {
  const json value{true,
                   -3,
                   std::uint64_t{1} << 63,
                   0.5,
                   2.0,
                   "x",
                   nullptr,
                   std::numeric_limits<double>::infinity()};
  EXPECT_EQ(
      json_text(value),
      "[\n  true,\n  -3,\n  9223372036854775808,\n  0.5,\n  2,\n  \"x\",\n  null,\n  null\n]\n");
}

TEST(json, deeply_nested_values_are_written_on_one_line) {
  const json value{{"rows", {{{"a", 1}, {"b", "two"}}, json::object()}}};
  EXPECT_EQ(json_text(value),
            "{\n  \"rows\": [\n    {\"a\": 1, \"b\": \"two\"},\n    {}\n  ]\n}\n");
}

TEST(json, an_empty_array_is_written_on_one_line) {
  EXPECT_EQ(json_text({{"rows", json::array()}}), "{\n  \"rows\": []\n}\n");
}

TEST(json, of_a_report_has_a_row_with_every_factor_for_each_measurement) {
  measurement one{"leat",           role::leat, {}, {"lines", 10, 1, ""}, {0.25, 0.5, 0.75},
                  {0.25, 0.5, 0.75}};
  one.setting.set("workload", {"string", {}});
  one.setting.set("buffer_size", bytes(8192));
  one.setting.set("window", {});
  session all;
  all.version = "1.2.3";
  all.command = {"leat", "a b"};
  all.size = "quick";
  all.seed = 7;
  all.machine.compiler = "GCC 12";
  all.machine.flags = "-O3";
  auto& record = all.records.emplace_back();
  record.experiment = "print";
  record.dir = "/a \"dir\"";
  record.volume = {"ext4", 4096, "vda"};
  record.result.measurements = {one};
  record.findings = {{"it is so."}};
  const auto text = json_report(all);
  EXPECT_NE(text.find(R"("leat": "1.2.3")"), std::string::npos);
  EXPECT_NE(text.find(R"("command": ["leat", "a b"],)"), std::string::npos);
  EXPECT_NE(text.find(R"({"experiment": "print", "variant": "leat", "role": "leat", )"
                      R"("dir": "/a \"dir\"", "file_system": "ext4", "workload": "string", )"
                      R"("buffer_size": 8192, "window": null, "bytes": 10, "operations": 1, )"
                      R"("repetitions": 3, "wall_seconds_min": 0.25, "wall_seconds_median": 0.5, )"
                      R"("wall_seconds_q1": 0.375, "wall_seconds_q3": 0.625, )"
                      R"("wall_seconds_max": 0.75, "cpu_seconds_min": 0.25, )"
                      R"("cpu_seconds_median": 0.5, "cpu_seconds_q1": 0.375, )"
                      R"("cpu_seconds_q3": 0.625, "cpu_seconds_max": 0.75, "size": "quick", )"
                      R"("device": "real", "seed": 7, "leat": "1.2.3", "compiler": "GCC 12", )"
                      R"("flags": "-O3", "command": "leat 'a b'"})"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("bytes_read"), std::string::npos);
  all.records[0].result.measurements[0].bytes_read = 7;
  EXPECT_NE(json_report(all).find(R"("cpu_seconds_max": 0.75, "bytes_read": 7, )"),
            std::string::npos);
  EXPECT_NE(text.find(R"("schema": 1,)"), std::string::npos);
  EXPECT_NE(text.find(R"("block_size": 4096, "disk": "vda")"), std::string::npos);
  EXPECT_NE(text.find(R"("findings": ["it is so."])"), std::string::npos);
}

}  // namespace
}  // namespace bench
