// The periods of logs that rotate by time, in UTC and in the system's time zones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "logs/log_periods.hpp"
#include "support/files.hpp"

#if !defined(_WIN32)
#  include <ctime>
#endif

namespace {

using leat::log_period;
using leat::period_at;
using seconds = std::vector<std::int64_t>;

constexpr std::int64_t hour = 3600, day = 24 * hour;
constexpr std::int64_t min_seconds = (std::numeric_limits<std::int64_t>::min)();
constexpr std::int64_t max_seconds = (std::numeric_limits<std::int64_t>::max)();

TEST(log_periods, begin_at_multiples_of_their_length_in_utc) {
  for (const std::int64_t every : {std::int64_t{1}, std::int64_t{60}, hour, day, 7 * day}) {
    for (const std::int64_t now : {-day - 1, -day, std::int64_t{-1}, std::int64_t{0},
                                   std::int64_t{1}, 20'000 * day - 1, 20'000 * day}) {
      const log_period found = period_at(now, every, nullptr);
      EXPECT_LE(found.begin, now);
      EXPECT_GT(found.end, now);
      EXPECT_EQ(found.end - found.begin, every);
      EXPECT_EQ(found.begin % every, 0);
    }
  }
}

TEST(log_periods, of_any_length_contain_the_given_time) {
  for (const auto offset : {leat::offset_at{nullptr}, leat::offset_at{&leat::local_offset}}) {
    for (const std::int64_t every :
         {std::int64_t{1}, day, 400 * day, max_seconds - 1, max_seconds}) {
      for (const std::int64_t now :
           {min_seconds, min_seconds + 1, -200 * 365 * day, std::int64_t{-1}, std::int64_t{0},
            std::int64_t{1'800'000'000}, 8'000 * 365 * day, max_seconds - 1}) {
        const log_period found = period_at(now, every, offset);
        EXPECT_LE(found.begin, now);
        EXPECT_GT(found.end, now);
      }
    }
  }
}

// Windows has no time zones by name.
#if !defined(_WIN32)

/// Sets the program's time zone while this object exists.
class time_zone {
 public:
  explicit time_zone(const std::string& name) {
    if (const char* before = std::getenv("TZ"); before != nullptr)
      saved_zone_ = before, had_zone_ = true;
    ::setenv("TZ", name.c_str(), 1);
    ::tzset();
  }
  ~time_zone() {
    had_zone_ ? ::setenv("TZ", saved_zone_.c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }
  time_zone(const time_zone&) = delete;
  time_zone& operator=(const time_zone&) = delete;

 private:
  std::string saved_zone_;
  bool had_zone_ = false;
};

std::int64_t local(std::int64_t second) { return second + leat::local_offset(second); }

/// The seconds between `from` and `to` at which the offset of the program's zone changes. Changes
/// less than `step` apart may be missed.
seconds offset_changes(std::int64_t from, std::int64_t to, std::int64_t step) {
  seconds found;
  for (std::int64_t at = from; at < to; at += step) {
    if (leat::local_offset(at) == leat::local_offset(at + step)) continue;
    std::int64_t low = at, high = at + step;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (leat::local_offset(middle) == leat::local_offset(low) ? low : high) = middle;
    }
    found.push_back(high);
  }
  return found;
}

/// Checks all periods between the seconds `from` and `to`, which must be far from each change of
/// the offset. `changed` has the changes between these two seconds.
void check_periods(std::int64_t from, std::int64_t to, std::int64_t every, const seconds& changed) {
  log_period now = period_at(from, every, &leat::local_offset);
  std::int64_t latest = local(from - 1);  // the latest local time so far
  std::int64_t period = -1;
  while (now.begin < to) {
    ASSERT_LT(now.begin, now.end);
    // period_at() returns the same period for seconds within the period.
    seconds checked{now.begin, now.end - 1, now.begin + (now.end - now.begin) / 2};
    for (const std::int64_t change : changed)
      for (const std::int64_t at : {change - 1, change})
        if (at >= now.begin && at < now.end) checked.push_back(at);
    for (const std::int64_t at : checked) {
      const log_period same = period_at(at, every, &leat::local_offset);
      ASSERT_EQ(same.begin, now.begin) << at << " every " << every;
      ASSERT_EQ(same.end, now.end) << at << " every " << every;
      latest = std::max(latest, local(at));
    }
    // The local time reaches a new multiple of `every` at the end of the period, and not before.
    const std::int64_t next = local(now.end) / every;
    ASSERT_LT(latest / every, next) << now.end << " every " << every;
    ASSERT_LT(period, latest / every) << now.begin << " every " << every;
    period = latest / every;
    now = period_at(now.end, every, &leat::local_offset);
    latest = std::max(latest, local(now.begin));
  }
}

/// Checks the begin and end of the periods around each change of the offset in the ten years from
/// `from` on. `around` is the wanted distance to the change, in seconds.
void check_zone(const std::string& name, std::int64_t from, std::int64_t around,
                const seconds& lengths) {
  const time_zone zone(name);
  SCOPED_TRACE(name);
  for (const std::int64_t change : offset_changes(from, from + 3653 * day, 6 * hour)) {
    const seconds near = offset_changes(change - 4 * day, change + 4 * day, 1800);
    for (const std::int64_t every : lengths) {
      const std::int64_t distance = std::clamp(around, 2 * every, 40 * every);
      check_periods(change - distance, change + distance, every, near);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The names of the system's zones, without duplicates; none if there is no /usr/share/zoneinfo.
std::vector<std::string> all_zones() {
  const std::filesystem::path folder = "/usr/share/zoneinfo";
  std::map<std::string, std::string> names;
  std::error_code ec;
  for (std::filesystem::recursive_directory_iterator each(folder, ec), end; !ec && each != end;
       each.increment(ec)) {
    const std::string name = std::filesystem::relative(each->path(), folder, ec).string();
    if (name == "posix" || name == "right") each.disable_recursion_pending();
    if (!each->is_regular_file()) continue;
    const std::string content = leat_test::read_all(each->path().string());
    if (content.starts_with("TZif")) names.emplace(content, name);
  }
  std::vector<std::string> found;
  for (auto& [content, name] : names) found.push_back(std::move(name));
  return found;
}

constexpr std::int64_t in_2020 = 1'577'836'800;

TEST(log_periods, each_period_of_local_time_occurs_once_in_unusual_zones) {
  const seconds lengths{2 * hour, 5 * hour, day};
  for (const std::string name :
       {"AAA0BBB-1,J330/19:00:00,J365/2", "AAA0BBB-1,J1/0,J200/0", "AAA3BBB2:30,J60/0,J300/0:30",
        "AAA-5:45BBB-7:15,M3.2.0/24,M10.5.0/-1", "AAA24BBB-24,J100/3,J200/3", "UTC0",
        "AAA-12BBB-13:00:01,M9.5.0/2:45:00,M4.1.0/3:45:00", "AAA5BBB4,0/0,J365/25"})
    check_zone(name, in_2020, 60 * hour, lengths);
}

TEST(log_periods, have_the_known_begin_and_end_in_local_time) {
  struct known {
    const char* zone;
    std::int64_t now, every, begin, end;
  };
  // Hours before, after and around changes; an hour and a quarter of an hour that occur twice; a
  // day that is skipped; days that begin at one o'clock; an offset with a quarter of an hour.
  const std::vector<known> all{
      {"America/New_York", 1'772'952'600, hour, 1'772'949'600, 1'772'953'200},
      {"America/New_York", 1'772'953'200, hour, 1'772'953'200, 1'772'956'800},
      {"America/New_York", 1'772'953'200, day, 1'772'946'000, 1'773'028'800},
      {"America/New_York", 1'793'512'800, hour, 1'793'509'200, 1'793'516'400},
      {"America/New_York", 1'793'514'600, 900, 1'793'511'900, 1'793'516'400},
      {"America/New_York", 1'793'512'800, day, 1'793'505'600, 1'793'595'600},
      {"Europe/Berlin", 1'774'744'200, 2 * hour, 1'774'738'800, 1'774'746'000},
      {"Australia/Lord_Howe", 1'775'312'100, hour, 1'775'311'200, 1'775'316'600},
      {"Pacific/Apia", 1'325'239'140, day, 1'325'152'800, 1'325'239'200},
      {"Pacific/Apia", 1'325'239'200, day, 1'325'239'200, 1'325'325'600},
      {"America/Santiago", 1'788'665'400, day, 1'788'580'800, 1'788'667'200},
      {"America/Santiago", 1'788'667'200, day, 1'788'667'200, 1'788'750'000},
      {"Asia/Kathmandu", 1'767'268'800, hour, 1'767'266'100, 1'767'269'700},
  };
  for (const known& period : all) {
    if (!std::filesystem::exists(std::string("/usr/share/zoneinfo/") + period.zone))
      GTEST_SKIP() << "no time zones are installed";
    const time_zone zone(period.zone);
    const log_period found = period_at(period.now, period.every, &leat::local_offset);
    EXPECT_EQ(found.begin, period.begin) << period.zone << ' ' << period.now << ' ' << period.every;
    EXPECT_EQ(found.end, period.end) << period.zone << ' ' << period.now << ' ' << period.every;
  }
}

/// Checks a few zones. If LEAT_ALL_ZONES is set, as by `make prove`, checks all zones.
TEST(log_periods, each_period_of_local_time_occurs_once_in_every_zone) {
  std::vector<std::string> zones = all_zones();
  if (zones.empty()) GTEST_SKIP() << "no time zones are installed";
  if (std::getenv("LEAT_ALL_ZONES") != nullptr) {
    for (const auto& name : zones) check_zone(name, in_2020, 30 * hour, {900, hour, 5 * hour, day});
    return;
  }
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::shuffle(zones.begin(), zones.end(), std::mt19937(seed));
  zones.resize(std::min<std::size_t>(zones.size(), 6));
  zones.insert(zones.end(), {"America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"});
  for (const auto& name : zones) check_zone(name, in_2020, 4 * hour, {hour, 2 * hour, day});
  check_zone("Pacific/Apia", 1'300'000'000 - 3000 * day, 30 * hour, {hour, day});
}

#endif

}  // namespace
