// A load on an object store while its nodes fail: uploads that are read back later, random reads,
// and lines. All content is generated from a seed, and every byte that is read is compared with the
// generated content.
//
//   BUILD/tests/cluster_load [--seconds N] [--seed N] [--broken] s3://BUCKET/PREFIX/
//
// The environment names the store. Each error must be one that an overloaded or failing store
// causes, and each kind of work must have more successes than errors. With --broken the load stores
// wrong bytes and one line too few, removes objects, reads an object that does not exist, and
// allows no time for operations: then each kind of violation must be found. Exit status 1: a
// violation, or with --broken a kind of violation that was not found; 2: the load cannot start.
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct options {
  std::chrono::seconds time{60};
  std::uint64_t seed = 1;
  bool broken = false;
  std::string prefix;
};

constexpr std::uint64_t upload_size = std::uint64_t{64} << 20;
constexpr std::size_t upload_count = 16;
constexpr std::uint64_t number_count = std::uint64_t{64} << 20;  // of 4 bytes: 256 MiB
constexpr std::size_t gather_count = 100'000;
constexpr std::uint64_t line_count = 1'000'000;  // 63 MB
constexpr std::size_t chunk = 1 << 20;

// A request may take 20 s, and one second more for each 256 KiB: 52 s for the largest one, 8 MiB. A
// failed upload is also aborted, which may take as long as a small request.
constexpr auto deadline = 20s;
constexpr auto longest_allowed = 90s;

enum class violation {
  wrong_bytes,
  lost_upload,
  wrong_number,
  wrong_line,
  missing_lines,
  strange_error,
  too_long
};
constexpr std::array<const char*, 7> violation_names{
    "wrong bytes",   "a lost upload",   "a wrong number",  "a wrong line",
    "missing lines", "a strange error", "a slow operation"};

/// The number at a position of the content that `seed` generates.
std::uint32_t number_at(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t x = (position + (seed << 40U) + 1) * 0x9E3779B97F4A7C15U;
  x ^= x >> 31U;
  x *= 0xD6E8FEB86659FD93U;
  return static_cast<std::uint32_t>(x >> 32U);
}

std::string line_at(std::uint64_t seed, std::uint64_t position, std::uint32_t number) {
  std::string line = std::to_string(position) + " " + std::to_string(number) + " ";
  line.append(number_at(seed + 1, position) % 90, static_cast<char>('a' + position % 26));
  return line;
}

volatile std::sig_atomic_t stop_requested = 0;

double seconds_of(steady::duration time) { return std::chrono::duration<double>(time).count(); }

/// A kind of work, done by one thread.
struct activity {
  const char* name;
  std::atomic<std::size_t> succeeded = 0, failed = 0;
  std::atomic<steady::rep> operation_begin = 0;  ///< when the current operation began; 0: none
  steady::duration longest{};
};

/// The possible states of an uploaded object: the content of one of `seeds`, or no object if the
/// object may be missing.
struct stored_upload {
  std::vector<std::uint64_t> seeds;
  bool may_be_missing = true;
};

class load_run {
 public:
  explicit load_run(options how) : how_(std::move(how)) {}

  void prepare() const;
  bool run();

 private:
  std::string address(const std::string& name) const { return how_.prefix + name; }
  static std::string name_of(std::size_t slot) { return "upload-" + std::to_string(slot); }
  bool is_running() const { return steady::now() < end_ && stop_requested == 0; }
  std::uint32_t stored_number(std::uint64_t seed, std::uint64_t position) const {
    return number_at(seed, position) ^ (how_.broken && position % 1000 == 7 ? 1U : 0U);
  }
  void write(const std::string& name, std::uint64_t seed, std::uint64_t size) const;
  bool has_content(std::string_view bytes, std::uint64_t seed) const;

  void record_violation(violation kind, const std::string& text);
  void check_error(const leat::io_error& error);
  std::error_code attempt(activity& kind, const std::function<void()>& work,
                          std::errc expected = {});

  void upload_all();
  void upload(std::size_t slot, std::uint64_t seed);
  bool check_upload(std::size_t slot);
  void gather_all();
  void read_all_lines();
  void watch(const std::atomic<int>& running);
  bool report();

  const options how_;
  steady::time_point end_;
  std::array<stored_upload, upload_count> uploads_;
  activity uploading_{"uploads of 64 MiB"}, reading_back_{"uploads read back"},
      gathering_{"gathers of 100,000 positions"}, reading_lines_{"readings of 1,000,000 lines"};
  const std::array<activity*, 4> activities_{&uploading_, &reading_back_, &gathering_,
                                             &reading_lines_};

  std::mutex lock_;
  std::array<std::size_t, violation_names.size()> violations_{};
  std::size_t errors_shown_ = 0;
};

// --- the stored content

void load_run::write(const std::string& name, std::uint64_t seed, std::uint64_t size) const {
  auto out = leat::create(address(name));
  std::vector<std::uint32_t> block(chunk / 4);
  for (std::uint64_t position = 0; position != size / 4; position += block.size()) {
    for (std::size_t i = 0; i != block.size(); ++i) block[i] = stored_number(seed, position + i);
    out.write({reinterpret_cast<const char*>(block.data()), chunk});
  }
  out.close();
}

bool load_run::has_content(std::string_view bytes, std::uint64_t seed) const {
  if (bytes.size() != upload_size) return false;
  for (std::uint64_t position = 0; position != upload_size / 4; ++position) {
    std::uint32_t number;
    std::memcpy(&number, bytes.data() + position * 4, 4);
    if (number != number_at(seed, position)) return false;
  }
  return true;
}

void load_run::prepare() const {
  write("numbers", how_.seed, number_count * 4);
  auto out = leat::create(address("lines"));
  for (std::uint64_t position = 0; position != line_count - (how_.broken ? 1 : 0); ++position)
    out.println("{}", line_at(how_.seed, position, stored_number(how_.seed, position)));
  out.close();
}

// --- violations and errors

void load_run::record_violation(violation kind, const std::string& text) {
  const std::scoped_lock lock(lock_);
  const auto index = static_cast<std::size_t>(kind);
  if (++violations_[index] > 3 || how_.broken) return;
  std::printf("load: violation, %s: %s\n", violation_names[index], text.c_str());
}

/// A store in trouble does not answer, or answers with status 408, 429, or at least 500. All other
/// errors mean that the request or the object is wrong, and are violations. A message without the
/// address is a violation, too.
void load_run::check_error(const leat::io_error& error) {
  const std::string text = error.what();
  const auto answer = leat::remote::answer_of(error.code());
  const bool is_trouble =
      answer.status == 0 || answer.status == 408 || answer.status == 429 || answer.status >= 500;
  if (!is_trouble || answer.changed || text.find(how_.prefix) == std::string::npos)
    record_violation(violation::strange_error, text);
  const std::scoped_lock lock(lock_);
  if (++errors_shown_ <= 10 && !how_.broken) std::printf("load: error: %s\n", text.c_str());
}

/// Runs, counts and times an operation. Returns the operation's error. `expected`: an error that is
/// not a failure, because the caller checks it.
std::error_code load_run::attempt(activity& kind, const std::function<void()>& work,
                                  std::errc expected) {
  std::error_code ec;
  const auto begin = steady::now();
  kind.operation_begin = begin.time_since_epoch().count();
  try {
    work();
    ++kind.succeeded;
  } catch (const leat::io_error& error) {
    ec = error.code();
    if (expected == std::errc{} || ec != expected) {
      ++kind.failed;
      check_error(error);
    }
  }
  kind.operation_begin = 0;
  const auto taken = steady::now() - begin;
  kind.longest = std::max(kind.longest, taken);
  if (taken > (how_.broken ? 0s : longest_allowed))
    record_violation(violation::too_long,
                     std::string(kind.name) + " took " + std::to_string(seconds_of(taken)) + " s");
  return ec;
}

// --- the work of the threads

void load_run::upload(std::size_t slot, std::uint64_t seed) {
  stored_upload& state = uploads_[slot];
  if (attempt(uploading_, [&] { write(name_of(slot), seed, upload_size); })) {
    state.seeds.push_back(seed);  // the old content or the new one
    return;
  }
  state = {.seeds = {seed}, .may_be_missing = false};
  if (how_.broken && seed % 2 == 0) leat::remote::remove(address(name_of(slot)));
}

/// Reads an object back. If the content is wrong, or if an object that must exist is missing,
/// records a violation. If the read failed, returns false, and the caller must call this function
/// again.
bool load_run::check_upload(std::size_t slot) {
  stored_upload& state = uploads_[slot];
  if (state.seeds.empty()) return true;
  std::string bytes;
  const auto ec = attempt(
      reading_back_, [&] { bytes = leat::read_file(address(name_of(slot))); },
      std::errc::no_such_file_or_directory);
  if (ec == std::errc::no_such_file_or_directory) {
    if (!state.may_be_missing) record_violation(violation::lost_upload, name_of(slot) + " is gone");
    state = {};
    return true;
  }
  if (ec) return false;
  const auto found = std::ranges::find_if(
      state.seeds, [&](std::uint64_t seed) { return has_content(bytes, seed); });
  if (found == state.seeds.end())
    record_violation(violation::wrong_bytes, name_of(slot) + " has other bytes than were written");
  else
    state = {.seeds = {*found}, .may_be_missing = false};
  return true;
}

void load_run::upload_all() {
  for (std::size_t n = 0; is_running(); ++n) {
    const std::size_t slot = n % upload_count;
    if (check_upload(slot)) upload(slot, how_.seed + 100 + n);
  }
  for (std::size_t slot = 0; slot != upload_count; ++slot) {
    bool is_known = check_upload(slot);
    for (int again = 0; !is_known && again != 5; ++again) {
      std::this_thread::sleep_for(2s);
      is_known = check_upload(slot);
    }
    if (!is_known) record_violation(violation::lost_upload, name_of(slot) + " can't be read back");
  }
}

void load_run::gather_all() {
  std::mt19937_64 random(how_.seed);
  std::vector<std::uint64_t> positions(gather_count);
  std::vector<std::uint32_t> got(gather_count);
  while (is_running()) {
    for (auto& position : positions) position = random() % number_count;
    const auto ec = attempt(gathering_, [&] {
      leat::records<std::uint32_t>::open(address("numbers")).gather(positions, got);
    });
    for (std::size_t i = 0; i != gather_count && !ec; ++i) {
      if (got[i] != number_at(how_.seed, positions[i]))
        record_violation(violation::wrong_number, "at position " + std::to_string(positions[i]));
    }
    if (how_.broken)
      attempt(gathering_, [&] { static_cast<void>(leat::read_file(address("none"))); });
  }
}

void load_run::read_all_lines() {
  while (is_running()) {
    std::uint64_t position = 0, wrong = 0;
    const auto ec = attempt(reading_lines_, [&] {
      auto in = leat::open(address("lines"));
      for (const std::string_view line : in.lines()) {
        if (line != line_at(how_.seed, position, number_at(how_.seed, position))) ++wrong;
        ++position;
      }
    });
    // Even before an error, no line may be wrong.
    if (wrong != 0)
      record_violation(violation::wrong_line,
                       std::to_string(wrong) + " of " + std::to_string(position));
    if (!ec && position != line_count)
      record_violation(violation::missing_lines,
                       std::to_string(position) + " instead of " + std::to_string(line_count));
  }
}

/// Prints the progress every 10 s. If an operation takes 180 s, ends the program with
/// status 1.
void load_run::watch(const std::atomic<int>& running) {
  const auto begin = steady::now();
  auto next = begin + 10s;
  while (running != 0) {
    std::this_thread::sleep_for(100ms);
    const auto now = steady::now();
    for (const activity* const one : activities_) {
      const steady::duration operation_begin(one->operation_begin.load());
      if (operation_begin.count() == 0 ||
          now.time_since_epoch() - operation_begin < 2 * longest_allowed)
        continue;
      std::printf("load: violation: %s have not ended for %.0f s\n", one->name,
                  seconds_of(now.time_since_epoch() - operation_begin));
      std::fflush(stdout);
      std::_Exit(1);
    }
    if (now < next) continue;
    next += 10s;
    std::size_t failed = 0;
    for (const activity* const one : activities_) failed += one->failed;
    std::printf(
        "load: %3.0f s: %zu uploads, %zu read back, %zu gathers, %zu reads of lines, %zu errors\n",
        seconds_of(now - begin), uploading_.succeeded.load(), reading_back_.succeeded.load(),
        gathering_.succeeded.load(), reading_lines_.succeeded.load(), failed);
  }
}

bool load_run::report() {
  bool succeeded = true;
  for (const activity* const one : activities_) {
    std::printf("load: %s: %zu, the longest %.2f s; %zu errors\n", one->name, one->succeeded.load(),
                seconds_of(one->longest), one->failed.load());
    if (one->succeeded > one->failed || how_.broken) continue;
    std::printf("load: violation: %s: not more successes than errors\n", one->name);
    succeeded = false;
  }
  const auto kinds =
      violation_names.size() - static_cast<std::size_t>(std::ranges::count(violations_, 0U));
  if (!how_.broken) return succeeded && kinds == 0;
  for (std::size_t i = 0; i != violation_names.size(); ++i)
    if (violations_[i] == 0) std::printf("load: not found: %s\n", violation_names[i]);
  std::printf("load: %zu of %zu kinds of violations were found\n", kinds, violation_names.size());
  return kinds == violation_names.size();
}

bool load_run::run() {
  end_ = steady::now() + how_.time;
  std::atomic<int> running = 3;
  const auto begin = [&](void (load_run::*work)()) {
    return std::thread([this, &running, work] {
      (this->*work)();
      --running;
    });
  };
  std::array threads{begin(&load_run::upload_all), begin(&load_run::gather_all),
                     begin(&load_run::read_all_lines)};
  watch(running);
  for (auto& each : threads) each.join();
  return report();
}

options parse(int argc, char** argv) {
  options how;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return std::stoull(i + 1 < argc ? argv[++i] : "none"); };
    if (word == "--broken")
      how.broken = true;
    else if (word == "--seconds")
      how.time = std::chrono::seconds(value());
    else if (word == "--seed")
      how.seed = value();
    else if (word.starts_with("s3://") && word.ends_with('/'))
      how.prefix = word;
    else
      throw std::invalid_argument("unknown option " + word);
  }
  if (how.prefix.empty()) throw std::invalid_argument("no address: expected s3://BUCKET/PREFIX/");
  return how;
}

}  // namespace

int main(int argc, char** argv) try {
  static_cast<void>(std::setvbuf(stdout, nullptr, _IOLBF, 0));
  leat::remote::settings settings;
  settings.deadline = deadline;
  leat::remote::set_defaults(settings);
  load_run load(parse(argc, argv));
  static_cast<void>(std::signal(SIGTERM, [](int) { stop_requested = 1; }));
  load.prepare();
  return load.run() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "load: %s\n", error.what());
  return 2;
}
