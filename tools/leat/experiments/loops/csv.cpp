// `leat bench loops/csv`, `loops/csv-file` and `loops/csv-write`: rows of CSV. The loops count
// commas and fields, sum three of seven columns in memory and in a file (compared to other
// programs), and write a large file. Lengths and magnitudes are random.
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"
#include "system/path_text.hpp"
#include "system/system.hpp"

#if defined(LEAT_BENCH_ZSV)
extern "C" {
#  define restrict __restrict
#  include <zsv.h>
#  undef restrict
}
#endif

namespace bench::loops_csv {

namespace {

/// Writes rows until the stream has at least `size` bytes. Seven columns: int, int64, text, double,
/// city, text with optional quotes, score.
void write_rows(leat::writer& out, std::size_t size, bool quotes) {
  constexpr std::string_view cities[] = {"Hamburg", "Oslo", "San Francisco",      "Rio",
                                         "Wien",    "Ulm",  "Thiruvananthapuram", "Addis Ababa"};
  constexpr std::string_view ends[] = {"", ",", "\"\"", "\n", ""};
  std::mt19937_64 random(7);
  const auto letters = [&](std::size_t count) {
    std::string text(count, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
    return text;
  };
  while (out.tell() < size) {
    const auto id = static_cast<int>(random() >> 33 >> random() % 31);
    auto large = static_cast<std::int64_t>(random() >> 1 >> random() % 60);
    if (random() % 2 == 0) large = -large;
    const std::string name = letters(3 + random() % 12);
    const auto kind = random() % 3;
    const double value = kind == 0   ? static_cast<double>(random() % 10'000'000) / 100
                         : kind == 1 ? static_cast<double>(random() % 100'000) / 1000
                                     : static_cast<double>(random() >> 11) * 0x1p-53;
    const std::string_view city = cities[random() % std::size(cities)];
    std::string note = letters(random() % 20);
    if (quotes && random() % 2 == 0)
      note = '"' + note + std::string(ends[random() % std::size(ends)]) + '"';
    out.println("{},{},{},{},{},{},{}", id, large, name, value, city, note, random() % 100);
  }
}

struct sums {
  std::uint64_t rows = 0;
  std::int64_t id = 0;
  std::uint64_t large = 0;
  double value = 0;

  void add(int a, std::int64_t b, double c) {
    ++rows;
    id += a;
    large += static_cast<std::uint64_t>(b);
    value += c;
  }
  void add(std::string_view a, std::string_view b, std::string_view c) {
    add(leat::parse<int>(a).value, leat::parse<std::int64_t>(b).value,
        leat::parse<double>(c).value);
  }
};

// --- leat and its peers

std::size_t count_commas(leat::reader& in) {
  std::size_t found = 0;
  for (auto window = in.window(); !window.empty(); window = in.window()) {
    found += leat::count(window, ',');
    in.skip(window.size());
  }
  return found;
}

std::size_t count_fields(leat::reader& in, bool quotes) {
  std::size_t found = 0;
  for (const leat::row& row : in.rows({.quotes = quotes})) found += row.size();
  return found;
}

sums by_rows(leat::reader& in, bool quotes) {
  sums all;
  for (const leat::row& row : in.rows({.quotes = quotes})) all.add(row[0], row[1], row[3]);
  return all;
}

sums by_lines_and_fields(leat::reader& in, bool) {
  sums all;
  for (std::string_view line : in.lines()) {
    auto field = leat::fields(line).begin();
    const std::string_view id = *field++;
    const std::string_view large = *field++;
    all.add(id, large, *++field);
  }
  return all;
}

/// Finds each field with memchr, and parses numbers with std::from_chars.
sums by_from_chars(leat::reader& in, bool) {
  sums all;
  for (std::string_view line : in.lines()) {
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto next = [&] {
      at = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at))) + 1;
    };
    int id = 0;
    std::int64_t large = 0;
    double value = 0;
    std::from_chars(at, end, id);
    next();
    std::from_chars(at, end, large);
    next();
    next();
    std::from_chars(at, end, value);
    all.add(id, large, value);
  }
  return all;
}

sums by_getline(std::istream&& in) {
  sums all;
  for (std::string line; std::getline(in, line);) {
    char* at = line.data();
    const auto id = static_cast<int>(std::strtol(at, &at, 10));
    const std::int64_t large = std::strtoll(at + 1, &at, 10);
    all.add(id, large, std::strtod(std::strchr(at + 1, ',') + 1, nullptr));
  }
  return all;
}

sums in_two_threads(const std::filesystem::path& path) {
  auto parts = leat::split(path, 2);
  std::vector<sums> found(parts.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i != parts.size(); ++i)
      threads.emplace_back([&, i] { found[i] = by_rows(parts[i], false); });
  }
  sums all;
  for (const sums& one : found) {
    all.rows += one.rows;
    all.id += one.id;
    all.large += one.large;
    all.value += one.value;
  }
  return all;
}

#if defined(LEAT_BENCH_ZSV)
struct zsv_context {
  zsv_parser parser = nullptr;
  sums all;
};
sums by_zsv(const std::filesystem::path& path) {
  zsv_opts options{};
  zsv_context context;
  options.ctx = &context;
  c_file file(path, "rb");
  options.stream = file.get();
  options.row_handler = [](void* given) {
    auto& to = *static_cast<zsv_context*>(given);
    const auto parse = [&](std::size_t i, auto& value) {
      const zsv_cell c = zsv_get_cell(to.parser, i);
      const auto* text = reinterpret_cast<const char*>(c.str);
      std::from_chars(text, text + c.len, value);
    };
    int id = 0;
    std::int64_t large = 0;
    double value = 0;
    parse(0, id);
    parse(1, large);
    parse(3, value);
    to.all.add(id, large, value);
  };
  context.parser = zsv_new(&options);
  while (zsv_parse_more(context.parser) == zsv_status_ok) {
  }
  zsv_finish(context.parser);
  zsv_delete(context.parser);
  file.close();
  return context.all;
}
#endif

// --- other programs

/// Each script prints the seconds of its work, without the start of Python, and then its results.
constexpr const char* scripts[][2] = {{"polars", R"py(
import polars as pl, sys, time
begin = time.time()
names = ["id", "large", "name", "value", "city", "note", "score"]
rows = pl.scan_csv(sys.argv[1], has_header=False, new_columns=names).select(
    pl.len(), pl.col("id").cast(pl.Int64).sum(), pl.col("large").sum(),
    pl.col("value").sum()).collect(engine="streaming").row(0)
print(time.time() - begin, *rows))py"},
                                      {"pandas", R"py(
import pandas, sys, time
begin = time.time()
data = pandas.read_csv(sys.argv[1], header=None, usecols=[0, 1, 3])
print(time.time() - begin, len(data), int(data[0].sum()), int(data[1].sum()), float(data[3].sum())))py"},
                                      {"duckdb", R"py(
import duckdb, sys, time
duckdb.sql("set threads=1; set enable_progress_bar=false")
begin = time.time()
columns = dict(id="INT", large="BIGINT", name="VARCHAR", value="DOUBLE", city="VARCHAR",
               note="VARCHAR", score="INT")
rows = duckdb.sql(f"select count(*), sum(id), sum(large), sum(value) from read_csv('{sys.argv[1]}', "
                  f"header=false, columns={columns}, quote='\"')").fetchall()[0]
print(time.time() - begin, *rows))py"}};

bool has_module(const char* name) {
  const auto import_check =
      fmt::format("import importlib.util as u; exit(not u.find_spec('{}'))", name);
  return is_installed("python3") && run_quietly({"python3", "-c", import_check}).code == 0;
}

/// Runs a program that prints its sums. If `prints_seconds` is true, the program prints its seconds
/// before the sums. The sum of `large` is not returned, because the sum wraps in some programs
/// only.
sums by_program(std::vector<std::string> words, run& this_run, bool prints_seconds) {
  words.insert(words.begin(), {"env", "POLARS_MAX_THREADS=1", "OMP_NUM_THREADS=1"});
  program_pipe program(words);
  sums all;
  double seconds = 0, large = 0, id = 0, rows = 0;
  if (prints_seconds && std::fscanf(program.get(), "%lf", &seconds) != 1) seconds = 0;
  if (std::fscanf(program.get(), "%lf %lf %lf %lf", &rows, &id, &large, &all.value) != 4)
    throw failure(fmt::format("{} printed no sums", words[3]));
  program.close();
  if (prints_seconds) this_run.reported_seconds = seconds;
  all.rows = static_cast<std::uint64_t>(rows);
  all.id = static_cast<std::int64_t>(id);
  return all;
}

constexpr auto awk_program =
    "{n++; a += $1; b += $2; c += $4} END {printf \"%d %.0f %.0f %.9g\\n\", "
    "n, a, b, c}";

void require_same(const sums& found, const sums& right) {
  if (found.rows != right.rows || found.id != right.id ||
      std::abs(found.value - right.value) > 1e-6 * std::abs(right.value))
    throw failure("the sums differ from leat's");
}

// --- the experiments

constexpr std::size_t text_size = 64 << 20;

/// Returns the rows as text. `size` must be the same at every call.
const std::string& text_of_rows(std::size_t size, bool quotes) {
  static const std::string texts[] = {[=] {
                                        leat::string_writer out;
                                        write_rows(out, size, false);
                                        return out.take();
                                      }(),
                                      [=] {
                                        leat::string_writer out;
                                        write_rows(out, size, true);
                                        return out.take();
                                      }()};
  return texts[quotes ? 1 : 0];
}

/// Returns the load of a row. The report shows the row's speed in MB/s.
load speed_of(const setting& at, std::size_t bytes) { return {at["loop"].text, bytes, 1, ""}; }

experiment make_csv_in_memory(const request& wanted) {
  loops all(wanted, text_size);
  const std::size_t size = wanted.size == size::tiny ? all.count() : text_size;
  const auto add = [&](const char* row, const char* variant, bool quotes, auto task) {
    all.add(row, variant, [=](run&) mutable { use(task(text_of_rows(size, quotes))); });
  };
  add("count_commas", "by hand, memcpy", false,
      [to = std::string()](const std::string& text) mutable {
        to.resize(text.size());
        std::memcpy(to.data(), text.data(), text.size());
        return to.back();
      });
  add("count_commas", "leat", false,
      [](const std::string& text) { return leat::count(text, ','); });
  add("count_commas", "std::ranges::count", false,
      [](const std::string& text) { return std::ranges::count(text, ','); });
  const auto over = [&](const char* row, const char* variant, bool quotes, auto task) {
    add(row, variant, quotes, [=](const std::string& text) {
      leat::memory_reader in(text);
      return task(in, quotes);
    });
  };
  for (const bool quotes : {false, true}) {
    over(quotes ? "count_fields_quotes" : "count_fields", "leat", quotes, count_fields);
    over(quotes ? "sum_quotes" : "sum", "leat", quotes,
         [](leat::reader& in, bool q) { return by_rows(in, q).id; });
  }
  over("sum", "leat lines and fields", false,
       [](leat::reader& in, bool q) { return by_lines_and_fields(in, q).id; });
  over("sum", "std::from_chars", false,
       [](leat::reader& in, bool q) { return by_from_chars(in, q).id; });
  add("sum", "getline", false,
      [](const std::string& text) { return by_getline(std::istringstream(text)).id; });
  auto experiment = all.make_experiment("csv", "rows of CSV in memory", "");
  experiment.load = [size](const setting& at) { return speed_of(at, size); };
  return experiment;
}

/// To run the other programs on one CPU, start `leat bench` with taskset.
experiment make_csv_file(const request& wanted) {
  const std::size_t size = wanted.sized(1'000'000'000, 100'000'000, 1'000'000);
  loops all(wanted, size);
  const auto path = [](run& this_run, bool quotes) {
    return this_run.folder / (quotes ? "quotes" : "plain");
  };
  const auto add = [&](const char* variant, bool with_quotes, auto task) {
    for (const bool quotes : {false, true})
      if (!quotes || with_quotes)
        all.add(quotes ? "quotes" : "plain", variant, [=](run& this_run) {
          const sums found = task(this_run, path(this_run, quotes), quotes);
          if (!this_run.is_warm_up) return;
          auto in = leat::open(path(this_run, quotes));
          require_same(found, by_rows(in, quotes));
        });
  };
  const auto over = [&](const char* variant, bool with_quotes, auto task) {
    add(variant, with_quotes, [=](run&, const std::filesystem::path& file, bool quotes) {
      auto in = leat::open(file);
      return task(in, quotes);
    });
  };
  const auto count = [&](const char* variant, std::size_t (*task)(leat::reader&)) {
    all.add("plain", variant, [=](run& this_run) {
      auto in = leat::open(path(this_run, false));
      use(task(in));
    });
  };
  over("leat", true, by_rows);
  count("leat read only", [](leat::reader& in) {
    std::size_t bytes = 0;
    for (auto window = in.window(); !window.empty(); window = in.window()) {
      bytes += window.size();
      in.skip(window.size());
    }
    return bytes;
  });
  count("leat count of commas", count_commas);
  count("leat count of fields", [](leat::reader& in) { return count_fields(in, false); });
  over("leat lines and fields", false, by_lines_and_fields);
  add("leat in two threads", false,
      [](run&, const std::filesystem::path& file, bool) { return in_two_threads(file); });
  over("std::from_chars", false, by_from_chars);
  add("getline", false, [](run&, const std::filesystem::path& file, bool) {
    return by_getline(std::ifstream(file));
  });
#if defined(LEAT_BENCH_ZSV)
  add("zsv", true, [](run&, const std::filesystem::path& file, bool) { return by_zsv(file); });
#endif
  add("mawk", false, [](run& this_run, const std::filesystem::path& file, bool) {
    return by_program({"mawk", "-F,", awk_program, utf8_from_path(file)}, this_run, false);
  });
  for (const auto& [name, script] : scripts)
    add(name, true, [script](run& this_run, const std::filesystem::path& file, bool) {
      return by_program({"python3", "-c", script, utf8_from_path(file)}, this_run, true);
    });
  auto experiment = all.make_experiment("csv-file", "the sums of three columns of a CSV file", "");
  experiment.cached = "The file is in the page cache.";
  experiment.load = [size](const setting& at) { return speed_of(at, size); };
  experiment.space = 2 * size;
  experiment.prepare = [size](const std::filesystem::path& folder) {
    for (const bool quotes : {false, true}) {
      auto out = leat::create(folder / (quotes ? "quotes" : "plain"));
      write_rows(out, size, quotes);
      out.close();
    }
  };
  // Checks whether a program is installed only for the program's own rows, because the check for a
  // module starts Python.
  for (auto& one : experiment.variants) {
    const bool is_module =
        std::ranges::find(scripts, one.name, [](auto& s) { return s[0]; }) != std::end(scripts);
    if (!is_module && one.name != "mawk") continue;
    one.applies = [usual = one.applies, name = one.name, is_module](const setting& at) {
      return usual(at) && (is_module ? has_module(name.c_str()) : is_installed("mawk"));
    };
  }
  return experiment;
}

/// Writes rows to a file. Measures the cost of formatting, the cost of the kernel, and the time
/// that the options `background` and `preallocate` save.
experiment make_csv_write(const request& wanted) {
  const std::size_t size = wanted.sized(1U << 30, 1U << 26, 1U << 20);
  struct row {
    int number;
    std::int64_t large;
    double price;
  };
  const auto write = [size](leat::writer& out) {
    static const std::vector<row> rows = [] {
      std::mt19937_64 random(1);
      std::vector<row> all(1 << 16);
      for (row& r : all)
        r = {static_cast<int>(random() >> (33 + random() % 31)),
             static_cast<std::int64_t>(random() >> (1 + random() % 63)),
             static_cast<double>(random() % 1'000'000) / 100};
      return all;
    }();
    const std::chrono::sys_seconds start{std::chrono::seconds(1'795'253'239)};
    constexpr std::string_view text = "test data";
    for (std::size_t i = 0; i != size / 44; ++i) {  // a line has about 44 bytes
      const row& r = rows[i % rows.size()];
      out.print("{},{},{},{},{}\n", r.number, r.large, r.price, text,
                start + std::chrono::seconds(i / 1000));
    }
  };
  loops all(wanted, size);
  const auto print = [&](const char* variant, const leat::create_options& options) {
    all.add("write", variant, [=](run& this_run) {
      auto out = leat::create(
          variant == std::string("formatting only") ? null_device : this_run.file, options);
      write(out);
      out.close();
    });
  };
  print("leat", {});
  print("leat, background", {.background = true});
  print("leat, preallocate", {.preallocate = size});
  print("leat, both", {.background = true, .preallocate = size});
  print("formatting only", {});
  all.add("write", "by hand, ready bytes", [size](run& this_run) {
    const std::string ready(256 << 10, 'x');
    raw_file out(this_run.file);
    for (std::size_t done = 0; done < size; done += ready.size()) out.write(ready);
    out.close();
  });
  auto experiment = all.make_experiment("csv-write", "a large file of CSV", "");
  experiment.cached = "The file is written to the page cache.";
  experiment.load = [size](const setting& at) { return speed_of(at, size); };
  experiment.space = 2 * size;
  experiment.before = [](run& this_run) { std::filesystem::remove(this_run.file); };
  return experiment;
}

const registration csv(113, make_csv_in_memory), csv_file(114, make_csv_file),
    csv_write(115, make_csv_write);

}  // namespace

}  // namespace bench::loops_csv
