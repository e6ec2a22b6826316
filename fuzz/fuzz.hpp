// Shared by all drivers. A driver makes random calls on one class of leat and on a simple model,
// and compares them after each call. libFuzzer and the suite run the drivers (harness/).
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

/// True if steps are printed, as when an input is repeated.
inline bool shows_steps = false;

/// True if children may end by exit(): libFuzzer would report this as a finding.
inline bool may_exit = true;

/// Describes the next call, for the log of a failed run.
template <class... Args>
void step(fmt::format_string<Args...> format, Args&&... args) {
  if (!shows_steps) return;
  fmt::print(stderr, format, std::forward<Args>(args)...);
  std::fputc('\n', stderr);
}

/// Aborts the program, so that the input is kept.
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

/// Compares texts, and shows the first difference.
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

/// A driver. The harness finds it by its name, which is its file's name.
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
