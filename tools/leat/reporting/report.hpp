// Reports of experiments: text, JSON and HTML. bench_command.cpp makes the reports; `leat tune`
// uses parts of the reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"
#include "reporting/chart.hpp"
#include "reporting/json.hpp"
#include "reporting/table.hpp"
#include "system/machine.hpp"

namespace bench {

/// Describes a volume: "ext4, blocks of 4 KiB, on vda".
std::string volume_text(const volume& described);

/// An experiment's outcome, its folder, and the context for readers.
struct record {
  std::string experiment;
  std::string dir;
  bench::volume volume;
  outcome result;
  double busy_cores = 0;  // kept busy by other programs during the run

  std::string title;
  std::string published;
  std::string published_id;
  std::string cached;
  std::vector<finding> findings;
  std::vector<published_table> published_tables;
  std::vector<chart> charts;
  std::optional<bench::headline> headline;
};

/// Copies what a report needs, except `busy_cores`, which the caller sets. If the run is incomplete
/// or a variant has fewer than three repetitions, the only finding is that the repetitions are too
/// few.
record record_of(const experiment& experiment, std::string dir, volume dir_volume, outcome result);

/// One run of the command.
struct session {
  bench::machine machine;
  std::string version;
  std::vector<std::string> command;
  std::string date;  // UTC, such as 2026-11-21T03:08:00Z
  std::string size;
  std::string device = "real";  // or the name of a simulated disk, or an address
  std::uint64_t seed = 0;
  bool complete = true;
  std::vector<record> records;
};

/// Incremented when programs that read reports must change.
inline constexpr int report_schema = 1;

/// A table and the sentences below it.
struct block {
  table figures;
  std::vector<std::string> notes;
};

/// All measurements that share the values of the factors of layout::table.
struct section {
  std::string title;
  std::vector<block> blocks;
};

/// Returns the sections in the order of their first measurements.
std::vector<section> sections(const record& record);

/// Describes the repetitions: "3 to 30 repetitions; PARTIAL: interrupted".
std::string repetitions_text(const outcome& outcome);

/// Returns sentences about known disturbances of the figures; no sentence if there is no
/// disturbance.
std::vector<std::string> warnings(const session& all);

/// Returns the version, the machine and the warnings, as the first lines of a report.
std::string heading(const session& all, const page& page);

/// Returns the tables of an experiment, the fastest variants, a summary of the published figures,
/// and the findings.
std::string record_text(const record& record, const page& page);

/// Returns the session without its records.
json session_json(const session& all);

/// Adds the values of the factors, the amount of work, and the times to a JSON object.
void add_figures(json& to, const measurement& row);

/// Returns the session as JSON, with one row per measurement.
std::string json_report(const session& all);

/// Returns the machine and the session as HTML.
std::string about_machine(const session& all);

/// Draws a chart for a page. Returns SVG.
using painter = std::function<std::string(const drawing& drawing, bool narrow)>;

/// Returns the session as a page that needs no other files. If `paint` is null, the page has no
/// charts, and contains `no_charts_reason`.
std::string html_report(const session& all, const painter& paint,
                        std::string_view no_charts_reason = "");

}  // namespace bench
