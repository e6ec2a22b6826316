#include "device/log_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <thread>
#include <tuple>
#include <utility>

#include "base/clock.hpp"
#include "device/compressed.hpp"
#include "device/log_system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// How a time is written in a name.
constexpr std::string_view form_of_times = "00000000T000000.000000Z";

/// The digits of a text of this form, or 0.
std::uint64_t digits_of(std::string_view text, std::string_view form) noexcept {
  if (text.size() != form.size()) return 0;
  std::uint64_t digits = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (is_digit != (form[i] == '0') || (!is_digit && text[i] != form[i])) return 0;
    if (is_digit) digits = digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return digits;
}

/// What the name of a file says that begins with the log's name. False: it is none of the log's.
bool parse_old(std::string_view suffix, old_log& into) {
  into.suffix = suffix;
  for (const auto& [format, text] : compressed_endings) {
    if (!suffix.ends_with(text)) continue;
    into.ending = text;
    suffix.remove_suffix(text.size());
    break;
  }
  if (!suffix.starts_with('.')) return false;
  suffix.remove_prefix(1);
  constexpr std::string_view longest_number = "000000000";
  if (suffix.size() <= longest_number.size() && !suffix.starts_with('0'))
    into.number = digits_of(suffix, longest_number.substr(0, suffix.size()));
  into.time = digits_of(suffix, form_of_times);
  return into.number != 0 || into.time != 0;
}

/// "20261125T184415.120345Z", and its digits.
std::pair<std::string, std::uint64_t> time_text(std::int64_t nanoseconds) {
  using namespace std::chrono;
  const sys_time<microseconds> when(microseconds(nanoseconds / 1000));
  const auto day = floor<days>(when);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(when - day));
  const std::array<std::uint64_t, 7> parts{
      static_cast<std::uint64_t>(static_cast<int>(date.year())),
      static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()),
      static_cast<std::uint64_t>(time.hours().count()),
      static_cast<std::uint64_t>(time.minutes().count()),
      static_cast<std::uint64_t>(time.seconds().count()),
      static_cast<std::uint64_t>(nanoseconds / 1000 % 1'000'000)};
  constexpr std::array<std::uint64_t, 7> scales{1, 100, 100, 100, 100, 100, 1'000'000};
  std::uint64_t digits = 0;
  for (std::size_t i = 0; i != parts.size(); ++i) digits = digits * scales[i] + parts[i];
  std::string text(form_of_times);
  std::uint64_t rest = digits;
  for (std::size_t i = text.size(); i-- != 0;) {
    if (form_of_times[i] != '0') continue;
    text[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  return {text, digits};
}

std::string number_text(std::uint64_t number, std::string_view ending) {
  std::string text(1, '.');
  text.append(std::to_string(number)).append(ending);
  return text;
}

}  // namespace

std::string_view ending_of(compression format) noexcept {
  for (const auto& one : compressed_endings)
    if (one.format == format) return one.text;
  return "";
}

log_files::log_files(path_ref path, std::error_code& ec)
    : path_(lasting_path(path, ec)), inside_(path.is_inside()) {
  if (!ec && inside_) folder_ = folder({path.folder(), "."}, ec);
}

std::unique_ptr<device> log_files::open(const options& how, std::error_code& ec) const {
  // Somebody may change the file while it is being opened: then the next file's sidecar is found.
  constexpr int most_attempts = 100;
  for (int attempt = 0;; ++attempt) {
    auto file = with("", [&](path_ref path) { return files::open_appending(path, how, ec); });
    if (ec != errc::foreign_sidecar || attempt == most_attempts) return file;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void log_files::rename(std::string_view from, std::string_view to, std::error_code& ec) const {
  with(from, [&](path_ref old) { with(to, [&](path_ref next) { rename_log(old, next, ec); }); });
}

void log_files::remove(std::string_view suffix, std::error_code& ec) const {
  with(suffix, [&](path_ref path) { remove_log(path, ec); });
}

std::vector<old_log> log_files::old(std::error_code& ec) const {
  const std::string parent = folder_of(path_);
  const std::string_view path = path_;
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  const auto names = names_in(inside_ ? folder_.at(parent) : path_ref(parent), name, ec);
  std::vector<old_log> found;
  for (const std::string& one : names)
    if (old_log next; parse_old(std::string_view(one).substr(name.size()), next))
      found.push_back(std::move(next));
  std::sort(found.begin(), found.end(), [](const old_log& a, const old_log& b) {
    return a.is_same(b) ? a.ending > b.ending : a.is_before(b);
  });
  return found;
}

std::vector<old_log> log_files::settled(std::error_code& ec) const {
  std::vector<old_log> all = old(ec);
  for (std::size_t i = 0; !ec && i + 1 < all.size();) {
    // The compressed one comes first, and has its name only since it is complete.
    if (all[i].is_same(all[i + 1]) && all[i + 1].ending.empty()) {
      remove(all[i + 1].suffix, ec);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      ++i;
    }
  }
  return all;
}

std::string log_files::name_of_newest(bool by_time, native_handle_type file,
                                      std::error_code& ec) const {
  const std::vector<old_log> all = settled(ec);
  if (ec) return {};
  const clock_reading clock = read_clock();
  std::int64_t now = (clock.seconds * 1'000'000 + clock.nanoseconds / 1000) * 1000;
  // Behind all that are there, even if the clock was set back.
  if (file_status newest; !all.empty() && status(all.back().suffix, newest))
    now = std::max(now, newest.written / 1000 * 1000 + 1000);
  set_written(file, now);
  if (by_time) {
    std::uint64_t latest = 0;
    for (const old_log& one : all) latest = std::max(latest, one.time);
    auto [text, digits] = time_text(now);
    for (; digits <= latest; std::tie(text, digits) = time_text(now)) now += 1'000'000;
    return text.insert(0, 1, '.');
  }
  // From the newest on, up to the first number that nobody has.
  std::vector<const old_log*> moved;
  std::uint64_t free = 1;
  for (const old_log& one : std::views::reverse(all)) {
    if (one.number == 0) continue;  // it has a time
    if (one.number > free) break;
    moved.push_back(&one);
    free = one.number + 1;
  }
  for (auto one = moved.rbegin(); one != moved.rend() && !ec; ++one)
    rename((*one)->suffix, number_text((*one)->number + 1, (*one)->ending), ec);
  return number_text(1, "");
}

void log_files::remove_oldest(std::size_t most, std::error_code& ec) const {
  const std::vector<old_log> all = settled(ec);
  std::size_t left = all.size();
  for (const old_log& one : all) {
    if (ec || left <= most) return;
    remove(one.suffix, ec);
    --left;
  }
}

log_files::lock::lock(const log_files& of, std::error_code& ec) {
  // Between two renames, and before the first line, there is no such file.
  constexpr int most_attempts = 200;
  for (int attempt = 0; attempt != most_attempts; ++attempt) {
    const native_handle_type file =
        of.with("", [&](path_ref path) { return open_to_lock(path, ec); });
    if (file != no_handle) {
      lock_log(file, ec);
      file_status mine, named;
      if (!ec) mine = status_of(file, ec);
      if (!ec && of.status("", named) && named.identity == mine.identity) {
        file_ = file;
        return;
      }
      close_followed(file);
    }
    if (ec && !may_pass(ec)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!ec) ec = std::make_error_code(std::errc::device_or_resource_busy);
}

}  // namespace v0
}  // namespace leat
