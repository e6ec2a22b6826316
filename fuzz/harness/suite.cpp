// Runs each driver as a test: with the inputs of its corpus, then with random inputs until the test
// has run for a second, or for --seconds. If an input fails, the suite shortens the input and
// prints the calls.
//
//   test_models [--seconds=N] [--seed=N] [--input=FILE] [GoogleTest's options]
#include <gtest/gtest.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <span>
#include <thread>

#include "../fuzz.hpp"
#include "support/sanitizer.hpp"

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

struct options {
  std::chrono::duration<double> time = 1s;
  std::uint64_t seed = std::random_device()();
  std::string input;
} settings;

/// The time limit for one input.
constexpr auto time_limit = leat_test::sanitized ? 60s : 10s;

/// The progress of a child, in shared memory. The parent polls `runs` and, after the child's end,
/// reads the last input.
struct progress {
  std::uint64_t runs;
  std::size_t size;
  char bytes[std::size_t{1} << 24];  // only pages that an input has reached use memory

  void begin(std::string_view input) {
    fuzz::expect(input.size() <= sizeof bytes, "an input is larger than the shared memory");
    size = input.size();
    input.copy(bytes, size);
    ++runs;
  }
};

progress& shared_progress() {
  static auto* const result = static_cast<progress*>(
      ::mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *result;
}

/// Runs `work` in a child process whose stderr is the descriptor `messages`. Returns how the child
/// ended, or "" after success. Kills the child if one input takes longer than `time_limit`.
std::string run_in_child(int messages, const std::function<void()>& work) {
  shared_progress().runs = 0;
  std::fflush(nullptr);  // otherwise the child may print the buffered bytes, too
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(messages, STDERR_FILENO);
    work();
    if constexpr (leat_test::under_asan)
      if (__lsan_do_recoverable_leak_check() != 0) ::_exit(23);
    ::_exit(0);
  }
  std::uint64_t last_runs = 0;
  auto last_change = steady_clock::now();
  for (int status = 0;;) {
    if (::waitpid(child, &status, WNOHANG) == child) {
      if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
      return WEXITSTATUS(status) == 0 ? "" : fmt::format("status {}", WEXITSTATUS(status));
    }
    const auto now = steady_clock::now();
    if (last_runs != shared_progress().runs) last_runs = shared_progress().runs, last_change = now;
    if (now - last_change > time_limit) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return "timeout";
    }
    std::this_thread::sleep_for(1ms);
  }
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns a random input. The first half has many bytes that are special in formats. The second
/// half, from which numbers are taken, has only random bytes.
std::string random_input(std::uint64_t seed) {
  static constexpr std::string_view common = "\\\\xx\n\r,;\"\t 0a-.{}%";
  std::mt19937_64 random(seed);
  std::string result(std::size_t{8} << random() % 9, '\0');
  result.resize(result.size() + random() % result.size());
  for (std::size_t i = 0; i != result.size(); ++i)
    result[i] = i < result.size() / 2 && random() % 2 == 0 ? common[random() % common.size()]
                                                           : static_cast<char>(random());
  return result;
}

/// Runs the driver with its corpus, then with random inputs until the time is over.
void explore(const fuzz::driver& drive) {
  const auto end = steady_clock::now() + settings.time;
  const auto corpus = std::filesystem::path(LEAT_CORPORA) / drive.name();
  if (std::filesystem::exists(corpus)) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
      const std::string input = read_file(entry.path());
      shared_progress().begin(input);
      drive(input);
    }
  }
  for (std::uint64_t seed = settings.seed; steady_clock::now() < end; ++seed) {
    const std::string input = random_input(seed);
    shared_progress().begin(input);
    drive(input);
  }
}

class driver_run {
 public:
  explicit driver_run(const fuzz::driver& drive)
      : drive_(drive), messages_(std::tmpfile(), &std::fclose) {}

  /// Runs the driver with this input in a child process. Returns how the child ended, or "" after
  /// success.
  std::string run(const std::string& input) {
    EXPECT_EQ(::ftruncate(::fileno(messages_.get()), 0), 0);
    std::rewind(messages_.get());
    return run_in_child(::fileno(messages_.get()), [&] { drive_(input); });
  }
  /// Returns the stderr of the last run.
  std::string messages() const {
    struct stat status{};
    EXPECT_EQ(::fstat(descriptor(), &status), 0);
    std::string all(static_cast<std::size_t>(status.st_size), '\0');
    const auto n = ::pread(descriptor(), all.data(), all.size(), 0);
    all.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return all;
  }
  int descriptor() const { return ::fileno(messages_.get()); }

  /// Removes parts of the input as long as the driver ends in the same way, for at most 10 seconds.
  /// Returns the shortened input.
  std::string shortened(std::string input, const std::string& ended) {
    const auto end = steady_clock::now() + 10s;
    for (std::size_t piece = std::max<std::size_t>(input.size() / 2, 1); piece != 0; piece /= 2) {
      for (std::size_t at = 0; at < input.size() && steady_clock::now() < end;) {
        std::string without = input;
        without.erase(at, piece);
        if (run(without) == ended)
          input = without;
        else
          at += piece;
      }
    }
    return input;
  }

 private:
  const fuzz::driver& drive_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> messages_;
};

class model_test final : public testing::Test {
 public:
  explicit model_test(const fuzz::driver& drive) : drive_(drive) {}

  void TestBody() override {
    fuzz::scratch();  // makes the folder in this process, which then removes the folder
    driver_run attempt(drive_);
    fuzz::shows_steps = !settings.input.empty();
    if (!settings.input.empty()) {
      const std::string ended = attempt.run(read_file(settings.input));
      fmt::print(stderr, "{}", attempt.messages());
      EXPECT_EQ(ended, "");
      return;
    }
    const std::string ended = run_in_child(attempt.descriptor(), [&] { explore(drive_); });
    RecordProperty("inputs", std::to_string(shared_progress().runs));
    fmt::print("{}: {} inputs from seed {}\n", drive_.name(), shared_progress().runs,
               settings.seed);
    if (ended.empty()) return;
    const std::string found(shared_progress().bytes, shared_progress().size);
    const std::string first_messages = attempt.messages();
    std::string shortest = found;
    if (ended != "timeout" && attempt.run(found) == ended)
      shortest = attempt.shortened(found, ended);
    fuzz::shows_steps = true;
    const std::string repeated_end = attempt.run(shortest);
    const auto path = fmt::format("{}leat-{}-{}", testing::TempDir(), drive_.name(), settings.seed);
    std::ofstream(path, std::ios::binary) << shortest;
    ADD_FAILURE() << drive_.name() << ": " << ended << " with an input of " << shortest.size()
                  << " bytes, "
                  << (repeated_end == ended
                          ? "which fails in the same way when it runs alone"
                          : "which, when it runs alone, ends with: " + repeated_end)
                  << ". To repeat the failure:\n  test_models --gtest_filter=models."
                  << drive_.name() << " --input=" << path << '\n'
                  << (repeated_end == ended ? attempt.messages() : first_messages);
  }

 private:
  fuzz::driver drive_;
};

/// Parses the program's own options.
void read_options(std::span<char*> arguments) {
  for (const std::string_view argument : arguments.subspan(1)) {
    const auto value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--seconds="))
      settings.time = std::chrono::duration<double>(std::stod(std::string(value)));
    else if (argument.starts_with("--seed="))
      settings.seed = std::stoull(std::string(value));
    else if (argument.starts_with("--input="))
      settings.input = value;
    else
      fuzz::fail(fmt::format("unknown option {}", argument));
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  read_options({argv, static_cast<std::size_t>(argc)});
  for (const auto& drive : fuzz::driver::all())
    testing::RegisterTest("models", std::string(drive.name()).c_str(), nullptr, nullptr, __FILE__,
                          __LINE__, [drive]() -> testing::Test* { return new model_test(drive); });
  return RUN_ALL_TESTS();
}
