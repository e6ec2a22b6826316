// `leat bench loops/logs`: loops of a logging program. The loops print time stamps alone; log lines
// with time, level, text and three numbers; and whole lines by several threads into one stream. The
// times are wall times per line, for all threads together.
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <chrono>
#include <thread>
#include <vector>

#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"

namespace bench::loops_logs {

namespace {

/// Calls print_line(thread, line) in `threads` threads, in each thread for its share of the lines.
template <class One>
void by_threads(int threads, std::size_t lines, const One& print_line) {
  std::vector<std::jthread> all;
  for (int t = 0; t != threads; ++t)
    all.emplace_back([=, &print_line, share = static_cast<int>(lines) / threads] {
      for (int line = 1; line <= share; ++line) print_line(t, line);
    });
}

std::string row_of(const char* name, int threads) {
  return fmt::format("{}/{} thread{}", name, threads, threads == 1 ? "" : "s");
}

template <class Now>
void add_stamps(loops& all, const char* variant, const Now& now) {
  all.add("stamp", variant, [now, count = all.count()](run&) {
    std::vector<char> memory(1 << 16);
    leat::memory_writer out(memory);
    for (std::size_t i = 0; i != count; ++i) {
      if (memory.size() - out.view().size() < 64) out.clear();
      out.println("{}", now());
    }
  });
}

template <class Open>
void add_log(loops& all, const char* variant, const Open& open) {
  for (const int threads : {1, 2})
    all.add(row_of("log", threads), variant, [=, count = all.count()](run& this_run) {
      leat::synchronized log(open(this_run.folder / "log" / "app.log"));
      by_threads(threads, count, [&](int, int line) {
        log.println("{} {} request {} of {} took {} ms", leat::now(), "info", line, 1000 + line % 7,
                    line * 0.25);
      });
      log.close();
    });
}

void add_logs(loops& all) {
  using path = const std::filesystem::path&;
  static constexpr std::uint64_t size = 64 << 20;
  add_log(all, "leat", [](path at) { return leat::append(at); });
  add_log(all, "leat append, background",
          [](path at) { return leat::append(at, {.background = true}); });
  add_log(all, "leat append, process",
          [](path at) { return leat::append(at, {.durability = leat::durability::process}); });
  add_log(all, "leat append, line",
          [](path at) { return leat::append(at, {.flush = leat::flush_when::line}); });
  add_log(all, "leat rotating",
          [](path at) { return leat::rotating(at, {.size = size, .keep = 3}); });
  add_log(all, "leat rotating, process", [](path at) {
    return leat::rotating(at, {.size = size, .keep = 3, .durability = leat::durability::process});
  });
  add_log(all, "leat rotating, line", [](path at) {
    return leat::rotating(at, {.size = size, .keep = 3, .flush = leat::flush_when::line});
  });
}

void add_threads(loops& all) {
  for (const int threads : {1, 8}) {
    const std::string row = row_of("shared", threads);
    all.add(row, "fprintf", [=, count = all.count()](run&) {
      c_file log(null_device);
      by_threads(threads, count, [&](int thread, int line) {
        std::fprintf(log.get(), "thread %d line %d %s\n", thread, line, "message");
      });
      log.close();
    });
    all.add(row, "leat", [=, count = all.count()](run&) {
      leat::synchronized log(leat::create(null_device));
      by_threads(threads, count, [&](int thread, int line) {
        log.print("thread {} line {} {}\n", thread, line, "message");
      });
      log.close();
    });
  }
}

experiment make(const request& wanted) {
  loops all(wanted, 300'000);
  all.add("stamp", "clock alone", [count = all.count()](run&) {
    for (std::size_t i = 0; i != count; ++i) use(std::chrono::system_clock::now());
  });
  add_stamps(all, "leat", leat::now);
  add_stamps(all, "leat local_now", leat::local_now);
  add_logs(all);
  add_threads(all);
  auto experiment =
      all.make_experiment("logs", "lines of a log, by one thread and by several", "line");
  experiment.cached =
      "Logs are written to the page cache, lines of shared streams to the null device.";
  experiment.space = 200 * all.count();
  experiment.before = [](run& this_run) {
    std::filesystem::remove_all(this_run.folder / "log");
    std::filesystem::create_directories(this_run.folder / "log");
  };
  return experiment;
}

const registration logs(111, make);

}  // namespace

}  // namespace bench::loops_logs
