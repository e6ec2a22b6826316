// The program `leat`, as a user runs it: bench, tune and remote, with output, files and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/platform.hpp"
#if !defined(_WIN32)
#  include <sys/resource.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "measuring/scratch_folder.hpp"
#include "reporting/gnuplot.hpp"
#include "reporting/report.hpp"
#include "support/sanitizer.hpp"
#if defined(LEAT_REMOTE)
#  include "remote/store.hpp"
#endif

namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// True if Python can validate the command's output; false on Windows.
bool has_python() {
#if defined(_WIN32)
  return false;
#else
  return std::system("command -v python3 >/dev/null") == 0;
#endif
}

constexpr const char* too_slow_in_emulator = "these measurements take minutes in an emulator";

class command : public ::testing::Test {
 protected:
  struct result {
    int code;
    std::string out;
    std::string err;
  };

#if defined(_WIN32)
  result leat(const std::vector<std::string>& arguments) {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    const auto output = [&](const char* name) {
      return ::CreateFileW((scratch_.path() / name).c_str(), GENERIC_WRITE, FILE_SHARE_READ,
                           &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    };
    STARTUPINFOW how{};
    how.cb = sizeof how;
    how.dwFlags = STARTF_USESTDHANDLES;
    how.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
    how.hStdOutput = output("stdout");
    how.hStdError = output("stderr");
    std::wstring line = L"leat";
    for (const auto& word : arguments) line += L" \"" + fs::path(word).wstring() + L'"';
    PROCESS_INFORMATION child{};
    DWORD code = 0;
    if (::CreateProcessW(program_.c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr,
                         work_.c_str(), &how, &child) == 0) {
      ADD_FAILURE() << "cannot start " << program_;
    } else {
      ::WaitForSingleObject(child.hProcess, INFINITE);
      ::GetExitCodeProcess(child.hProcess, &code);
    }
    for (const HANDLE one : {how.hStdOutput, how.hStdError, child.hThread, child.hProcess})
      ::CloseHandle(one);
    return {static_cast<int>(code), content(scratch_.path() / "stdout"),
            content(scratch_.path() / "stderr")};
  }
#else
  /// Starts `leat` with these arguments. Returns the process ID. Output goes to files outside
  /// the working folder of `leat`. `file_limit`: the largest size of a file that `leat` may write,
  /// in bytes.
  pid_t start(std::vector<std::string> arguments, rlim_t file_limit = RLIM_INFINITY) {
    const auto child = fork();
    if (child != 0) return child;
    fs::current_path(work_);
    // The tests may have been started with these signals ignored.
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    if (!std::freopen((scratch_.path() / "stdout").c_str(), "w", stdout) ||
        !std::freopen((scratch_.path() / "stderr").c_str(), "w", stderr)) {
      _exit(126);
    }
    const rlimit limit{file_limit, file_limit};
    if (file_limit != RLIM_INFINITY) setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<char*> argv;
    for (const auto* word : {LEAT_COMMAND}) argv.push_back(const_cast<char*>(word));
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execvp(argv.front(), argv.data());
    _exit(127);
  }

  result finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            content(scratch_.path() / "stdout"), content(scratch_.path() / "stderr")};
  }

  result leat(std::vector<std::string> arguments, rlim_t file_limit = RLIM_INFINITY) {
    return finish(start(std::move(arguments), file_limit));
  }
#endif

  static std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

#if defined(_WIN32)
  fs::path program_ = fs::absolute(LEAT_COMMAND);
#endif
  bench::scratch_folder scratch_{fs::temp_directory_path()};
  fs::path work_ = [this] {
    fs::create_directory(scratch_.path() / "work");
    return scratch_.path() / "work";
  }();
};

TEST_F(command, prints_its_version_and_usage) {
  const auto version = leat({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("leat "));
  const auto help = leat({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("bench"));
  EXPECT_THAT(help.out, HasSubstr("130 interrupted"));
  EXPECT_THAT(leat({"bench", "--help"}).out, HasSubstr("--rounds"));
}

TEST_F(command, lists_its_experiments) {
  const auto list = leat({"bench", "--list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, StartsWith("print "));
  EXPECT_THAT(list.out, HasSubstr("\nsmall-writes "));
  EXPECT_EQ(list.err, "");
}

TEST_F(command, measures_only_the_named_rows) {
  const auto got = leat({"bench", "print/csv", "--size", "tiny", "--rounds", "1"});
  EXPECT_EQ(got.code, 0);
  EXPECT_THAT(got.out, HasSubstr("two ints and a double"));
  EXPECT_THAT(got.out, Not(HasSubstr("with two ints:")));
}

TEST_F(command, exits_2_on_bad_usage) {
  const std::vector<std::vector<std::string>> bad{{},
                                                  {"nonsense"},
                                                  {"bench", "nonsense"},
                                                  {"bench", "print/nonsense"},
                                                  {"bench", "small-writes/rows"},
                                                  {"bench", "--nonsense"},
                                                  {"bench", "--size", "huge"},
                                                  {"bench", "--rounds", "0"},
                                                  {"bench", "--rounds", "many"},
                                                  {"bench", "--dir"}};
  for (const auto& arguments : bad) {
    const auto got = leat(arguments);
    EXPECT_EQ(got.code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(got.err, StartsWith("leat: "));
    EXPECT_EQ(got.out, "");
  }
}

TEST_F(command, reports_wrong_arguments_and_where_help_is) {
  EXPECT_EQ(leat({"bnch"}).err, "leat: there is no command 'bnch'\nTry: leat --help\n");
  EXPECT_EQ(leat({"help"}).err, "leat: there is no command 'help'\nTry: leat --help\n");
  EXPECT_EQ(leat({"--bnch"}).err, "leat: there is no option '--bnch'\nTry: leat --help\n");
  EXPECT_EQ(leat({}).err, "leat: a command is missing\nTry: leat --help\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"bench", "--bnch"}, {"bench", "--rounds", "0"}, {"bench", "--dir"}}) {
    EXPECT_THAT(leat(arguments).err, EndsWith("\nTry: leat bench --help\n"));
  }
}

TEST_F(command, prints_help_that_fits_80_columns) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"bench", "--help"}, {"tune", "--help"}}) {
    std::istringstream lines(leat(arguments).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST_F(command, exits_1_if_it_cannot_write) {
  const auto got = leat({"bench", "--dir", "/nonexistent"});
  EXPECT_EQ(got.code, 1);
  EXPECT_THAT(got.err, StartsWith("leat: cannot create a folder in '/nonexistent': "));
  const auto report = leat({"bench", "--json", "/nonexistent/report"});
  EXPECT_EQ(report.code, 1);
  EXPECT_THAT(report.err, HasSubstr("/nonexistent/report"));
  EXPECT_TRUE(fs::is_empty(work_));
}

TEST_F(command, runs_an_experiment_and_leaves_only_the_report) {
  fs::create_directory(work_ / "a");
  const auto got = leat({"bench", "print", "--size", "tiny", "--rounds", "1", "--dir", ".", "--dir",
                         "a", "--json", "report.json"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.err, "");  // no progress without a terminal
  EXPECT_THAT(got.out, HasSubstr("print: "));
  EXPECT_THAT(got.out, HasSubstr("in '" + fs::canonical(work_ / "a").string() + "' ("));
  EXPECT_THAT(got.out, HasSubstr("Fastest: "));
  EXPECT_THAT(got.out, HasSubstr("Published: "));
  EXPECT_THAT(got.out, HasSubstr("Here: too few repetitions to conclude.\n"));
  EXPECT_THAT(got.out, Not(HasSubstr("\033")));
  EXPECT_TRUE(fs::is_empty(work_ / "a"));
  fs::remove(work_ / "a");
  EXPECT_EQ(std::distance(fs::directory_iterator(work_), {}), 1);

  const auto json = content(work_ / "report.json");
  EXPECT_THAT(json, HasSubstr(R"("bench", "print", "--size", "tiny", "--rounds", "1",)"));
  if (has_python()) {
    const auto parse = "python3 -m json.tool '" + (work_ / "report.json").string() + "' >/dev/null";
    EXPECT_EQ(std::system(parse.c_str()), 0);
  }
}

TEST_F(command, writes_an_html_page_with_charts) {
  if (leat_test::emulated) GTEST_SKIP() << too_slow_in_emulator;
  const auto got =
      leat({"bench", "print", "--size", "tiny", "--rounds", "1", "--html", "page.html"});
  EXPECT_EQ(got.code, 0) << got.err;
  const auto page = content(work_ / "page.html");
  EXPECT_THAT(page, HasSubstr("E1 print"));
  EXPECT_THAT(page, HasSubstr("too few repetitions to conclude."));
  const bool can_draw = bench::has_gnuplot();
  EXPECT_THAT(page, HasSubstr(can_draw ? "<figure>" : "There are no charts"));
  if (has_python()) {
    const auto parse =
        "python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' " +
        (work_ / "page.html").string();
    EXPECT_EQ(std::system(parse.c_str()), 0);
  }
  const auto drawn = leat({"bench", "print", "--size", "tiny", "--rounds", "1", "--png", "charts"});
  EXPECT_EQ(drawn.code, can_draw ? 0 : 1);
  EXPECT_EQ(fs::exists(work_ / "charts/print-1.png"), can_draw);
  const auto svgs = leat({"bench", "print", "--size", "tiny", "--rounds", "1", "--svg", "charts"});
  EXPECT_EQ(svgs.code, can_draw ? 0 : 1);
  EXPECT_EQ(fs::exists(work_ / "charts/print-1.svg"), can_draw);
  EXPECT_EQ(fs::exists(work_ / "charts/print-1-dark.svg"), can_draw);
  EXPECT_EQ(leat({"bench", "--html", "/nonexistent/page"}).code, 1);
#if defined(HAS_SYSTEM_FILES)
  // No file can be created in this folder: the command fails before it measures.
  const auto refused = leat({"bench", "print", "--size", "tiny", "--svg", "/proc/self"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
#endif
}

TEST_F(command, compares_two_reports) {
  const auto report = [&](const char* name, double seconds) {
    bench::session all;
    auto& record = all.records.emplace_back();
    record.experiment = "print";
    auto& one = record.result.measurements.emplace_back();
    one.variant = "leat";
    one.load = {"", 10, 1, ""};
    one.wall = one.cpu = {seconds, seconds, seconds};
    std::ofstream(work_ / name) << json_report(all);
  };
  report("old.json", 1);
  report("new.json", 2);
  const auto slower = leat({"bench", "--compare", "old.json", "new.json"});
  EXPECT_EQ(slower.code, 3) << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("0 faster, 1 slower"));
  const auto faster = leat({"bench", "--compare", "new.json", "old.json"});
  EXPECT_EQ(faster.code, 0);
  EXPECT_THAT(faster.out, HasSubstr("1 faster, 0 slower"));
  EXPECT_EQ(leat({"bench", "--compare", "new.json", "new.json"}).code, 0);

  std::ofstream(work_ / "text") << "hello";
  const auto none = leat({"bench", "--compare", "text", "new.json"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "leat: 'text' is not a report of leat bench --json\n");
  const auto missing = leat({"bench", "--compare", "old.json", "nowhere.json"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("nowhere.json"));
  EXPECT_EQ(leat({"bench", "--compare", "old.json"}).code, 2);
}

TEST_F(command, profiles_two_variants_or_reports_why_not) {
  if (leat_test::emulated) GTEST_SKIP() << too_slow_in_emulator;
  const auto got = leat({"bench", "memory", "--size", "tiny", "--rounds", "1", "--profile"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(got.out,
              ::testing::AnyOf(HasSubstr("No profile: perf "), HasSubstr("Where the time goes")));
  EXPECT_TRUE(fs::is_empty(work_));
  EXPECT_EQ(leat({"bench", "memory", "--only", "nonsense"}).code, 1);
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST_F(command, ends_with_a_message_if_a_file_cannot_grow) {
  for (const auto* experiment : {"print", "small-writes"}) {
    const auto got = leat({"bench", experiment, "--rounds", "1"}, 500'000);
    EXPECT_EQ(got.code, 1);
    EXPECT_THAT(got.err,
                StartsWith(std::string("leat: ") + experiment + ": fprintf: cannot write"));
    EXPECT_THAT(got.err, HasSubstr("File too large"));
    EXPECT_TRUE(fs::is_empty(work_));
  }
}

TEST_F(command, prints_partial_results_if_interrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto child =
        start({"bench", "small-writes", "--rounds", "10000", "--json", "report.json"});
    while (fs::is_empty(work_)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(child, signal);
    const auto got = finish(child);
    EXPECT_EQ(got.code, 130) << got.err;
    EXPECT_THAT(got.out, HasSubstr("PARTIAL"));
    EXPECT_THAT(content(work_ / "report.json"), HasSubstr("\"complete\": false"));
    fs::remove(work_ / "report.json");
    EXPECT_TRUE(fs::is_empty(work_));
  }
}

TEST_F(command, an_interrupted_tune_leaves_only_the_answers) {
  const auto child = start({"tune", "--rounds", "10000", "--json", "answers.json"});
  while (fs::is_empty(work_)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGINT);
  const auto got = finish(child);
  EXPECT_EQ(got.code, 130) << got.err;
  EXPECT_THAT(content(work_ / "answers.json"), HasSubstr("\"complete\": false"));
  fs::remove(work_ / "answers.json");
  EXPECT_TRUE(fs::is_empty(work_));
}
#endif

TEST_F(command, reports_wrong_arguments_of_tune) {
  auto got = leat({"tune", "missing"});
  EXPECT_EQ(got.code, 1);
  EXPECT_THAT(got.err, StartsWith("leat: cannot create a folder in 'missing': "));
  got = leat({"tune", "--rounds", "2"});
  EXPECT_EQ(got.code, 2);
  EXPECT_THAT(got.err, EndsWith("Try: leat tune --help\n"));
}

#if defined(LEAT_REMOTE)
TEST_F(command, reports_wrong_arguments_of_remote) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"remote"},
           {"remote", "lst"},
           {"remote", "list"},
           {"remote", "abort-old", "--days"},
           {"remote", "abort-old", "--days", "200000", "s3://bucket/"}}) {
    const auto got = leat(arguments);
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.err, StartsWith("leat: "));
    EXPECT_THAT(got.err, EndsWith("Try: leat remote --help\n"));
  }
  EXPECT_EQ(leat({"remote", "lst"}).err,
            "leat: there is no command 'lst'\nTry: leat remote --help\n");
  EXPECT_EQ(leat({"remote"}).err, "leat: a command is missing\nTry: leat remote --help\n");
  const auto got = leat({"remote", "list", "/tmp"});
  EXPECT_EQ(got.code, 1);
  EXPECT_EQ(got.err,
            "leat: cannot list '/tmp': An address of a store is needed: s3://bucket/key\n");
}

TEST_F(command, refuses_experiments_and_options_that_a_store_does_not_support) {
  const auto got = leat({"bench", "--device", "s3://bucket/x", "random-update"});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(
      got.err,
      "leat: 'random-update' measures files only; object storage has random-read, read-buffer, "
      "search and lines\n");
  EXPECT_EQ(leat({"bench", "--device", "s3://bucket/x", "--profile"}).code, 2);
  EXPECT_EQ(leat({"bench", "--device", "s3://bucket/x", "--dir", "/tmp"}).code, 2);
  EXPECT_EQ(leat({"tune", "s3://bucket/x", "--device", "s3"}).code, 2);
  EXPECT_EQ(leat({"tune", "--device", "s3://bucket/x"}).code, 2);
}

TEST_F(command, an_interrupted_bench_leaves_no_objects_in_the_store) {
  if (!leat_test::store::is_available())
    GTEST_SKIP() << "versitygw is missing: run scripts/setup test";
  auto& store = leat_test::store::shared();
  const auto settings = store.store_settings();
  ::setenv("AWS_ENDPOINT_URL", settings.endpoint.c_str(), 1);
  ::setenv("AWS_ACCESS_KEY_ID", settings.login->access_key.c_str(), 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", settings.login->secret_key.c_str(), 1);
  leat::remote::set_defaults(settings);
  const auto objects = [] { return leat::remote::list("s3://bucket/interrupted"); };
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"bench", "--device", "s3://bucket/interrupted", "read-buffer", "--rounds", "10000",
            "--json", "report.json"},
           {"tune", "s3://bucket/interrupted", "--rounds", "10000", "--json", "report.json"}}) {
    const auto child = start(arguments);
    while (objects().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(child, SIGINT);
    const auto got = finish(child);
    EXPECT_EQ(got.code, 130) << got.err;
    EXPECT_EQ(got.err, "");
    EXPECT_THAT(content(work_ / "report.json"), HasSubstr("\"complete\": false"));
    EXPECT_TRUE(objects().empty());
  }
  for (const auto* name : {"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"})
    ::unsetenv(name);
}
#endif

}  // namespace
