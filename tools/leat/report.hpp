// What the outcome of an experiment looks like to people, and to programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "json.hpp"
#include "machine.hpp"
#include "table.hpp"

namespace bench {

/// An experiment's outcome and the folder it belongs to.
struct record {
  std::string experiment;
  std::string dir;
  std::string file_system;
  outcome result;
};

/// One run of the command.
struct session {
  machine on;
  std::string version;
  std::vector<std::string> command;
  std::string date;  // UTC, as in 2026-11-21T03:08:00Z
  std::string size;
  std::uint64_t seed = 0;
  bool complete = true;
  std::vector<record> records;
};

/// One line about the machine.
std::string heading(const session& all, const page& on);

/// The tables of an experiment, its winners, and what it found beside what was published.
std::string tables(const experiment& what, const record& of, const page& on);

/// What is known of the session itself, as an object.
void write_session(json& out, const session& all);

/// All of it as JSON: the session, and a row for each measurement.
std::string json_report(const session& all);

}  // namespace bench
