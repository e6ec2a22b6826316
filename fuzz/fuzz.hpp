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

/// True if step() prints, for example when an input is repeated.
inline bool shows_steps = false;

/// True if child processes may call exit(). libFuzzer would report the call as a finding.
inline bool may_exit = true;

/// Prints a description of the next call to stderr, if `shows_steps`.
template <class... Args>
void step(fmt::format_string<Args...> format, Args&&... args) {
  if (!shows_steps) return;
  fmt::print(stderr, format, std::forward<Args>(args)...);
  std::fputc('\n', stderr);
}

/// Prints `why` to stderr and aborts the program. libFuzzer or the suite then keeps the input.
[[noreturn]] inline void fail(std::string_view why,
                              std::source_location at = std::source_location::current()) {
  fmt::print(stderr, "{}:{}: {}\n", at.file_name(), at.line(), why);
  std::abort();
}

inline void expect(bool truth, std::string_view what,
                   std::source_location at = std::source_location::current()) {
  if (!truth) fail(what, at);
}

template <class A, class B>
void expect_equal(const A& ours, const B& wanted, std::string_view what,
                  std::source_location at = std::source_location::current()) {
  if (ours == wanted) return;
  if constexpr (fmt::is_formattable<A>::value && fmt::is_formattable<B>::value)
    fail(fmt::format("{}: '{}' instead of '{}'", what, ours, wanted), at);
  else
    fail(what, at);
}

/// Fails if the texts differ, and prints the first difference.
inline void expect_text(std::string_view ours, std::string_view wanted, std::string_view what,
                        std::source_location at = std::source_location::current()) {
  if (ours == wanted) return;
  const auto same = static_cast<std::size_t>(
      std::mismatch(ours.begin(), ours.end(), wanted.begin(), wanted.end()).first - ours.begin());
  fail(
      fmt::format("{}: {} bytes instead of {}, and from byte {} '{}' instead of '{}'", what,
                  ours.size(), wanted.size(), same, ours.substr(same, 40), wanted.substr(same, 40)),
      at);
}

/// The path of this run's folder, with a final slash. The harness removes the folder.
std::string scratch();

/// A driver. The driver's name is the name of its file, without the suffix.
class driver {
 public:
  driver(std::string_view name, void (*run)(input&)) : name_(name), run_(run) {
    all().push_back(*this);
  }

  std::string_view name() const { return name_; }
  /// An exception ends the program, like a failure.
  void operator()(std::string_view bytes) const noexcept {
    input in(bytes);
    run_(in);
  }
  /// All drivers of this program.
  static std::vector<driver>& all() {
    static std::vector<driver> drivers;
    return drivers;
  }

 private:
  std::string_view name_;
  void (*run_)(input&);
};

}  // namespace fuzz
