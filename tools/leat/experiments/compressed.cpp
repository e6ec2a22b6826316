// `leat bench compressed`: compressed files of log lines. How long does the codec take, and how
// long does the rest of the program take?
#include <fmt/format.h>
#include <leat/codecs.hpp>
#include <leat/leat.hpp>

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "experiments/peers.hpp"
#include "experiments/texts.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"
#include "system/system.hpp"

namespace bench::experiment_compressed {

namespace {

constexpr std::string_view absent = "XYLOID-3";  // a keyword that is in no line

/// The fields of a log line.
struct row {
  std::array<unsigned, 4> address;
  unsigned second;  // of the day
  const char* method;
  const char* page;
  unsigned status;
  unsigned long long size;
  double milliseconds;
};

/// The content of a file, and its expected digest.
struct text {
  std::span<const row> rows;
  std::uint64_t size = 0;    // in bytes
  std::uint64_t digest = 0;  // of the text's lines
};

struct state {
  std::vector<row> rows;
  text read;
  text printed;  // the first quarter of the rows, because encoding is slower than decoding
};

struct format {
  const char* name;
  const char* extension;  // ripgrep recognizes the format by the extension
  leat::compression codec;
  const char* program;  // the codec's command, with the same default level as leat
  const char* search;   // the command that searches files of this format
};
constexpr std::array formats{format{"gzip", "gz", leat::compression::gzip, "gzip", "zgrep"},
                             format{"zstd", "zst", leat::compression::zstd, "zstd", "zstdgrep"}};

const format& format_of(const setting& at) {
  return at.has("format", "gzip") ? formats[0] : formats[1];
}

std::filesystem::path source(const run& this_run) {
  return this_run.folder / fmt::format("log.{}", format_of(this_run.setting).extension);
}

std::vector<row> random_rows(std::size_t count) {
  constexpr std::array methods{"GET", "GET", "GET", "POST", "HEAD"};
  constexpr std::array statuses{200U, 200U, 200U, 304U, 404U, 500U};
  constexpr std::array pages{"/",           "/index.html", "/search?q=leat",  "/static/site.css",
                             "/api/orders", "/robots.txt", "/images/mill.png"};
  std::mt19937_64 random(1);
  const auto any = [&random](const auto& list) { return list[random() % std::size(list)]; };
  // Many visits come from few addresses.
  std::vector<std::array<unsigned, 4>> addresses(1024);
  for (auto& one : addresses)
    for (auto& part : one) part = static_cast<unsigned>(random() % 256);
  std::vector<row> all(count);
  for (std::size_t i = 0; i != count; ++i) {
    all[i] = {.address = any(addresses),
              .second = static_cast<unsigned>(i / 64 % 86400),
              .method = any(methods),
              .page = any(pages),
              .status = any(statuses),
              .size = random() % (1ULL << (4 + random() % 20)),
              .milliseconds = static_cast<double>(random() % (1ULL << (4 + random() % 16))) / 1000};
  }
  return all;
}

void print_all(std::span<const row> rows, leat::writer& out) {
  for (const auto& one : rows) {
    out.println("{}.{}.{}.{} {:02}:{:02}:{:02} {} {} {} {} {:.3f}", one.address[0], one.address[1],
                one.address[2], one.address[3], one.second / 3600, one.second / 60 % 60,
                one.second % 60, one.method, one.page, one.status, one.size, one.milliseconds);
  }
}

void print_all(std::span<const row> rows, std::FILE* out) {
  for (const auto& one : rows) {
    std::fprintf(out, "%u.%u.%u.%u %02u:%02u:%02u %s %s %u %llu %.3f\n", one.address[0],
                 one.address[1], one.address[2], one.address[3], one.second / 3600,
                 one.second / 60 % 60, one.second % 60, one.method, one.page, one.status, one.size,
                 one.milliseconds);
  }
}

std::uint64_t digest_of(leat::file_reader in) {
  line_digest all;
  for (const auto line : in.lines()) all.add(line);
  return all.value;
}

text write_plain(const std::filesystem::path& path, std::span<const row> rows) {
  auto out = leat::create(path);
  print_all(rows, out);
  const auto size = out.tell();
  out.close();
  return {rows, size, digest_of(leat::open(path))};
}

void prepare(state& shared, const std::filesystem::path& folder) {
  const auto plain = folder / "log";
  const std::span all(shared.rows);
  shared.printed = write_plain(plain, all.first(all.size() / 4));
  shared.read = write_plain(plain, all);
  for (const auto& one : formats) {
    if (!leat::codecs::has(one.codec)) continue;
    auto in = leat::open(plain);
    auto out =
        leat::create(folder / fmt::format("log.{}", one.extension), {.compression = one.codec});
    leat::copy(in, out);
    out.close();
  }
  std::filesystem::remove(plain);
}

// Reading

leat::file_reader open_log(const run& this_run, bool background) {
  return leat::open(source(this_run),
                    {.compression = leat::compression::automatic, .background = background});
}

void leat_lines(run& this_run, bool background) {
  this_run.answer = digest_of(open_log(this_run, background));
}

void leat_find(run& this_run, bool background) {
  this_run.answer = open_log(this_run, background).find(absent).value_or(nowhere);
}

/// Runs the codec's program; the time includes the start of the program. The answer is the expected
/// digest, because the program itself verifies the checksum of the decoded bytes. After
/// decode_to_getline(), check() compares the output of the same command.
void decode(const state& shared, run& this_run) {
  if (run_quietly({format_of(this_run.setting).program, "-dc", utf8_from_path(source(this_run))})
          .code != 0)
    throw failure(
        fmt::format("{} -dc cannot decode the file", format_of(this_run.setting).program));
  this_run.answer = shared.read.digest;
}

/// Reads lines from a pipe from the codec's program, as programs without a codec usually do.
void decode_to_getline(run& this_run) {
  program_pipe decoder(
      {format_of(this_run.setting).program, "-dc", utf8_from_path(source(this_run))});
  this_run.answer = digest_by_getline(decoder.get());
  decoder.close();
}

void search(run& this_run, std::vector<std::string> words) {
  words.insert(words.end(),
               {"-F", "-m1", "--", std::string(absent), utf8_from_path(source(this_run))});
  const int code = run_quietly(words).code;
  if (code > 1) throw failure(fmt::format("{} ended with status {}", words.front(), code));
  this_run.answer = code == 0 ? 0 : nowhere;
}

// Writing

void leat_print(const state& shared, run& this_run, bool background) {
  auto out = leat::create(
      this_run.file, {.background = background, .compression = format_of(this_run.setting).codec});
  print_all(shared.printed.rows, out);
  out.close();
}

void print_to_program(const state& shared, run& this_run) {
  program_pipe encoder({format_of(this_run.setting).program, "-c"}, this_run.file);
  print_all(shared.printed.rows, encoder.get());
  encoder.close();
}

void leat_print_to_program(const state& shared, run& this_run) {
  program_pipe encoder({format_of(this_run.setting).program, "-c"}, this_run.file);
  leat::file_writer out(leat::borrow(encoder.handle()));
  print_all(shared.printed.rows, out);
  out.close();
  encoder.close();
}

// Findings

bool has_work(const setting& at, const char* work) { return at.has("work", work); }

constexpr auto ours = "leat", in_background = "leat, in the background";

choices at(const char* work, const char* format) {
  return {{"work", {work, {}}}, {"format", {format, {}}}};
}

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  for (const auto& one : formats) {
    const auto time = [&](const std::string& variant, const char* work) {
      return result.median(variant, at(work, one.name));
    };
    const auto codec = time(fmt::format("{} -dc", one.program), "lines");
    const auto alone = time(ours, "lines"), with_thread = time(in_background, "lines");
    if (codec && alone && with_thread) {
      const double most = one.codec == leat::compression::gzip ? 1.1 : 1.25;
      found.push_back(check_claim(
          fmt::format("all lines of a {} file take leat {} the time in which `{} -dc` decodes it, "
                      "and {} with a thread that decodes ahead",
                      one.name, times(*alone / *codec), one.program, times(*with_thread / *codec)),
          fmt::format("leat promises {}× and 1.05× at most", most),
          *alone <= most * *codec && *with_thread <= 1.05 * *codec));
    }
    const auto by_command = time(one.search, "search"), by_leat = time(ours, "search");
    if (by_command && by_leat) {
      found.push_back({fmt::format("Searching a whole compressed file, leat is {} as fast as {}.",
                                   times(*by_command / *by_leat), one.search)});
    }
    const auto piped = time(fmt::format("fprintf | {}", one.program), "print"),
               printed = time(in_background, "print");
    if (piped && printed) {
      found.push_back(
          {fmt::format("Printing into a compressed file, leat is {} as fast as fprintf into `{}`.",
                       times(*piped / *printed), one.program)});
    }
  }
  return found;
}

void by_leat(const state& shared, run& this_run, bool background) {
  if (has_work(this_run.setting, "lines")) return leat_lines(this_run, background);
  if (has_work(this_run.setting, "search")) return leat_find(this_run, background);
  leat_print(shared, this_run, background);
}

std::vector<variant> variants(const std::shared_ptr<state>& shared) {
  std::vector<variant> all;
  for (const auto& one : formats) {
    const std::string program = one.program;
    const auto add = [&](std::string name, role variant_role, const char* work,
                         std::function<void(run&)> does) {
      all.push_back(
          {std::move(name), variant_role, std::move(does), [work, &one](const setting& at) {
             return has_work(at, work) && at.has("format", one.name);
           }});
    };
    if (is_installed(one.program)) {
      add(program + " -dc", role::baseline, "lines",
          [shared](run& this_run) { decode(*shared, this_run); });
      add(program + " -dc | getline(3)", role::peer, "lines", decode_to_getline);
      add("fprintf | " + program, role::baseline, "print",
          [shared](run& this_run) { print_to_program(*shared, this_run); });
      add("leat | " + program, role::leat, "print",
          [shared](run& this_run) { leat_print_to_program(*shared, this_run); });
    }
    if (is_installed(one.search))
      add(one.search, role::baseline, "search",
          [&one](run& this_run) { search(this_run, {one.search}); });
  }
  if (is_installed("rg")) {
    all.push_back({"rg -z", role::peer, [](run& this_run) { search(this_run, {"rg", "-z"}); },
                   [](const setting& at) { return has_work(at, "search"); }});
  }
  all.push_back({ours, role::leat, [shared](run& this_run) { by_leat(*shared, this_run, false); }});
  all.push_back(
      {in_background, role::leat, [shared](run& this_run) { by_leat(*shared, this_run, true); }});
  return all;
}

void check(const state& shared, const run& this_run) {
  const bool right =
      has_work(this_run.setting, "lines") ? this_run.answer == shared.read.digest
      : has_work(this_run.setting, "search")
          ? this_run.answer == nowhere
          : digest_of(
                leat::open(this_run.file, {.compression = format_of(this_run.setting).codec})) ==
                shared.printed.digest;
  if (!right) throw failure("the lines, the search result or the written content is wrong");
}

experiment make_compressed(const request& wanted) {
  const std::size_t count = wanted.sized(8'000'000, 250'000, 10'000);
  constexpr std::size_t line_length = 60;  // approximate
  auto shared = std::make_shared<state>();
  experiment made{
      .name = "compressed",
      .title = "lines of a log in compressed files",
      .published =
          "nothing; leat promises 1.1 times the time of gzip -dc, and 1.25 times that of zstd -dc.",
      .cached = "The files are in the page cache.",
      .factors = {{"work", {{"lines", {}}, {"search", {}}, {"print", {}}}, layout::table},
                  {"format", {}, layout::table}},
      .variants = variants(shared),
      .load =
          [shared](const setting& at) {
            const auto& content = has_work(at, "print") ? shared->printed : shared->read;
            return load{fmt::format("{} lines of a log, {}: {}", grouped(content.rows.size()),
                                    at["format"].text, at["work"].text),
                        content.size, content.rows.size(), ""};
          },
      .space = count * line_length,
      .time_share = 0.3,
      .prepare =
          [shared, count](const std::filesystem::path& folder) {
            shared->rows = random_rows(count);
            prepare(*shared, folder);
          },
      .check = [shared](run& this_run) { check(*shared, this_run); },
      .findings = findings,
      .charts = {{.title = "all lines of a file of gzip", .where = at("lines", "gzip")},
                 {.title = "all lines of a file of zstd", .where = at("lines", "zstd")},
                 {.title = "lines printed into a file of zstd", .where = at("print", "zstd")}},
      .headline = {{.work = "lines of a zstd file, decoded ahead",
                    .ours = in_background,
                    .ours_at = at("lines", "zstd"),
                    .theirs = "zstd -dc | getline(3)",
                    .theirs_at = at("lines", "zstd")}},
  };
  for (const auto& one : formats) {
    if (leat::codecs::has(one.codec)) made.factors[1].values.push_back({one.name, {}});
  }
  return made;
}

const registration compressed(12, make_compressed);

}  // namespace

}  // namespace bench::experiment_compressed
