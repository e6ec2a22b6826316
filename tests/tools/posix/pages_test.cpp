// The manual pages have the same options as the command, and the shells' completions work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <string>

namespace {

using ::testing::HasSubstr;
using names = std::set<std::string>;

std::string source(const std::string& name) {
  std::ifstream file(LEAT_SOURCES "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string output_of(const std::string& line) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(popen(line.c_str(), "r"), pclose);
  std::string all;
  for (int c = 0; (c = std::fgetc(stream.get())) != EOF;) all += static_cast<char>(c);
  return all;
}

/// Returns the command in a shell's syntax, with these quotes.
std::string command_for(const std::string& quote) {
  std::string line;
  for (const auto* word : {LEAT_COMMAND}) line += quote + word + quote + ' ';
  return line;
}

std::string command_output(const std::string& arguments) {
  return output_of(command_for("'") + arguments);
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

names all_matches(const std::string& text, const std::regex& pattern) {
  names all;
  for (std::sregex_iterator one(text.begin(), text.end(), pattern), end; one != end; ++one)
    all.insert((*one)[1]);
  return all;
}

/// Returns the options that --help lists, such as "-n" and "--lines", without -h and --help.
names options_of(const std::string& command) {
  static const std::regex line("\n {2}(-[^ ]*)");
  static const std::regex name("(--?[A-Za-z-]+)");
  names all;
  for (const auto& list : all_matches(command_output(command + " --help"), line))
    all.merge(all_matches(list, name));
  EXPECT_TRUE(all.contains("--help")) << command;
  all.erase("-h");
  all.erase("--help");
  return all;
}

names options_in(const std::string& page) {
  static const std::regex name("Fl (-?[A-Za-z-]+)");
  names all;
  for (const auto& one : all_matches(page, name)) all.insert('-' + one);
  all.erase("-h");
  all.erase("--help");
  return all;
}

/// Returns the section of leat(1) about a command.
std::string section_about(const std::string& page, const std::string& command) {
  const auto start = page.find(".Ss " + command + "\n");
  EXPECT_NE(start, page.npos) << command;
  return page.substr(start, page.find("\n.Ss ", start) - start);
}

TEST(manual_pages, have_the_options_of_the_command) {
  const auto page = source("man/leat.1");
  for (const std::string command : {"cat", "head", "tail", "wc", "find", "cp"})
    EXPECT_EQ(options_in(section_about(page, command)), options_of(command)) << command;
  for (const std::string command : {"bench", "tune"})
    EXPECT_EQ(options_in(source("man/leat-" + command + ".1")), options_of(command)) << command;
}

TEST(manual_pages, name_every_command) {
  const auto page = source("man/leat.1");
  static const std::regex line("\n {2}([a-z]+) {2,}[A-Z]");
  const auto commands = all_matches(command_output("--help"), line);
  EXPECT_GE(commands.size(), 9U);
  for (const auto& one : commands)
    EXPECT_TRUE(page.find(".Ss " + one + "\n") != page.npos ||
                page.find(".It Cm " + one) != page.npos)
        << one;
}

TEST(manual_pages, are_well_formed) {
  for (const std::string name : {"leat.1", "leat-bench.1", "leat-tune.1", "leat.3"}) {
    const auto path = LEAT_SOURCES "/man/" + name;
    if (is_installed("mandoc")) {
      EXPECT_EQ(output_of("mandoc -T lint -W warning '" + path + "' 2>&1"), "");
    }
    if (is_installed("groff")) {
      EXPECT_EQ(output_of("groff -mdoc -ww -T ascii '" + path + "' 2>&1 >/dev/null"), "");
    }
  }
}

TEST(completion, completes_words_in_bash) {
  if (!is_installed("bash")) GTEST_SKIP() << "there is no bash";
  const auto completed = [](const std::string& words) {
    return output_of("bash -c '. <(" + command_for("\"") + "completion bash); COMP_WORDS=(" +
                     words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _leat; "
                     "printf \"%s \" \"${COMPREPLY[@]}\"'");
  };
  EXPECT_EQ(completed("leat ta"), "tail ");
  EXPECT_EQ(completed("leat wc --l"), "--lines ");
  EXPECT_EQ(completed("leat wc li"), " ");  // a file name, which bash completes
#if defined(LEAT_REMOTE)
  EXPECT_EQ(completed("leat remote re"), "remove ");
  EXPECT_EQ(completed("leat remote abort-old --dr"), "--dry-run ");
#endif
}

TEST(completion, is_valid_in_each_shell) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const auto script = command_for("'") + "completion " + shell + " | " + shell;
    if (!is_installed(shell)) continue;
    EXPECT_EQ(output_of(script + " -n /dev/stdin 2>&1"), "") << shell;
    if (shell == "fish") {
      EXPECT_THAT(output_of(script + " -c 'source; complete -C \"leat wc --li\"'"),
                  HasSubstr("--lines"));
    }
  }
}

}  // namespace
