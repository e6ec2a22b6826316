// What the outcome of an experiment looks like to people, and to programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "chart.hpp"
#include "json.hpp"
#include "machine.hpp"
#include "table.hpp"

namespace bench {

/// An experiment's outcome, the folder it belongs to, and what a reader has to know of it.
struct record {
  std::string experiment;
  std::string dir;
  volume on;
  outcome result;
  double busy = 0;  // cores that others kept busy meanwhile

  std::string title;
  std::string published;
  std::string follows;
  std::string cached;
  std::vector<finding> findings;
  std::vector<published_table> figures;
  std::vector<chart> charts;
  std::optional<bench::headline> headline;
};

/// Takes from the experiment what its report needs, and lets it conclude, if there is enough to
/// conclude from.
record record_of(const experiment& what, std::string dir, volume on, outcome result);

/// One run of the command.
struct session {
  machine on;
  std::string version;
  std::vector<std::string> command;
  std::string date;  // UTC, as in 2026-11-21T03:08:00Z
  std::string size;
  std::string device = "real";  // or a simulated one
  std::uint64_t seed = 0;
  bool complete = true;
  std::vector<record> records;
};

/// Changes when a program that reads reports has to change.
inline constexpr int report_schema = 1;

/// A table and the sentences below it.
struct block {
  table figures;
  std::vector<std::string> notes;
};

/// All that was measured of one load.
struct section {
  std::string title;
  std::vector<block> blocks;
};

std::vector<section> sections(const record& of);

/// "3 to 30 repetitions; PARTIAL: interrupted"
std::string effort(const outcome& of);

/// What disturbs the figures, as sentences: none on a quiet machine.
std::vector<std::string> warnings(const session& all);

/// The machine, and what disturbs the figures there.
std::string heading(const session& all, const page& on);

/// The tables of an experiment, its winners, and what it found beside what was published.
std::string tables(const record& of, const page& on);

/// What is known of the session itself, as an object.
void write_session(json& out, const session& all);

/// All of it as JSON: the session, and a row for each measurement.
std::string json_report(const session& all);

/// Draws for a page: SVG, or nothing where there is no tool for it.
using painter = std::function<std::string(const drawing& of, bool narrow)>;

/// All of it as a page that needs nothing else. Without a painter it has no charts, and says why.
std::string html_report(const session& all, const painter& paint,
                        std::string_view why_not_painted = "");

}  // namespace bench
