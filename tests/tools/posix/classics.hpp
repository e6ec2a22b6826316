// Runs `leat cat` and the other small commands, and GNU's commands, in a folder of files.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "measuring/scratch_folder.hpp"
#include "support/sanitizer.hpp"

namespace leat_test {

inline void replace_all(std::string& text, std::string_view old, std::string_view with) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size()))
    text.replace(at, old.size(), with);
}

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct outcome {
  int code;
  std::string out, err;

  bool operator==(const outcome&) const = default;
  friend void PrintTo(const outcome& shown, std::ostream* to) {
    *to << "exit code " << shown.code << ", output\n"
        << shown.out.substr(0, 2000) << "messages\n"
        << shown.err;
  }
};

class classics : public ::testing::Test {
 protected:
  classics() {
    std::filesystem::create_directory(work_);
    std::filesystem::create_directory(work_ / "folder");
    write(work_ / "empty", "");
    write(work_ / "one", "one line\n");
    write(work_ / "open", "first\nthe last one has no end");
    write(work_ / "newline", "\n");
    write(work_ / "blank", " \t\n\v\f\r\n\n  \n");
    write(work_ / "zeros", std::string("a\0b\n\nend\0", 9));
    write(work_ / "-odd name", "two words\n");
    write(work_ / "[a,b]", "brackets\n");
    write(work_ / "tail", "named as a command\n");
    write(work_ / "long", std::string(300'000, 'x') + "\nneedle\n" + std::string(70'000, 'y'));
    for (const auto size : {65'535U, 65'536U, 65'537U, 300'001U})
      write(work_ / ("text" + std::to_string(size)), random_text(size));
  }

  /// Returns random lines of words. The last line has a newline only if `size` is even.
  std::string random_text(std::size_t size) {
    static constexpr std::string_view characters = "abcdeeneedle .,   \t\n\n";
    std::string text(size, ' ');
    for (auto& c : text) c = characters[random_() % characters.size()];
    text.back() = size % 2 == 0 ? '\n' : 'z';
    return text;
  }

  static bool is_gnu(const std::string& tool) {
    return std::system((tool + " --version 2>/dev/null | grep -q GNU").c_str()) == 0;
  }

  outcome shell(const std::string& command) {
    const auto line = "cd '" + work_.string() + "'; { " + command + "\n} >../out 2>../err";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), content(scratch_.path() / "out"),
            content(scratch_.path() / "err")};
  }

  static std::string command() {
    std::string all;
    for (const auto* word : {LEAT_COMMAND}) all += "'" + std::string(word) + "' ";
    return all;
  }

  /// Runs shell lines in which "@" stands for `tool`. Returns the outcome of each line.
  std::vector<outcome> run(const std::vector<std::string>& lines, const std::string& tool) {
    static constexpr std::string_view mark = "\001 ";
    std::string script;
    for (auto line : lines) {
      replace_all(line, "@", tool);
      script += "(" + line + "\n); code=$?; printf '\\001 %s\\n' $code; printf '\\001 \\n' >&2\n";
    }
    const auto all = shell(script);
    std::vector<outcome> each;
    std::string_view out = all.out, err = all.err;
    for (std::size_t i = 0; i != lines.size(); ++i) {
      const auto out_mark = out.find(mark), err_mark = err.find(mark);
      if (out_mark == out.npos || err_mark == err.npos) break;
      each.push_back({std::atoi(out.data() + out_mark + mark.size()),
                      std::string(out.substr(0, out_mark)), std::string(err.substr(0, err_mark))});
      out.remove_prefix(out.find('\n', out_mark) + 1);
      err.remove_prefix(err.find('\n', err_mark) + 1);
    }
    EXPECT_EQ(each.size(), lines.size()) << all.out << all.err;
    return each;
  }

  /// Expects the same outcomes of these lines with the classical command and with leat's.
  void expect_same(const std::vector<std::string>& all, const std::string& name,
                   const std::string& classical) {
    // With sanitizers or in an emulator, a command starts slowly, so only a sample of the lines
    // runs.
    std::vector<std::string> lines;
    const auto count = static_cast<int>(all.size());
    for (int i = 0; i < count; i += count / rounds(count))
      lines.push_back(all[static_cast<std::size_t>(i)]);
    auto expected = run(lines, "LC_ALL=C " + classical);
    auto got = run(lines, command() + name);
    if (got.size() != expected.size()) return;
    for (std::size_t i = 0; i != got.size(); ++i) {
      replace_all(expected[i].err, classical.substr(0, classical.find(' ')) + ":", name + ":");
      replace_all(got[i].err, "leat " + name + ":", name + ":");
      EXPECT_EQ(got[i], expected[i]) << lines[i];
    }
  }
  void expect_same(const std::vector<std::string>& lines, const std::string& name) {
    expect_same(lines, name, name);
  }

  /// Adds lines in which the command reads files as arguments, as standard input and through a
  /// pipe.
  static void add_everywhere(std::vector<std::string>& lines, const std::string& options) {
    for (const auto* file : {"empty", "open", "blank", "zeros", "long", "text65536", "text300001"})
      lines.push_back("@ " + options + " " + file);
    for (const auto* file : {"open", "text65537"}) {
      lines.push_back("@ " + options + " <" + file);
      lines.push_back("cat " + std::string(file) + " | @ " + options);
    }
  }

  std::mt19937 random_{20};
  bench::scratch_folder scratch_{std::filesystem::temp_directory_path()};
  std::filesystem::path work_ = scratch_.path() / "work";
};

}  // namespace leat_test
