// `leat bench search` (E5, second part) with a store: searches for a keyword that may be anywhere
// in an object. How much of the object must be fetched?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include "experiments/store/store_fixture.hpp"
#include "experiments/texts.hpp"
#include "reporting/text.hpp"
#include "system/c_library.hpp"
#include "system/failure.hpp"

namespace bench::store_search {

namespace {

constexpr std::uint64_t long_range = 8 << 20;

const keyword_position& position_of(const setting& at) {
  return *std::ranges::find_if(keyword_positions,
                               [&](auto& one) { return at.has("keyword", one.name); });
}

std::string_view keyword(const setting& at) { return position_of(at).rare; }

std::uint64_t position(const store_fixture& shared, const keyword_position& where) {
  if (where.percent < 0) return nowhere;
  return shared.object->size() / 100 * static_cast<std::uint64_t>(where.percent) + 100;
}

void leat_find(store_fixture& shared, run& this_run) {
  shared.reader = leat::open(shared.address);
  this_run.answer = shared.reader.find(keyword(this_run.setting)).value_or(nowhere);
}

/// Searches memory whose first byte is at `start` in the object. Sets the answer, and returns
/// whether the keyword was found.
bool search_bytes(run& this_run, std::string_view bytes, std::uint64_t start) {
  const char* const hit = search_memory(bytes, keyword(this_run.setting));
  this_run.answer = hit ? start + static_cast<std::uint64_t>(hit - bytes.data()) : nowhere;
  return hit != nullptr;
}

void curl_whole(store_fixture& shared, run& this_run) {
  shared.memory.resize(shared.object->size());
  shared.curl->read_all(shared.memory.data(), shared.memory.size());
  search_bytes(this_run, {shared.memory.data(), shared.memory.size()}, 0);
}

/// Keeps the end of each piece, because a keyword may cross into the next piece.
void curl_pieces(store_fixture& shared, run& this_run) {
  const std::size_t overlap = keyword(this_run.setting).size() - 1;
  shared.memory.resize(overlap + long_range);
  std::size_t kept = 0;
  for (std::uint64_t at = 0; at < shared.object->size(); at += long_range) {
    const leat::byte_range range{at, std::min(long_range, shared.object->size() - at)};
    shared.curl->read_one_by_one({&range, 1}, shared.memory.data() + kept);
    const std::size_t size = kept + static_cast<std::size_t>(range.size);
    if (search_bytes(this_run, {shared.memory.data(), size}, at - kept)) return;
    kept = std::min(overlap, size);
    std::memmove(shared.memory.data(), shared.memory.data() + size - kept, kept);
  }
}

/// Makes one request. Searches the received bytes in pieces of at least 256 KiB, and aborts the
/// request after the piece that contains the keyword.
void curl_stream(store_fixture& shared, run& this_run) {
  constexpr std::size_t piece_size = 256 << 10;
  const std::size_t overlap = keyword(this_run.setting).size() - 1;
  std::string held;
  std::uint64_t start = 0;  // position of held[0] in the object
  // Searches `held`, and drops the bytes that no later hit can contain. Returns whether the keyword
  // was found.
  const auto search_held = [&] {
    if (search_bytes(this_run, held, start)) return true;
    const std::size_t passed = held.size() - std::min(overlap, held.size());
    held.erase(0, passed);
    start += passed;
    return false;
  };
  bool found = false;
  shared.curl->stream([&](std::string_view bytes) {
    held += bytes;
    found = held.size() >= piece_size && search_held();
    return !found;
  });
  if (!found) search_held();
}

void simulated_find(const store_fixture& shared, run& this_run) {
  this_run.answer = position(shared, position_of(this_run.setting));
  const bool absent = this_run.answer == nowhere;
  this_run.reported_seconds = simulated_read_seconds(
      shared.object, shared.speed,
      absent ? shared.object->size() : this_run.answer + keyword(this_run.setting).size());
}

std::vector<variant> variants(const std::shared_ptr<store_fixture>& shared) {
  const auto work = work_maker<store_fixture>(shared);
  std::vector<variant> all{
      {"leat", role::leat, work(leat_find)},
      {"simulated", role::model, [shared](run& this_run) { simulated_find(*shared, this_run); }}};
  if (!no_curl_reason().empty()) return all;
  const auto absent_or_early = [](const setting& at) {
    return at.has("keyword", "absent") || at.has("keyword", "at 1 %");
  };
  all.push_back({"libcurl, whole", role::peer, work(curl_whole), absent_or_early});
  all.push_back({"libcurl, one request", role::baseline, work(curl_stream)});
  all.push_back({"libcurl, 8 MiB one by one", role::peer, work(curl_pieces)});
  return all;
}

choices at_keyword(const char* where) { return {{"keyword", {where, {}}}}; }

/// Returns the share of the object that leat has fetched, for each position of the keyword.
finding share_fetched(const store_fixture& fixture, const outcome& result) {
  std::string text;
  bool holds = true;
  for (const auto& one : result.measurements) {
    if (one.variant != "leat" || !one.bytes_read) continue;
    const auto& where = position_of(one.setting);
    const double share =
        static_cast<double>(*one.bytes_read) / static_cast<double>(fixture.object->size());
    text += fmt::format("{}{:.1f} % with the keyword {}", text.empty() ? "" : ", ", share * 100,
                        where.name);
    if (where.percent == 1) holds = share <= 0.03;
  }
  if (text.empty()) return {"the number of received bytes is not known."};
  return check_claim("leat fetches a part of the object: " + text,
                     "leat promises at most 3 % with the keyword at 1 %", holds);
}

std::vector<finding> findings(const store_fixture& fixture, const outcome& result) {
  auto found = common_findings(fixture);
  found.push_back(share_fetched(fixture, result));
  const auto whole = result.median("libcurl, whole", at_keyword("at 1 %")),
             early = result.median("leat", at_keyword("at 1 %"));
  if (whole && early)
    found.push_back(check_claim(
        fmt::format("with the keyword at 1 %, leat is {} as fast as reading all bytes first",
                    times(*whole / *early)),
        "an early hit saves the time of the rest", *whole / *early >= 10));
  for (const auto* where : {"absent", "at 50 %", "at 1 %"}) {
    const auto ours = result.median("leat", at_keyword(where)),
               model = result.median("simulated", at_keyword(where));
    if (ours && model)
      found.push_back(compare_with_model(fmt::format("a keyword {}", where), *model, *ours));
  }
  found.push_back({"a store has no cache to be warm or cold, and grep takes no addresses."});
  return found;
}

experiment make_stored_search(const request& wanted) {
  auto shared = std::make_shared<store_fixture>();
  shared->object =
      std::make_shared<content>(english_block, english_block_size, wanted.sized(128, 32, 1));
  for (const auto& one : keyword_positions)
    if (one.percent >= 0) shared->object->put(position(*shared, one), std::string(one.rare));
  shared->address = wanted.store + "text";
  experiment made;
  made.name = "search";
  made.title = "a keyword anywhere in an object";
  made.published = "nothing about stores; by ZABKAT, 2013, about files, without figures.";
  made.published_id = "E5";
  made.factors = {{"keyword", {}, layout::table}};
  for (const auto& one : keyword_positions) made.factors[0].values.push_back({one.name, {}});
  made.variants = variants(shared);
  made.load = [shared](const setting& at) {
    const auto size = shared->object->size();
    return load{fmt::format("a keyword {} in an object of {}", at["keyword"].text,
                            bytes(static_cast<std::int64_t>(size)).text),
                std::min(size, position(*shared, position_of(at))), 1, ""};
  };
  set_shared_members(made, shared);
  made.check = [shared](run& this_run) {
    if (this_run.answer != position(*shared, position_of(this_run.setting)))
      throw failure("found the keyword at a wrong position, or not at all");
  };
  made.findings = [shared](const outcome& result) { return findings(*shared, result); };
  for (const auto* where : {"absent", "at 1 %"})
    made.charts.push_back(
        {.title = fmt::format("a keyword {}", where), .where = at_keyword(where)});
  made.headline = {{.work = "a keyword at 1 % of an object",
                    .ours = "leat",
                    .ours_at = at_keyword("at 1 %"),
                    .theirs = "libcurl, one request",
                    .theirs_at = at_keyword("at 1 %")}};
  return made;
}

const registration stored_search(7, make_stored_search, medium::store);

}  // namespace

}  // namespace bench::store_search
