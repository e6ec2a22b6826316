// The arguments of the commands beside their classical namesakes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Declares them all. `run` becomes the one that was chosen.
void declare_classics(CLI::App& app, std::function<int()>& run);

/// Whether it is one of them, which end with another code than `leat bench` on bad usage.
/// Returns that code, or `otherwise`.
int usage_code(const std::string& command, int otherwise);

/// "head -5" becomes "head -n 5", as has been typed for fifty years.
void expand_number(std::vector<std::string>& arguments);

}  // namespace bench
