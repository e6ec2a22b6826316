// `leat bench durable-writes`: writes records that survive a crash of the machine. Each thread
// syncs a record before it writes the next record. What do threads gain by sharing a sync?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "experiments/peers.hpp"
#include "reporting/text.hpp"
#include "system/raw_file.hpp"

namespace bench::experiment_durable_writes {

namespace {

constexpr std::size_t record_size = 100;
constexpr int many_threads = 8;
constexpr auto by_system = "write and sync each";
constexpr auto ours = "leat sync each";

value threads(std::int64_t count) { return {std::to_string(count), count}; }
const choices one_thread{{"threads", threads(1)}},
    eight_threads{{"threads", threads(many_threads)}};

std::string record() { return std::string(record_size - 1, 'r') + '\n'; }

/// Calls put() `count` times, from as many threads as the setting says. Throws the last exception
/// of the threads.
template <class Put>
void by_threads(const setting& at, std::size_t count, Put&& put) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex lock;
  const auto work = [&] {
    try {
      while (next.fetch_add(1) < count) put();
    } catch (...) {
      const std::lock_guard guard(lock);
      failed = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  for (auto left = at["threads"].number.value_or(1); left > 1; --left) others.emplace_back(work);
  work();
  others.clear();
  if (failed) std::rethrow_exception(failed);
}

void each_by_system(std::size_t count, run& this_run) {
  raw_file file(this_run.file);
  const std::string bytes = record();
  by_threads(this_run.setting, count, [&] {
    file.write(bytes);
    file.sync_data();
  });
  file.close();
}

void leat_sync(std::size_t count, run& this_run) {
  leat::synchronized log(leat::create(this_run.file));
  const std::string bytes = record();
  by_threads(this_run.setting, count, [&] {
    log.write(bytes);
    log.sync();
  });
  log.close();
}

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  const auto alone = result.median(ours, one_thread), together = result.median(ours, eight_threads);
  if (alone && together) {
    const double ratio = *alone / *together;
    found.push_back(check_claim(
        fmt::format("{} threads that share leat's syncs write {} as many "
                    "durable records a second as one thread",
                    many_threads, times(ratio)),
        "the threads write at least four times as many records as one thread", ratio >= 4));
  }
  return found;
}

experiment make_durable_writes(const request& wanted) {
  const std::size_t count = wanted.sized(4000, 400, 40);
  const auto work = [count](void (*loop)(std::size_t, run&)) {
    return [count, loop](run& this_run) { loop(count, this_run); };
  };
  std::string all;
  for (std::size_t i = 0; i != count; ++i) all += record();
  return {
      .name = "durable-writes",
      .title = "records of 100 bytes, each synced before the next one",
      .published =
          "nothing; leat promises that eight threads write at least four times as many records as "
          "one thread.",
      .cached = "The disk takes part in each write.",
      .factors = {{"threads", {threads(1), threads(many_threads)}, layout::row}},
      .variants = {{by_system, role::baseline, work(each_by_system)},
                   {ours, role::leat, work(leat_sync)}},
      .load =
          [count](const setting&) {
            return load{grouped(count) + " records, each synced before the thread's next one",
                        count * record_size, count, "record"};
          },
      .space = 2 * count * record_size,
      .time_share = 0.2,
      .before = [](run& this_run) { std::filesystem::remove(this_run.file); },
      .after = [count](run& this_run) { require_size(this_run.file, count * record_size); },
      .check = [all](run& this_run) { require_content(this_run.file, all); },
      .findings = findings,
      .charts = {{.title = "durable records of 100 bytes"}},
      .headline = {{.work = "durable records by eight threads",
                    .ours = ours,
                    .ours_at = eight_threads,
                    .theirs = by_system,
                    .theirs_at = eight_threads}},
  };
}

const registration durable_writes(9, make_durable_writes);

}  // namespace

}  // namespace bench::experiment_durable_writes
