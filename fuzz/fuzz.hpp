// What all drivers share. A driver makes random calls on one class of leat, beside a model that is
// obviously right, and compares after each call. It is run by libFuzzer and by the suite
// (harness/).
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

/// Whether steps are printed: when an input is repeated.
inline bool shows_steps = false;

/// Whether children may end by exit(): libFuzzer takes that for a finding.
inline bool may_exit = true;

/// Says which call comes, for whoever reads what a failed run has done.
template <class... Args>
void step(fmt::format_string<Args...> format, Args&&... args) {
  if (!shows_steps) return;
  fmt::print(stderr, format, std::forward<Args>(args)...);
  std::fputc('\n', stderr);
}

/// Ends the program, so that whoever runs the driver keeps the input.
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

/// Texts may be long: shows where they differ first.
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

/// A folder of this run's own, with a slash at its end. The harness removes it.
std::string scratch();

/// A driver that the harness finds by its name, which is that of its file.
class driver {
 public:
  driver(std::string_view name, void (*run)(input&)) : name_(name), run_(run) {
    all().push_back(*this);
  }

  std::string_view name() const { return name_; }
  /// An exception ends the program, as a failure does.
  void operator()(std::string_view bytes) const noexcept {
    input in(bytes);
    run_(in);
  }
  /// Those of this program.
  static std::vector<driver>& all() {
    static std::vector<driver> drivers;
    return drivers;
  }

 private:
  std::string_view name_;
  void (*run_)(input&);
};

}  // namespace fuzz
