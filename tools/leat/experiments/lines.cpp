// `leat bench lines`: reads small pieces, which are lines, 16 bytes or single bytes. What does each
// interface cost?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <memory>

#include "experiments/peers.hpp"
#include "experiments/texts.hpp"
#include "reporting/text.hpp"

namespace bench::experiment_lines {

namespace {

constexpr std::size_t block_size = lines_block_size;
constexpr std::size_t piece_size = 16;
constexpr std::size_t buffer_size = 128 << 10;

// The work per piece is cheap, and each step depends on the previous step, so that compilers cannot
// vectorize the loop.

struct piece_digest {
  std::uint64_t value = 0;
  void add(const char* piece) {
    std::array<std::uint64_t, 2> halves;
    std::memcpy(&halves, piece, piece_size);
    value = std::rotl(value ^ halves[0], 1) + halves[1];
  }
};

struct byte_digest {
  std::uint64_t value = 0;
  void add(int byte) { value = std::rotl(value, 1) ^ static_cast<unsigned char>(byte); }
};

struct state {
  std::size_t copies;       // of the block, in the file of lines and pieces
  std::size_t byte_copies;  // of the block, in the file for single bytes
  std::uint64_t lines = 0;  // expected digests
  std::uint64_t pieces = 0;
  std::uint64_t bytes = 0;
  bool can_be_cold = false;
};

bool has_work(const setting& at, const char* work) { return at.has("work", work); }

/// Returns the file to read. The cold cache has a file of its own: the size of the folios in the
/// page cache depends on whether a file was written, or dropped and read again.
std::filesystem::path file_of(const run& this_run) {
  return this_run.folder / (this_run.setting.has("cache", "cold") ? "cold"
                            : has_work(this_run.setting, "bytes") ? "short"
                                                                  : "long");
}

void prepare(state& shared, const std::filesystem::path& folder) {
  const std::string text = block_of_lines();
  line_digest lines;
  piece_digest pieces;
  byte_digest bytes;
  for (std::size_t i = 0; i < shared.copies; ++i) {
    for (std::size_t at = 0; at < block_size; at += line_size) {
      lines.add(std::string_view(text).substr(at, line_size - 1));
    }
    for (std::size_t at = 0; at < block_size; at += piece_size) pieces.add(text.data() + at);
  }
  for (std::size_t i = 0; i < shared.byte_copies; ++i) {
    for (const char byte : text) bytes.add(byte);
  }
  shared.lines = lines.value;
  shared.pieces = pieces.value;
  shared.bytes = bytes.value;
  make_file(folder / "long", text, shared.copies);
  make_file(folder / "cold", text, shared.copies);
  make_file(folder / "short", text, shared.byte_copies);
  shared.can_be_cold = drop_from_cache(folder / "cold");
}

// Lines

void c_getline(run& this_run) {
  c_file file(file_of(this_run), "rb");
  this_run.answer = digest_by_getline(file.get());
  file.close();
}

void c_fgets(run& this_run) {
  c_file file(file_of(this_run), "rb");
  line_digest all;
  std::array<char, 4096> line;
  while (std::fgets(line.data(), line.size(), file.get())) {
    all.add({line.data(), std::strlen(line.data()) - 1});
  }
  file.close();
  this_run.answer = all.value;
}

void cpp_getline(run& this_run) {
  std::ifstream in(file_of(this_run), std::ios::binary);
  line_digest all;
  for (std::string line; std::getline(in, line);) all.add(line);
  this_run.answer = all.value;
}

void leat_lines(run& this_run) {
  auto in = leat::open(file_of(this_run));
  line_digest all;
  for (const auto line : in.lines()) all.add(line);
  this_run.answer = all.value;
}

void leat_read_line(run& this_run) {
  auto in = leat::open(file_of(this_run));
  line_digest all;
  for (std::string line; in.read_line(line);) all.add(line);
  this_run.answer = all.value;
}

/// The floor: finds the ends of lines in a buffer with memchr. An incomplete line at the end of the
/// buffer moves to the buffer's start.
void memchr_lines(run& this_run) {
  raw_file file(file_of(this_run), access::read);
  const auto buffer = std::make_unique_for_overwrite<char[]>(2 * buffer_size);
  line_digest all;
  std::size_t kept = 0;
  while (const auto count = file.read(buffer.get() + kept, buffer_size)) {
    const char* line = buffer.get();
    const char* end = line + kept + count;
    const auto stop_of = [&end](const char* from) {
      return static_cast<const char*>(
          std::memchr(from, '\n', static_cast<std::size_t>(end - from)));
    };
    while (const char* stop = stop_of(line)) {
      all.add({line, static_cast<std::size_t>(stop - line)});
      line = stop + 1;
    }
    kept = static_cast<std::size_t>(end - line);
    std::memmove(buffer.get(), line, kept);
  }
  this_run.answer = all.value;
}

// 16 bytes

template <class Read>
void read_pieces(run& this_run, Read read) {
  piece_digest all;
  for (std::array<char, piece_size> piece; read(piece);) all.add(piece.data());
  this_run.answer = all.value;
}

void c_fread(run& this_run) {
  c_file file(file_of(this_run), "rb");
  read_pieces(this_run,
              [&](auto& to) { return std::fread(to.data(), to.size(), 1, file.get()) == 1; });
  file.close();
}

void c_fread_unlocked(run& this_run) {
  c_file file(file_of(this_run), "rb");
  read_pieces(this_run,
              [&](auto& to) { return read_unlocked(to.data(), to.size(), 1, file.get()) == 1; });
  file.close();
}

void cpp_read(run& this_run) {
  std::ifstream in(file_of(this_run), std::ios::binary);
  read_pieces(this_run, [&](auto& to) -> bool { return !!in.read(to.data(), piece_size); });
}

void leat_read(run& this_run) {
  auto in = leat::open(file_of(this_run));
  read_pieces(this_run, [&](auto& to) { return in.read(to) != 0; });
}

// Bytes

template <class Get>
void get_bytes(run& this_run, Get get) {
  byte_digest all;
  for (int byte; (byte = get()) != EOF;) all.add(byte);
  this_run.answer = all.value;
}

void c_fgetc(run& this_run) {
  c_file file(file_of(this_run), "rb");
  get_bytes(this_run, [&] { return std::fgetc(file.get()); });
  file.close();
}

void c_getc_unlocked(run& this_run) {
  c_file file(file_of(this_run), "rb");
  get_bytes(this_run, [&] { return get_unlocked(file.get()); });
  file.close();
}

void cpp_get(run& this_run) {
  std::ifstream in(file_of(this_run), std::ios::binary);
  get_bytes(this_run, [&] { return in.get(); });
}

void leat_get(run& this_run) {
  auto in = leat::open(file_of(this_run));
  get_bytes(this_run, [&] { return in.get(); });
}

/// The floor: reads the file into an array, piece by piece, and calls visit(begin, end) for each
/// piece.
template <class Visit>
void for_each_array(run& this_run, Visit visit) {
  raw_file file(file_of(this_run), access::read);
  const auto buffer = std::make_unique_for_overwrite<char[]>(buffer_size);
  while (const auto count = file.read(buffer.get(), buffer_size)) {
    visit(buffer.get(), buffer.get() + count);
  }
}

void array_of_pieces(run& this_run) {
  piece_digest all;
  for_each_array(this_run, [&all](const char* at, const char* end) {
    for (; at != end; at += piece_size) all.add(at);
  });
  this_run.answer = all.value;
}

void array_of_bytes(run& this_run) {
  byte_digest all;
  for_each_array(this_run, [&all](const char* at, const char* end) {
    for (; at != end; ++at) all.add(*at);
  });
  this_run.answer = all.value;
}

load load_of(const state& shared, const setting& at) {
  const std::uint64_t size =
      (has_work(at, "bytes") ? shared.byte_copies : shared.copies) * block_size;
  const auto shown = bytes(static_cast<std::int64_t>(size)).text;
  if (has_work(at, "bytes")) return {shown + ", byte by byte, warm cache", size, size, ""};
  if (has_work(at, "16 bytes")) {
    return {shown + ", 16 bytes at a time, warm cache", size, size / piece_size, ""};
  }
  return {fmt::format("{} in lines of {} bytes, {} cache", shown, line_size, at["cache"].text),
          size, size / line_size, ""};
}

// Names of rows: the usual method of reading lines, and the floors.
constexpr auto usual_lines = has_c_getline ? "getline(3)" : "fgets";
const auto raw_lines = fmt::format("{} and memchr", read_call);
const auto raw_pieces = fmt::format("{} and an array", read_call);
const auto raw_bytes = fmt::format("{} and a byte loop", read_call);

choices warm(const char* work) { return {{"work", {work, {}}}, {"cache", {"warm", {}}}}; }

std::vector<finding> findings(const state& all, const outcome& result) {
  const auto time = [&](const char* work, std::string_view variant) {
    return result.median(variant, warm(work));
  };
  std::vector<finding> found;
  const auto lines = time("lines", "leat lines()"), theirs = time("lines", usual_lines);
  if (lines && theirs) {
    found.push_back(
        {fmt::format("leat's lines() is {} as fast as {}.", times(*theirs / *lines), usual_lines)});
  }
  const auto pieces = time("16 bytes", "leat read"), locked = time("16 bytes", "fread"),
             unlocked = time("16 bytes", "fread_unlocked"), floor = time("16 bytes", raw_pieces);
  if (pieces && locked && floor) {
    const double ratio = *locked / *pieces;
    auto text = fmt::format("16 bytes at a time, leat is {} as fast as fread", times(ratio));
    bool holds = ratio >= 12 && *pieces <= 1.15 * *floor;
    if (unlocked) {
      text += fmt::format(", {} fread_unlocked", times(*unlocked / *pieces));
      holds = holds && *unlocked / *pieces >= 4;
    }
    found.push_back(check_claim(
        fmt::format("{}, and takes {} the time of a loop over an array", text,
                    times(*pieces / *floor)),
        "leat promises 12× fread, 4× fread_unlocked, and 15 % more than the loop at most", holds));
  }
  const auto ours = time("bytes", "leat get"), getc = time("bytes", unlocked_getc),
             array = time("bytes", raw_bytes);
  if (ours && getc && array) {
    found.push_back({fmt::format(
        "byte by byte, leat is {} as fast as {}, and takes {} the time of a loop over an array.",
        times(*getc / *ours), unlocked_getc, times(*ours / *array))});
  }
  if (!all.can_be_cold) found.push_back({nothing_was_cold});
  if (on_windows) found.push_back({"Windows has no getline, and no fread_unlocked."});
  return found;
}

bool is_warm(const setting& at, const char* work) {
  return has_work(at, work) && at.has("cache", "warm");
}

std::vector<variant> variants(const std::shared_ptr<state>& shared) {
  const auto lines = [](const setting& at) { return is_warm(at, "lines"); };
  const auto pieces = [](const setting& at) { return is_warm(at, "16 bytes"); };
  const auto single = [](const setting& at) { return is_warm(at, "bytes"); };
  const auto cold_too = [shared](const setting& at) {
    return has_work(at, "lines") && (at.has("cache", "warm") || shared->can_be_cold);
  };
  std::vector<variant> all{
      {usual_lines, role::baseline, has_c_getline ? c_getline : c_fgets, cold_too},
      {"std::getline", role::peer, cpp_getline, lines},
      {"leat lines()", role::leat, leat_lines, cold_too},
      {"leat read_line", role::leat, leat_read_line, lines},
      {raw_lines, role::floor, memchr_lines, cold_too},
      {"fread", role::baseline, c_fread, pieces},
      {"std::ifstream::read", role::peer, cpp_read, pieces},
      {"leat read", role::leat, leat_read, pieces},
      {raw_pieces, role::floor, array_of_pieces, pieces},
      {"fgetc", role::baseline, c_fgetc, single},
      {unlocked_getc, role::peer, c_getc_unlocked, single},
      {"std::ifstream::get", role::peer, cpp_get, single},
      {"leat get", role::leat, leat_get, single},
      {raw_bytes, role::floor, array_of_bytes, single}};
  if (has_c_getline) all.push_back({"fgets", role::peer, c_fgets, lines});
  if (has_unlocked_blocks) all.push_back({"fread_unlocked", role::peer, c_fread_unlocked, pieces});
  return all;
}

void check(const state& shared, const run& this_run) {
  const auto expected = has_work(this_run.setting, "lines")      ? shared.lines
                        : has_work(this_run.setting, "16 bytes") ? shared.pieces
                                                                 : shared.bytes;
  if (this_run.answer != expected) throw failure("read other bytes than the file has");
}

experiment make_lines(const request& wanted) {
  auto shared = std::make_shared<state>();
  shared->copies = wanted.sized(205, 50, 1);
  shared->byte_copies = wanted.sized(50, 5, 1);
  return {
      .name = "lines",
      .title = "lines, 16 bytes and single bytes at a time",
      .published = "nothing; leat promises 16 bytes at a time at 12 times the speed of fread.",
      .cached = warm_and_cold,
      .factors = {{"work", {{"lines", {}}, {"16 bytes", {}}, {"bytes", {}}}, layout::table},
                  {"cache", {{"warm", {}}, {"cold", {}}}, layout::table}},
      .variants = variants(shared),
      .load = [shared](const setting& at) { return load_of(*shared, at); },
      .space = (2 * shared->copies + shared->byte_copies) * block_size,
      .time_share = 0.2,
      .prepare = [shared](const std::filesystem::path& folder) { prepare(*shared, folder); },
      .before = [](run& this_run) { drop_if_cold(this_run, file_of(this_run)); },
      .check = [shared](run& this_run) { check(*shared, this_run); },
      .findings = [shared](const outcome& result) { return findings(*shared, result); },
      .charts = {{.title = "a file read in lines of 80 bytes", .where = warm("lines")},
                 {.title = "a file read 16 bytes at a time", .where = warm("16 bytes")},
                 {.title = "a file read byte by byte", .where = warm("bytes")}},
      .headline = {{.work = "a file read line by line",
                    .ours = "leat lines()",
                    .ours_at = warm("lines"),
                    .theirs = usual_lines,
                    .theirs_at = warm("lines")}},
  };
}

const registration lines(8, make_lines);

}  // namespace

}  // namespace bench::experiment_lines
