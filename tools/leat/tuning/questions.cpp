// The questions of `leat tune` for a disk, and the files that they share.
#include "tuning/questions.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "experiments/peers.hpp"
#include "experiments/visits.hpp"
#include "reporting/text.hpp"
#include "tuning/ask.hpp"

namespace bench {

namespace {

template <class Options>
candidate<Options> by_direct_io() {
  Options how;
  how.caching = leat::caching::direct;
  return {".caching = leat::caching::direct", how};
}

candidates<leat::access_options> routes(
    std::initializer_list<std::pair<const char*, leat::route>> named) {
  candidates<leat::access_options> all;
  for (const auto& [name, way] : named) {
    leat::access_options how;
    how.route = way;
    all.push_back({fmt::format(".route = leat::route::{}", name), how});
  }
  return all;
}

constexpr std::string_view line = "2026-11-21T19:21:52Z worker 17 took 0.041 s for request 4711\n";

/// The shared files of the questions, and the disk that holds the files.
class ground {
 public:
  ground(const request& wanted, const std::filesystem::path& folder) : disk_(wanted.disk) {
    const bool tiny = wanted.size == size::tiny;
    text_size_ = tiny ? mib : 64 * mib;
    places.file = "places";
    places.integers = tiny ? 1U << 16 : 1U << 26;
    places.count = tiny ? 200 : 5000;
    // The two shared files and the written file use at most half of the free space, or more if the
    // text already has its least size of 1 MiB.
    while (wanted.free_space / 2 < space() && text_size_ > mib) {
      text_size_ /= 2;
      places.integers /= 2;
    }
    text_ = folder / "text";
    written_ = folder / "written";
    visited_ = folder / places.file;
    places.draw();
    std::string copies;
    while (copies.size() < mib) copies += line;
    copies.resize(mib);
    make_file(text_, copies, text_size_ / mib);
    make_integers(visited_, places.integers, folios::large);
    can_be_cold = disk_.has_value() || drop_from_cache(text_);
    can_be_direct = disk_.has_value() || allows_direct();
  }

  std::uint64_t text_size() const { return text_size_; }
  std::uint64_t space() const { return 2 * text_size_ + places.integers * sizeof(std::uint32_t); }
  void forget() const {
    if (disk_) return;  // a simulated disk has no cache
    drop_from_cache(text_);
    drop_from_cache(visited_);
  }
  void remove_written() const { std::filesystem::remove(written_); }

  void write(run& now, const leat::create_options& how) const {
    auto [device, clock] = simulated(written_, access::create);
    auto out = device ? leat::file_writer(std::move(device), {.buffer_size = how.buffer_size})
                      : leat::create(written_, how);
    for (std::uint64_t left = text_size_ / line.size(); left != 0; --left) out.write(line);
    out.flush();
    note_time(now, clock);
    out.close();
  }

  void read(run& now, const leat::open_options& how) const {
    auto [device, clock] = simulated(text_, access::read);
    auto in = device ? leat::file_reader(std::move(device), {.buffer_size = how.buffer_size})
                     : leat::open(text_, how);
    std::array<char, line.size()> piece;
    while (const std::size_t n = in.read(piece)) now.answer += n;
    note_time(now, clock);
    in.close();
  }

  void gather(run& now, const leat::access_options& how) {
    using integers = leat::records<std::uint32_t>;
    leat::records_options options;
    options.access = how;
    auto [device, clock] = simulated(visited_, access::read);
    const auto from = device
                          ? integers(leat::file(std::move(device), leat::mode::read, how), options)
                          : integers::open(visited_, leat::mode::read, options);
    from.gather(places.drawn, std::span(places.values));
    note_time(now, clock);
    now.answer = std::accumulate(places.values.begin(), places.values.end(), std::uint64_t{0});
  }

  scene places;
  bool can_be_cold = false;
  bool can_be_direct = false;

 private:
  /// A simulated disk over a file, and its clock. Null pointers if the disk is the real one.
  std::pair<std::unique_ptr<leat::device>, const leat::device*> simulated(
      const std::filesystem::path& path, access what) const {
    if (!disk_) return {};
    auto device = std::make_unique<leat::simulated_device>(
        leat::adopt(raw_file(path, what).release()), *disk_);
    const auto* const clock = device.get();
    return {std::move(device), clock};
  }

  static void note_time(run& now, const leat::device* clock) {
    if (clock) now.reported_seconds = std::chrono::duration<double>(clock->now()).count();
  }

  bool allows_direct() const {
    std::error_code ec;
    static_cast<void>(leat::open(text_, {.caching = leat::caching::direct}, ec));
    return !ec;
  }

  std::optional<leat::simulated_disk> disk_;
  std::uint64_t text_size_ = 0;
  std::filesystem::path text_, written_, visited_;
};

void add_stream_questions(questionnaire& to, const std::shared_ptr<ground>& on, bool simulated) {
  using leat::create_options, leat::open_options;
  const auto windows = [](std::initializer_list<std::size_t> values) {
    return sizes("buffer_size", &open_options::buffer_size, values);
  };
  const auto megabytes = on->text_size() / mib;
  const auto write = [on](run& now, const create_options& how) { on->write(now, how); };
  const auto read = [on](run& now, const open_options& how) { on->read(now, how); };
  const auto check_read = [on](run& now) {
    if (now.answer != on->text_size())
      throw failure("the number of bytes read is not the size of the file");
  };

  auto& writing =
      to.all.emplace_back(ask("leat::create_options", "for writing", "buffer",
                              fmt::format("write {} MiB of lines to a new file", megabytes),
                              sizes("buffer_size", &create_options::buffer_size,
                                    {16 * kib, 64 * kib, 256 * kib, mib, 4 * mib}),
                              write));
  writing.tries.before = [on](run&) { on->remove_written(); };

  if (!simulated) {
    if (on->can_be_direct) {
      auto& durable = to.all.emplace_back(
          ask("leat::create_options", "for durable writing", "direct I/O",
              fmt::format("write {} MiB that survive a crash of the machine", megabytes),
              candidates<create_options>{by_direct_io<create_options>()},
              [on](run& now, create_options how) {
                how.durability = leat::durability::system;
                on->write(now, how);
              }));
      durable.tries.before = [on](run&) { on->remove_written(); };
    }
    auto& cached =
        to.all.emplace_back(ask("leat::open_options", "for reading cached files", "buffer",
                                fmt::format("read {} MiB from the page cache", megabytes),
                                windows({8 * kib, 32 * kib, 64 * kib, 256 * kib, mib}), read));
    cached.tries.check = check_read;
  }
  if (!on->can_be_cold) return;
  auto ways = windows({8 * kib, 64 * kib, 256 * kib, mib, 4 * mib});
  if (on->can_be_direct && !simulated) ways.push_back(by_direct_io<open_options>());
  auto& cold = to.all.emplace_back(ask("leat::open_options", "for reading from the disk", "buffer",
                                       fmt::format("read {} MiB from the disk", megabytes),
                                       std::move(ways), read));
  cold.tries.before = [on](run&) { on->forget(); };
  cold.tries.check = check_read;
}

void add_access_questions(questionnaire& to, const std::shared_ptr<ground>& on, bool simulated) {
  const auto add = [&](const char* name, const char* where, bool is_cold,
                       candidates<leat::access_options> tried) {
    auto& made = to.all.emplace_back(
        ask("leat::access_options",
            is_cold ? "for batches from the disk" : "for batches in the page cache", name,
            fmt::format("gather {} of {} integers, {}", grouped(on->places.count),
                        grouped(on->places.integers), where),
            std::move(tried),
            [on](run& now, const leat::access_options& how) { on->gather(now, how); }));
    if (is_cold) made.tries.before = [on](run&) { on->forget(); };
    made.tries.check = [on](run& now) {
      if (now.answer != on->places.sum) throw failure("found other values than the file has");
    };
  };
  using leat::access_options;
  if (on->can_be_cold) {
    auto ways = routes({{"merged", leat::route::merged}, {"single", leat::route::single}});
    if (on->can_be_direct)
      ways.push_back({".route = leat::route::direct", {.route = leat::route::direct}});
    add("route", "from the disk", true, std::move(ways));
    add("gap", "from the disk", true,
        sizes("gap", &access_options::gap, {4 * kib, 16 * kib, 64 * kib, 256 * kib}));
    add("longest range", "from the disk", true,
        sizes("longest", &access_options::longest, {64 * kib, 256 * kib, mib, 4 * mib}));
    add("queue depth", "from the disk", true,
        sizes("depth", &access_options::depth, {16, 64, 128, 256, 512, 1024}));
  }
  if (simulated) return;
  add("route", "in the cache", false,
      routes({{"mapped", leat::route::mapped},
              {"merged", leat::route::merged},
              {"single", leat::route::single}}));
}

}  // namespace

questionnaire questions(const request& wanted, const std::filesystem::path& folder) {
  const auto on = std::make_shared<ground>(wanted, folder);
  const bool simulated = wanted.disk.has_value();
  questionnaire made;
  add_stream_questions(made, on, simulated);
  add_access_questions(made, on, simulated);
  if (!on->can_be_cold) made.notes.emplace_back(nothing_was_cold);
  if (!on->can_be_direct) made.notes.emplace_back("this file system allows no direct I/O.");
  return made;
}

}  // namespace bench
