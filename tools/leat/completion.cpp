// Generates completion scripts for shells. main.cpp calls the generator.
#include "completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace bench {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* one) { return one->nonpositional() && !one->get_group().empty(); });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

/// Returns a description on one line, for use inside single quotes of a shell. Characters of
/// `special` get a backslash.
std::string escape_description(std::string text, std::string_view special = {}) {
  std::ranges::replace(text, '\n', ' ');
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Returns the names of all options, for example "-h --help …".
std::string options_text(const CLI::App& app) {
  std::vector<std::string> all;
  for (const auto* one : options_of(app)) {
    for (const auto& name : one->get_snames()) all.push_back('-' + name);
    for (const auto& name : one->get_lnames()) all.push_back("--" + name);
  }
  return fmt::format("{}", fmt::join(all, " "));
}

/// Returns the names of all subcommands, for example "cat head …".
std::string names_text(const CLI::App& app) {
  std::vector<std::string> all;
  for (const auto* one : commands_of(app)) all.push_back(one->get_name());
  return fmt::format("{}", fmt::join(all, " "));
}

std::string bash_script(const CLI::App& app) {
  std::string script = fmt::format(
      "_leat() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words='' below=''\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words='{} {}'\n"
      "  else\n"
      "    case ${{COMP_WORDS[1]}} in\n",
      names_text(app), options_text(app));
  for (const auto* one : commands_of(app)) {
    script += fmt::format("      {}) words='{}'", one->get_name(), options_text(*one));
    for (const auto* subcommand : commands_of(*one))
      script += fmt::format(" words+=' {}'", options_text(*subcommand));
    if (!commands_of(*one).empty()) script += fmt::format(" below='{}'", names_text(*one));
    script += " ;;\n";
  }
  return script +
         "    esac\n"
         "    if [[ $word != -* ]]; then\n"
         "      words=\n"
         "      ((COMP_CWORD == 2)) && words=$below\n"
         "    fi\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -o bashdefault -F _leat leat\n";
}

std::string zsh_options(const CLI::App& app) {
  std::string lines;
  for (const auto* one : options_of(app)) {
    const auto add = [&](const std::string& name) {
      lines += fmt::format("        '*{}[{}]{}' \\\n", name,
                           escape_description(one->get_description(), "[]:\\"),
                           takes_value(*one) ? ":value:_files" : "");
    };
    for (const auto& name : one->get_snames()) add('-' + name);
    for (const auto& name : one->get_lnames()) add("--" + name);
  }
  return lines;
}

std::string zsh_script(const CLI::App& app) {
  std::string script = "_leat() {\n  local -a commands=(\n";
  for (const auto* one : commands_of(app))
    script +=
        fmt::format("    '{}:{}'\n", one->get_name(), escape_description(one->get_description()));
  script +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n";
  for (const auto* one : commands_of(app)) {
    script += fmt::format("    {})\n      _arguments \\\n{}", one->get_name(), zsh_options(*one));
    for (const auto* subcommand : commands_of(*one)) script += zsh_options(*subcommand);
    if (!commands_of(*one).empty())
      script += fmt::format("        '1:command:({})' \\\n", names_text(*one));
    script += "        '*:file:_files'\n      ;;\n";
  }
  return script + "  esac\n}\n_leat \"$@\"\n";
}

void add_fish(std::string& script, const CLI::App& app, const std::string& condition) {
  for (const auto* one : options_of(app)) {
    script += fmt::format("complete -c leat -n '{}'", condition);
    for (const auto& name : one->get_snames()) script += " -s " + name;
    for (const auto& name : one->get_lnames()) script += " -l " + name;
    script += fmt::format("{} -d '{}'\n", takes_value(*one) ? " -r" : "",
                          escape_description(one->get_description()));
  }
  for (const auto* subcommand : commands_of(app)) {
    const bool is_first = app.get_parent() == nullptr;
    script += fmt::format("complete -c leat -f -n '{}' -a {} -d '{}'\n",
                          is_first ? "__fish_use_subcommand" : condition, subcommand->get_name(),
                          escape_description(subcommand->get_description()));
    add_fish(script, *subcommand, "__fish_seen_subcommand_from " + subcommand->get_name());
  }
}

std::string fish_script(const CLI::App& app) {
  std::string script;
  add_fish(script, app, "__fish_use_subcommand");
  return script;
}

}  // namespace

std::string completion(const CLI::App& app, std::string_view shell) {
  const auto head = fmt::format("{}# `leat completion {}` prints this file.\n",
                                shell == "zsh" ? "#compdef leat\n" : "", shell);
  if (shell == "bash") return head + bash_script(app);
  return head + (shell == "zsh" ? zsh_script(app) : fish_script(app));
}

}  // namespace bench
