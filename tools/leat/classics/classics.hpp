// The small commands on files, and their options. classic_commands.cpp calls the commands. Each
// command returns the exit code of the classical command of the same name; `find` returns the exit
// code of `grep -F`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "classics/classic.hpp"

namespace bench {

struct cat_options {
  bench::inputs inputs;
};
int cat(const cat_options& options);

struct head_options {
  bench::inputs inputs;
  amount first;  // with '-': all except the last lines or bytes
  bool quiet = false, verbose = false;
};
int head(const head_options& options);

struct tail_options {
  bench::inputs inputs;
  amount last;          // with '+': from line or byte N on
  bool follow = false;  // follow the opened file
  bool retry = false;   // follow the name through rotations
  bool quiet = false, verbose = false;
};
int tail(const tail_options& options);

struct wc_options {
  bench::inputs inputs;
  bool lines = false, words = false, bytes = false;  // no flag set: lines, words and bytes
  bool json = false;
};
int wc(const wc_options& options);

struct find_options {
  std::string text;
  bench::inputs inputs;
  bool count = false, list = false, quiet = false, invert = false;
  bool numbers = false, offsets = false, json = false;
  std::optional<bool> names;  // before each line; unset: if there are several files
  bool no_messages = false;
  std::uint64_t max_count = (std::numeric_limits<std::uint64_t>::max)();  // lines per file
};
int find(const find_options& options);

struct cp_options {
  std::vector<std::string> files;  // the last file is the target
  bool resume = false, keep_existing = false, json = false;
  unsigned jobs = 1;
};
int cp(const cp_options& options);

}  // namespace bench
