// Opens and locks a log's file, and names, orders, renames and removes the archives of a log.
// Called by rotating.cpp, log_finisher.cpp and follow.cpp.
#include "logs/log_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <ranges>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "logs/log_system.hpp"
#include "opening/compressed.hpp"

namespace leat {
inline namespace v0 {

namespace {

using std::chrono::microseconds;

/// The form of a time in a name.
constexpr std::string_view time_format = "00000000T000000.000000Z";
/// A name with a time from this year on is not taken for an archive's name. Without this limit, one
/// name with the last microsecond of the year 9999 would leave no later time for the next archive.
constexpr std::chrono::year first_foreign_year{9999};
constexpr std::chrono::sys_time<microseconds> archive_time_limit =
    std::chrono::sys_days(first_foreign_year / 1 / 1);

/// Parses a text of at most 18 digits. Returns nothing if the text has other characters.
std::optional<std::uint64_t> parse_digits(std::string_view digits) noexcept {
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

/// Parses a time in time_format. Returns microseconds since 1970, or nothing if the text has
/// another form.
std::optional<std::int64_t> parse_time(std::string_view text) noexcept {
  using namespace std::chrono;
  if (text.size() != time_format.size()) return std::nullopt;
  for (std::size_t i = 0; i != text.size(); ++i)
    if (time_format[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != time_format[i])
      return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) {
    return static_cast<unsigned>(parse_digits(text.substr(at, size)).value_or(0));
  };
  const year_month_day date(year(static_cast<int>(part(0, 4))), month(part(4, 2)), day(part(6, 2)));
  const unsigned hour = part(9, 2), minute = part(11, 2), second = part(13, 2);
  if (!date.ok() || date.year() >= first_foreign_year || hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  const auto when =
      sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + microseconds(part(16, 6));
  return duration_cast<microseconds>(when.time_since_epoch()).count();
}

/// Parses an archive's suffix. Returns false if the name is not one of this log's archives.
bool parse_suffix(std::string_view suffix, log_archive& into) {
  into.suffix = suffix;
  for (const auto& [format, text] : compressed_endings) {
    if (!suffix.ends_with(text)) continue;
    into.ending = text;
    suffix.remove_suffix(text.size());
    break;
  }
  if (!suffix.starts_with('.')) return false;
  suffix.remove_prefix(1);
  constexpr std::size_t most_digits = 9;
  if (!suffix.empty() && suffix.size() <= most_digits && suffix.front() != '0')
    into.number = parse_digits(suffix).value_or(0);
  const std::optional<std::int64_t> time = parse_time(suffix);
  into.time = time.value_or(0);
  return into.number != 0 || time;
}

/// Returns a time as text, such as "20261125T184415.120345Z". `time` is in microseconds since 1970,
/// and before archive_time_limit.
std::string time_text(std::int64_t time) {
  using namespace std::chrono;
  const sys_time<microseconds> when{microseconds(time)};
  const auto date_of_day = floor<days>(when);
  const year_month_day date(date_of_day);
  const hh_mm_ss parts(when - date_of_day);
  std::string text(time_format);
  const auto put = [&](std::size_t at, std::size_t size, std::int64_t number) {
    for (std::size_t i = at + size; i-- != at; number /= 10)
      text[i] = static_cast<char>('0' + number % 10);
  };
  put(0, 4, static_cast<int>(date.year()));
  put(4, 2, static_cast<unsigned>(date.month()));
  put(6, 2, static_cast<unsigned>(date.day()));
  put(9, 2, parts.hours().count());
  put(11, 2, parts.minutes().count());
  put(13, 2, parts.seconds().count());
  put(16, 6, parts.subseconds().count());
  return text;
}

std::string numbered_suffix(std::uint64_t number, std::string_view ending) {
  std::string text(1, '.');
  text.append(std::to_string(number)).append(ending);
  return text;
}

/// Sets an open file's modification time to `when`, in nanoseconds since 1970. If the stored time
/// would not be after `other`, sets a later time. Ignores errors.
void set_write_time_after(native_handle_type file, std::int64_t when, std::int64_t other) {
  std::error_code ec;
  const auto is_later = [&] { return status_of(file, ec).write_time > other || ec; };
  set_write_time(file, std::max(when, other + 1000));
  if (is_later()) return;
  // The file system may store only whole seconds, or only even seconds.
  for (const std::int64_t seconds : {1, 2}) {
    set_write_time(file, other + seconds * 1'000'000'000);
    if (is_later()) return;
  }
}

}  // namespace

std::string_view ending_of(compression format) noexcept {
  for (const auto& one : compressed_endings)
    if (one.format == format) return one.text;
  return "";
}

log_files::log_files(path_ref path, std::error_code& ec)
    : path_(absolute_log_path(path, ec)), inside_(path.is_inside()) {
  if (!ec && inside_) folder_ = folder({path.folder(), "."}, ec);
}

std::unique_ptr<device> log_files::open(const options& how, std::error_code& ec) const {
  // Another process may move the file during the opening. Then the sidecar that is found belongs to
  // the next file.
  constexpr int most_attempts = 100;
  for (int attempt = 0;; ++attempt) {
    auto file = with_path("", [&](path_ref path) { return files::open_appending(path, how, ec); });
    if (ec != errc::foreign_sidecar || attempt == most_attempts) return file;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::unique_ptr<device> log_files::open_next(const options& how, native_handle_type old,
                                             std::error_code& ec) const {
  options creating = how;
  creating.exclusive = true;
  creating.permissions = 0600;  // until the file has the access rights of the old file
  auto file =
      with_path("", [&](path_ref path) { return files::open_appending(path, creating, ec); });
  if (ec == std::errc::file_exists || ec == errc::foreign_sidecar)
    return open(how, ec);  // another process has made the file
  if (file == nullptr) return nullptr;
  std::error_code ignored;  // after a failure the file can still be written
  copy_log_access(old, file->native_handle(), ignored);
  return file;
}

bool log_files::has_long_name(bool by_time, std::size_t keep, compression format) const {
  // While the numbers change, the oldest archive has the number `keep` + 1.
  constexpr std::size_t largest_number = 999'999'999;
  std::string suffix;
  if (by_time)
    suffix.append(".").append(time_format);
  else
    suffix = numbered_suffix(keep == 0 || keep >= largest_number ? largest_number : keep + 1, "");
  suffix += ending_of(format);
  if (format != compression::none && suffix.size() < compressing_suffix.size())
    suffix = compressing_suffix;
  return with_path(suffix, [](path_ref path) { return is_too_long(path); });
}

void log_files::rename(std::string_view from, std::string_view to, std::error_code& ec) const {
  with_path(from, [&](path_ref old) {
    with_path(to, [&](path_ref next) { rename_log(old, next, ec); });
  });
}

void log_files::remove(std::string_view suffix, std::error_code& ec) const {
  with_path(suffix, [&](path_ref path) { remove_log(path, ec); });
}

std::vector<log_archive> log_files::archives(std::error_code& ec) const {
  const std::string parent = folder_of(path_);
  const std::string_view path = path_;
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  const auto names = names_in(inside_ ? folder_.at(parent) : path_ref(parent), name, ec);
  std::vector<log_archive> numbered, timed;
  for (const std::string& one : names)
    if (log_archive next; parse_suffix(std::string_view(one).substr(name.size()), next))
      (next.number != 0 ? numbered : timed).push_back(std::move(next));
  std::sort(numbered.begin(), numbered.end(), [](const log_archive& a, const log_archive& b) {
    return a.number != b.number ? a.number > b.number : a.ending > b.ending;
  });
  const auto is_before = [](const log_archive& a, const log_archive& b) { return a.time < b.time; };
  std::sort(timed.begin(), timed.end(), [&](const log_archive& a, const log_archive& b) {
    return is_before(a, b) || (a.time == b.time && a.ending > b.ending);
  });
  if (timed.empty() || numbered.empty()) return timed.empty() ? numbered : timed;
  // Some archives have numbers and some have times: the log was once rotated with names of the
  // other kind. Numbered archives keep the order of their numbers, so no archive gets an earlier
  // time than the archive before it.
  const log_archive* before = nullptr;
  for (log_archive& one : numbered) {
    file_status now;
    const bool is_known = (before == nullptr || !one.is_same(*before)) && status(one.suffix, now);
    if (is_known) one.time = now.write_time / 1000;
    if (before != nullptr) one.time = is_known ? std::max(one.time, before->time) : before->time;
    before = &one;
  }
  std::vector<log_archive> found;
  std::merge(std::move_iterator(numbered.begin()), std::move_iterator(numbered.end()),
             std::move_iterator(timed.begin()), std::move_iterator(timed.end()),
             std::back_inserter(found), is_before);
  return found;
}

std::int64_t log_files::newest_archive_time(std::error_code& ec) const {
  const std::vector<log_archive> all = archives(ec);
  file_status newest;
  if (ec || all.empty()) return (std::numeric_limits<std::int64_t>::min)();
  if (all.back().number == 0) return all.back().time / 1'000'000;
  return status(all.back().suffix, newest) ? newest.write_time / 1'000'000'000
                                           : (std::numeric_limits<std::int64_t>::min)();
}

std::vector<log_archive> log_files::remove_duplicates(std::error_code& ec) const {
  std::vector<log_archive> all = archives(ec);
  for (std::size_t i = 0; !ec && i + 1 < all.size();) {
    // The compressed file comes first, and gets its name only when it is complete.
    if (all[i].is_same(all[i + 1]) && all[i + 1].ending.empty()) {
      remove(all[i + 1].suffix, ec);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      ++i;
    }
  }
  return all;
}

std::string log_files::prepare_newest_suffix(bool by_time, native_handle_type file,
                                             std::error_code& ec) const {
  const std::vector<log_archive> all = remove_duplicates(ec);
  if (ec) return {};
  // `now` is later than the times of all archives, even if the clock was set back.
  const clock_reading clock = read_clock();
  std::int64_t now = clock.seconds * 1'000'000 + clock.nanoseconds / 1000;
  for (const log_archive& one : all) now = std::max(now, one.time + 1);
  constexpr auto earliest = (std::numeric_limits<std::int64_t>::min)();
  file_status newest;
  if (all.empty() || !status(all.back().suffix, newest)) newest.write_time = earliest;
  // The time that a file system stores may be ahead of the clock.
  if (newest.write_time != earliest && all.back().number != 0)
    now = std::max(now, newest.write_time / 1000 + 1);
  if (by_time && now >= archive_time_limit.time_since_epoch().count()) {
    ec = std::make_error_code(std::errc::value_too_large);
    return {};
  }
  constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)() - 2'000'000'000;
  if (now <= most / 1000 && newest.write_time <= most)
    set_write_time_after(file, now * 1000, newest.write_time);
  if (by_time) return time_text(now).insert(0, 1, '.');
  // The archives to rename: from the newest archive to the first free number.
  std::vector<const log_archive*> moved;
  std::uint64_t free = 1;
  for (const log_archive& one : std::views::reverse(all)) {
    if (one.number == 0) continue;  // the archive's name has a time
    if (one.number > free) break;
    moved.push_back(&one);
    free = one.number + 1;
  }
  for (auto one = moved.rbegin(); one != moved.rend() && !ec; ++one) {
    // The lock is on this file. Once another file has the log's name, other processes may rename
    // archives.
    file_status named;
    const auto mine = status_of(file, ec).identity;
    if (!ec && !(status("", named) && named.identity == mine))
      ec = std::make_error_code(std::errc::no_such_file_or_directory);
    if (!ec) rename((*one)->suffix, numbered_suffix((*one)->number + 1, (*one)->ending), ec);
  }
  return numbered_suffix(1, "");
}

void log_files::remove_oldest(std::size_t most, std::error_code& ec) const {
  const std::vector<log_archive> all = remove_duplicates(ec);
  if (ec) return;
  std::size_t left = all.size();
  for (const log_archive& one : all) {
    if (left-- <= most) return;
    std::error_code why;
    remove(one.suffix, why);
    // A folder with an archive's name stays. After a failure the other files are still removed.
    if (!ec && why != std::errc::is_a_directory) ec = why;
  }
}

log_files::lock::lock(const log_files& log, std::error_code& ec) : log_(log) {
  // After a rename, until the next file is made, no file has the log's name.
  constexpr int most_attempts = 2000;
  for (int attempt = 0; attempt != most_attempts; ++attempt) {
    const native_handle_type file =
        log.with_path("", [&](path_ref path) { return open_to_lock(path, ec); });
    if (file != no_handle) {
      lock_log(file, ec);
      file_ = file;
      if (!ec && holds()) return;
      file_ = no_handle;
      unlock_log(file);
      close_followed(file);
    }
    if (ec && !is_transient(ec)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!ec) ec = std::make_error_code(std::errc::device_or_resource_busy);
}

log_files::lock::~lock() {
  if (file_ == no_handle) return;
  unlock_log(file_);  // a forked child may have the descriptor, too, and so keep the lock
  close_followed(file_);
}

bool log_files::lock::holds() const noexcept try {
  std::error_code ec;
  file_status named;
  const file_status mine = status_of(file_, ec);
  return !ec && log_.status("", named) && named.identity == mine.identity;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace v0
}  // namespace leat
