// Makes the anonymous report, for `leat bench --submit`. bench_command.cpp calls submission().
#include "reporting/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "reporting/json.hpp"
#include "system/failure.hpp"

namespace bench {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// True if the text contains the name as a word, ignoring case.
bool has_word(std::string_view text, std::string_view name) {
  const auto same = [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  };
  for (auto start = text.begin();; ++start) {
    start = std::search(start, text.end(), name.begin(), name.end(), same);
    if (start == text.end()) return false;
    const auto after = start + static_cast<std::ptrdiff_t>(name.size());
    if ((start == text.begin() || !is_word(start[-1])) && (after == text.end() || !is_word(*after)))
      return true;
  }
}

/// Adds the figures for comparison tables: the work, the usual solution, leat's solution, and the
/// ratio of the times.
void add_headline(json& to, const record& record) {
  if (!record.headline) return;
  const auto& head = *record.headline;
  const auto theirs = record.result.median(head.theirs, head.theirs_at);
  const auto ours = record.result.median(head.ours, head.ours_at);
  if (theirs && ours)
    to.update({{"work", head.work},
               {"usual", head.theirs},
               {"leat", head.ours},
               {"ratio", *theirs / *ours}});
}

}  // namespace

std::string_view disk_kind(const volume& described) {
  const std::string_view type = described.file_system, disk = described.disk;
  if (type == "tmpfs" || type == "ramfs") return "memory";
  for (const std::string_view remote : {"nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs"})
    if (type == remote) return "network";
  if (disk.ends_with(", rotating")) return "hdd";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kinds{
      {{"nvme", "nvme"}, {"vd", "virtual"}, {"xvd", "virtual"}, {"mmcblk", "card"}, {"sd", "ssd"}}};
  for (const auto& [name, kind] : kinds)
    if (disk.starts_with(name)) return kind;
  return "unknown";
}

std::string_view plain_release(std::string_view kernel) {
  const auto digits = kernel.find_first_of("0123456789");
  return kernel.substr(0, kernel.find_first_not_of("0123456789.", digits));
}

std::string submission(const session& all, const std::vector<std::string>& private_names) {
  if (all.device != "real") throw failure("--submit works with the disks of this machine only");
  if (!all.machine.optimized) throw failure("--submit: this leat was built without optimisation");
  json out{{"schema", submission_schema},
           {"leat", all.version},
           {"date", all.date.substr(0, all.date.find('T'))},
           {"size", all.size},
           {"machine",
            {{"cpu", all.machine.cpu},
             {"cores", all.machine.cores},
             {"memory_gib", (all.machine.memory + (std::uint64_t{1} << 29)) >> 30},
             {"kernel", plain_release(all.machine.kernel)},
             {"libc", all.machine.libc},
             {"compiler", all.machine.compiler},
             {"governor", all.machine.governor},
             {"load", all.machine.load}}},
           {"experiments", json::array()}};
  for (const auto& one : all.records) {
    const std::string_view type = one.volume.file_system;
    json made{{"experiment", one.experiment},
              {"file_system", type.substr(0, type.find('.'))},  // drops the name after "fuse."
              {"disk", disk_kind(one.volume)},
              {"cores_busy_elsewhere", one.busy_cores}};
    add_headline(made, one);
    made["rows"] = json::array();
    for (const auto& row : one.result.measurements) {
      made["rows"].push_back({{"variant", row.variant}, {"role", name_of(row.role)}});
      add_figures(made["rows"].back(), row);
    }
    out["experiments"].push_back(std::move(made));
  }
  auto text = json_text(out);
  for (const auto& name : private_names) {
    if (has_word(text, name))
      throw failure(
          fmt::format("--submit: the published file would contain the private name '{}'", name));
  }
  return text;
}

}  // namespace bench
