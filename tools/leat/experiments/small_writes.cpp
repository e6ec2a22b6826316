// `leat bench small-writes` (E2): writes one byte at a time. How much time does a buffer save? How
// much time does it cost to lose no byte in a crash of the process?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <fstream>

#include "experiments/c_loops.h"
#include "experiments/peers.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"

namespace bench::experiment_small_writes {

namespace {

constexpr std::size_t quick_count = std::size_t{1} << 20;
constexpr std::size_t published_count = 10 * quick_count;

void each_write(std::size_t count, run& this_run) {
  raw_file file(this_run.file);
  for (std::size_t i = 0; i < count; ++i) file.write("a");
  file.close();
}

/// The published loop. The format has no conversion, so compilers turn the call into fputc.
void c_fprintf(std::size_t count, run& this_run) {
  c_file file(this_run.file);
  for (std::size_t i = 0; i < count; ++i) std::fprintf(file.get(), "a");
  file.close();
}

void c_fprintf_called(std::size_t count, run& this_run) {
  c_file file(this_run.file);
  const auto print = hidden(&std::fprintf);
  for (std::size_t i = 0; i < count; ++i) print(file.get(), "a");
  file.close();
}

void c_fprintf_fflush(std::size_t count, run& this_run) {
  c_file file(this_run.file);
  for (std::size_t i = 0; i < count; ++i) {
    std::fprintf(file.get(), "a");
    if (std::fflush(file.get()) != 0) break;
  }
  file.close();
}

void c_fputc(std::size_t count, run& this_run) {
  c_file file(this_run.file);
  for (std::size_t i = 0; i < count; ++i) std::fputc('a', file.get());
  file.close();
}

void c_putc_unlocked(std::size_t count, run& this_run) {
  c_file file(this_run.file);
  for (std::size_t i = 0; i < count; ++i) put_unlocked('a', file.get());
  file.close();
}

const auto write_each = fmt::format("{} each", write_call);

/// The loops with fprintf and fputc, compiled with <leat/stdio.h>.
void leat_stdio_a(std::size_t count, run& this_run, bool flush) {
  if (const int error = leat_loops.print_a(utf8_from_path(this_run.file).c_str(), count, flush))
    fail("write", this_run.file, error);
}
void leat_stdio(std::size_t count, run& this_run) { leat_stdio_a(count, this_run, false); }
void leat_stdio_fflush(std::size_t count, run& this_run) { leat_stdio_a(count, this_run, true); }
void leat_stdio_fputc(std::size_t count, run& this_run) {
  if (const int error = leat_loops.put_bytes(utf8_from_path(this_run.file).c_str(), count))
    fail("write", this_run.file, error);
}

void cpp_ofstream(std::size_t count, run& this_run) {
  errno = 0;
  std::ofstream out(this_run.file, std::ios::binary);
  for (std::size_t i = 0; i < count; ++i) out.put('a');
  out.close();
  if (!out) fail("write", this_run.file, errno ? errno : EIO);
}

void leat_put_with(std::size_t count, run& this_run, const leat::create_options& options) {
  auto out = leat::create(this_run.file, options);
  for (std::size_t i = 0; i < count; ++i) out.put('a');
  out.close();
}

void leat_put(std::size_t count, run& this_run) { leat_put_with(count, this_run, {}); }
void leat_put_process(std::size_t count, run& this_run) {
  leat_put_with(count, this_run, {.durability = leat::durability::process});
}
void leat_put_flush(std::size_t count, run& this_run) {
  auto out = leat::create(this_run.file);
  for (std::size_t i = 0; i < count; ++i) {
    out.put('a');
    out.flush();
  }
  out.close();
}

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  const auto direct = result.median(write_each);
  const auto buffered = result.median("fprintf");
  const auto flushed = result.median("fprintf + fflush each");
  const auto ours = result.median("leat put");
  const auto safe = result.median("leat put, process-safe");
  if (direct && buffered) {
    const double ratio = *direct / *buffered;
    found.push_back(
        check_claim(fmt::format("fprintf is {} as fast as a write for each byte", times(ratio)),
                    "buffering makes the difference", ratio >= 10));
  }
  if (direct && flushed) {
    const double ratio = *flushed / *direct;
    found.push_back(
        check_claim(fmt::format("with fflush after each byte, fprintf takes {} the time of write",
                                times(ratio)),
                    "the two take the same time", ratio >= 0.8 && ratio <= 1.25));
  }
  if (direct && safe) {
    found.push_back({fmt::format(
        "leat's process-safe puts, which survive a crash of the process as a write does, are {} "
        "as fast as write{}.",
        times(*direct / *safe),
        ours ? ", and take " + times(*safe / *ours) + " the time of plain puts" : "")});
  }
  return found;
}

experiment make_small_writes(const request& wanted) {
  const auto count = wanted.sized(published_count, quick_count, quick_count / 16);
  const auto work = [count](void (*loop)(std::size_t, run&)) {
    return [count, loop](run& this_run) { loop(count, this_run); };
  };
  return {
      .name = "small-writes",
      .title = "one byte at a time",
      .published =
          "write 0.2 MB/s, fprintf 6 MB/s, fprintf + fflush as slow as write; by D. Gove, 2012.",
      .published_id = "E2",
      .cached = "The file is written to the page cache.",
      .factors = {},
      .variants = {{"fprintf", role::baseline, work(c_fprintf)},
                   {"fprintf, format parsed", role::peer, work(c_fprintf_called)},
                   {"fprintf + fflush each", role::peer, work(c_fprintf_fflush)},
                   {"fputc", role::peer, work(c_fputc)},
                   {unlocked_putc, role::peer, work(c_putc_unlocked)},
                   {"std::ofstream::put", role::peer, work(cpp_ofstream)},
                   {write_each, role::peer, work(each_write)},
                   {"leat put", role::leat, work(leat_put)},
                   {"leat put, process-safe", role::leat, work(leat_put_process)},
                   {"leat put + flush each", role::leat, work(leat_put_flush)},
                   {"leat/stdio.h fprintf", role::leat, work(leat_stdio)},
                   {"leat/stdio.h fprintf + fflush each", role::leat, work(leat_stdio_fflush)},
                   {"leat/stdio.h fputc", role::leat, work(leat_stdio_fputc)}},
      .load =
          [count](const setting&) {
            const auto* note =
                " appends of one byte (compilers make an fputc of fprintf(f, \"a\"))";
            return load{grouped(count) + note, count, count, ""};
          },
      .space = 2 * count,
      .before = [](run& this_run) { std::filesystem::remove(this_run.file); },
      .after = [count](run& this_run) { require_size(this_run.file, count); },
      .check = [count](run& this_run) { require_content(this_run.file, std::string(count, 'a')); },
      .findings = findings,
      .published_tables =
          {{"D. Gove, 2012, 10,485,760 appends of one byte",
            {"variant", "MB/s"},
            {{"write", "0.2"}, {"fprintf", "6"}, {"fprintf + fflush", "as write"}}}},
      .charts = {{.title = "appends of one byte", .quantity = quantity::speed}},
      .headline = {{.work = "single bytes to a file", .ours = "leat put", .theirs = "fprintf"}},
  };
}

const registration small_writes(2, make_small_writes);

}  // namespace

}  // namespace bench::experiment_small_writes
