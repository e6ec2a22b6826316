// The report for programs: each row holds everything that is known of one measurement.
#include <cmath>

#include "json.hpp"
#include "report.hpp"
#include "statistics.hpp"

namespace bench {

namespace {

/// Without the noise behind the nanosecond.
double rounded(double seconds) { return std::round(seconds * 1e9) / 1e9; }

void write_summary(json& out, std::string_view prefix, const std::vector<double>& seconds) {
  const auto of = summarize(seconds);
  const std::string name(prefix);
  out.member(name + "_min", rounded(of.min))
      .member(name + "_median", rounded(of.median))
      .member(name + "_max", rounded(of.max));
}

void write_row(json& out, const record& of, const measurement& one) {
  out.begin_object()
      .member("experiment", of.experiment)
      .member("variant", one.variant)
      .member("role", name_of(one.part))
      .member("dir", of.dir)
      .member("file_system", of.file_system);
  for (const auto& [factor, value] : one.at.all()) {
    out.key(factor);
    value.is_default() ? out.null()
    : value.number     ? out.value(*value.number)
                       : out.value(value.text);
  }
  out.member("bytes", one.load.bytes)
      .member("operations", one.load.operations)
      .member("repetitions", one.wall.size());
  write_summary(out, "wall_seconds", one.wall);
  write_summary(out, "cpu_seconds", one.cpu);
  if (one.bytes_read) out.member("bytes_read", *one.bytes_read);
  if (one.each) {
    out.member("each_seconds_min", rounded(one.each->min))
        .member("each_seconds_middle_mean", rounded(one.each->mean))
        .member("each_seconds_middle_median", rounded(one.each->median))
        .member("each_seconds_max", rounded(one.each->max));
  }
  out.end_object();
}

}  // namespace

void write_session(json& out, const session& all) {
  out.begin_object();
  out.member("leat", all.version).member("date", all.date).key("command").begin_array();
  for (const auto& argument : all.command) out.value(argument);
  out.end_array()
      .member("size", all.size)
      .member("seed", all.seed)
      .member("complete", all.complete)
      .member("cpu", all.on.cpu)
      .member("cores", all.on.cores)
      .member("memory_bytes", all.on.memory)
      .member("kernel", all.on.kernel)
      .member("compiler", all.on.compiler)
      .member("optimized", all.on.optimized);
  out.end_object();
}

std::string json_report(const session& all) {
  json out;
  out.begin_object().key("session");
  write_session(out, all);
  out.key("rows").begin_array();
  for (const auto& record : all.records) {
    for (const auto& one : record.result.measured) write_row(out, record, one);
  }
  out.end_array().end_object();
  return out.text();
}

}  // namespace bench
