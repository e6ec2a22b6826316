// What an experiment is: factors, variants and the work. Each file of an experiment declares one.
#pragma once

#include <leat/simulated.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "system/failure.hpp"

namespace bench {

struct outcome;
struct measurement;

/// The part of a variant in its experiment. Ratios are taken to the baseline. A floor shows what
/// the machine allows, and a model what was to be expected; neither can win.
enum class role { baseline, leat, peer, floor, model };

std::string_view name_of(role part);

inline bool can_win(role part) { return part != role::floor && part != role::model; }

/// What the experiments run on: `files` of a real disk, a simulated disk, or objects of a store.
enum class medium { files, simulated, store };

/// One value of a factor. If it is empty, the variant chooses.
struct value {
  std::string text;                    // in a table
  std::optional<std::int64_t> number;  // in JSON, in place of the text
  bool operator==(const value&) const = default;
  bool is_default() const { return text.empty(); }
};

/// A size in bytes, shown as "32 KiB".
value bytes(std::int64_t count);

/// The sizes from `first` to `last`; each is twice the one before.
std::vector<value> doubling(std::int64_t first, std::int64_t last);

/// Where a report shows the values of a factor. `table`: each value has its own table. `row`: each
/// value has its own row. `axis`: the values are the rows of a second table, and the first table
/// has the default of each variant.
enum class layout { table, row, axis };

struct factor {
  std::string name;
  std::vector<value> values;
  layout shown = layout::row;
};

/// A value for each factor of an experiment.
class setting {
 public:
  void set(std::string factor, value chosen);
  const value& operator[](std::string_view factor) const;
  bool has(std::string_view factor, std::string_view text) const;
  const std::vector<std::pair<std::string, value>>& all() const { return chosen_; }

 private:
  std::vector<std::pair<std::string, value>> chosen_;
};

/// How much work one repetition does.
struct load {
  std::string title;
  std::uint64_t bytes = 0;
  std::uint64_t operations = 0;
  std::string operation;  // as "line", for speeds in ns a line; empty, for speeds in MB/s
};

/// Values of some factors. Each variant chooses the others.
using choices = std::vector<std::pair<std::string, value>>;

/// One repetition, as the hooks and the work see it.
struct run {
  const setting& at;
  std::filesystem::path folder;  // of this experiment alone
  std::filesystem::path file;    // a path in it, for experiments that need one file
  std::uint64_t answer = 0;      // what the work found; `check` looks at it
  bool warms_up = false;         // nobody takes the time
  std::optional<std::uint64_t> bytes_read = std::nullopt;  // of the file, where somebody can tell
  // To the disk, by the end of the work or later.
  std::optional<std::uint64_t> bytes_written = std::nullopt;
  std::optional<std::uint64_t> requests = std::nullopt;  // to a store
  std::optional<double> dollars = std::nullopt;          // for these, at the usual prices
  std::optional<double> simulated = std::nullopt;        // seconds by the clock of a simulated disk
};

struct variant {
  std::string name;
  role part = role::peer;
  std::function<void(run&)> work;                         // one repetition; only this is timed
  std::function<bool(const setting&)> applies = nullptr;  // none: in every setting
  // The same work with the clock read around each operation. Returns the seconds of each.
  std::function<std::vector<double>(run&)> one_by_one = nullptr;
};

/// Makes the work of a variant of a function and what it shares with other variants.
template <class Shared>
auto works_on(std::shared_ptr<std::remove_const_t<Shared>> of) {
  return [of](void (*what)(Shared&, run&)) { return [of, what](run& now) { what(*of, now); }; };
}

enum class size { tiny, quick, published };  // tiny is for tests: its figures say nothing

/// How an experiment is to be made.
struct request {
  size how_much = size::quick;
  std::optional<leat::simulated_disk> disk = std::nullopt;          // none: the real one
  std::uint64_t space = std::numeric_limits<std::uint64_t>::max();  // bytes that are free for it
  std::string store = "";  // NOLINT: what addresses of its objects begin with; empty: files

  std::size_t sized(std::size_t published, std::size_t quick, std::size_t tiny) const {
    return how_much == size::published ? published : how_much == size::quick ? quick : tiny;
  }
  medium on() const {
    return !store.empty() ? medium::store : disk ? medium::simulated : medium::files;
  }
};

/// Whether the figures show what was published or promised.
enum class judgement { none, confirmed, not_confirmed };

/// What an experiment found.
struct finding {
  std::string text;
  judgement says = judgement::none;
};

/// Two sentences without their full stops: the figure, and the claim that it confirms or not. As
/// judged("sorting takes 2.0× the time", "sorting costs time", true).
finding judged(std::string figure, std::string_view claim, bool holds);
/// Figures as they were published.
struct published_table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// What a chart shows: the time, the speed in MB/s, or the times of single operations as boxes.
enum class quantity { time, speed, each };

// GCC warns of a member without an initialiser that a designated initialiser leaves out.
// NOLINTBEGIN(readability-redundant-member-init,readability-redundant-string-init)

/// A picture of some of the figures, in the form in which they were published.
struct chart {
  std::string title;
  choices where = {};  // the settings to draw
  // The factor along the logarithmic x axis. A variant with several values is a curve; one without
  // any is a level. Empty: each variant is a bar.
  std::string axis = "";
  quantity of = quantity::time;
  bool logarithmic = false;                                 // the quantity's scale
  std::function<bool(const measurement&)> shows = nullptr;  // none: all of them
  std::string note = "";                                    // stands below the chart
};

/// The one comparison that stands for the whole experiment.
struct headline {
  std::string work;
  std::string ours;
  choices ours_at = {};
  std::string theirs;
  choices theirs_at = {};
};

struct experiment {
  std::string name;
  std::string title;
  std::string published;     // the published figures, in short
  std::string follows = "";  // as in "E1"
  std::string cached;        // which files the system's cache holds
  std::vector<factor> factors;
  std::vector<variant> variants;
  std::function<bench::load(const setting&)> load;
  std::uint64_t space = 0;  // bytes it needs in its folder
  double share = 1;         // of the usual time of an experiment
  medium on = medium::files;
  bool equal_rounds = false;  // every variant runs in every round; there are three rounds at least
  // None of these is timed, and each may be left out.
  std::function<void(const std::filesystem::path& folder)> prepare = nullptr;  // once
  std::function<void(run&)> before = nullptr;  // before each repetition
  std::function<void(run&)> after = nullptr;   // after each; a cheap check that throws
  std::function<void(run&)> check = nullptr;   // after the first; throws if the result is wrong
  std::function<std::vector<finding>(const outcome&)> findings = nullptr;
  std::vector<published_table> figures = {};
  std::vector<chart> charts = {};
  std::optional<bench::headline> headline = std::nullopt;

  // Two variants that --profile compares, at the first value of each factor.
  std::pair<std::string, std::string> profiled = {};
};
// NOLINTEND(readability-redundant-member-init,readability-redundant-string-init)

/// The times of single operations, in seconds. Mean and median are those of the middle 90 %.
struct distribution {
  double min = 0, mean = 0, median = 0, max = 0;
  double p5 = 0, p25 = 0, p75 = 0, p95 = 0;  // percentiles of all
};

/// The times of one variant in one setting, in seconds.
struct measurement {
  std::string variant;
  role part = role::peer;
  setting at;
  bench::load load;
  std::vector<double> wall;
  std::vector<double> cpu;
  std::optional<std::uint64_t> bytes_read = std::nullopt;     // by the last that told
  std::optional<std::uint64_t> bytes_written = std::nullopt;  // the same
  std::optional<std::uint64_t> requests = std::nullopt;       // the same
  std::optional<double> dollars = std::nullopt;
  std::optional<distribution> each = std::nullopt;  // from a separate pass
};

/// The result of an experiment in one folder.
struct outcome {
  std::vector<factor> factors;
  std::vector<measurement> measured;  // those with at least one repetition
  bool complete = true;

  /// The median time of a variant where some factors have these values and the variant chooses the
  /// others. Nothing if that was not measured.
  std::optional<double> median(std::string_view variant, const choices& at = {}) const;

  /// The values of the factors that are shown this way, as one text: ", sorted, rb".
  std::string label(const measurement& one, layout how) const;
  /// The variant's name and the values that tell its rows apart.
  std::string row_name(const measurement& one) const;
};

/// Adds an experiment to the command. Each file of an experiment has one of these. The one for a
/// store has the number and the name of the one for files.
struct registration {
  registration(int number, experiment (*make)(const request&), medium on = medium::files);
};

/// All experiments, in the order of their numbers. Making one is cheap: `prepare` makes the files.
std::vector<experiment> experiments(const request& wanted);

}  // namespace bench
