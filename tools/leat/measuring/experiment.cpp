// The registry of experiments, and look-ups in settings and outcomes. The commands bench and tune,
// and the reports, call these functions.
#include "measuring/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "measuring/statistics.hpp"

namespace bench {

std::string_view name_of(role variant_role) {
  switch (variant_role) {
    case role::baseline:
      return "baseline";
    case role::leat:
      return "leat";
    case role::peer:
      return "peer";
    case role::floor:
      return "floor";
    case role::model:
      return "model";
  }
  return "";
}

value bytes(std::int64_t count) {
  constexpr std::int64_t kib = 1024;
  const auto text = count % (kib * kib) == 0 ? fmt::format("{} MiB", count / (kib * kib))
                    : count % kib == 0       ? fmt::format("{} KiB", count / kib)
                                             : fmt::format("{} B", count);
  return {text, count};
}

std::vector<value> doubling(std::int64_t first, std::int64_t last) {
  std::vector<value> sizes;
  for (auto count = first; count <= last; count *= 2) sizes.push_back(bytes(count));
  return sizes;
}

void setting::set(std::string factor, value chosen) {
  chosen_.emplace_back(std::move(factor), std::move(chosen));
}

const value& setting::operator[](std::string_view factor) const {
  const auto found = std::ranges::find(chosen_, factor, &std::pair<std::string, value>::first);
  if (found == chosen_.end()) throw std::logic_error(fmt::format("no factor '{}'", factor));
  return found->second;
}

bool setting::has(std::string_view factor, std::string_view text) const {
  return (*this)[factor].text == text;
}

finding check_claim(std::string figure, std::string_view claim, bool holds) {
  figure += fmt::format(". {}: {}.", holds ? "Confirmed" : "Not confirmed here", claim);
  return {std::move(figure), holds ? judgement::confirmed : judgement::not_confirmed};
}

std::string outcome::label(const measurement& row, layout shown_as) const {
  std::string text;
  for (const auto& [name, value] : row.setting.all()) {
    const auto known = std::ranges::find(factors, name, &factor::name);
    if (known->layout == shown_as && !value.is_default()) text += ", " + value.text;
  }
  return text;
}

std::string outcome::row_name(const measurement& row) const {
  return row.variant + label(row, layout::row);
}

std::optional<double> outcome::median(std::string_view variant, const choices& at) const {
  const auto fits = [&](const measurement& row) {
    return row.variant == variant &&
           std::ranges::all_of(row.setting.all(), [&](const auto& chosen) {
             const auto named =
                 std::ranges::find(at, chosen.first, [](auto& p) { return p.first; });
             if (named != at.end()) return chosen.second == named->second;
             const auto known = std::ranges::find(factors, chosen.first, &factor::name);
             return known->layout != layout::axis || chosen.second.is_default();
           });
  };
  const auto found = std::ranges::find_if(measurements, fits);
  if (found == measurements.end()) return std::nullopt;
  return summarize(found->wall).median;
}

namespace {

struct makers {
  experiment (*for_disks)(const request&) = nullptr;
  experiment (*for_stores)(const request&) = nullptr;
};

// A local static, because experiments register in any order before main begins.
std::map<int, makers>& registry() {
  static std::map<int, makers> all;
  return all;
}

}  // namespace

registration::registration(int number, experiment (*make)(const request&), medium for_medium) {
  makers& known = registry()[number];
  (for_medium == medium::store ? known.for_stores : known.for_disks) = make;
}

std::vector<experiment> experiments(const request& wanted) {
  std::vector<experiment> all;
  for (const auto& [number, make] : registry()) {
    const bool for_store = wanted.medium() == medium::store && make.for_stores != nullptr;
    all.push_back((for_store ? make.for_stores : make.for_disks)(wanted));
  }
  return all;
}

}  // namespace bench
