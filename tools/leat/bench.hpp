// What an experiment is: factors, variants and the work. A file in experiments/ declares one.
#pragma once

#include <leat/simulated.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace bench {

struct outcome;
struct measurement;

/// A run that cannot go on; the message is for the user.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws "cannot write 'out.csv': No space left on device".
[[noreturn]] void fail(std::string_view verb, const std::filesystem::path& what,
                       std::error_code error);
/// The same of an errno.
[[noreturn]] void fail(std::string_view verb, const std::filesystem::path& what, int error);

/// What a variant is to the others: ratios are taken to the baseline; a floor shows what the
/// machine allows and wins nothing.
enum class role { baseline, leat, peer, floor };

std::string_view name_of(role part);

/// One value of a factor. An empty one leaves the choice to the variant.
struct value {
  std::string text;                    // in a table
  std::optional<std::int64_t> number;  // in JSON, instead of the text

  bool operator==(const value&) const = default;
  bool is_default() const { return text.empty(); }
};

/// A size in bytes, shown as "32 KiB".
value bytes(std::int64_t count);

/// The sizes from `first` to `last`, doubling.
std::vector<value> doubling(std::int64_t first, std::int64_t last);

/// Where the values of a factor stand: each in a table of its own, each in a row of its own, or
/// along the axis of a second table, the default of each variant staying in the first.
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
  std::string operation;  // "line": the speed is given in ns a line; empty: in MB/s
};

/// Values of some factors; the others are left to each variant.
using choices = std::vector<std::pair<std::string, value>>;

/// One repetition, as the hooks and the work see it.
struct run {
  const setting& at;
  std::filesystem::path folder;  // private to the experiment
  std::filesystem::path file;    // a name in it, for experiments that need just one
  std::uint64_t answer = 0;      // what the work found, for `check`
  std::optional<std::uint64_t> bytes_read = std::nullopt;  // of the file, where the work can tell
  std::optional<double> simulated = std::nullopt;  // seconds by the clock of a simulated disk
};

struct variant {
  std::string name;
  role part = role::peer;
  std::function<void(run&)> work;                         // one repetition: all that is timed
  std::function<bool(const setting&)> applies = nullptr;  // none: everywhere
  // The same with the clock read around each operation; returns their seconds.
  std::function<std::vector<double>(run&)> one_by_one = nullptr;
};

enum class size { tiny, quick, published };  // tiny: for tests, says nothing

/// What is wanted of an experiment.
struct request {
  size how_much = size::quick;
  std::optional<leat::simulated_disk> disk = std::nullopt;          // none: the real one
  std::uint64_t space = std::numeric_limits<std::uint64_t>::max();  // bytes that are free for it
};

/// Whether the figures show what was published, or promised.
enum class judgement { none, confirmed, not_confirmed };

/// What an experiment found, in one sentence.
struct finding {
  std::string text;
  judgement says = judgement::none;
};

/// A sentence up to its last words: "... is" confirmed, or not.
finding judged(std::string claim, bool holds);

/// Figures as they were published.
struct published_table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// What is drawn: the time; the speed in MB/s; or what single operations take, as boxes.
enum class quantity { time, speed, each };

// GCC wants to see the initialisers of what designated ones may leave out.
// NOLINTBEGIN(readability-redundant-member-init,readability-redundant-string-init)

/// A picture of a part of the figures, in the form in which they were published.
struct chart {
  std::string title;
  choices where = {};  // of all that is drawn
  // Along a logarithmic scale: a curve for each variant that varies, a level for those that do
  // not. None: a bar for each variant.
  std::string axis = "";
  quantity of = quantity::time;
  bool logarithmic = false;                                 // the quantity's scale
  std::function<bool(const measurement&)> shows = nullptr;  // none: all that is there
  std::string note = "";                                    // more for the reader
};

/// The comparison that speaks for the whole experiment.
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
  std::string cached;        // what of it the system's cache holds
  std::vector<factor> factors;
  std::vector<variant> variants;
  std::function<bench::load(const setting&)> load;
  std::uint64_t space = 0;    // bytes it needs in its folder
  double share = 1;           // of the time that experiments usually get
  bool simulates = false;     // on the disk that was asked for
  bool equal_rounds = false;  // every variant runs in each round, three at least

  // None of these is timed, and each may be left out.
  std::function<void(const std::filesystem::path& folder)> prepare = nullptr;  // once
  std::function<void(run&)> before = nullptr;                                  // each repetition
  std::function<void(run&)> after = nullptr;  // each repetition; throws if it can tell of harm
  std::function<void(run&)> check = nullptr;  // the first one; throws if the result is wrong

  std::function<std::vector<finding>(const outcome&)> findings = nullptr;
  std::vector<published_table> figures = {};
  std::vector<chart> charts = {};
  std::optional<bench::headline> headline = std::nullopt;

  // Two variants to compare function by function, at the first value of each factor.
  std::pair<std::string, std::string> profiled = {};
};
// NOLINTEND(readability-redundant-member-init,readability-redundant-string-init)

/// What single operations took, in seconds. Mean and median are of the middle 90 %.
struct distribution {
  double min = 0, mean = 0, median = 0, max = 0;
  double p5 = 0, p25 = 0, p75 = 0, p95 = 0;  // percentiles of all
};

/// What was measured of one variant in one setting, in seconds.
struct measurement {
  std::string variant;
  role part = role::peer;
  setting at;
  bench::load load;
  std::vector<double> wall;
  std::vector<double> cpu;
  std::optional<std::uint64_t> bytes_read = std::nullopt;  // in the last repetition
  std::optional<distribution> each = std::nullopt;         // in a pass of its own
};

/// What an experiment gave in one folder.
struct outcome {
  std::vector<factor> factors;
  std::vector<measurement> measured;  // those with at least one repetition
  bool complete = true;

  /// The median time of a variant where the factors named have these values and the others are
  /// left to it, if it was measured.
  std::optional<double> median(std::string_view variant, const choices& at = {}) const;

  /// The values of those factors that are shown this way, as one text: ", sorted, rb".
  std::string label(const measurement& one, layout how) const;
  /// A variant with what tells its rows apart.
  std::string row_name(const measurement& one) const;
};

/// Adds an experiment to the command. A file in experiments/ has one of these.
struct registration {
  registration(int number, experiment (*make)(const request&));
};

/// All experiments, in the order of their numbers. Making one is cheap: `prepare` does the rest.
std::vector<experiment> experiments(const request& wanted);

}  // namespace bench
