// The questions of `leat tune` for a disk, and the files that the questions share. tune_command.cpp
// calls questions().
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
#include "tuning/make_question.hpp"

namespace bench {

namespace {

template <class Options>
candidate<Options> direct_io_candidate() {
  Options options;
  options.caching = leat::caching::direct;
  return {".caching = leat::caching::direct", options};
}

candidates<leat::access_options> route_candidates(
    std::initializer_list<std::pair<const char*, leat::route>> named) {
  candidates<leat::access_options> all;
  for (const auto& [name, route] : named) {
    leat::access_options options;
    options.route = route;
    all.push_back({fmt::format(".route = leat::route::{}", name), options});
  }
  return all;
}

constexpr std::string_view line = "2026-11-21T19:21:52Z worker 17 took 0.041 s for request 4711\n";

/// The shared files of the questions, and the disk that holds the files.
class shared_files {
 public:
  shared_files(const request& wanted, const std::filesystem::path& folder) : disk_(wanted.disk) {
    const bool tiny = wanted.size == size::tiny;
    text_size_ = tiny ? mib : 64 * mib;
    scene.file = "integers";
    scene.integers = tiny ? 1U << 16 : 1U << 26;
    scene.count = tiny ? 200 : 5000;
    // The two shared files and the written file use at most half of the free space, or more space
    // if the text already has its least size of 1 MiB.
    while (wanted.free_space / 2 < needed_space() && text_size_ > mib) {
      text_size_ /= 2;
      scene.integers /= 2;
    }
    text_ = folder / "text";
    written_ = folder / "written";
    visited_ = folder / scene.file;
    scene.draw();
    std::string copies;
    while (copies.size() < mib) copies += line;
    copies.resize(mib);
    make_file(text_, copies, text_size_ / mib);
    make_integers(visited_, scene.integers, folios::large);
    can_be_cold = disk_.has_value() || drop_from_cache(text_);
    can_be_direct = disk_.has_value() || allows_direct();
  }

  std::uint64_t text_size() const { return text_size_; }
  std::uint64_t needed_space() const {
    return 2 * text_size_ + scene.integers * sizeof(std::uint32_t);
  }
  void drop_caches() const {
    if (disk_) return;  // a simulated disk has no cache
    drop_from_cache(text_);
    drop_from_cache(visited_);
  }
  void remove_written() const { std::filesystem::remove(written_); }

  void write(run& this_run, const leat::create_options& options) const {
    auto [device, clock] = open_simulated(written_, access::create);
    auto out = device ? leat::file_writer(std::move(device), {.buffer_size = options.buffer_size})
                      : leat::create(written_, options);
    for (std::uint64_t left = text_size_ / line.size(); left != 0; --left) out.write(line);
    out.flush();
    note_time(this_run, clock);
    out.close();
  }

  void read(run& this_run, const leat::open_options& options) const {
    auto [device, clock] = open_simulated(text_, access::read);
    auto in = device ? leat::file_reader(std::move(device), {.buffer_size = options.buffer_size})
                     : leat::open(text_, options);
    std::array<char, line.size()> piece;
    while (const std::size_t n = in.read(piece)) this_run.answer += n;
    note_time(this_run, clock);
    in.close();
  }

  void gather(run& this_run, const leat::access_options& access_options) {
    using integers = leat::records<std::uint32_t>;
    leat::records_options options;
    options.access = access_options;
    auto [device, clock] = open_simulated(visited_, access::read);
    const auto records =
        device ? integers(leat::file(std::move(device), leat::mode::read, access_options), options)
               : integers::open(visited_, leat::mode::read, options);
    records.gather(scene.drawn_positions, std::span(scene.values));
    note_time(this_run, clock);
    this_run.answer = std::accumulate(scene.values.begin(), scene.values.end(), std::uint64_t{0});
  }

  bench::scene scene;
  bool can_be_cold = false;
  bool can_be_direct = false;

 private:
  /// Returns a simulated disk over a file, and the disk's clock. If the disk is the real disk,
  /// returns null pointers.
  std::pair<std::unique_ptr<leat::device>, const leat::device*> open_simulated(
      const std::filesystem::path& path, access mode) const {
    if (!disk_) return {};
    auto device = std::make_unique<leat::simulated_device>(
        leat::adopt(raw_file(path, mode).release()), *disk_);
    const auto* const clock = device.get();
    return {std::move(device), clock};
  }

  static void note_time(run& this_run, const leat::device* clock) {
    if (clock) this_run.reported_seconds = std::chrono::duration<double>(clock->now()).count();
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

void add_stream_questions(questionnaire& to, const std::shared_ptr<shared_files>& files,
                          bool simulated) {
  using leat::create_options, leat::open_options;
  const auto buffer_sizes = [](std::initializer_list<std::size_t> values) {
    return size_candidates("buffer_size", &open_options::buffer_size, values);
  };
  const auto megabytes = files->text_size() / mib;
  const auto write = [files](run& this_run, const create_options& options) {
    files->write(this_run, options);
  };
  const auto read = [files](run& this_run, const open_options& options) {
    files->read(this_run, options);
  };
  const auto check_read = [files](run& this_run) {
    if (this_run.answer != files->text_size())
      throw failure("the number of bytes read is not the size of the file");
  };

  auto& writing = to.questions.emplace_back(
      make_question("leat::create_options", "for writing", "buffer",
                    fmt::format("write {} MiB of lines to a new file", megabytes),
                    size_candidates("buffer_size", &create_options::buffer_size,
                                    {16 * kib, 64 * kib, 256 * kib, mib, 4 * mib}),
                    write));
  writing.experiment.before = [files](run&) { files->remove_written(); };

  if (!simulated) {
    if (files->can_be_direct) {
      auto& durable = to.questions.emplace_back(
          make_question("leat::create_options", "for durable writing", "direct I/O",
                        fmt::format("write {} MiB that survive a crash of the machine", megabytes),
                        candidates<create_options>{direct_io_candidate<create_options>()},
                        [files](run& this_run, create_options options) {
                          options.durability = leat::durability::system;
                          files->write(this_run, options);
                        }));
      durable.experiment.before = [files](run&) { files->remove_written(); };
    }
    auto& cached = to.questions.emplace_back(
        make_question("leat::open_options", "for reading cached files", "buffer",
                      fmt::format("read {} MiB from the page cache", megabytes),
                      buffer_sizes({8 * kib, 32 * kib, 64 * kib, 256 * kib, mib}), read));
    cached.experiment.check = check_read;
  }
  if (!files->can_be_cold) return;
  auto buffers = buffer_sizes({8 * kib, 64 * kib, 256 * kib, mib, 4 * mib});
  if (files->can_be_direct && !simulated) buffers.push_back(direct_io_candidate<open_options>());
  auto& cold = to.questions.emplace_back(
      make_question("leat::open_options", "for reading from the disk", "buffer",
                    fmt::format("read {} MiB from the disk", megabytes), std::move(buffers), read));
  cold.experiment.before = [files](run&) { files->drop_caches(); };
  cold.experiment.check = check_read;
}

void add_access_questions(questionnaire& to, const std::shared_ptr<shared_files>& files,
                          bool simulated) {
  const auto add = [&](const char* name, const char* where, bool is_cold,
                       candidates<leat::access_options> tried) {
    auto& made = to.questions.emplace_back(make_question(
        "leat::access_options",
        is_cold ? "for batches from the disk" : "for batches in the page cache", name,
        fmt::format("gather {} of {} integers, {}", grouped(files->scene.count),
                    grouped(files->scene.integers), where),
        std::move(tried), [files](run& this_run, const leat::access_options& options) {
          files->gather(this_run, options);
        }));
    if (is_cold) made.experiment.before = [files](run&) { files->drop_caches(); };
    made.experiment.check = [files](run& this_run) {
      if (this_run.answer != files->scene.sum)
        throw failure("found other values than the file has");
    };
  };
  using leat::access_options;
  if (files->can_be_cold) {
    auto routes =
        route_candidates({{"merged", leat::route::merged}, {"single", leat::route::single}});
    if (files->can_be_direct)
      routes.push_back({".route = leat::route::direct", {.route = leat::route::direct}});
    add("route", "from the disk", true, std::move(routes));
    add("gap", "from the disk", true,
        size_candidates("gap", &access_options::gap, {4 * kib, 16 * kib, 64 * kib, 256 * kib}));
    add("longest range", "from the disk", true,
        size_candidates("longest", &access_options::longest, {64 * kib, 256 * kib, mib, 4 * mib}));
    add("queue depth", "from the disk", true,
        size_candidates("depth", &access_options::depth, {16, 64, 128, 256, 512, 1024}));
  }
  if (simulated) return;
  add("route", "in the cache", false,
      route_candidates({{"mapped", leat::route::mapped},
                        {"merged", leat::route::merged},
                        {"single", leat::route::single}}));
}

}  // namespace

questionnaire questions(const request& wanted, const std::filesystem::path& folder) {
  const auto files = std::make_shared<shared_files>(wanted, folder);
  const bool simulated = wanted.disk.has_value();
  questionnaire made;
  add_stream_questions(made, files, simulated);
  add_access_questions(made, files, simulated);
  if (!files->can_be_cold) made.notes.emplace_back(nothing_was_cold);
  if (!files->can_be_direct) made.notes.emplace_back("this file system allows no direct I/O.");
  return made;
}

}  // namespace bench
