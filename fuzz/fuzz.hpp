// Functions for drivers. A driver makes random calls on a part of leat and on a simple model, and
// compares the results. libFuzzer and the suite run the drivers (harness/).
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/input.hpp"

namespace fuzz {

/// If true, step() prints. Set by the suite when an input is repeated, and by libfuzzer.cpp if the
/// environment variable LEAT_STEPS exists.
inline bool shows_steps = false;

/// If true, child processes may call exit(). False with libFuzzer, which reports a call of exit()
/// as a crash.
inline bool may_exit = true;

/// If `shows_steps` is true, prints a description of the next call to stderr.
template <class... Args>
void step(fmt::format_string<Args...> format, Args&&... args) {
  if (!shows_steps) return;
  fmt::print(stderr, format, std::forward<Args>(args)...);
  std::fputc('\n', stderr);
}

/// Prints `message` to stderr and aborts the program. libFuzzer or the suite then keeps the input.
[[noreturn]] inline void fail(std::string_view message,
                              std::source_location at = std::source_location::current()) {
  fmt::print(stderr, "{}:{}: {}\n", at.file_name(), at.line(), message);
  std::abort();
}

/// If `condition` is false, fails with `message`, which says what failed.
inline void expect(bool condition, std::string_view message,
                   std::source_location at = std::source_location::current()) {
  if (!condition) fail(message, at);
}

/// If the values differ, fails with `message`, which names the value. If {fmt} can format the
/// values, prints both values, too.
template <class A, class B>
void expect_equal(const A& actual, const B& expected, std::string_view message,
                  std::source_location at = std::source_location::current()) {
  if (actual == expected) return;
  if constexpr (fmt::is_formattable<A>::value && fmt::is_formattable<B>::value)
    fail(fmt::format("{}: '{}' instead of '{}'", message, actual, expected), at);
  else
    fail(message, at);
}

/// If the texts differ, fails, and prints the first difference after `message`, which names the
/// text.
inline void expect_text(std::string_view actual, std::string_view expected,
                        std::string_view message,
                        std::source_location at = std::source_location::current()) {
  if (actual == expected) return;
  const auto same = static_cast<std::size_t>(
      std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end()).first -
      actual.begin());
  fail(fmt::format("{}: {} bytes instead of {}, and from byte {} '{}' instead of '{}'", message,
                   actual.size(), expected.size(), same, actual.substr(same, 40),
                   expected.substr(same, 40)),
       at);
}

/// Returns the path of this run's folder, with a final slash. The harness removes the folder at the
/// end of the process that called scratch() first.
std::string scratch();

/// A driver. `name` is the name of the source file, without the suffix, and must outlive the
/// driver.
class driver {
 public:
  driver(std::string_view name, void (*run)(input&)) : name_(name), run_(run) {
    all().push_back(*this);
  }

  std::string_view name() const { return name_; }
  /// Runs the driver with these bytes as its input. An exception ends the program, like a failure.
  void operator()(std::string_view bytes) const noexcept {
    input in(bytes);
    run_(in);
  }
  /// Returns all drivers of this program. The constructor of a driver adds the driver.
  static std::vector<driver>& all() {
    static std::vector<driver> drivers;
    return drivers;
  }

 private:
  std::string_view name_;
  void (*run_)(input&);
};

}  // namespace fuzz
