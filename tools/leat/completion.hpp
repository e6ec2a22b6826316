// Completion of the command's arguments in shells. main.cpp calls completion().
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace bench {

/// Returns a script for "bash", "zsh" or "fish" with the commands and options of `app`.
std::string completion(const CLI::App& app, std::string_view shell);

}  // namespace bench
