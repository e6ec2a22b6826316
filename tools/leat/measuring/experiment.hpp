// The model of an experiment: factors, variants and work. The files in experiments/ declare the
// experiments.
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

/// The role of a variant. Ratios are relative to the baseline. A floor shows the machine's limit,
/// and a model shows the expected time. A report never names a floor or a model as the fastest
/// variant.
enum class role { baseline, leat, peer, floor, model };

std::string_view name_of(role variant_role);

inline bool can_win(role variant_role) {
  return variant_role != role::floor && variant_role != role::model;
}

/// The medium of an experiment: `files` on a real disk, a simulated disk, or objects of a store.
enum class medium { files, simulated, store };

/// One value of a factor. If the text is empty, the variant chooses the value.
struct value {
  std::string text;                    // in a table
  std::optional<std::int64_t> number;  // in JSON, instead of the text
  bool operator==(const value&) const = default;
  bool is_default() const { return text.empty(); }
};

/// Returns a size in bytes, which reports show as "32 KiB".
value bytes(std::int64_t count);

/// Returns the sizes from `first` to `last`; each size is twice the previous size.
std::vector<value> doubling(std::int64_t first, std::int64_t last);

/// How a report shows the values of a factor. `table`: each value has a table. `row`: each value
/// has a row. `axis`: the values are the rows of a second table; the first table shows the default
/// of each variant.
enum class layout { table, row, axis };

struct factor {
  std::string name;
  std::vector<value> values;
  bench::layout layout = bench::layout::row;
};

/// A value for each factor of an experiment. Call set() once for each factor. operator[] and has()
/// throw std::logic_error if the factor was not set.
class setting {
 public:
  void set(std::string factor, value chosen);
  const value& operator[](std::string_view factor) const;
  bool has(std::string_view factor, std::string_view text) const;
  const std::vector<std::pair<std::string, value>>& all() const { return chosen_; }

 private:
  std::vector<std::pair<std::string, value>> chosen_;
};

/// The work of one repetition.
struct load {
  std::string title;
  std::uint64_t bytes = 0;
  std::uint64_t operations = 0;
  std::string operation;  // such as "line", for speeds in ns per line; empty: speeds in MB/s
};

/// Values of some factors. Each variant chooses the values of the other factors.
using choices = std::vector<std::pair<std::string, value>>;

/// One repetition, for the hooks and the work.
struct run {
  const bench::setting& setting;
  std::filesystem::path folder;  // private to this experiment
  std::filesystem::path file;    // a path in `folder`, for experiments with one file
  std::uint64_t answer = 0;      // the result of the work; `check` compares the result
  bool is_warm_up = false;       // this repetition is not timed
  std::optional<std::uint64_t> bytes_read = std::nullopt;  // from the file, if known
  // Bytes that reached the disk, during the work or later.
  std::optional<std::uint64_t> bytes_written = std::nullopt;
  std::optional<std::uint64_t> requests = std::nullopt;  // sent to a store
  std::optional<double> dollars = std::nullopt;          // price of requests and bytes at Amazon
  // Seconds by another clock, such as that of a simulated disk, instead of the measured wall time.
  std::optional<double> reported_seconds = std::nullopt;
};

struct variant {
  std::string name;
  bench::role role = bench::role::peer;
  std::function<void(run&)> work;                         // one repetition; only `work` is timed
  std::function<bool(const setting&)> applies = nullptr;  // null: in every setting
  // The same work, with the clock read around each operation. Returns the seconds of each
  // operation.
  std::function<std::vector<double>(run&)> operation_times = nullptr;
};

/// Returns a function that makes the work of a variant. The returned function takes a function
/// `work`. The work of the variant then calls work(*shared, run), where `shared` is the state that
/// the variants share.
template <class Shared>
auto work_maker(const std::shared_ptr<std::remove_const_t<Shared>>& shared) {
  return [shared](void (*work)(Shared&, run&)) {
    return [shared, work](run& this_run) { work(*shared, this_run); };
  };
}

enum class size { tiny, quick, published };  // tiny is for tests: its figures mean nothing

/// Options for making an experiment.
struct request {
  bench::size size = bench::size::quick;
  std::optional<leat::simulated_disk> disk = std::nullopt;               // none: the real disk
  std::uint64_t free_space = std::numeric_limits<std::uint64_t>::max();  // bytes
  std::string store = "";  // NOLINT: prefix of the addresses of objects; empty: no store

  std::size_t sized(std::size_t published, std::size_t quick, std::size_t tiny) const {
    return size == bench::size::published ? published : size == bench::size::quick ? quick : tiny;
  }
  bench::medium medium() const {
    return !store.empty() ? bench::medium::store
           : disk         ? bench::medium::simulated
                          : bench::medium::files;
  }
};

/// The result of a check of a published or promised claim against the figures. `none`: no claim was
/// checked.
enum class judgement { none, confirmed, not_confirmed };

/// A result of an experiment.
struct finding {
  std::string text;
  judgement verdict = judgement::none;
};

/// Joins two sentences without full stops: the figure, and the claim that the figure confirms or
/// does not confirm. Example: check_claim("sorting takes 2.0× the time", "sorting costs time",
/// true).
finding check_claim(std::string figure, std::string_view claim, bool holds);

/// Figures as they were published.
struct published_table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// The quantity of a chart: time, speed in MB/s, or times of single operations as boxes.
enum class quantity { time, speed, per_operation };

// GCC warns if a designated initialiser leaves out a member without a default initialiser.
// NOLINTBEGIN(readability-redundant-member-init,readability-redundant-string-init)

/// A chart of some of an experiment's figures.
struct chart {
  std::string title;
  choices where = {};  // the settings to draw
  // The factor along the logarithmic x axis. A variant with several values is a curve; a variant
  // without values is a level. Empty: each variant is a bar.
  std::string axis = "";
  bench::quantity quantity = bench::quantity::time;
  bool logarithmic = false;                                    // scale of the quantity
  std::function<bool(const measurement&)> includes = nullptr;  // null: all measurements
  std::string note = "";                                       // text below the chart
};

/// The one comparison that represents the experiment.
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
  std::string published;          // summary of the published figures
  std::string published_id = "";  // number of a published experiment, such as "E1"
  std::string cached;             // which files are in the page cache
  std::vector<factor> factors;
  std::vector<variant> variants;
  std::function<bench::load(const setting&)> load;
  std::uint64_t space = 0;  // bytes needed in the run's folder
  double time_share = 1;    // of the usual time per experiment
  bench::medium medium = bench::medium::files;
  bool equal_rounds = false;  // every variant runs in every round; without --rounds, at least 3
  // The hooks are not timed. Each hook is optional.
  std::function<void(const std::filesystem::path& folder)> prepare = nullptr;  // once
  std::function<void(run&)> before = nullptr;  // before each repetition
  std::function<void(run&)> after = nullptr;   // after each repetition; may throw
  std::function<void(run&)> check =
      nullptr;  // after the warm-up of a variant in a setting; throws if the result is wrong
  std::function<std::vector<finding>(const outcome&)> findings = nullptr;
  std::vector<published_table> published_tables = {};
  std::vector<chart> charts = {};
  std::optional<bench::headline> headline = std::nullopt;

  // The two variants that --profile compares, at the first value of each factor.
  std::pair<std::string, std::string> profiled_variants = {};
};
// NOLINTEND(readability-redundant-member-init,readability-redundant-string-init)

/// The times of single operations in seconds. Mean and median exclude 5 % at each end.
struct distribution {
  double min = 0, mean = 0, median = 0, max = 0;
  double p5 = 0, p25 = 0, p75 = 0, p95 = 0;  // percentiles of all operations
};

/// The times of one variant in one setting, in seconds.
struct measurement {
  std::string variant;
  bench::role role = bench::role::peer;
  bench::setting setting;
  bench::load load;
  std::vector<double> wall;
  std::vector<double> cpu;
  std::optional<std::uint64_t> bytes_read =
      std::nullopt;  // from the last repetition that reported a count
  std::optional<std::uint64_t> bytes_written = std::nullopt;  // likewise
  std::optional<std::uint64_t> requests = std::nullopt;       // likewise
  std::optional<double> dollars = std::nullopt;               // likewise
  std::optional<distribution> per_operation = std::nullopt;   // from a separate pass
};

/// The result of an experiment in one folder.
struct outcome {
  std::vector<factor> factors;
  std::vector<measurement> measurements;  // with at least one timed repetition each
  bool complete = true;

  /// Returns the median wall time in seconds of the first measurement of a variant with these
  /// values. A factor of layout::axis without a value in `at` has its default. If there is no such
  /// measurement, returns nothing.
  std::optional<double> median(std::string_view variant, const choices& at = {}) const;

  /// Returns the values of the factors with this layout as one text, without defaults: ", sorted,
  /// rb".
  std::string label(const measurement& row, layout shown_as) const;
  /// Returns the variant's name, and the values that distinguish its rows.
  std::string row_name(const measurement& row) const;
};

/// Registers an experiment at program start. An experiment for stores has the same number and name
/// as its counterpart for files.
struct registration {
  registration(int number, experiment (*make)(const request&), medium for_medium = medium::files);
};

/// Makes all experiments, ordered by number. For a store, an experiment's version for stores
/// replaces its version for files. Making an experiment is cheap: `prepare` makes the files.
std::vector<experiment> experiments(const request& wanted);

}  // namespace bench
