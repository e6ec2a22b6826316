// `leat bench memory` (E3): streams over memory. What does a second buffer in front of the memory
// cost?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "experiments/c_loops.h"
#include "experiments/peers.hpp"
#include "reporting/text.hpp"

namespace bench::experiment_memory {

namespace {

using number = std::uint32_t;

constexpr std::size_t area_size = 65536;
constexpr number quick_rounds = 128;
constexpr number published_rounds = 1024;
constexpr std::size_t quick_length = std::size_t{64} << 20;
constexpr std::size_t published_length = std::size_t{256} << 20;

/// The amount to write, and the memory of a variant.
struct job {
  number rounds;
  std::size_t length;
  std::array<char, area_size> area{};
};

bool grows(const setting& at) { return at.has("work", "grow"); }
bool rewinds(const setting& at) { return !grows(at); }

/// Calls `put` for each number that `bytes` bytes hold. `put` gets a copy: a counter whose address
/// is taken would be in memory.
template <class Put>
void each_number(std::size_t bytes, Put put) {
  for (std::size_t i = 0; i < bytes / sizeof(number); ++i) put(static_cast<number>(i));
}

template <class Put, class Rewind>
void each_round(const job& this_job, Put put, Rewind rewind) {
  for (number j = 0; j < this_job.rounds; ++j) {
    each_number(area_size, put);
    rewind();
  }
}

std::string_view bytes_of(const number& n) { return {reinterpret_cast<const char*>(&n), sizeof n}; }

/// Returns a digest of the size of a long text, and of about one number per 16 KiB. The digest is
/// cheap enough for the timed work.
std::uint64_t sample(std::string_view text) {
  std::uint64_t mixed = text.size();
  for (std::size_t at = 0; at + sizeof(number) <= text.size(); at += (16 << 10) + sizeof(number)) {
    number n = 0;
    std::memcpy(&n, text.data() + at, sizeof n);
    mixed = mixed * 31 + n;
  }
  return mixed;
}

std::uint64_t expected_sample(std::size_t length) {
  std::uint64_t mixed = length;
  for (std::size_t at = 0; at < length; at += (16 << 10) + sizeof(number)) {
    mixed = mixed * 31 + at / sizeof(number);
  }
  return mixed;
}

/// Copies the text of a variant that has its own memory, for the check.
void keep(job& this_job, std::string_view text) {
  text.copy(this_job.area.data(), this_job.area.size());
}

void put_c(std::FILE* file, number n) { std::fwrite(&n, sizeof n, 1, file); }

/// The published loop, compiled with <stdio.h> or <leat/stdio.h>.
template <const c_loops& Loops, bool Buffered>
void c_fmemopen(job& this_job, run&) {
  if (const int error =
          Loops.fill_memory(this_job.area.data(), this_job.area.size(), this_job.rounds, Buffered))
    fail("write", "<memory>", error);
}

void c_open_memstream(job& this_job, run& this_run) {
  char* text = nullptr;
  std::size_t size = 0;
  c_file file(open_c_growing_memory(&text, &size));
  const auto put = [&](number n) { put_c(file.get(), n); };
  if (grows(this_run.setting))
    each_number(this_job.length, put);
  else
    each_round(this_job, put, [&] { std::fseek(file.get(), 0, SEEK_SET); });
  std::fflush(file.get());
  // `size` is the position of the cursor, which is at the start after a rewind.
  grows(this_run.setting) ? void(this_run.answer = sample({text, size}))
                          : keep(this_job, {text, area_size});
  file.close();
  std::free(text);
}

void cpp_ostringstream(job& this_job, run& this_run) {
  std::ostringstream out;
  const auto put = [&](number n) { out.write(bytes_of(n).data(), sizeof n); };
  if (grows(this_run.setting))
    each_number(this_job.length, put);
  else
    each_round(this_job, put, [&] { out.seekp(0); });
  grows(this_run.setting) ? void(this_run.answer = sample(out.view())) : keep(this_job, out.view());
  if (!out) fail("write", "<memory>", ENOMEM);
}

void cpp_vector(job& this_job, run& this_run) {
  std::vector<char> out;
  each_number(this_job.length,
              [&](number n) { out.insert(out.end(), bytes_of(n).begin(), bytes_of(n).end()); });
  this_run.answer = sample({out.data(), out.size()});
}

void leat_memory(job& this_job, run&) {
  leat::memory_writer out{std::span<char>(this_job.area)};
  each_round(this_job, [&](number n) { out.write(bytes_of(n)); }, [&] { out.clear(); });
}

void leat_memory_seek(job& this_job, run&) {
  leat::memory_writer out{std::span<char>(this_job.area)};
  each_round(this_job, [&](number n) { out.write(bytes_of(n)); }, [&] { out.seek(0); });
  out.close();
}

void leat_string(job& this_job, run& this_run) {
  leat::string_writer out;
  const auto put = [&](number n) { out.write(bytes_of(n)); };
  if (grows(this_run.setting)) {
    each_number(this_job.length, put);
    this_run.answer = sample(out.view());
  } else {
    number left = this_job.rounds;
    each_round(this_job, put, [&] {
      if (--left == 0) keep(this_job, out.view());
      out.clear();
    });
  }
  out.close();
}

/// The floor: a bounds check and a store.
void plain_copy(job& this_job, run&) {
  char* next = this_job.area.data();
  const char* const end = next + hidden(this_job.area.size());
  each_round(
      this_job,
      [&](number n) {
        if (static_cast<std::size_t>(end - next) < sizeof n) fail("write", "<memory>", ENOSPC);
        std::memcpy(next, &n, sizeof n);
        next += sizeof n;
        asm volatile("" : "+r"(next) : : "memory");  // otherwise compilers merge several stores
      },
      [&] { next = this_job.area.data(); });
}

/// Writes 20 bytes into memory of 10 bytes, four at a time. Returns a finding that says what each
/// interface reports about the loss.
finding check_reported_loss() {
  std::array<char, 10> area{};
  std::size_t accepted = 0;
  bool reported = false;
  {
    std::FILE* const file = open_c_memory(area.data(), area.size());
    if (file == nullptr) return {"fmemopen failed, so this C library was not tried."};
    for (number i = 0; i < 5; ++i) accepted += sizeof i * std::fwrite(&i, sizeof i, 1, file);
    reported = std::fclose(file) != 0;
  }
  leat::memory_writer out{std::span<char>(area)};
  each_number(20, [&](number n) { out.write(bytes_of(n)); });
  const auto lost = out.lost();
  std::error_code ec;
  out.close(ec);
  return check_claim(
      fmt::format("of 20 bytes written into 10, fwrite to fmemopen reported that {} were "
                  "taken, and fclose {}; leat reports that {} are lost",
                  accepted, reported ? "failed" : "succeeded", lost),
      "leat's count is exact", lost == 10 && out.view().size() == 10);
}

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  const auto time = [&](const char* variant, const char* work) {
    return result.median(variant, {{"work", {work, {}}}});
  };
  const auto buffered = time("fmemopen", "rewind");
  if (const auto unbuffered = time("fmemopen, unbuffered", "rewind"); buffered && unbuffered) {
    const double ratio = *unbuffered / *buffered;
    found.push_back(
        check_claim(fmt::format("without its buffer fmemopen takes {} the time (published: 1.8×)",
                                times(ratio)),
                    "fmemopen is slower without its buffer", ratio > 1.1));
  }
  if (const auto ours = time("leat memory_writer", "rewind"); buffered && ours) {
    const double ratio = *buffered / *ours;
    found.push_back(check_claim(
        fmt::format(
            "leat's buffer is the memory itself, and leat is {} as fast as buffered fmemopen",
            times(ratio)),
        "memory needs no second buffer", ratio > 2));
  }
  const auto stream = time("open_memstream", "grow"), ours = time("leat string_writer", "grow");
  if (stream && ours) {
    found.push_back(
        {fmt::format("a text that grows takes leat's string_writer {} of the time of "
                     "open_memstream: it is {} as fast.",
                     percent(*ours / *stream), times(*stream / *ours))});
  }
  found.push_back(has_c_memory_files ? check_reported_loss()
                                     : finding{"Windows has no fmemopen, and no open_memstream."});
  return found;
}

/// Touches memory once. A virtual machine may first have to get the memory from its host; without
/// this call, the first variant's time would include that work.
void touch_memory(std::size_t size) {
  leat::string_writer out;
  const std::string block(1 << 20, 'x');
  while (out.view().size() < size) out.write(block);
}

std::vector<variant> variants(const std::shared_ptr<job>& this_job) {
  const auto work = work_maker<job>(this_job);
  std::vector<variant> all;
  if (has_c_memory_files) {
    all = {{"fmemopen", role::baseline, work(c_fmemopen<libc_loops, true>), rewinds},
           {"fmemopen, unbuffered", role::peer, work(c_fmemopen<libc_loops, false>), rewinds},
           {"open_memstream", role::peer, work(c_open_memstream)}};
  }
  const variant others[] = {
      {"std::ostringstream", has_c_memory_files ? role::peer : role::baseline,
       work(cpp_ostringstream)},
      {"std::vector insert", role::peer, work(cpp_vector), grows},
      {"leat memory_writer", role::leat, work(leat_memory), rewinds},
      {"leat memory_writer, seek(0)", role::leat, work(leat_memory_seek), rewinds},
      {"leat string_writer", role::leat, work(leat_string)},
      {"leat/stdio.h fmemopen", role::leat, work(c_fmemopen<leat_loops, true>), rewinds},
      {"leat/stdio.h fmemopen, unbuffered", role::leat, work(c_fmemopen<leat_loops, false>),
       rewinds},
      {"check and copy", role::floor, work(plain_copy), rewinds}};
  all.insert(all.end(), std::begin(others), std::end(others));
  return all;
}

load load_of(const job& this_job, const setting& at) {
  const std::uint64_t size = grows(at) ? this_job.length : this_job.rounds * area_size;
  return {grows(at) ? fmt::format("4-byte writes to a text that grows to {}",
                                  bytes(static_cast<std::int64_t>(size)).text)
                    : fmt::format("{} rounds of {} 4-byte writes to 64 KiB",
                                  grouped(this_job.rounds), grouped(area_size / sizeof(number))),
          size, size / sizeof(number), ""};
}

void check(const job& this_job, const run& this_run) {
  if (grows(this_run.setting)) {
    if (this_run.answer != expected_sample(this_job.length))
      throw failure("the text differs from what was written");
    return;
  }
  std::size_t at = 0;
  each_number(area_size, [&](number n) {
    if (std::memcmp(this_job.area.data() + at, &n, sizeof n) != 0)
      throw failure(fmt::format("the byte at {} differs from what was written", at));
    at += sizeof n;
  });
}

experiment make_memory(const request& wanted) {
  const bool quick = wanted.size != size::published;
  auto this_job = std::make_shared<job>();
  this_job->rounds = quick ? quick_rounds : published_rounds;
  this_job->length = quick ? quick_length : published_length;
  if (wanted.size == size::tiny) this_job->rounds = 4, this_job->length = area_size;
  const choices rewind{{"work", {"rewind", {}}}}, grow{{"work", {"grow", {}}}};
  experiment made{
      .name = "memory",
      .title = "streams over memory",
      .published =
          "unbuffered fmemopen took 1.8 times the cycles of buffered, 26.8e9 against "
          "15.0e9 (glibc 2.17).",
      .published_id = "E3",
      .cached = "There is no file. The processor's caches hold some of the memory.",
      .factors = {{"work", {{"rewind", {}}, {"grow", {}}}, layout::table}},
      .variants = variants(this_job),
      .load = [this_job](const setting& at) { return load_of(*this_job, at); },
      .before =
          [this_job](run& this_run) {
            this_job->area.fill(0);
            if (grows(this_run.setting)) touch_memory(2 * this_job->length);
          },
      .check = [this_job](run& this_run) { check(*this_job, this_run); },
      .findings = findings,
      .published_tables = {{"glibc 2.17, 1024 rounds of 16,384 writes",
                            {"fmemopen", "cycles"},
                            {{"buffered", "15.0e9"}, {"unbuffered", "26.8e9"}}}},
      .charts = {{.title = "4-byte writes into 64 KiB, again and again", .where = rewind},
                 {.title = "4-byte writes to a text that grows", .where = grow}},
      .headline = {{.work = "4-byte writes into 64 KiB of memory",
                    .ours = "leat memory_writer",
                    .ours_at = rewind,
                    .theirs = has_c_memory_files ? "fmemopen" : "std::ostringstream",
                    .theirs_at = rewind}},
  };
  if (has_c_memory_files) made.profiled_variants = {"fmemopen", "fmemopen, unbuffered"};
  return made;
}

const registration memory(3, make_memory);

}  // namespace

}  // namespace bench::experiment_memory
