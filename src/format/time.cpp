// Times in ISO 8601: write_value() of a time_stamp, which formats and leat_now() call, and now()
// and local_now().
#include <leat/format.hpp>
#include <leat/time.hpp>

#include <cstring>

#include "base/clock.hpp"
#include "format/calendar.hpp"
#include "format/digits.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Writes "2026-11-21". A year outside 0 to 9999 has a sign, and if needed more digits.
char* put_date(char* to, std::int64_t day) noexcept {
  const civil_day date(day);
  const std::int64_t year = date.year;
  const auto magnitude = static_cast<std::uint64_t>(year < 0 ? -year : year);
  if (magnitude != static_cast<std::uint64_t>(year) || magnitude > 9999)
    *to++ = year < 0 ? '-' : '+';
  if (magnitude > 9999) {
    to = put_decimal(to, magnitude);
  } else {
    to = put_pair(to, static_cast<std::uint32_t>(magnitude / 100));
    to = put_pair(to, static_cast<std::uint32_t>(magnitude % 100));
  }
  *to++ = '-';
  to = put_pair(to, date.month);
  *to++ = '-';
  return put_pair(to, date.day);
}

/// Writes "2026-11-21T09:27:19".
char* put_seconds(char* to, std::int64_t seconds) noexcept {
  const day_and_time when(seconds);
  to = put_date(to, when.day);
  *to++ = 'T';
  to = put_pair(to, when.time / 3600);
  *to++ = ':';
  to = put_pair(to, when.time / 60 % 60);
  *to++ = ':';
  return put_pair(to, when.time % 60);
}

/// The last written second. Most lines of a log have the same second as the line before.
struct cached_second {
  static constexpr std::size_t size = 19;  // only years with four digits are kept

  std::int64_t second = 0;
  char text[24] = "1970-01-01T00:00:00";
};
thread_local constinit cached_second last_second;

/// The last second that was written in local time, and the text after its decimals.
struct cached_local_second : cached_second {
  char zone[8] = "";
  std::uint32_t zone_size = 0;  // 0: nothing is kept
};
thread_local constinit cached_local_second last_local_second;

/// Writes "+01:00". Drops the seconds that offsets of old times have.
char* put_offset(char* to, std::int32_t offset) noexcept {
  *to++ = offset < 0 ? '-' : '+';
  const auto minutes = static_cast<std::uint32_t>(offset < 0 ? -offset : offset) / 60;
  to = put_pair(to, minutes / 60 % 100);
  *to++ = ':';
  return put_pair(to, minutes % 60);
}

/// Writes a second. Stores the text in the cache if the year has four digits.
char* put_cached(char* to, std::int64_t second, cached_second& cache,
                 std::int32_t offset) noexcept {
  char* const end = put_seconds(to, second + offset);
  if (end == to + cached_second::size) {
    std::memcpy(cache.text, to, cached_second::size);
    cache.second = second;
  }
  return end;
}

[[gnu::always_inline]] inline char* put_fraction(char* to, std::uint32_t fraction,
                                                 std::uint32_t decimals) noexcept {
  *to = '.';
  if (decimals == 6) [[likely]] {
    const std::uint32_t high = fraction / 1000;
    store_three(to + 1, threes.padded[high]);
    store_three(to + 4, threes.padded[fraction - high * 1000]);
  } else {
    put_nine(to + 1, nanoseconds_of(fraction, decimals));
  }
  return to + 1 + decimals;
}

[[gnu::noinline]] char* write_local(char* to, time_stamp value) noexcept {
  cached_local_second& cache = last_local_second;
  if (cache.zone_size != 0 && cache.second == value.seconds) [[likely]] {
    std::memcpy(to, cache.text, sizeof cache.text);
    to += cached_second::size;
  } else {
    const std::int32_t offset = local_offset(value.seconds);
    to = put_cached(to, value.seconds, cache, offset);
    cache.zone_size = static_cast<std::uint32_t>(put_offset(cache.zone, offset) - cache.zone);
  }
  const std::uint32_t decimals = value.decimals & ~time_stamp::local;
  if (decimals != 0) to = put_fraction(to, value.fraction, decimals);
  std::memcpy(to, cache.zone, sizeof cache.zone);
  char* const end = to + cache.zone_size;
  if (cache.second != value.seconds) [[unlikely]]
    cache.zone_size = 0;  // not a year of four digits: the second is not in the cache
  return end;
}

}  // namespace

char* write_value(char* to, time_stamp value) noexcept {
  if (value.decimals >= time_stamp::date_only) [[unlikely]] {
    if (value.decimals >= time_stamp::local) return write_local(to, value);
    return put_date(to, day_and_time(value.seconds).day);
  }
  cached_second& cache = last_second;
  if (cache.second == value.seconds) [[likely]] {
    std::memcpy(to, cache.text, sizeof cache.text);
    to += cached_second::size;
  } else {
    to = put_cached(to, value.seconds, cache, 0);
  }
  if (value.decimals != 0) to = put_fraction(to, value.fraction, value.decimals);
  *to = 'Z';
  return to + 1;
}

}  // namespace detail

stamp now() noexcept {
  const clock_reading now = read_clock();
  return detail::time_stamp{now.seconds, now.nanoseconds / 1000, 6};
}

stamp local_now() noexcept {
  const clock_reading now = read_clock();
  return detail::time_stamp{now.seconds, now.nanoseconds / 1000, 6 | detail::time_stamp::local};
}

}  // namespace v0
}  // namespace leat
