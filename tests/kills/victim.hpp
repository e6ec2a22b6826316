// A process that is killed while it writes a file, and the reports of this process to its killer.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/history.hpp"

namespace leat_kills {

using leat_test::atomicity;

/// If true, promises are recorded when calls begin, so that checks must find violations.
extern bool promise_early;

/// Memory that the victim shares with its killer: the victim's reports, in order.
class report_log {
 public:
  report_log();
  ~report_log();
  report_log(const report_log&) = delete;
  report_log& operator=(const report_log&) = delete;

  void clear();
  /// Adds a state of the file ('w': whole, 'p': in parts), or a promise ('!'). If there is no room,
  /// the victim kills itself.
  void add(char kind, std::string_view content);
  std::uint64_t events() const { return *count_; }
  /// Returns the history that the victim has reported so far.
  leat_test::history to_history(std::string name, std::string path) const;

 private:
  static constexpr std::size_t room = 4 << 20;
  char* memory_;
  char* end_;
  std::atomic<std::uint64_t>* count_;  // the number of events whose bytes are complete
};

/// The victim's side of a scenario: the path of a file, random texts, and reports.
class victim {
 public:
  victim(report_log& reports, std::string path, std::string initial_content, std::uint64_t seed)
      : reports_(&reports),
        path_(std::move(path)),
        latest_(std::move(initial_content)),
        random_(seed) {}

  const std::string& path() const { return path_; }
  const std::string& latest() const { return latest_; }
  std::size_t below(std::size_t n) { return random_() % n; }
  /// Returns a random text of 1 to 9,000 bytes, mostly short, that ends with a newline.
  std::string text();

  /// Reports that a call begins. When the call returns, the file has this content.
  void begin_change(std::string content, atomicity how = atomicity::in_parts) {
    latest_ = std::move(content);
    reports_->add(how == atomicity::whole ? 'w' : 'p', latest_);
    if (promise_early) add_promise();
  }
  /// Reports that a call has returned, and that from now on the latest content survives a kill.
  void add_promise() { reports_->add('!', {}); }

 private:
  report_log* reports_;
  std::string path_;
  std::string latest_;
  std::mt19937_64 random_;
};

/// A function that writes a file in an endless loop, and its name.
struct scenario {
  std::string name;
  std::function<void(victim&)> run;
};

std::vector<scenario> every_scenario();

/// When to kill the victim
struct kill_time {
  std::uint64_t stops = 0;    ///< at this stop (begin or end of a system call); 0: not at a stop
  std::uint64_t events = 0;   ///< after this many reports …
  unsigned microseconds = 0;  ///< … and after this time
};

/// Forks a process that runs `body`. Kills the process, and waits for its end. Returns false if the
/// process ended by itself. If fork() fails, throws std::system_error.
bool run_and_kill(const std::function<void()>& body, const report_log& reports,
                  const kill_time& when);

/// Starts up to two processes that recover the sidecar, one after the other, and kills each at a
/// random system call. Returns the number of processes that were killed before they were done.
std::size_t kill_recoveries(const std::string& path, std::uint64_t seed);

}  // namespace leat_kills
