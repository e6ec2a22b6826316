// `leat cat` and the other small commands, compared with GNU's commands: output, messages and exit
// codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/sanitizer.hpp"
#include "tools/posix/classics.hpp"

namespace {

namespace fs = std::filesystem;
using namespace leat_test;
using ::testing::HasSubstr;

// Several files, unusual names, and files that can't be read.
const std::vector<std::string> odd_files{"one open one",        "one missing open", "missing",
                                         "one folder open",     "folder",           "tail",
                                         "-- '-odd name'",      "'[a,b]'",          "'[a,b]' one",
                                         "one - open <newline", "- - <text65537",   "empty empty"};

std::vector<std::string> with_odd_files(const std::string& options) {
  std::vector<std::string> lines;
  for (const auto& files : odd_files) lines.push_back("@ " + options + " " + files);
  return lines;
}

TEST_F(classics, cat_does_the_same_as_gnu_cat) {
  if (!is_gnu("cat")) GTEST_SKIP() << "there is no GNU cat";
  auto lines = with_odd_files("");
  add_everywhere(lines, "");
  for (const auto* line : {"@ one >>one", "@ one >/dev/full", "@ text300001 >/dev/full",
                           "@ long | head -c 5", "@ one <&-", "@ - <folder"})
    lines.push_back(line);
  expect_same(lines, "cat");
}

TEST_F(classics, cat_prints_each_line_of_a_slow_input_without_delay) {
  // The second line is written only after the first one was printed.
  const auto got = shell("mkfifo back; { echo first; read word <back; echo $word; } | " +
                         command() + "cat | { read word; echo $word; echo second >back; cat; }");
  EXPECT_EQ(got.out, "first\nsecond\n");
}

TEST_F(classics, tail_follows_a_file_and_a_name) {
  // tail runs until the last line has arrived, at most ten seconds.
  for (const std::string option : {"-f", "-F"}) {
    const std::string rotated = option == "-F" ? "mv log old; echo new >log; " : "mv log old; ";
    const auto got =
        shell("rm -f log old; : >seen; echo one >log; timeout 10 " + command() + "tail " + option +
              " log >seen & for word in one two; do until grep -q $word seen; do sleep 0.02; done; "
              "[ $word = two ] || echo two >>log; done; " +
              rotated + "[ " + option +
              " = -F ] || echo new >>old; "
              "until grep -q new seen; do sleep 0.02; done; kill $!; cat seen");
    EXPECT_EQ(got.out, "one\ntwo\nnew\n") << option;
  }
}

TEST_F(classics, tail_ends_when_the_reader_of_its_output_ends) {
  // The file gets no more bytes, so no write notices that the reader has ended.
  shell("echo two >two");
  for (const std::string arguments :
       {"-f one", "-F one", "-f one two", "-F one two", "-F -c 5 one"})
    EXPECT_EQ(shell("{ timeout 20 " + command() + "tail " + arguments +
                    "; echo $? >end; } | head -n 1 | grep -c .; cat end; rm -f end")
                  .out,
              "1\n141\n")
        << arguments;
}

#if defined(__linux__)
TEST_F(classics, tail_continues_with_the_other_files_after_an_error) {
  // The arguments of a process that has ended can't be read.
  const auto got =
      shell("rm -f seen errors; echo one >log; sleep 20 & victim=$!; timeout 10 " + command() +
            "tail -q -f /proc/$victim/cmdline log >seen 2>errors & tail=$!; "
            "until grep -q one seen; do sleep 0.02; done; kill $victim; wait $victim; "
            "until grep -q 'error reading' errors; do sleep 0.02; done; echo two >>log; "
            "until grep -q two seen; do sleep 0.02; done; kill $tail; grep -c . errors");
  EXPECT_EQ(got.out, "1\n") << got.err;
}

TEST_F(classics, end_when_the_reader_of_their_output_ends_even_if_sigpipe_is_ignored) {
  for (const char* const arguments : {"cat", "head -n 1000000000", "find y"}) {
    const auto result = shell("trap '' PIPE; yes 2>/dev/null | (timeout 15 " + command() +
                              arguments + " 2>/dev/null; echo $? >status) | head -n 1; cat status");
    EXPECT_EQ(result.out.substr(0, 2), "y\n") << arguments;
    EXPECT_NE(result.out, "y\n124\n") << arguments << ": the command did not end";
  }
}

TEST_F(classics, read_files_whose_reported_size_is_wrong) {
  std::vector<std::string> files;
  for (const std::string file : {"/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled",
                                 "/sys/devices/system/cpu/possible", "/proc/filesystems"})
    if (!content(file).empty()) files.push_back(file);
  const auto compare = [&](const std::string& name, const std::vector<std::string>& all) {
    if (!is_gnu(name)) return;
    std::vector<std::string> lines;
    for (const auto& options : all)
      for (const auto& file : files)
        for (const std::string from : {" ", " <"}) lines.push_back("@ " + options + from + file);
    expect_same(lines, name);
  };
  compare("wc", {"-c", "-l", "-w"});
  compare("head", {"-n 1", "-n -1", "-c -5", "-c -5000"});
  compare("tail", {"-n 1", "-c 5", "-c +2", "-n 1000"});
  compare("cat", {""});
  for (const auto& file : files) {
    EXPECT_EQ(shell(command() + "cp " + file + " copy").code, 0);
    EXPECT_EQ(content(work_ / "copy"), content(file));
    // tail prints the content once, and then waits.
    for (const std::string arguments : {"-f -n +1 ", "-F -n 1000 ", "-F -c +1 ", "-F -c 9999 "})
      EXPECT_EQ(
          shell("rm -f seen; " + command() + "tail " + arguments + file + " >seen & until cat " +
                file + " | cmp -s - seen; do sleep 0.02; done; sleep 0.1; kill $!; cat seen")
              .out,
          content(file))
          << arguments;
  }
}

TEST_F(classics, cp_keeps_holes) {
  const auto got =
      shell("truncate -s 64M sparse; printf x | dd of=sparse bs=1 seek=50000000 conv=notrunc; " +
            command() + "cp sparse copy; cmp sparse copy; stat -c '%s %b' copy");
  unsigned long long size = 0, blocks = 0;
  ASSERT_EQ(std::sscanf(got.out.c_str(), "%llu %llu", &size, &blocks), 2) << got.err;
  EXPECT_EQ(size, 64U << 20);
  EXPECT_LT(blocks * 512, 1U << 20);
}

TEST_F(classics, report_a_full_disk_whatever_they_print) {
  for (const std::string arguments :
       {"--help", "--version", "cat --help", "find --help", "bench --help", "bench --list",
        "completion bash", "cat one", "head one", "tail one", "wc one", "cp --json one new"}) {
    const auto got = shell(command() + arguments + " >/dev/full");
    EXPECT_EQ(got.code, 1) << arguments;
    EXPECT_THAT(got.err, HasSubstr("No space left on device")) << arguments;
  }
  EXPECT_EQ(shell(command() + "find line one >/dev/full").code, 2);
}
#endif

TEST_F(classics, escape_control_characters) {
  const std::string name = "a\n\x1b[2Jb\xff";
  const std::string shown = "a\\n\\x1b[2Jb\\xff";
  for (const std::string before : {"cat", "head", "tail", "wc", "find x", "cp"}) {
    const auto got = shell(command() + before + " '" + name + "' " + (before == "cp" ? "to" : ""));
    EXPECT_THAT(got.err, HasSubstr(shown)) << before;
    EXPECT_EQ(std::ranges::count(got.err, '\n'), 1) << before;
    EXPECT_EQ(std::ranges::count(got.err, '\x1b'), 0) << before;
  }
  EXPECT_THAT(shell(command() + "'no\n\x1b[command'").err, HasSubstr("'no\\n\\x1b[command'"));
  EXPECT_THAT(shell(command() + "tune 'no\n\x1b[folder'").err, HasSubstr("'no\\n\\x1b[folder'"));
}

TEST_F(classics, cp_refuses_copies_with_the_same_target) {
  shell("mkdir a b to; echo 1 >a/f; echo 2 >b/f; echo 3 >b/g; ln -s b/f link");
  for (const std::string options : {"", "-j 2 ", "-n ", "--resume ", "--json "}) {
    for (const std::string files : {"a/f b/f to", "a/f b/f to/", "a/f b//f ./to//",
                                    "b/g a/f b/f to", "a/f a/f to", "a/f ./a/../a/f to"}) {
      const auto got = shell(command() + "cp " + options + files + "; code=$?; ls to; exit $code");
      EXPECT_EQ(got.code, 1) << options << files;
      EXPECT_EQ(got.out, "") << options << files;
      EXPECT_THAT(got.err, HasSubstr("would both be copied to")) << options << files;
    }
  }
  // The target of the first copy, to/f, is also the second source.
  const auto got = shell("ln b/g to/f; " + command() + "cp a/f to/f to; cat to/f; rm to/f");
  EXPECT_EQ(got.out, "3\n");
  EXPECT_EQ(shell(command() + "cp -j 2 a/f b/g to; cat to/*; rm to/*").out, "1\n3\n");
  // A copy of a file to itself is refused, and does not prevent the other copies.
  const auto own = shell("echo 4 >to/own; " + command() + "cp to/own a/f to; cat to/*; rm to/*");
  EXPECT_EQ(own.out, "1\n4\n");
  EXPECT_THAT(own.err, HasSubstr("are the same file"));
}

TEST_F(classics, cp_checks_the_source_before_it_changes_the_target) {
  shell("mkdir d; echo kept >kept; ln kept hard; ln -s kept link; ln -s nothing dangling");
  for (const std::string source : {"d", "missing", "kept", "hard", "link", "./d/../kept",
#if defined(__linux__)
                                   "/proc/self/mem", "/dev/stdin <kept", "/proc/self/fd/0 <kept",
#endif
                                   "d/"}) {
    for (const std::string options : {"", "-n ", "--resume "}) {
      const auto redirected = source.find(" <");
      const auto from = source.substr(0, redirected);
      const auto input = redirected == source.npos ? "" : source.substr(redirected);
      EXPECT_EQ(shell(command() + "cp " + options + from + " kept" + input).code, 1) << source;
      EXPECT_EQ(content(work_ / "kept"), "kept\n") << options << source;
    }
  }
  EXPECT_EQ(shell(command() + "cp one dangling").err,
            "leat cp: not writing through dangling symlink 'dangling'\n");
}

TEST_F(classics, cp_resumes_only_a_prefix_of_the_source) {
  const auto cp = command() + "cp --resume text300001 ";
  EXPECT_EQ(shell("head -c 70000 text300001 >part; " + cp + "part && cmp part text300001").code, 0);
  EXPECT_EQ(shell(cp + "all && cmp all text300001").code, 0);
  EXPECT_EQ(shell(cp + "all && cmp all text300001").code, 0);  // nothing is left to do
  const auto refused = shell("cp one other; " + cp + "other");
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err,
            "leat cp: cannot continue 'other': it is not the beginning of the source\n");
  EXPECT_EQ(content(work_ / "other"), "one line\n");
  EXPECT_EQ(shell("head -c 70000 text300001 >part; " + cp + "-n part").code, 1);
  EXPECT_EQ(content(work_ / "part").size(), 70'000U);
}

TEST_F(classics, print_each_json_object_on_one_line) {
  EXPECT_EQ(shell(command() + "wc --json one open").out,
            "{\"file\": \"one\", \"lines\": 1, \"words\": 2, \"bytes\": 9}\n"
            "{\"file\": \"open\", \"lines\": 1, \"words\": 7, \"bytes\": 29}\n");
  EXPECT_EQ(shell(command() + "find --json -n last open").out,
            "{\"file\": \"open\", \"byte\": 6, \"line\": 2, "
            "\"text\": \"the last one has no end\"}\n");
  EXPECT_EQ(shell(command() + "cp --json one new").out,
            "{\"from\": \"one\", \"to\": \"new\", \"bytes\": 9}\n");
}

TEST_F(classics, head_does_the_same_as_gnu_head) {
  if (!is_gnu("head")) GTEST_SKIP() << "there is no GNU head";
  std::vector<std::string> lines;
  for (const auto* options : {"-n 0", "-n 3", "-n 1000000", "-n -0", "-n -1", "-n -1000",
                              "-n -1000000", "-c 65537", "-c -1", "-c -65536", "-c 1kB", "-5"})
    add_everywhere(lines, options);
  for (const auto* options : {"-c 0", "-c 2b", "-c -1K", "--lines=2", "-n2 -n3"})
    lines.push_back(std::string("@ text65536 ") + options);
  lines.push_back("(@ -n 2 >/dev/null; cat) <text65537");
  expect_same(lines, "head");
  for (const auto* options : {"", "-n -1", "-q", "-v", "-n 0"})
    expect_same(with_odd_files(options), "head");
}

TEST_F(classics, tail_does_the_same_as_gnu_tail) {
  if (!is_gnu("tail")) GTEST_SKIP() << "there is no GNU tail";
  std::vector<std::string> lines;
  for (const auto* options : {"-n 1", "-n 3", "-n 1000", "-n 1000000", "-n +0", "-n +2", "-n +1000",
                              "-c 65537", "-c +1", "-c +65537", "-c 1K", "-5"})
    add_everywhere(lines, options);
  for (const auto* options : {"-n -3", "-c 0", "-c 1", "-c +0", "-n +1", "--lines=2"})
    lines.push_back(std::string("@ text65536 ") + options);
  lines.push_back("(read line; @ -n 3) <one");
  expect_same(lines, "tail");
  for (const auto* options : {"", "-n +2", "-q", "-v", "-n 0"})
    expect_same(with_odd_files(options), "tail");
}

TEST_F(classics, wc_does_the_same_as_gnu_wc) {
  if (!is_gnu("wc")) GTEST_SKIP() << "there is no GNU wc";
  for (const auto* options : {"", "-l", "-w", "-c", "-lw", "-wc"}) {
    auto lines = with_odd_files(options);
    // Older versions of GNU wc count the same bytes twice.
    if (std::string_view(options) == "-c") std::erase(lines, "@ -c - - <text65537");
    add_everywhere(lines, options);
    expect_same(lines, "wc");
  }
}

TEST_F(classics, find_does_the_same_as_gnu_grep) {
  if (!is_gnu("grep")) GTEST_SKIP() << "there is no GNU grep";
  const std::string grep = "grep -a -F";
  std::vector<std::string> lines;
  for (const auto* options : {"", "-c", "-n", "-v", "-b", "-m 2"}) {
    for (const auto* text : {"needle", "e", "''"})
      add_everywhere(lines, std::string(options) + " -- " + text);
  }
  for (const auto* options : {"-F", "-l", "-q", "-m 0", "-H", "-vc", "-nb", "-ln"})
    lines.push_back(std::string("@ ") + options + " needle text65537");
  for (const auto* options : {"-h", "-H", "-hH", "-Hh", "-hHh", "--no-filename", "-hc", "-H -h"})
    lines.push_back(std::string("@ ") + options + " e one open missing");
  for (const auto* line :
       {"@ -s one missing folder", "@ -q one one missing", "@ -q one missing one",
        "@ -nb one one - <open", "@ '[a]' one", "@ '[a,b]' '[a,b]'"})
    lines.push_back(line);
  expect_same(lines, "find", grep);
  for (const auto* options : {"", "-c", "-q", "-l"}) {
    lines = with_odd_files(std::string(options) + " -e one");
    lines.erase(
        std::ranges::remove_if(lines, [](const auto& line) { return line.find("--") != line.npos; })
            .begin(),
        lines.end());
    for (auto& line : lines) replace_all(line, "-e one", "one");
    expect_same(lines, "find", grep);
  }
}

// `find` searches many lines at a time: up to 128 KiB, or one longer line.
TEST_F(classics, find_numbers_lines_of_large_and_of_slow_inputs) {
  if (!is_gnu("grep")) GTEST_SKIP() << "there is no GNU grep";
  std::string text;
  for (int i = 0; i != 6'000; ++i) {
    std::string line(i == 3'000 ? 300'000 : 64, i % 2 == 0 ? 'x' : '\0');
    if (i % 3 == 0) line.replace(0, 6, "needle");
    if (i % 5 == 0) line.replace(line.size() - 7, 6, "needle");
    line.back() = '\n';
    if (i % 7 == 0) line[line.size() - 2] = '\r';
    text += line;
  }
  write(work_ / "lines", text);                             // lines end at multiples of 64
  write(work_ / "shifted", "\n" + text + text + "needle");  // is mapped: at least 1 MiB
  std::vector<std::string> lines;
  for (const std::string options : {"", "-n", "-nb", "-vn", "-c", "-vc", "-n -m 2000", "-vn -m 1"})
    for (const std::string word : {" needle", " absent"})
      for (const std::string line : {"@ * lines shifted", "@ * <shifted", "cat shifted | @ *"}) {
        lines.push_back(line);
        replace_all(lines.back(), "*", options + word);
      }
  for (const std::string options : {"-m 1", "-n -m 2", "-vn -m 3"})
    lines.push_back("(@ " + options + " needle; cat) <lines");
  lines.push_back("{ printf 'a\\nneed'; sleep 0.1; printf 'le\\nb\\n'; } | @ -n needle");
  // The input begins inside a line.
  for (const std::string options : {"", "-n", "-v", "-c"})
    lines.push_back("(dd bs=3 count=1 >/dev/null 2>&1; @ " + options + " eedle) <lines");
  // After a hit, -q opens no other file.
  lines.push_back("rm -f never; mkfifo never; timeout 10 env @ -q needle lines never");
  expect_same(lines, "find", "grep -a -F");
}

TEST_F(classics, cp_does_the_same_as_gnu_cp) {
  if (!is_gnu("cp")) GTEST_SKIP() << "there is no GNU cp";
  // Each line runs in a new folder. A list of the files afterwards is part of the output.
  std::vector<std::string> lines;
  for (const std::string line :
       {"@ ../text300001 new", "@ ../empty new", "@ ../missing new", "@ ../folder new",
        "@ ../one old", "@ -n ../one old", "@ old old", "@ ../one ../open in",
        "@ ../one ../open old", "@ ../one ../open nowhere", "@ ../one ../missing ../open in",
        "@ ../one in/new", "@ ../one nowhere/new", "@ ../one in/", "@ -- '../-odd name' in",
        "@ ../script new", "@ ../script old"}) {
    lines.push_back(
        "rm -rf t; mkdir t; cp one script; chmod 750 script; cd t; mkdir in; echo old >old; " +
        line + "; echo $?; find . -type f -printf '%p %m ' -exec cksum {} + | sort");
  }
  expect_same(lines, "cp");
}

TEST_F(classics, fail_if_the_permissions_of_a_file_forbid_reading) {
  if (!is_gnu("cat")) GTEST_SKIP() << "there is no GNU cat";
  if (::geteuid() == 0) {
    // Root can read every file.
    if (std::system("setpriv --reuid=65534 true 2>/dev/null") != 0)
      GTEST_SKIP() << "setpriv cannot change the user";
    fs::permissions(scratch_.path(), fs::perms::all);
  }
  fs::permissions(work_ / "open", fs::perms::none);
  const std::string as_user = ::geteuid() == 0 ? "setpriv --reuid=65534 " : "";
  if (std::system((as_user + command() + "--version >/dev/null").c_str()) != 0)
    GTEST_SKIP() << "other users have no permission to run the command";
  const auto compare = [&](const std::string& name, const std::string& classical) {
    const auto arguments = (name == "find" ? " one one open tail" : " one open tail");
    auto expected = shell("LC_ALL=C " + as_user + classical + arguments);
    replace_all(expected.err, "grep:", "find:");
    auto got = shell(as_user + command() + name + arguments);
    replace_all(got.err, "leat " + name + ":", name + ":");
    EXPECT_EQ(got, expected) << name;
    EXPECT_THAT(got.err, HasSubstr("Permission denied"));
  };
  for (const auto* name : {"cat", "head", "tail", "wc"}) compare(name, name);
  compare("find", "grep -F");
}

#if defined(LEAT_CODECS)
TEST_F(classics, decompress_with_option_z) {
  if (std::system("gzip --version >/dev/null") != 0) GTEST_SKIP() << "gzip is not installed";
  const auto compare = [&](const std::string& words, const std::string& name,
                           const std::string& classical) {
    auto expected = shell("LC_ALL=C " + classical + words);
    const auto kept = shell("gzip one text65537 && mv one.gz one && mv text65537.gz text65537");
    EXPECT_EQ(kept.code, 0) << kept.err;
    auto got = shell(command() + name + " -z" + words);
    EXPECT_EQ(got, expected) << name << words;
    shell("for f in one text65537; do mv $f $f.gz && gunzip $f.gz; done");
  };
  // One of the files is not compressed.
  for (const auto* name : {"cat", "head", "tail"}) compare(" one open text65537", name, name);
  // The columns of wc -z have another width, because the sizes are unknown in advance.
  compare(" one open text65537 | tr -s ' ' | sed 's/^ //'", "wc", "wc");
  compare(" -c needle one open text65537", "find", "grep -F");
  compare(" -l <text65537 | tr -d ' '", "wc", "wc");
  compare(" needle <text65537", "find", "grep -F");

  EXPECT_EQ(shell("gzip -c text65537 >cut; head -c 100 cut >one; " + command() + "wc -lz one").code,
            1);
  EXPECT_EQ(shell(command() + "tail -zf one").code, 1);
}

TEST_F(classics, decompress_a_large_window_only_with_enough_memory) {
  // A zstd frame with a window of 256 MiB, like the output of zstd --long=28.
  shell("printf '\\050\\265\\057\\375\\000\\220\\071\\000\\000content' >long");
  if (shell(command() + "cat -z long").err.find("without zstd") != std::string::npos)
    GTEST_SKIP() << "this build has no zstd";
  for (const auto* name : {"cat", "head", "tail", "wc", "find content"}) {
    EXPECT_EQ(shell(command() + name + " -z long").code, name[0] == 'f' ? 2 : 1) << name;
    EXPECT_EQ(shell(command() + name + " -z --memory 256M long").code, 0) << name;
  }
  EXPECT_EQ(shell(command() + "cat -z --memory 268435455 long").code, 1);
  EXPECT_EQ(shell(command() + "cat -z --memory 256M long").out, "content");
  EXPECT_NE(shell(command() + "cat -z --memory -1 long").code, 0);
}
#endif

}  // namespace
