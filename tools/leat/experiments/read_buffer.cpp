// `leat bench read-buffer` (E5): reads one file from start to end. What is the best read size?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <random>

#include "experiments/peers.hpp"
#include "reporting/text.hpp"
#include "system/machine.hpp"

namespace bench::experiment_read_buffer {

namespace {

constexpr std::int64_t smallest_piece = 16;
constexpr std::int64_t largest_piece = 1 << 20;
constexpr std::size_t file_size =
    std::size_t{16} * 70'625;  // the last piece has at least 8 bytes at every size
// Names of the published variant (on Windows with the flag for sequential reads), and of the
// variant with direct I/O.
constexpr auto as_published = on_windows ? "ReadFile, SEQUENTIAL_SCAN" : read_call;
constexpr auto direct_name = on_windows ? "ReadFile, NO_BUFFERING" : "direct";

/// A file of the published size, and the numbers of passes.
struct state {
  std::string bytes;
  std::int64_t few_passes = 10;
  std::int64_t many_passes = 1000;
  std::size_t direct_read_size =
      0;                        // the smallest direct read in bytes; 0: the file system has none
  std::int64_t block_size = 0;  // of the file system; 0: unknown
};

std::int64_t number(const setting& at, std::string_view factor) {
  return at[factor].number.value_or(0);
}

std::size_t piece_size(const setting& at) {
  return static_cast<std::size_t>(number(at, "read_size"));
}

constexpr std::align_val_t page{4096};

struct page_deleter {
  void operator()(char* memory) const { ::operator delete(memory, page); }
};

/// Page-aligned memory, as direct I/O needs.
std::unique_ptr<char, page_deleter> aligned_memory(std::size_t size) {
  return std::unique_ptr<char, page_deleter>(static_cast<char*>(::operator new(size, page)));
}

/// Reads the file as often as the setting says. `pass` reads the file once and calls `add_piece`
/// for each piece.
template <class Pass>
void each_pass(run& this_run, Pass pass) {
  const auto size = piece_size(this_run.setting);
  const auto piece = aligned_memory(size);
  // Cheap work: the publication did nothing with a piece.
  const auto add_piece = [&this_run](const char* at) {
    std::uint64_t first;
    std::memcpy(&first, at, sizeof first);
    this_run.answer += first;
  };
  for (auto left = number(this_run.setting, "passes"); left != 0; --left)
    pass(piece.get(), size, add_piece);
}

void leat_read(run& this_run, std::size_t buffer) {
  each_pass(this_run, [&](char* piece, std::size_t size, auto add_piece) {
    auto in = leat::open(this_run.folder / "picture", {.buffer_size = buffer});
    while (in.read({piece, size}) != 0) add_piece(piece);
  });
}

void read_raw(run& this_run, hint open_hint) {
  each_pass(this_run, [&](char* piece, std::size_t size, auto add_piece) {
    raw_file file(this_run.folder / "picture", access::read, open_hint);
    for (std::size_t count = size; count == size;) {
      count = file.read(piece, size);
      if (count != 0) add_piece(piece);
    }
  });
}

void c_fread(run& this_run) {
  const auto buffer = aligned_memory(piece_size(this_run.setting));
  each_pass(this_run, [&](char* piece, std::size_t size, auto add_piece) {
    c_file file(this_run.folder / "picture", "rb");
    std::setvbuf(file.get(), buffer.get(), _IOFBF, size);
    for (std::size_t count = size; count == size;) {
      count = std::fread(piece, 1, size, file.get());
      if (count != 0) add_piece(piece);
    }
    file.close();
  });
}

void cpp_ifstream(run& this_run) {
  const auto buffer = aligned_memory(piece_size(this_run.setting));
  each_pass(this_run, [&](char* piece, std::size_t size, auto add_piece) {
    const auto length = static_cast<std::streamsize>(size);
    std::ifstream in;
    in.rdbuf()->pubsetbuf(buffer.get(), length);
    in.open(this_run.folder / "picture", std::ios::binary);
    while (in.read(piece, length), in.gcount() != 0) add_piece(piece);
    if (in.bad()) fail("read", this_run.folder / "picture", EIO);
  });
}

void copy_mapped(run& this_run) {
  each_pass(this_run, [&](char* piece, std::size_t size, auto add_piece) {
    const mapped_bytes file(this_run.folder / "picture");
    for (auto left = file.view(); !left.empty(); left.remove_prefix(std::min(size, left.size()))) {
      std::memcpy(piece, left.data(), std::min(size, left.size()));
      add_piece(piece);
    }
  });
}

/// Returns the smallest size of a direct read, from 512 to 4096 bytes; 0 if all these sizes fail.
std::size_t smallest_direct_read(const std::filesystem::path& path) {
  const auto memory = aligned_memory(4096);
  for (std::size_t size = 512; size <= 4096; size *= 2) {
    try {
      if (raw_file(path, access::read, hint::direct).read(memory.get(), size) == size) return size;
    } catch (const failure&) {
      continue;  // no direct I/O in this folder, or not at this size
    }
  }
  return 0;
}

void prepare(state& shared, const std::filesystem::path& folder) {
  std::mt19937_64 random(1);
  shared.bytes.resize(file_size);
  for (auto& byte : shared.bytes) byte = static_cast<char>(random());
  make_file(folder / "picture", shared.bytes);
  shared.direct_read_size = smallest_direct_read(folder / "picture");
  shared.block_size = static_cast<std::int64_t>(volume_of(folder).block_size);
}

void check(const state& shared, const run& this_run) {
  std::uint64_t expected = 0;
  for (std::size_t at = 0; at < file_size; at += piece_size(this_run.setting)) {
    std::uint64_t first;
    std::memcpy(&first, shared.bytes.data() + at, sizeof first);
    expected += first;
  }
  expected *= static_cast<std::uint64_t>(number(this_run.setting, "passes"));
  if (this_run.answer != expected) throw failure("read other bytes than the file has");
}

/// Returns the sizes of reads. Only a published run has all sizes. Other runs omit sizes whose
/// neighbours take about the same time.
std::vector<value> sizes_for(size run_size) {
  auto sizes = doubling(smallest_piece, largest_piece);
  if (run_size == size::published) return sizes;
  std::erase_if(sizes, [](const value& size) {
    constexpr std::int64_t kept[] = {16,      64,       256,       2 << 10, 4 << 10,
                                     8 << 10, 32 << 10, 128 << 10, 1 << 20};
    return std::ranges::find(kept, size.number) == std::end(kept);
  });
  return sizes;
}

value passes(std::int64_t count) { return {fmt::format("{} times", count), count}; }

std::vector<finding> findings(const state& all, const outcome& result) {
  const auto time = [&](std::string_view variant, std::int64_t size) {
    return result.median(variant, {{"passes", passes(all.few_passes)}, {"read_size", bytes(size)}});
  };
  constexpr std::int64_t kib = 1024;
  std::vector<finding> found;
  const auto at_16_bytes = time(as_published, 16), at_2_kib = time(as_published, 2 * kib),
             at_32_kib = time(as_published, 32 * kib);
  if (!at_16_bytes || !at_2_kib || !at_32_kib) return found;
  found.push_back(check_claim(fmt::format("{} of 2 KiB is {} as fast as {} of 16 bytes", read_call,
                                          times(*at_16_bytes / *at_2_kib), read_call),
                              "2 KiB is a hundred times as fast as 16 bytes",
                              *at_16_bytes / *at_2_kib >= 50));
  double best = *at_32_kib;
  for (const auto& size : doubling(32 * kib, largest_piece)) {
    if (const auto larger = time(as_published, size.number.value_or(0)))
      best = std::min(best, *larger);
  }
  found.push_back(check_claim(fmt::format("more than 32 KiB at a time saves {} {} at most",
                                          read_call, percent(*at_32_kib / best - 1)),
                              "no size above 32 KiB is much faster", *at_32_kib / best <= 1.25));
  if (const auto block = time(as_published, all.block_size); block && all.block_size != 0)
    found.push_back(check_claim(
        fmt::format("{}, a block of this file system, at a time takes {} the time of the best size",
                    bytes(all.block_size).text, times(*block / best)),
        "the time is near the best from the size of a cluster on", *block / best <= 2));
  if (!direct_bypasses_cache()) {
    found.push_back(
        {"Wine reads through the page cache nevertheless: the figures of direct reads "
         "say nothing here."});
  } else if (const auto direct = time(direct_name, 32 * kib)) {
    found.push_back(
        check_claim(fmt::format("direct, 32 KiB at a time, takes {} the time of {} of 32 KiB",
                                times(*direct / *at_32_kib), read_call),
                    "direct reads are 100 times slower", *direct / *at_32_kib >= 50));
  } else {
    found.push_back({"this file system allows no direct reads."});
  }
  const auto ours = time("leat", 16), c = time("fread", 16);
  if (ours && c) {
    found.push_back({fmt::format(
        "16 bytes at a time from leat's buffer take {} the time of "
        "{} with 32 KiB; {} of 16 bytes takes {}.",
        times(*ours / *at_32_kib), read_call, read_call, times(*at_16_bytes / *at_32_kib))});
  }
  return found;
}

std::vector<variant> variants(const std::shared_ptr<state>& shared, size run_size) {
  // With many passes, a published run starts at 2 KiB, as the publication did; other runs have
  // three sizes.
  const auto applies = [shared, run_size](const setting& at) {
    const auto size = number(at, "read_size");
    if (number(at, "passes") == shared->few_passes) return true;
    if (run_size == size::published) return size >= 2048;
    return size == 4 << 10 || size == 32 << 10 || size == 128 << 10;
  };
  // A quick run has fewer sizes of the variants `window` and `ifstream`, which make a system call
  // per read: only few passes, and no 16-byte reads.
  const auto applies_to_call_per_read = [shared, run_size, applies](const setting& at) {
    const bool is_short =
        number(at, "passes") == shared->few_passes && number(at, "read_size") >= 64;
    return applies(at) && (run_size != size::quick || is_short);
  };
  // Only a published run has direct reads below a page.
  const auto direct_applies = [shared, run_size](const setting& at) {
    const auto least = run_size == size::published ? shared->direct_read_size : 4096;
    return number(at, "passes") == shared->few_passes && shared->direct_read_size != 0 &&
           piece_size(at) >= least;
  };
  const auto raw = [](hint open_hint) {
    return [open_hint](run& this_run) { read_raw(this_run, open_hint); };
  };
  std::vector<variant> all{
      {"fread", role::baseline, c_fread, applies},
      {"leat", role::leat, [](run& this_run) { leat_read(this_run, 0); }, applies},
      {"window", role::leat,
       [](run& this_run) { leat_read(this_run, piece_size(this_run.setting)); },
       applies_to_call_per_read},
      {read_call, role::peer, raw(hint::none), applies},
      {"ifstream", role::peer, cpp_ifstream, applies_to_call_per_read},
      {map_call, role::peer, copy_mapped, applies},
      {direct_name, role::peer, raw(hint::direct), direct_applies}};
  if (on_windows) all.push_back({as_published, role::peer, raw(hint::sequential), applies});
  return all;
}

load load_of(const setting& at) {
  const auto count = static_cast<std::uint64_t>(number(at, "passes"));
  return {fmt::format(
              "{:.2f} MB read {} (leat: its default buffer; window, fread and ifstream: a buffer "
              "of the size of a read; {}: without the page cache)",
              static_cast<double>(file_size) / 1e6, at["passes"].text, direct_name),
          count * file_size, count, ""};
}

std::vector<published_table> published_tables() {
  return {
      {"ZABKAT, 2013, ms, Windows' ReadFile",
       {"read size", "NTFS ×10", "NTFS ×1000", "FAT ×10", "FAT ×1000", "NTFS ×10, no buffering"},
       {{"16 B", "5242", "–", "1778", "–", "–"},
        {"2 KiB", "47", "1966", "16", "2262", "1622"},
        {"4 KiB", "31", "1107", "15", "1514", "936"},
        {"8 KiB", "15", "702", "16", "1170", "499"},
        {"32 KiB", "0", "390", "15", "936", "281"},
        {"1 MiB", "16", "312", "15", "920", "234"}}}};
}

experiment make_read_buffer(const request& wanted) {
  const size run_size = wanted.size;
  auto shared = std::make_shared<state>();
  if (run_size == size::tiny) shared->few_passes = 1, shared->many_passes = 2;
  const choices usual{{"passes", passes(shared->few_passes)}, {"read_size", bytes(4 << 10)}};
  return {
      .name = "read-buffer",
      .title = "one file from start to end, some bytes at a time",
      .published =
          "read 10 times in ms, NTFS: 16 B 5242, 2 KiB 47, 4 KiB 31, 8 KiB 15, 32 KiB 0; without "
          "the page cache 4 KiB 936, 32 KiB 281, 1 MiB 234. 1000 times: 2 KiB 1966, 4 KiB "
          "1107, 8 KiB 702, 32 KiB 390, 1 MiB 312; FAT: 2 KiB 2262, 8 KiB 1170, 32 KiB 936; with "
          "Windows' ReadFile, by ZABKAT, 2013.",
      .published_id = "E5",
      .cached = "The file is in the page cache. Direct reads bypass the page cache.",
      .factors = {{"passes",
                   {passes(shared->few_passes), passes(shared->many_passes)},
                   layout::table},
                  {"read_size", sizes_for(run_size), layout::axis}},
      .variants = variants(shared, run_size),
      .load = load_of,
      .space = 2 * file_size,
      .time_share = 0.1,
      .prepare = [shared](const std::filesystem::path& folder) { prepare(*shared, folder); },
      .check = [shared](run& this_run) { check(*shared, this_run); },
      .findings = [shared](const outcome& result) { return findings(*shared, result); },
      .published_tables = published_tables(),
      .charts = {{.title = "a file of 1.13 MB read ten times, by the size of a read",
                  .where = {{"passes", passes(shared->few_passes)}},
                  .axis = "read_size",
                  .logarithmic = true,
                  .note = fmt::format(
                      "leat has its default buffer; window is leat with a buffer of the "
                      "size of the reads, as fread and ifstream have; {} bypasses the page cache.",
                      direct_name)}},
      .headline = {{.work = "a file read 4 KiB at a time",
                    .ours = "leat",
                    .ours_at = usual,
                    .theirs = "fread",
                    .theirs_at = usual}},
  };
}

const registration read_buffer(6, make_read_buffer);

}  // namespace

}  // namespace bench::experiment_read_buffer
