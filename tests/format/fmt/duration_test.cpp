// Durations with conversions such as %H, and durations with their unit.
#include <fmt/chrono.h>
#include <gtest/gtest.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "format/compiled_field.hpp"
#include "format/outcome.hpp"
#include "format/samples.hpp"

#if LEAT_FORMAT_FMT

namespace leat::test {
namespace {

using namespace std::chrono;

/// A random specification: mostly conversions that leat writes itself.
std::string random_spec(chooser& choose) {
  std::string spec;
  for (std::size_t n = 1 + choose.below(6); n != 0; --n) {
    constexpr std::string_view common = "HIMSRTpQqnt%", rare = "rXEOHS-_0jYzL<>^{";
    spec += '%';
    spec += choose.one_of(choose.one_in(40) ? rare : common);
    if (choose.one_in(2)) spec += choose.one_of(std::string_view(".-:/ Tx09<>"));
  }
  if (choose.one_in(20))
    spec.insert(0, choose.one_of(std::array{"9", ">8", "x^7", "%<9", "L", "T"}));
  return spec;
}

/// Formats with the writer of compiled formats. `accepted` becomes false if {fmt} has to write the
/// specification.
template <class T>
outcome by_writer(const std::string& spec, const T& value, std::size_t room, bool& accepted) try {
  detail::standard_writer<T> by;
  const std::string rest = spec + "} {:5}";
  accepted = by.parse(rest, spec.size());
  if (!accepted) return {};
  guarded_bytes memory(room);
  const char* const end = by.put(&by, &value, memory.begin(), memory.begin() + room);
  EXPECT_TRUE(memory.is_intact()) << spec;
  if (end == nullptr) return {};
  return {std::string(memory.begin(), static_cast<std::size_t>(end - memory.begin())), false, {}};
} catch (const format_error& error) {
  return {{}, true, error.what()};
}

template <class T>
int expect_conversions() {
  chooser choose(53);
  int count = 0;
  for (int i = 0; i != 20'000 / slowness && !testing::Test::HasFailure(); ++i) {
    const T value(any_integer<typename T::rep>(choose));
    const std::string spec = random_spec(choose);
    bool accepted = false;
    const outcome text = by_writer(spec, value, 1000, accepted);
    if (!accepted) continue;
    ++count;
    const outcome expected = by_fmt("{:" + spec + "}", value);
    EXPECT_EQ(text, expected) << spec << " of " << value.count();
    EXPECT_EQ(text.reason, expected.reason);
    const outcome limited = by_writer(spec, value, choose.below(200), accepted);
    if (!limited.text.empty()) {
      EXPECT_EQ(limited.text, expected.text);
    }
  }
  return count;
}

TEST(duration, any_conversions_are_the_same_as_with_fmt) {
  const auto expect_all = []<class... Durations>(std::type_identity<Durations>...) {
    for (const int count : {expect_conversions<Durations>()...})
      EXPECT_GT(count, 15'000 / slowness);
  };
  expect_all(std::type_identity<seconds>(), std::type_identity<milliseconds>(),
             std::type_identity<microseconds>(), std::type_identity<nanoseconds>(),
             std::type_identity<minutes>(), std::type_identity<hours>(), std::type_identity<days>(),
             std::type_identity<weeks>(), std::type_identity<duration<int>>(),
             std::type_identity<duration<int, std::milli>>(),
             std::type_identity<duration<short, std::ratio<60>>>(),
             std::type_identity<duration<signed char, std::deci>>(),
             std::type_identity<duration<unsigned>>(),
             std::type_identity<duration<unsigned, std::ratio<3600>>>(),
             std::type_identity<duration<unsigned char, std::centi>>(),
             std::type_identity<duration<std::uint64_t>>(),
             std::type_identity<duration<std::uint64_t, std::micro>>(),
             std::type_identity<duration<std::uint64_t, std::ratio<60>>>(),
             std::type_identity<duration<long long, std::ratio<1, 4>>>(),
             std::type_identity<duration<int, std::ratio<1, 512>>>(),
             std::type_identity<duration<int, std::giga>>(),
             std::type_identity<duration<std::int64_t, std::exa>>());
}

TEST(duration, other_units_and_numbers_are_written_by_fmt) {
  using thirds = duration<int, std::ratio<1, 3>>;
  using picoseconds = duration<std::int64_t, std::pico>;
  using frames = duration<int, std::ratio<1001, 30'000>>;
  EXPECT_EQ(leat::format("{:%S}", thirds(4)), fmt::format("{:%S}", thirds(4)));
  EXPECT_EQ(leat::format("{:%T}", picoseconds(5)), fmt::format("{:%T}", picoseconds(5)));
  EXPECT_EQ(leat::format("{:%T}", frames(50)), fmt::format("{:%T}", frames(50)));
  EXPECT_EQ(leat::format("{:%T}", duration<double>(2.5)),
            fmt::format("{:%T}", duration<double>(2.5)));
}

TEST(duration, conversions_in_a_call) {
  const milliseconds time(3'723'004);
  EXPECT_EQ(leat::format("[{:%H:%M:%S}]", time), "[01:02:03.004]");
  EXPECT_EQ(leat::format("{:%T} {} {:%Q%q}", time, 7, -time), "01:02:03.004 7 -3723004ms");
  EXPECT_EQ(leat::format("{1:%R} {0:%R}", seconds(60), minutes(90)), "01:30 00:01");
  EXPECT_EQ(leat::format("{:%M:%S%%}|{:>6}|{:%H}", -seconds(5), "x", hours(23)),
            "-00:05%|     x|23");
  EXPECT_EQ(leat::format("{:%H}{:>9%H:%M}", time, time), "01    01:02");
  EXPECT_EQ(leat::format("{:%T} {}", time, std::vector{1, 2}), "01:02:03.004 [1, 2]");
  EXPECT_EQ(leat::format(runtime("{:%T}"), time), "01:02:03.004");
}

TEST(duration, without_room_the_text_is_complete) {
  for (std::size_t size = 0; size != 300; ++size) {
    std::vector<char> memory(size);
    memory_writer to(memory);
    to.print("{:%T}|{:%Q%q}", nanoseconds(-1), microseconds(7));
    EXPECT_EQ(to.view(), std::string_view("-00:00:00.000000001|7\xC2\xB5s").substr(0, size));
    to.clear_error();
  }
}

TEST(duration, too_long_for_fmt_is_an_error) {
  string_writer to;
  to.print("before ");
  EXPECT_THROW(to.print("{:%M}", hours::max()), format_error);
  EXPECT_THROW(to.print("{} {:%Q}", 1, duration<int, std::ratio<3600>>::min()), format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{:%H}", hours::min())), format_error);
  EXPECT_EQ(leat::format("{}", hours::max()), "9223372036854775807h");
  EXPECT_EQ(to.view(), "before ");
}

}  // namespace
}  // namespace leat::test

#endif
