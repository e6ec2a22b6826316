// The findings of E4 about stdio. random_access.cpp and simulated_access.cpp call these functions.
#include "experiments/random_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measuring/statistics.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

/// Returns the values of both lists.
choices joined(choices result, const choices& other) {
  result.insert(result.end(), other.begin(), other.end());
  return result;
}

}  // namespace

choices usual_stdio(bool updates) {
  choices at{{"buffer", {"buffered", {}}}};
  if (updates) {
    at.emplace_back("seeks", value{"SET, SET", {}});
  } else {
    at.emplace_back("mode", value{"rb", {}});
    at.emplace_back("seek", value{"SEEK_SET", {}});
  }
  return at;
}

std::optional<double> best_of_stdio(const outcome& result, const choices& where,
                                    const value& order) {
  std::optional<double> best;
  for (const auto& one : result.measurements) {
    const auto is_chosen = [&](const auto& choice) {
      return one.setting[choice.first] == choice.second;
    };
    if (one.variant != "stdio" || one.setting["order"] != order ||
        !std::ranges::all_of(where, is_chosen))
      continue;
    const auto median = summarize(one.wall).median;
    if (!best || median < *best) best = median;
  }
  return best;
}

void add_grid_findings(std::vector<finding>& to, const std::string& name, const choices& where,
                       const outcome& result, bool updates) {
  const auto stdio_at = [&](const std::string& changed, const char* chosen) {
    choices at = joined(usual_stdio(updates), where);
    at.emplace_back("order", in_order);
    for (auto& [factor, now] : at) {
      if (factor == changed) now = {chosen, {}};
    }
    return result.median("stdio", at);
  };
  const auto usual = stdio_at("", "");
  if (!usual) return;
  const auto unbuffered = stdio_at("buffer", "unbuffered");
  const auto relative = updates ? stdio_at("seeks", "CUR, CUR") : stdio_at("seek", "SEEK_CUR");
  if (const auto plus = updates ? std::nullopt : stdio_at("mode", "rb+"))
    to.push_back(check_claim(
        fmt::format("{}: \"rb+\" takes {} the time of \"rb\"", name, times(*plus / *usual)),
        "both modes take the same time", *plus <= *usual * 1.1 && *usual <= *plus * 1.1));
  if (unbuffered)
    to.push_back(check_claim(
        fmt::format(
            "{}: without a buffer stdio visits sorted positions {} as fast as with a buffer", name,
            times(*usual / *unbuffered)),
        "stdio is faster without a buffer", *unbuffered <= *usual * tie_ratio));
  if (relative)
    to.push_back(check_claim(fmt::format("{}: relative seeks take {} the time of absolute ones",
                                         name, times(*relative / *usual)),
                             "absolute seeks are never worse", *usual <= *relative * tie_ratio));
}

void add_cost_of_updates(std::vector<finding>& to, const std::string& name, const choices& where,
                         const outcome& result) {
  constexpr double least_ratio = 1.2;
  const choices sorted = joined(where, {{"order", in_order}});
  const auto update = result.median("stdio", joined(sorted, usual_stdio(true)));
  const auto read = result.median(stdio_reads, sorted);
  if (!update || !read) return;
  const auto leat = result.median("leat update", where),
             read_only = result.median(leat_reads, where);
  const auto leat_text =
      leat && read_only ? fmt::format(", leat {}", times(*leat / *read_only)) : "";
  to.push_back(check_claim(fmt::format("{}: an update takes stdio {} the time of a read{}", name,
                                       times(*update / *read), leat_text),
                           "updating costs more than reading: change data in memory, and write "
                           "the data once",
                           *update >= *read * least_ratio));
}

}  // namespace bench
