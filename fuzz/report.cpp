// Reports of `leat bench --compare`: any two texts are compared, or refused with a reason.
#include "reporting/compare.hpp"
#include "system/failure.hpp"

#include "fuzz.hpp"

namespace {

/// Returns a report like one of `leat bench --json`, with some values replaced by other values.
std::string report_of(fuzz::input& in) {
  static constexpr std::string_view values[] = {
      "1",        "0",      "-1",    "0.5",  "1e-9", "1e300", "-1e300",      "9223372036854775808",
      "\"text\"", "[]",     "false", "null", "{}",   "\"\"",  "\"\\u0000\"", "\"\xc3\xa9\"",
      "1e18",     "1048576"};
  const auto value = [&](std::string_view usual) {
    return std::string(in.below(6) == 0 ? in.one_of(values) : usual);
  };
  std::string text = "{\"schema\":" + value("1");
  text += ",\"session\":{\"cpu\":" + value("\"c\"") + ",\"kernel\":" + value("\"k\"") +
          ",\"size\":" + value("\"s\"") + ",\"device\":" + value("\"real\"") + ",\"warnings\":[" +
          value("\"busy\"") + "]},\"rows\":[";
  const std::size_t rows = in.below(4);
  for (std::size_t i = 0; i != rows; ++i) {
    text += std::string(i == 0 ? "" : ",") + "{\"experiment\":" + value("\"e\"") +
            ",\"role\":" + value("\"leat\"") + ",\"variant\":" + value("\"v\"") +
            ",\"block\":" + value("4096") + ",\"passes\":" + value("2") +
            ",\"dir\":" + value("\"/tmp\"") + ",\"bytes\":" + value("1000") +
            ",\"repetitions\":" + value("5");
    for (const char* name : {"median", "q1", "q3", "min", "max"})
      text += fmt::format(",\"wall_seconds_{}\":{}", name, value("0.25"));
    text += '}';
  }
  return text + "]}";
}

void drive(fuzz::input& in) {
  const std::size_t width = 20 + in.below(200);
  const bool plain = in.flag();
  const std::string before = report_of(in);
  const std::string now = plain ? in.rest() : report_of(in);
  try {
    const auto comparison = bench::compare(bench::parse_report(before, "before.json"),
                                           bench::parse_report(now, "now.json"));
    const std::string text = bench::comparison_text(comparison, {.width = static_cast<int>(width)});
    fuzz::expect(!text.empty(), "the text of a comparison is empty");
  } catch (const bench::failure& refused) {
    fuzz::expect(*refused.what() != '\0', "the reason of a refusal is empty");
  }
}

const fuzz::driver self("report", drive);

}  // namespace
