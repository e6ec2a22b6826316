// Runs perf and parses perf's report, for `leat bench --profile`. bench_command.cpp calls
// profile_variants().
#include "reporting/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "reporting/text.hpp"
#include "system/system.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

constexpr double seconds_to_profile = 1;
constexpr std::size_t most_rows = 12;

bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

/// Returns an event that perf can count here, or nothing. A virtual machine may have no cycle
/// counter, but has a clock.
std::optional<std::string> countable_event(const fs::path& data) {
  for (const auto* event : {"cycles", "cpu-clock"}) {
    if (succeeds(fmt::format("perf record -e {} -o {} true >/dev/null 2>&1", event,
                             shell_quoted(data.string()))))
      return event;
  }
  return std::nullopt;
}

std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<profile> record_profile(const experiment& experiment, const std::string& variant,
                                      const std::string& event, const std::string& options,
                                      const fs::path& folder) {
  const auto data = shell_quoted((folder / "perf.data").string());
  const auto text = folder / "perf.txt";
  const auto self = fs::read_symlink("/proc/self/exe").string();
  const auto recorded =
      fmt::format("perf record -q -e {} -o {} -- {} bench {} --dir {} {} --only {} >/dev/null 2>&1",
                  event, data, shell_quoted(self), shell_quoted(experiment.name),
                  shell_quoted(folder.string()), options, shell_quoted(variant));
  const auto reported =
      fmt::format("perf report -i {} --stdio --sort symbol --field-separator ';' >{} 2>/dev/null",
                  data, shell_quoted(text.string()));
  if (!succeeds(recorded) || !succeeds(reported)) return std::nullopt;
  auto found = parse_profile(content(text));
  if (found.percent_by_function.empty()) return std::nullopt;
  return found;
}

double percent_of(const profile& recorded, const std::string& function) {
  const auto found = recorded.percent_by_function.find(function);
  return found == recorded.percent_by_function.end() ? 0 : found->second;
}

std::string percent_text(double percent) {
  return percent == 0 ? "" : fmt::format("{:.2f} %", percent);
}

}  // namespace

profile parse_profile(std::string_view report) {
  profile found;
  while (!report.empty()) {
    const auto length = std::min(report.find('\n'), report.size());
    auto line = report.substr(0, length);
    report.remove_prefix(std::min(length + 1, report.size()));
    constexpr std::string_view before_event = " of event '";
    if (const auto at = line.find(before_event);
        line.starts_with('#') && at != std::string_view::npos) {
      const auto event = line.substr(at + before_event.size());
      found.event = event.substr(0, event.find('\''));
      continue;
    }
    const auto start = line.find_first_not_of(" \t");
    const auto semicolon = line.find(';');
    if (start == std::string_view::npos || line[start] == '#' ||
        semicolon == std::string_view::npos)
      continue;
    double percent = 0;
    const auto parsed = std::from_chars(line.data() + start, line.data() + semicolon, percent);
    if (parsed.ec != std::errc()) continue;
    line.remove_prefix(semicolon + 1);
    line = line.substr(0, line.find(';'));  // some versions have more columns
    // "[k] name" is a kernel function, "[.] name" a function of the program.
    std::string name(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    while (name.ends_with(' ')) name.pop_back();
    if (name.starts_with("[.] ")) name.erase(0, 4);
    if (!name.empty()) found.percent_by_function[name] += percent;
  }
  return found;
}

std::string profile_table(const std::string& name, const profile& base,
                          const std::string& other_name, const profile& other, const page& page) {
  std::vector<std::string> functions;
  functions.reserve(base.percent_by_function.size() + other.percent_by_function.size());
  for (const auto& [function, percent] : base.percent_by_function) functions.push_back(function);
  for (const auto& [function, percent] : other.percent_by_function) {
    if (!base.percent_by_function.contains(function)) functions.push_back(function);
  }
  const auto sort_key = [&](const std::string& f) {
    return std::pair(-std::max(percent_of(base, f), percent_of(other, f)), f);
  };
  std::ranges::sort(functions, {}, sort_key);
  if (functions.size() > most_rows) functions.resize(most_rows);
  table all({{"function"}, {name}, {other_name}, {"difference"}});
  for (const auto& f : functions) {
    all.add({{f, percent_text(percent_of(base, f)), percent_text(percent_of(other, f)),
              fmt::format("{:+.2f} %", percent_of(other, f) - percent_of(base, f))}});
  }
  return all.text(page);
}

std::string profile_variants(const experiment& experiment, const std::string& options,
                             const fs::path& folder, const page& page) {
  const auto& [first, second] = experiment.profiled_variants;
  if (first.empty()) return "";
  if (!is_installed("perf")) return wrapped("No profile: perf is not installed.", page.width);
  const auto event = countable_event(folder / "perf.data");
  if (!event) return wrapped("No profile: perf cannot count any event here.", page.width);
  const auto base = record_profile(experiment, first, *event, options, folder);
  const auto other = record_profile(experiment, second, *event, options, folder);
  if (!base || !other) return wrapped("No profile: perf recorded nothing.", page.width);
  return '\n' + styled(fmt::format("Where the time goes ({})", base->event), style::heading, page) +
         '\n' + profile_table(first, *base, second, *other, page);
}

void run_variant(const experiment& experiment, std::string_view name, const fs::path& folder,
                 std::optional<int> rounds) {
  const auto variant = std::ranges::find(experiment.variants, name, &variant::name);
  if (variant == experiment.variants.end())
    throw failure(fmt::format("{} has no variant '{}'", experiment.name, name));
  setting at;
  for (const auto& factor : experiment.factors) at.set(factor.name, factor.values.front());
  if (experiment.prepare) experiment.prepare(folder);
  const auto time = real_clocks();
  const double start = time.wall();
  int done = 0;
  do {
    run this_run{at, folder, folder / "out"};
    if (experiment.before) experiment.before(this_run);
    variant->work(this_run);
    ++done;
  } while (rounds ? done < *rounds : time.wall() - start < seconds_to_profile);
}

}  // namespace bench
