// The report for programs: each row has all that is known about one measurement.
#include <cmath>

#include "measuring/statistics.hpp"
#include "reporting/json.hpp"
#include "reporting/report.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

/// Rounded to nanoseconds.
double rounded(double seconds) { return std::round(seconds * 1e9) / 1e9; }

void write_summary(json& out, std::string_view prefix, const std::vector<double>& seconds) {
  const auto of = summarize(seconds);
  const std::string name(prefix);
  out.member(name + "_min", rounded(of.min))
      .member(name + "_median", rounded(of.median))
      .member(name + "_q1", rounded(of.q1))
      .member(name + "_q3", rounded(of.q3))
      .member(name + "_max", rounded(of.max));
}

/// The command as a line for a shell.
std::string line_of(const std::vector<std::string>& command) {
  std::string line;
  for (const auto& argument : command) {
    const bool plain = argument.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                           "XYZ0123456789-_./=:+,") == std::string::npos;
    line +=
        (line.empty() ? "" : " ") + (plain && !argument.empty() ? argument : in_quotes(argument));
  }
  return line;
}

void write_row(json& out, const session& all, const record& of, const measurement& one) {
  out.begin_object()
      .member("experiment", of.experiment)
      .member("variant", one.variant)
      .member("role", name_of(one.part))
      .member("dir", of.dir)
      .member("file_system", of.on.file_system);
  write_figures(out, one);
  if (one.bytes_read) out.member("bytes_read", *one.bytes_read);
  if (one.bytes_written) out.member("bytes_written", *one.bytes_written);
  if (one.requests) out.member("requests", *one.requests);
  if (one.dollars) out.member("dollars", *one.dollars);
  if (one.each) {
    out.member("each_seconds_min", rounded(one.each->min))
        .member("each_seconds_middle_mean", rounded(one.each->mean))
        .member("each_seconds_middle_median", rounded(one.each->median))
        .member("each_seconds_max", rounded(one.each->max))
        .member("each_seconds_p5", rounded(one.each->p5))
        .member("each_seconds_p25", rounded(one.each->p25))
        .member("each_seconds_p75", rounded(one.each->p75))
        .member("each_seconds_p95", rounded(one.each->p95));
  }
  // What a reader needs to repeat a row that was copied out of the report.
  out.member("size", all.size)
      .member("device", all.device)
      .member("seed", all.seed)
      .member("leat", all.version)
      .member("compiler", all.on.compiler)
      .member("flags", all.on.flags)
      .member("command", line_of(all.command));
  out.end_object();
}

void write_experiment(json& out, const record& of) {
  out.begin_object()
      .member("experiment", of.experiment)
      .member("dir", of.dir)
      .member("file_system", of.on.file_system)
      .member("block_size", of.on.block_size)
      .member("disk", of.on.disk)
      .member("cached", of.cached)
      .member("cores_busy_elsewhere", of.busy)
      .member("published", of.published)
      .key("findings")
      .begin_array();
  for (const auto& one : of.findings) out.value(one.text);
  out.end_array().end_object();
}

}  // namespace

void write_figures(json& out, const measurement& one) {
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
}

void write_session(json& out, const session& all) {
  out.begin_object();
  out.member("leat", all.version).member("date", all.date).key("command").begin_array();
  for (const auto& argument : all.command) out.value(argument);
  out.end_array()
      .member("size", all.size)
      .member("device", all.device)
      .member("seed", all.seed)
      .member("complete", all.complete)
      .member("cpu", all.on.cpu)
      .member("cores", all.on.cores)
      .member("memory_bytes", all.on.memory)
      .member("kernel", all.on.kernel)
      .member("libc", all.on.libc)
      .member("compiler", all.on.compiler)
      .member("flags", all.on.flags)
      .member("optimized", all.on.optimized)
      .member("load", all.on.load)
      .member("governor", all.on.governor);
  all.on.turbo ? out.member("turbo", *all.on.turbo) : out.key("turbo").null();
  out.key("warnings").begin_array();
  for (const auto& warning : warnings(all)) out.value(warning);
  out.end_array().end_object();
}

std::string json_report(const session& all) {
  json out;
  out.begin_object().member("schema", report_schema).key("session");
  write_session(out, all);
  out.key("experiments").begin_array();
  for (const auto& one : all.records) write_experiment(out, one);
  out.end_array().key("rows").begin_array();
  for (const auto& record : all.records) {
    for (const auto& one : record.result.measured) write_row(out, all, record, one);
  }
  out.end_array().end_object();
  return out.text();
}

}  // namespace bench
