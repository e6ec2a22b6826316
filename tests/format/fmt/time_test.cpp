// Times: ISO 8601 by default, and {fmt}'s calendar with conversions such as %H. Also leat::now().
#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/time.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "format/compiled_field.hpp"
#include "format/outcome.hpp"
#include "format/samples.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"

namespace leat::test {
namespace {

using namespace std::chrono;

constexpr sys_seconds morning{seconds{1'795'253'239}};

TEST(time, has_as_many_decimals_as_its_unit) {
  EXPECT_EQ(leat::format("{}", morning), "2026-11-21T09:27:19Z");
  EXPECT_EQ(leat::format("{}", morning + milliseconds(7)), "2026-11-21T09:27:19.007Z");
  EXPECT_EQ(leat::format("{}", morning + microseconds(120)), "2026-11-21T09:27:19.000120Z");
  EXPECT_EQ(leat::format("{}", morning + nanoseconds(999'999'999)),
            "2026-11-21T09:27:19.999999999Z");
  using picoseconds = duration<std::int64_t, std::pico>;
  EXPECT_EQ(leat::format("{}", sys_time<picoseconds>(picoseconds(1'999))),
            "1970-01-01T00:00:00.000000001Z");
  using quarters = duration<int, std::ratio<1, 4>>;
  EXPECT_EQ(leat::format("{}", sys_time<quarters>(quarters(7))), "1970-01-01T00:00:01.75Z");
  using tenths = duration<std::int64_t, std::deci>;
  EXPECT_EQ(leat::format("{}", sys_time<tenths>(tenths(-1))), "1969-12-31T23:59:59.9Z");
  using thirds = duration<int, std::ratio<1, 3>>;  // no finite decimals: six digits, as with std
  EXPECT_EQ(leat::format("{}", sys_time<thirds>(thirds(4))), "1970-01-01T00:00:01.333333Z");
  EXPECT_EQ(leat::format("{}", floor<minutes>(morning)), "2026-11-21T09:27:00Z");
  EXPECT_EQ(leat::format("{}", floor<days>(morning)), "2026-11-21");
  EXPECT_EQ(leat::format("{}", floor<weeks>(morning)), "2026-11-19");
}

TEST(time, system_clock_now_is_printed_without_a_conversion) {
  const auto now = system_clock::now();
  EXPECT_EQ(leat::format("{}", now).substr(0, 19),
            fmt::format("{:%Y-%m-%dT%H:%M:%S}", floor<seconds>(now)));
}

TEST(time, leat_now_is_the_time_of_the_system_clock_in_microseconds) {
  const auto before = floor<microseconds>(system_clock::now());
  const leat::stamp now = leat::now();
  const auto after = system_clock::now();
  EXPECT_LE(before, now.time());
  EXPECT_LE(now.time(), after);
  EXPECT_EQ(leat::format("{}", now), leat::format("{}", now.time()));
  EXPECT_EQ(leat::format("{}", leat::stamp()), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(leat::format("{:>30}", leat::stamp()), "   1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(leat::format(leat::runtime("{}"), leat::stamp()), "1970-01-01T00:00:00.000000Z");
#if LEAT_FORMAT_FMT
  EXPECT_EQ(leat::format("{:%H:%M}", now), leat::format("{:%H:%M}", now.time()));
#endif
}

#if !defined(_WIN32)
/// Sets TZ while an object of this class exists.
class scoped_zone {
 public:
  explicit scoped_zone(const char* zone) {
    if (const char* const old = std::getenv("TZ")) before_ = old;
    set(zone);
  }
  ~scoped_zone() { set(before_ ? before_->c_str() : nullptr); }
  scoped_zone(const scoped_zone&) = delete;
  scoped_zone& operator=(const scoped_zone&) = delete;

  static void set(const char* zone) {
    if (zone != nullptr)
      ::setenv("TZ", zone, 1);
    else
      ::unsetenv("TZ");
    ::tzset();
  }

 private:
  std::optional<std::string> before_;
};

TEST(time, local_time_has_its_offset_from_utc) {
  const scoped_zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  constexpr std::uint32_t local = detail::time_stamp::local;
  const auto at = [](std::int64_t second, std::uint32_t fraction, std::uint32_t decimals) {
    return leat::format("{}", stamp(detail::time_stamp{second, fraction, decimals | local}));
  };
  EXPECT_EQ(at(1'795'253'239, 120'345, 6), "2026-11-21T10:27:19.120345+01:00");
  EXPECT_EQ(at(1'795'253'239, 7, 3), "2026-11-21T10:27:19.007+01:00");  // the same second as before
  EXPECT_EQ(at(1'774'745'999, 999'999, 6), "2026-03-29T01:59:59.999999+01:00");
  EXPECT_EQ(at(1'774'746'000, 0, 6), "2026-03-29T03:00:00.000000+02:00");
#  if LEAT_FORMAT_FMT
  EXPECT_EQ(leat::format("{:%H:%M}", stamp(detail::time_stamp{1'774'746'000, 0, 6 | local})),
            "03:00");
#  endif
  // The cached text of one time is not used for another time with another offset.
  EXPECT_EQ(at(1'795'253'239, 0, 0), "2026-11-21T10:27:19+01:00");
  EXPECT_EQ(at(316'525'665'600, 0, 0), "+12000-04-19T14:00:00+02:00");
  EXPECT_EQ(at(1'795'253'239, 0, 0), "2026-11-21T10:27:19+01:00");
  scoped_zone::set("XXX3:30");
  EXPECT_EQ(at(0, 0, 0), "1969-12-31T20:30:00-03:30");
  const leat::stamp now = leat::local_now();
  EXPECT_EQ(leat::format("{}", now).substr(26), "-03:30");
}
#endif

TEST(time, negative_years_and_years_beyond_four_digits_have_a_sign) {
  EXPECT_EQ(leat::format("{}", sys_days(days(-719'528))), "0000-01-01");
  EXPECT_EQ(leat::format("{}", sys_days(days(-719'529))), "-0001-12-31");
  EXPECT_EQ(leat::format("{}", sys_days(days(2'932'896))), "9999-12-31");
  EXPECT_EQ(leat::format("{}", sys_days(days(2'932'897))), "+10000-01-01");
  using limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(leat::format("{}", sys_seconds(seconds(limits::max()))),
            "+292277026596-12-04T15:30:07Z");
  EXPECT_EQ(leat::format("{}", sys_seconds(seconds(limits::min()))),
            "-292277022657-01-27T08:29:52Z");
  // Times beyond 64-bit seconds are clamped.
  EXPECT_EQ(leat::format("{}", sys_time<duration<std::int64_t, std::ratio<3600>>>(
                                   duration<std::int64_t, std::ratio<3600>>(limits::max()))),
            "+292277026596-12-04T15:30:07Z");
}

#if defined(HAS_ALL_TIMES)
/// Formats a time with the C library.
std::string by_strftime(std::int64_t second) {
  const auto time = static_cast<std::time_t>(second);
  std::tm parts{};
  std::array<char, 64> text;
  if (::gmtime_r(&time, &parts) == nullptr) leat_test::abort_with_errno("gmtime_r");
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

TEST(time, any_second_is_the_same_as_with_strftime) {
  chooser choose(31);
  for (int i = 0; i != 200'000 / slowness; ++i) {
    // From year 1000 to the end of year 9999: for earlier years strftime writes no leading zeros.
    const auto second =
        static_cast<std::int64_t>(choose.bits() % 284'012'524'800U) - 30'610'224'000;
    const sys_seconds time{seconds(second)};
    const std::string text = leat::format("{}", time);
    EXPECT_EQ(text, by_strftime(second)) << second;
    EXPECT_EQ(leat::format("{}", time), text) << "formatted again";
    EXPECT_EQ(compiled_field(time, {}), text);
  }
}
#endif

TEST(time, the_first_time_that_a_thread_writes_may_be_extreme) {
  using limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t second : {std::int64_t{0}, limits::min(), limits::max()})
    std::jthread([second] {
      const sys_seconds time{seconds(second)};
      const std::string text = leat::format("{}", time);
      EXPECT_EQ(leat::format("{:%Y}", floor<days>(morning)), "2026");
      EXPECT_EQ(leat::format("{}", time), text);
      EXPECT_EQ(text.size(), second == 0 ? 20U : 29U) << text;
    });
}

TEST(time, threads_with_different_days_write_their_own_times) {
  std::vector<std::jthread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i != 1000; ++i) {
        const sys_seconds time(seconds(t * 86400 + i % 3));
        EXPECT_EQ(leat::format("{}", time), fmt::format("1970-01-0{}T00:00:0{}Z", t + 1, i % 3));
      }
    });
}

TEST(time, has_fill_alignment_and_width) {
  EXPECT_EQ(leat::format("{:25}|{:>25}|{:*^25}", morning, morning, morning),
            "2026-11-21T09:27:19Z     |     2026-11-21T09:27:19Z|**2026-11-21T09:27:19Z***");
  EXPECT_EQ(leat::format("{:{}}|", morning, 22), "2026-11-21T09:27:19Z  |");
  EXPECT_EQ(by_leat("{:>22}", morning).text, "  2026-11-21T09:27:19Z");
}

TEST(time, with_a_percent_sign_is_the_same_as_with_fmt) {
  EXPECT_EQ(leat::format("[{:%d %b %Y, %H:%M}]", morning), "[21 Nov 2026, 09:27]");
  EXPECT_EQ(leat::format("{0:%H}{0:%%}{0}", morning), "09%2026-11-21T09:27:19Z");
  const auto precise = morning + milliseconds(125);
  for (const char* form : {"{:%F %T}", "{:%S}", "{:>30%F}", "{:%j%n%U}"})
    EXPECT_EQ(by_leat(form, precise), by_fmt(form, precise)) << form;
  EXPECT_EQ(leat::format("{:%A}", floor<days>(morning)), "Saturday");
#if defined(HAS_ALL_TIMES)
  EXPECT_EQ(leat::format("{:%Y}", sys_seconds(seconds(99'999'999'999))), "5138");
#endif
  EXPECT_TRUE(by_leat("{:%Y}", sys_seconds(seconds::max())).refused);
}

#if LEAT_FORMAT_FMT && defined(HAS_ALL_TIMES)

/// {fmt} before version 10 accepts only the clock's own unit.
template <class Units>
auto accepted_by_fmt(sys_time<Units> time) {
#  if FMT_VERSION < 100000
  return floor<system_clock::duration>(time);
#  else
  return time;
#  endif
}

/// A random specification: conversions, with text between them.
std::string random_calendar(chooser& choose) {
  std::string spec;
  for (std::size_t n = 1 + choose.below(9); n != 0; --n) {
    spec += '%';
    spec += detail::native_conversions[choose.below(detail::native_conversions.size())];
    if (choose.below(2) == 0) spec += ".-:/ Tx"[choose.below(7)];
  }
  return spec;
}

template <class Units>
void expect_calendar_as_with_fmt(chooser& choose, std::int64_t first, std::int64_t last) {
  const auto whole =
      first + static_cast<std::int64_t>(choose.bits() % static_cast<std::uint64_t>(last - first));
  const auto fraction = nanoseconds(choose.below(1'000'000'000));
  const sys_time<Units> time(seconds(whole) + duration_cast<Units>(fraction));
  const std::string spec = random_calendar(choose), form = "{:" + spec + "}";
  const outcome expected = by_fmt(form, accepted_by_fmt(time));
  EXPECT_EQ(by_leat(form, time), expected) << form << " of " << whole;
  // write_calendar writes only into the room that the compiled field requests, plus 16 bytes.
  detail::arg_kind kind = detail::arg_kind::time;
  std::uint64_t step[2]{};
  const detail::compiled_steps steps(form, &kind, 1, step);
  ASSERT_TRUE(steps.way == detail::format_way::in_order) << form;
  guarded_bytes memory(steps.plan.max_size() + 16);
  const char* const end = detail::write_calendar(memory.begin(), detail::stamp_of(time), form);
  EXPECT_EQ(std::string(memory.begin(), static_cast<std::size_t>(end - memory.begin())),
            expected.text)
      << form;
  EXPECT_TRUE(memory.is_intact());
}

TEST(time, any_conversions_are_the_same_as_with_fmt) {
  // {fmt} 9 and 10 are wrong about years that nanoseconds can't represent.
  constexpr std::int64_t most = 9'223'372'035;
  chooser choose(47);
  for (int i = 0; i != 50'000 / slowness; ++i) {
    expect_calendar_as_with_fmt<seconds>(choose, -most, most);
    expect_calendar_as_with_fmt<milliseconds>(choose, -most, most);
    expect_calendar_as_with_fmt<microseconds>(choose, -most, most);
    expect_calendar_as_with_fmt<nanoseconds>(choose, -most, most);
  }
}

// leat formats some conversions itself, and {fmt} formats the other conversions. leat and {fmt} use
// the same zone.
TEST(time, all_conversions_of_a_far_time_use_one_time_zone) {
  const scoped_zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  const sys_seconds far(sys_days(year(2500) / 1 / 1));
  const std::string hour = leat::format("{:%H}", far);
  EXPECT_EQ(hour, leat::format("{:%OH}", far));
  EXPECT_EQ(hour, leat::format("{:%H}", sys_seconds(sys_days(year(11'000) / 1 / 1))));
}

TEST(time, the_time_zone_changes_with_tzset) {
  const std::string before = leat::format("{:%F %T}", morning);
  EXPECT_EQ(leat::format("{:%F %T}", morning), before) << "from the cache";
  for (const char* zone : {"CET-1CEST,M3.5.0,M10.5.0/3", "XXX3:30", "UTC0"}) {
    const scoped_zone scope(zone);
    for (int again = 0; again != 3; ++again)
      EXPECT_EQ(by_leat("{:%F %T}", morning), by_fmt("{:%F %T}", morning)) << zone;
  }
}

#endif

TEST(time, is_written_together_with_types_that_fmt_formats) {
  const std::vector<int> list{1, 2};
  EXPECT_EQ(leat::format("{} {}", morning, list), "2026-11-21T09:27:19Z [1, 2]");
  EXPECT_EQ(leat::format("{:>22} {:%H:%M} {}", morning, morning, list),
            "  2026-11-21T09:27:19Z 09:27 [1, 2]");
  EXPECT_EQ(leat::format(runtime("{:%M}{}"), morning, list), "27[1, 2]");
}

TEST(time, wrong_specifications_are_refused) {
  for (const char* form : {"{:x}", "{:.3}", "{:+}", "{:#}", "{:08}", "{:%Q}", "{:%}", "{:%",
                           "{:%E}", "{:%H{}}", "{:{}%H}", "{:L}"})
    EXPECT_TRUE(by_leat(form, morning, 5).refused) << form;
  const std::vector<int> list{1};
  for (const std::string form : {"{:x}{}", "{:%Q}{}", "{1}{0:%H"})
    EXPECT_TRUE(by_leat(form, morning, list).refused);
}

}  // namespace
}  // namespace leat::test
