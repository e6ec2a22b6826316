// The JSON report of `leat bench`. Each row has the figures of one measurement and the context to
// repeat the measurement. bench_command.cpp calls json_report(), submission.cpp calls
// add_figures(), and tuning/answers.cpp calls session_json().
#include <cmath>
#include <nlohmann/json.hpp>

#include "measuring/statistics.hpp"
#include "reporting/report.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

double rounded(double seconds) { return std::round(seconds * 1e9) / 1e9; }

void add_summary(json& to, const std::string& name, const std::vector<double>& seconds) {
  const auto times = summarize(seconds);
  to[name + "_min"] = rounded(times.min);
  to[name + "_median"] = rounded(times.median);
  to[name + "_q1"] = rounded(times.q1);
  to[name + "_q3"] = rounded(times.q3);
  to[name + "_max"] = rounded(times.max);
}

/// Returns the command as a shell command line.
std::string command_line(const std::vector<std::string>& command) {
  std::string line;
  for (const auto& argument : command) {
    const bool plain = argument.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                           "XYZ0123456789-_./=:+,") == std::string::npos;
    line += (line.empty() ? "" : " ") +
            (plain && !argument.empty() ? argument : shell_quoted(argument));
  }
  return line;
}

json row_of(const session& all, const record& record, const measurement& measured) {
  json row{{"experiment", record.experiment},
           {"variant", measured.variant},
           {"role", name_of(measured.role)},
           {"dir", record.dir},
           {"file_system", record.volume.file_system}};
  add_figures(row, measured);
  const auto add = [&](const char* name, const auto& known) {
    if (known) row[name] = *known;
  };
  add("bytes_read", measured.bytes_read);
  add("bytes_written", measured.bytes_written);
  add("requests", measured.requests);
  add("dollars", measured.dollars);
  if (measured.per_operation) {
    row["each_seconds_min"] = rounded(measured.per_operation->min);
    row["each_seconds_middle_mean"] = rounded(measured.per_operation->mean);
    row["each_seconds_middle_median"] = rounded(measured.per_operation->median);
    row["each_seconds_max"] = rounded(measured.per_operation->max);
    row["each_seconds_p5"] = rounded(measured.per_operation->p5);
    row["each_seconds_p25"] = rounded(measured.per_operation->p25);
    row["each_seconds_p75"] = rounded(measured.per_operation->p75);
    row["each_seconds_p95"] = rounded(measured.per_operation->p95);
  }
  // Context that a reader needs to repeat a row that was copied from the report.
  row.update({{"size", all.size},
              {"device", all.device},
              {"seed", all.seed},
              {"leat", all.version},
              {"compiler", all.machine.compiler},
              {"flags", all.machine.flags},
              {"command", command_line(all.command)}});
  return row;
}

json experiment_of(const record& record) {
  json one{{"experiment", record.experiment},
           {"dir", record.dir},
           {"file_system", record.volume.file_system},
           {"block_size", record.volume.block_size},
           {"disk", record.volume.disk},
           {"cached", record.cached},
           {"cores_busy_elsewhere", record.busy_cores},
           {"published", record.published},
           {"findings", json::array()}};
  for (const auto& found : record.findings) one["findings"].push_back(found.text);
  return one;
}

}  // namespace

void add_figures(json& to, const measurement& row) {
  for (const auto& [factor, value] : row.setting.all())
    to[factor] = value.is_default() ? json()
                 : value.number     ? json(*value.number)
                                    : json(value.text);
  to["bytes"] = row.load.bytes;
  to["operations"] = row.load.operations;
  to["repetitions"] = row.wall.size();
  add_summary(to, "wall_seconds", row.wall);
  add_summary(to, "cpu_seconds", row.cpu);
}

json session_json(const session& all) {
  return {{"leat", all.version},
          {"date", all.date},
          {"command", json(all.command)},
          {"size", all.size},
          {"device", all.device},
          {"seed", all.seed},
          {"complete", all.complete},
          {"cpu", all.machine.cpu},
          {"cores", all.machine.cores},
          {"memory_bytes", all.machine.memory},
          {"kernel", all.machine.kernel},
          {"libc", all.machine.libc},
          {"compiler", all.machine.compiler},
          {"flags", all.machine.flags},
          {"optimized", all.machine.optimized},
          {"load", all.machine.load},
          {"governor", all.machine.governor},
          {"turbo", all.machine.turbo ? json(*all.machine.turbo) : json()},
          {"warnings", json(warnings(all))}};
}

std::string json_report(const session& all) {
  json out{{"schema", report_schema},
           {"session", session_json(all)},
           {"experiments", json::array()},
           {"rows", json::array()}};
  for (const auto& one : all.records) {
    out["experiments"].push_back(experiment_of(one));
    for (const auto& row : one.result.measurements) out["rows"].push_back(row_of(all, one, row));
  }
  return json_text(out);
}

}  // namespace bench
