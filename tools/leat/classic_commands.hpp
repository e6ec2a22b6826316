// Declares and prepares the arguments of the small commands: cat, head, tail, wc, find and cp.
// main.cpp calls these functions.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Declares all small commands. Parsing sets `run` to the chosen command. `run` must outlive `app`.
void declare_classics(CLI::App& app, std::function<int()>& run);

/// Returns the exit code for bad usage: 1 for cat, cp, head, tail and wc, else `otherwise`.
int usage_exit_code(const std::string& command, int otherwise);

/// Turns the traditional "head -5" into "head -n5"; likewise for tail. Only the first argument of
/// the command can be such a number. The first of `arguments` is the program's name.
void expand_line_count(std::vector<std::string>& arguments);

}  // namespace bench
