// `leat bench search` (E5, second part): searches for a keyword that may be anywhere in a file. How
// much time does an early hit save?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include "experiments/peers.hpp"
#include "experiments/texts.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"
#include "system/system.hpp"

namespace bench::experiment_search {

namespace {

struct state {
  std::size_t copies;  // of the block of text
  bool can_be_cold = false;

  std::size_t size() const { return copies * english_block_size; }
};

const keyword_position& position_of(const setting& at) {
  return *std::ranges::find_if(keyword_positions,
                               [&](auto& one) { return at.has("keyword", one.name); });
}

std::string_view keyword(const setting& at) {
  return at.has("letters", "rare") ? position_of(at).rare : position_of(at).common;
}

/// Returns the position of the keyword, or `nowhere`. At each position, the word of common letters
/// follows the word of rare letters.
std::uint64_t position(const state& shared, const setting& at) {
  const auto& where = position_of(at);
  if (where.percent < 0) return nowhere;
  const auto start = shared.size() / 100 * static_cast<std::size_t>(where.percent) + 100;
  return at.has("letters", "rare") ? start : start + where.rare.size() + 1;
}

/// Returns the file to read. The cold cache has a file of its own: the size of the folios in the
/// page cache depends on whether a file was written, or dropped and read again.
std::filesystem::path file_of(const run& this_run) {
  return this_run.folder / (this_run.setting.has("cache", "cold") ? "cold" : "warm");
}

void prepare(state& shared, const std::filesystem::path& folder) {
  const auto text = english_block();
  for (const auto* name : {"warm", "cold"}) {
    make_file(folder / name, text, shared.copies);
    raw_file file(folder / name, access::write);
    for (const auto& one : keyword_positions) {
      if (one.percent < 0) continue;
      const auto words = fmt::format("{} {}", one.rare, one.common);
      const auto at = shared.size() / 100 * static_cast<std::size_t>(one.percent) + 100;
      file.write_at(at, words);
    }
    file.sync();
  }
  shared.can_be_cold = drop_from_cache(folder / "cold");
}

void leat_find(const state&, run& this_run) {
  auto in = leat::open(file_of(this_run));
  this_run.answer = in.find(keyword(this_run.setting)).value_or(nowhere);
  this_run.bytes_read = in.tell() + in.buffered().size();
}

void leat_find_mapped(const state&, run& this_run) {
  this_run.answer =
      leat::map_file(file_of(this_run)).find(keyword(this_run.setting)).value_or(nowhere);
}

/// A peer's name: the search function and the size of its pieces, such as "memmem 8 KiB".
std::string peer_name(std::string_view pieces) {
  return fmt::format("{} {}", search_function, pieces);
}

void memmem_all(const state& shared, run& this_run) {
  const auto memory = std::make_unique_for_overwrite<char[]>(shared.size());
  raw_file file(file_of(this_run), access::read);
  std::size_t size = 0;
  while (const auto count = file.read(memory.get() + size, shared.size() - size)) size += count;
  const auto* hit = search_memory({memory.get(), size}, keyword(this_run.setting));
  this_run.answer = hit ? static_cast<std::uint64_t>(hit - memory.get()) : nowhere;
  this_run.bytes_read = size;
}

/// Keeps the end of each piece, because a keyword may cross into the next piece.
void memmem_pieces(run& this_run, std::size_t piece) {
  const auto needle = keyword(this_run.setting);
  const auto memory = std::make_unique_for_overwrite<char[]>(needle.size() + piece);
  raw_file file(file_of(this_run), access::read);
  std::uint64_t start = 0;  // position of the memory's first byte
  std::size_t kept = 0;
  this_run.answer = nowhere;
  this_run.bytes_read = 0;
  while (const auto count = file.read(memory.get() + kept, piece)) {
    *this_run.bytes_read += count;
    const auto size = kept + count;
    if (const auto* hit = search_memory({memory.get(), size}, needle)) {
      this_run.answer = start + static_cast<std::uint64_t>(hit - memory.get());
      return;
    }
    kept = std::min(size, needle.size() - 1);
    std::memmove(memory.get(), memory.get() + size - kept, kept);
    start += size - kept;
  }
}

/// Runs a program that searches; the time includes the start of the program. The program reports
/// only whether the keyword exists. If the keyword exists, the answer is the expected position.
void grep(const state& shared, run& this_run, const char* program) {
  const auto ended =
      run_quietly({program, "-F", "-m1", "--", std::string(keyword(this_run.setting)),
                   utf8_from_path(file_of(this_run))});
  // ripgrep maps its file, so its count of bytes read means nothing.
  if (program == std::string_view("grep")) this_run.bytes_read = ended.bytes_read;
  if (ended.code > 1) throw failure(fmt::format("{} failed", program));
  this_run.answer = ended.code == 0 ? position(shared, this_run.setting) : nowhere;
}

load load_of(const state& shared, const setting& at) {
  const auto hit = position(shared, at);
  const auto before = hit == nowhere ? shared.size() : hit;
  return {fmt::format("a keyword {} in {} of text, {}, {} cache", at["keyword"].text,
                      bytes(static_cast<std::int64_t>(shared.size())).text,
                      at.has("letters", "rare") ? "of rare letters" : "of common letters",
                      at["cache"].text),
          before, 1, ""};
}

choices at_keyword(const char* where) {
  return {{"keyword", {where, {}}}, {"letters", {"rare", {}}}, {"cache", {"warm", {}}}};
}

std::vector<finding> findings(const state& all, const outcome& result) {
  const auto time = [&](std::string_view variant, const char* where) {
    return result.median(variant, at_keyword(where));
  };
  std::vector<finding> found;
  const auto eight = time(peer_name("8 KiB"), "absent"), more = time(peer_name("32 KiB"), "absent");
  if (eight && more) {
    found.push_back(check_claim(
        fmt::format("searching all in pieces of 8 KiB takes {} the time of pieces of 32 KiB",
                    times(*eight / *more)),
        "the smaller pieces cost no speed", *eight / *more <= 1.1));
  }
  const auto whole = time(peer_name("all"), "at 1 %"), early = time("leat", "at 1 %");
  if (whole && early) {
    found.push_back(check_claim(
        fmt::format("with the keyword at 1 %, leat is {} as fast as reading the whole file first",
                    times(*whole / *early)),
        "an early hit saves the time of the rest", *whole / *early >= 10));
  }
  for (const auto* program : {"grep -F -m1", "rg -F -m1"}) {
    std::string text;
    for (const auto* where : {"at 1 %", "at 50 %", "absent"}) {
      const auto theirs = time(program, where), ours = time("leat", where);
      if (!theirs || !ours) break;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", times(*theirs / *ours), where);
    }
    if (!text.empty())
      found.push_back({fmt::format("leat's speed over that of {}: {}.", program, text)});
  }
  if (!all.can_be_cold) found.push_back({nothing_was_cold});
  if (on_windows)
    found.push_back(
        {"Windows has no memmem, and other programs, such as grep, are not measured there."});
  return found;
}

// Conditions for the rows that are worth their time. Common letters are measured only if the
// keyword is absent: then the whole file is searched. A cold cache is measured only for an absent
// and for an early keyword.
bool is_absent_or_early(const setting& at) {
  return at.has("keyword", "absent") || at.has("keyword", "at 1 %");
}
bool applies_warm(const setting& at) {
  return at.has("cache", "warm") && (at.has("letters", "rare") || at.has("keyword", "absent"));
}
bool applies_cold(const setting& at) {
  return at.has("cache", "cold") && at.has("letters", "rare") && is_absent_or_early(at);
}
/// The condition for variants that read the whole file first. For these variants, the position of
/// the keyword hardly matters.
bool applies_to_whole_reads(const setting& at) {
  return at.has("cache", "warm") && at.has("letters", "rare") && is_absent_or_early(at);
}

std::vector<variant> variants(const std::shared_ptr<state>& shared) {
  const auto cold_too = [shared](const setting& at) {
    return applies_warm(at) || (shared->can_be_cold && applies_cold(at));
  };
  const auto work = work_maker<const state>(shared);
  const auto pieces = [](std::size_t size) {
    return [size](run& this_run) { memmem_pieces(this_run, size); };
  };
  std::vector<variant> all{{peer_name("32 KiB"), role::baseline, pieces(32 << 10), cold_too},
                           {peer_name("8 KiB"), role::peer, pieces(8 << 10), applies_warm},
                           {peer_name("128 KiB"), role::peer, pieces(128 << 10), applies_warm},
                           {peer_name("all"), role::peer, work(memmem_all), applies_to_whole_reads},
                           {"leat", role::leat, work(leat_find), cold_too},
                           {"leat, mapped", role::leat, work(leat_find_mapped), applies_warm}};
  for (const auto* program : {"grep", "rg"}) {
    if (on_windows || !is_installed(program)) continue;
    all.push_back({fmt::format("{} -F -m1", program), role::peer,
                   [shared, program](run& this_run) { grep(*shared, this_run, program); },
                   cold_too});
  }
  return all;
}

experiment make_search(const request& wanted) {
  auto shared = std::make_shared<state>();
  shared->copies = wanted.sized(128, 32, 1);
  experiment made{
      .name = "search",
      .title = "a keyword anywhere in a file",
      .published =
          "read pieces of 32 KiB at most, better 8 KiB: at the speed of the whole file, and an "
          "early hit saves the rest; by ZABKAT, 2013, without figures.",
      .published_id = "E5",
      .cached = warm_and_cold,
      .factors = {{"keyword", {}, layout::table},
                  {"letters", {{"rare", {}}, {"common", {}}}, layout::table},
                  {"cache", {{"warm", {}}, {"cold", {}}}, layout::table}},
      .variants = variants(shared),
      .load = [shared](const setting& at) { return load_of(*shared, at); },
      .space = 2 * shared->size(),
      .time_share = 0.25,
      .prepare = [shared](const std::filesystem::path& folder) { prepare(*shared, folder); },
      .before = [](run& this_run) { drop_if_cold(this_run, file_of(this_run)); },
      .check =
          [shared](run& this_run) {
            if (this_run.answer != position(*shared, this_run.setting))
              throw failure("found the keyword at a wrong position, or not at all");
          },
      .findings = [shared](const outcome& result) { return findings(*shared, result); },
      .headline = {{.work = "a keyword at 1 % of a text",
                    .ours = "leat",
                    .ours_at = at_keyword("at 1 %"),
                    .theirs = peer_name("all"),
                    .theirs_at = at_keyword("at 1 %")}},
  };
  for (const auto* where : {"absent", "at 1 %"}) {
    made.charts.push_back(
        {.title = fmt::format("a keyword {}, in the cache", where), .where = at_keyword(where)});
  }
  for (const auto& one : keyword_positions) made.factors[0].values.push_back({one.name, {}});
  return made;
}

const registration search(7, make_search);

}  // namespace

}  // namespace bench::experiment_search
