// `leat bench iostreams`: programs that use iostreams, as the same loops over std's streams and
// over leat's streams. A program over leat's streams differs in one word, the namespace of the
// stream's class.
#include <fmt/format.h>
#include <leat/fstream.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/peers.hpp"
#include "experiments/texts.hpp"
#include "reporting/text.hpp"
#include "system/platform.hpp"

namespace bench::experiment_iostreams {

namespace {

/// Values of all lengths and magnitudes, in an order that no branch predictor learns.
struct input {
  std::size_t count = 0;
  std::vector<int> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;
  std::string characters;
};

struct std_streams {
  using output = std::ofstream;
  using input = std::ifstream;
  using text = std::ostringstream;
};
struct leat_streams {
  using output = leat::ofstream;
  using input = leat::ifstream;
  using text = leat::ostringstream;
};

enum class stream_kind { output, text, input };

struct task {
  const char* name;
  const char* unit;
  stream_kind kind;
  const char* file = "";  // name of the file to read; empty: the task reads no file
  double promised = 0;    // promised speed-up over libstdc++ and libc++
};

constexpr task two_ints{"two ints", "line", stream_kind::output, "", 5};
constexpr task doubles{"double", "line", stream_kind::output, "", 8};
constexpr task ints_by_base{"int, std::ostream&", "line", stream_kind::output, "", 1.3};
constexpr task doubles_by_base{"double, std::ostream&", "line", stream_kind::output, "", 3};
constexpr task characters{"char by char", "character", stream_kind::output, "", 3};
constexpr task short_texts{"ostringstream", "text", stream_kind::text, "", 2};
constexpr task read_ints{">> int", "number", stream_kind::input, "ints", 6};
constexpr task read_doubles{">> double", "number", stream_kind::input, "doubles", 5};
constexpr task read_lines{"getline", "line", stream_kind::input, "texts", 3};
constexpr std::array tasks{two_ints,    doubles,   ints_by_base, doubles_by_base, characters,
                           short_texts, read_ints, read_doubles, read_lines};

const task& task_of(const setting& at) {
  return *std::ranges::find_if(tasks, [&at](const task& one) { return at.has("work", one.name); });
}

void fill(input& in) {
  if (!in.integers.empty()) return;
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i != in.count; ++i) {
    const int magnitude = static_cast<int>(random() >> (33 + random() % 31));
    in.integers.push_back(random() % 2 == 0 ? magnitude : -magnitude);
    double real = static_cast<double>(random()) * 0x1p-64;
    for (auto zeros = random() % 13; zeros != 0; --zeros) real *= 10;
    in.reals.push_back(real * 1e-6);
    std::string text(3 + random() % 40, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
    in.characters += text.front();
    in.texts.push_back(std::move(text));
  }
}

// The function knows only the base class std::ostream, as most functions that print do.
template <class T>
[[gnu::noinline]] void print_line(std::ostream& out, T value) {
  out << value << '\n';
}

template <class Output>
void write_all(const input& in, const task& task, Output& out) {
  if (task.name == two_ints.name) {
    for (std::size_t i = 0; i != in.count; ++i)
      out << in.integers[i] << ' ' << in.integers[in.count - 1 - i] << '\n';
  } else if (task.name == doubles.name) {
    for (const double real : in.reals) out << real << '\n';
  } else if (task.name == ints_by_base.name) {
    for (const int integer : in.integers) print_line(out, integer);
  } else if (task.name == doubles_by_base.name) {
    for (const double real : in.reals) print_line(out, real);
  } else {
    for (const char c : in.characters) out.put(c);
  }
}

template <class Streams>
void write_to(const input& in, const task& task, const std::filesystem::path& path) {
  errno = 0;
  typename Streams::output out(path, std::ios::binary);
  write_all(in, task, out);
  out.close();
  if (!out) fail("write", path, errno != 0 ? errno : EIO);
}

template <class Streams>
void make_texts(const input& in, run& this_run) {
  line_digest all;
  for (const int integer : in.integers) {
    typename Streams::text text;
    text << "id " << integer << ": " << (integer & 0xFFF);
    all.add(text.str());
  }
  this_run.answer = all.value;
}

/// Calls `getline` without `std::`, so that ADL finds std's function or leat's.
template <class Streams>
void read_from(const task& task, run& this_run) {
  const auto path = this_run.folder / task.file;
  errno = 0;
  typename Streams::input in(path, std::ios::binary);
  if (!in) fail("open", path, errno != 0 ? errno : EIO);
  std::uint64_t sum = 0;
  if (task.name == read_ints.name) {
    for (int integer = 0; in >> integer;) sum += static_cast<std::uint64_t>(integer);
  } else if (task.name == read_doubles.name) {
    double all = 0;
    for (double real = 0; in >> real;) all += real;
    sum = std::bit_cast<std::uint64_t>(all);
  } else {
    line_digest all;
    for (std::string line; getline(in, line);) all.add(line);
    sum = all.value;
  }
  if (in.bad()) fail("read", path, errno != 0 ? errno : EIO);
  this_run.answer = sum;
}

template <class Streams>
void work(const input& in, run& this_run) {
  const task& task = task_of(this_run.setting);
  if (task.kind == stream_kind::output)
    write_to<Streams>(in, task,
                      this_run.is_warm_up ? this_run.file : std::filesystem::path(null_device));
  else if (task.kind == stream_kind::text)
    make_texts<Streams>(in, this_run);
  else
    read_from<Streams>(task, this_run);
}

std::string expected(const input& in, const task& task) {
  std::ostringstream out;
  write_all(in, task, out);
  return out.str();
}

void prepare(input& in, const std::filesystem::path& folder) {
  fill(in);
  std::string ints, reals, texts;
  for (std::size_t i = 0; i != in.count; ++i) {
    ints += fmt::format("{}\n", in.integers[i]);
    reals += fmt::format("{:.17g}\n", in.reals[i]);
    texts += in.texts[i] + '\n';
  }
  make_file(folder / read_ints.file, ints);
  make_file(folder / read_doubles.file, reals);
  make_file(folder / read_lines.file, texts);
}

std::uint64_t right_answer(const input& in, const task& task) {
  std::uint64_t sum = 0;
  line_digest all;
  double reals = 0;
  if (task.kind == stream_kind::text) {
    for (const int integer : in.integers)
      all.add(fmt::format("id {}: {}", integer, integer & 0xFFF));
  } else if (task.name == read_ints.name) {
    for (const int integer : in.integers) sum += static_cast<std::uint64_t>(integer);
    return sum;
  } else if (task.name == read_doubles.name) {
    for (const double real : in.reals) reals += real;
    return std::bit_cast<std::uint64_t>(reals);
  } else {
    for (const auto& text : in.texts) all.add(text);
  }
  return all.value;
}

/// Checks a result. Called after the warm-up, which writes into a file; the timed repetitions write
/// to the null device.
void require_right(const input& in, run& this_run) {
  const task& task = task_of(this_run.setting);
  if (task.kind == stream_kind::output) {
    require_content(this_run.file, expected(in, task));
    std::filesystem::remove(this_run.file);
  } else if (this_run.answer != right_answer(in, task)) {
    throw failure(fmt::format("{}: wrong values were read", task.name));
  }
}

constexpr auto ours = "leat's streams", theirs = "std's streams";

choices at(const task& task) { return {{"work", {task.name, {}}}}; }

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  for (const task& one : tasks) {
    const auto base = result.median(theirs, at(one)), time = result.median(ours, at(one));
    if (!base || !time) continue;
    found.push_back(check_claim(
        fmt::format("{}: leat's streams are {} as fast as std's", one.name, times(*base / *time)),
        fmt::format("leat promises {} with libstdc++ and libc++", times(one.promised)),
        *base / *time >= one.promised));
  }
  return found;
}

experiment make_iostreams(const request& wanted) {
  auto in = std::make_shared<input>();
  in->count = wanted.sized(1'000'000, 600'000, 5'000);
  constexpr std::size_t longest_line = 64;
  factor works{"work", {}, layout::table};
  for (const task& one : tasks) works.values.push_back({one.name, {}});
  return {
      .name = "iostreams",
      .title = "programs of iostreams, with one word changed",
      .published = "nothing; leat promises the figures below.",
      .cached = "Output goes to the null device. The files to read are in the page cache.",
      .factors = {works},
      .variants = {{theirs, role::baseline,
                    [in](run& this_run) { work<std_streams>(*in, this_run); }},
                   {ours, role::leat, [in](run& this_run) { work<leat_streams>(*in, this_run); }}},
      .load =
          [in](const setting& at) {
            const task& one = task_of(at);
            return load{fmt::format("{}: {} values of all lengths and magnitudes", one.name,
                                    grouped(in->count)),
                        in->count, in->count, one.unit};
          },
      .space = 4 * in->count * longest_line,
      .time_share = 0.3,
      .prepare = [in](const std::filesystem::path& folder) { prepare(*in, folder); },
      .check = [in](run& this_run) { require_right(*in, this_run); },
      .findings = findings,
      .charts = {{.title = "two integers and a newline", .where = at(two_ints)},
                 {.title = "integers by >>", .where = at(read_ints)},
                 {.title = "lines of 3 to 42 characters by getline", .where = at(read_lines)}},
      .headline = {{.work = "two integers and a newline by <<",
                    .ours = ours,
                    .ours_at = at(two_ints),
                    .theirs = theirs,
                    .theirs_at = at(two_ints)}},
  };
}

const registration iostreams(11, make_iostreams);

}  // namespace

}  // namespace bench::experiment_iostreams
