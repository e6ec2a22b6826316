// The current time, printed in UTC and in local time, compared with std::chrono and the C library.
#include <leat/leat.h>
#include <leat/format.hpp>
#include <leat/time.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "fuzz.hpp"

namespace {

/// Formats a time by the C library. `since`: the time since 1970.
std::string expected(std::chrono::microseconds since, bool local) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(since).count();
  std::tm parts{};
  local ? ::localtime_r(&seconds, &parts) : ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const long offset = parts.tm_gmtoff / 60;
  const std::string zone = !local ? "Z"
                                  : fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+',
                                                std::labs(offset) / 60, std::labs(offset) % 60);
  return fmt::format("{}.{:06}{}", text.data(), (since - std::chrono::seconds(seconds)).count(),
                     zone);
}

void drive(fuzz::input& in) {
  constexpr std::array zones{"UTC",          "America/New_York",    "Asia/Kathmandu",
                             "Pacific/Apia", "Australia/Lord_Howe", "<-03>3",
                             "no zone"};
  // A process has one zone, because leat uses a new zone only from the next second on.
  static const bool is_zone_set = ::setenv("TZ", in.one_of(zones), 1) == 0 && (::tzset(), true);
  fuzz::expect(is_zone_set, "setenv() fails");
  const bool local = in.flag();
  leat::stamp before;
  for (std::size_t n = 1 + in.below(5); n != 0; --n) {
    const leat::stamp now = local ? leat::local_now() : leat::now();
    fuzz::expect(now.time() >= before.time(), "the time is before the earlier time");
    before = now;
    fuzz::expect_text(leat::format("{}", now), expected(now.time().time_since_epoch(), local),
                      "the text of a time");
    fuzz::expect_equal(leat::stamp(now.parts()).time() == now.time(), true,
                       "whether parts() give the same time");
    std::array<char, LEAT_NOW_SIZE> text{};
    fuzz::expect_equal(std::string(leat_now(text.data(), local)).size(),
                       leat::format("{}", now).size(), "the length of leat_now()");
  }
}

const fuzz::driver self("times", drive);

}  // namespace
