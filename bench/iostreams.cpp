// What <leat/fstream.hpp> gains: loops over std's streams, and the same loops over leat's. Values
// have all lengths and magnitudes, in an order that no branch predictor learns.
//
//   bench_iostreams --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//       --benchmark_min_time=0.05 --benchmark_format=csv | bench/ratios      (one line)
//   bench_iostreams --count 'read_int/leat' 100000     runs one, for callgrind and perf
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <leat/fstream.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// More than branch predictors learn.
constexpr std::size_t row_count = 1 << 16;

struct row {
  int any, other;      // of any number of digits, and any sign
  int small, smaller;  // below a million, evenly
  double real;         // all 17 digits, of magnitudes from 1e-6 to 1e6
  std::string text;    // of 3 to 42 characters
};

std::vector<row> make_rows() {
  std::mt19937_64 random(1);
  const auto integer = [&] {
    const int magnitude = static_cast<int>(random() >> (33 + random() % 31));
    return random() % 2 == 0 ? magnitude : -magnitude;
  };
  std::vector<row> rows(row_count);
  for (row& r : rows) {
    r.any = integer();
    r.other = integer();
    r.small = static_cast<int>(random() % 1'000'000);
    r.smaller = static_cast<int>(random() % 1'000'000);
    r.real = static_cast<double>(random()) * 0x1p-64;
    for (auto zeros = random() % 13; zeros != 0; --zeros) r.real *= 10;
    r.real *= 1e-6;
    for (auto size = 3 + random() % 40; size != 0; --size)
      r.text += static_cast<char>('a' + random() % 26);
  }
  return rows;
}
const std::vector<row>& rows() {
  static const std::vector<row> made = make_rows();
  return made;
}

/// A file of a line for each row, which is removed at the end.
class input_file {
 public:
  template <class Print>
  input_file(const char* name, const Print& print)
      : path_((std::filesystem::temp_directory_path() /
               (std::string("leat-bench-") + name + std::to_string(::getpid())))
                  .string()) {
    std::ofstream out(path_);
    out << std::setprecision(17);
    for (const row& r : rows()) {
      print(out, r);
      out << '\n';
    }
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Does the work `count` times.
using work = std::function<void(std::size_t count)>;
std::vector<std::pair<std::string, work>> all;

template <class Stream, class Write>
void add_writing_to(const std::string& name, const Write& write) {
  auto out = std::make_shared<Stream>("/dev/null");
  all.emplace_back(name, [out, write, start = std::size_t{}](std::size_t count) mutable {
    Stream& to = *out;
    const row* const first = rows().data();
    for (std::size_t at = start; at != start + count; ++at) write(to, first[at % row_count]);
    start += count;
  });
}
/// Both ways of a line. `write` is generic.
template <class Write>
void add_writing(const std::string& name, const Write& write) {
  add_writing_to<std::ofstream>(name + "/std", write);
  add_writing_to<leat::ofstream>(name + "/leat", write);
}

template <class Stream, class Read>
void add_reading_from(const std::string& name, const std::string& path, const Read& read) {
  auto in = std::make_shared<Stream>(path);
  all.emplace_back(name, [in, read = read](std::size_t count) mutable {
    Stream& from = *in;
    while (count != 0) {
      if (!read(from)) {
        from.clear();
        from.seekg(0);
      } else {
        --count;
      }
    }
  });
}
template <class Read>
void add_reading(const std::string& name, const input_file& file, const Read& read) {
  add_reading_from<std::ifstream>(name + "/std", file.path(), read);
  add_reading_from<leat::ifstream>(name + "/leat", file.path(), read);
}

/// Any character, without a look at the row: that would take longer than to write it.
char character_of(const row& r) {
  return static_cast<char>('a' + reinterpret_cast<std::uintptr_t>(&r) / alignof(row) % 16);
}

// What knows only std's classes, as most code.
[[gnu::noinline]] void print_line(std::ostream& out, int value) { out << value << '\n'; }
[[gnu::noinline]] void print_line(std::ostream& out, double value) { out << value << '\n'; }
[[gnu::noinline]] bool read_one(std::istream& in, int& value) {
  return static_cast<bool>(in >> value);
}
[[gnu::noinline]] bool read_one(std::istream& in, double& value) {
  return static_cast<bool>(in >> value);
}

void add_output() {
  add_writing("two_ints", [](auto& out, const row& r) { out << r.any << ' ' << r.other << '\n'; });
  add_writing("two_ints_below_a_million",
              [](auto& out, const row& r) { out << r.small << ' ' << r.smaller << '\n'; });
  add_writing("double", [](auto& out, const row& r) { out << r.real << '\n'; });
  add_writing("double_of_17_digits",
              [](auto& out, const row& r) { out << std::setprecision(17) << r.real << '\n'; });
  add_writing("fixed_of_3_decimals_in_12", [](auto& out, const row& r) {
    out << std::fixed << std::setprecision(3) << std::setw(12) << r.real << '\n';
  });
  add_writing("hex", [](auto& out, const row& r) { out << std::hex << r.any << '\n'; });
  add_writing("setw_6", [](auto& out, const row& r) { out << std::setw(6) << r.small << '\n'; });
  add_writing("string", [](auto& out, const row& r) { out << r.text << ' '; });
  add_writing("literal", [](auto& out, const row&) { out << "a few words" << '\n'; });
  add_writing("char", [](auto& out, const row& r) { out << character_of(r); });
  add_writing("put", [](auto& out, const row& r) { out.put(character_of(r)); });
  add_writing("ostream_int", [](auto& out, const row& r) { print_line(out, r.any); });
  add_writing("ostream_double", [](auto& out, const row& r) { print_line(out, r.real); });
}

/// With `getline` as it is found without `std::`.
template <class Stream>
bool read_line(Stream& in, std::string& line) {
  return static_cast<bool>(getline(in, line));
}

void add_input() {
  static const input_file ints("ints", [](auto& out, const row& r) { out << r.any; });
  static const input_file small("small", [](auto& out, const row& r) { out << r.small; });
  static const input_file reals("reals", [](auto& out, const row& r) { out << r.real; });
  static const input_file texts("texts", [](auto& out, const row& r) { out << r.text; });
  static const input_file lines(
      "lines", [](auto& out, const row& r) { out << r.text << ' ' << r.text << ' ' << r.any; });
  const auto value = [](auto one) {
    return [one](auto& in) mutable {
      const bool good = static_cast<bool>(in >> one);
      benchmark::DoNotOptimize(one);
      return good;
    };
  };
  add_reading("read_int", ints, value(0));
  add_reading("read_int_below_a_million", small, value(0));
  add_reading("read_double", reals, value(0.0));
  add_reading("read_word", texts, value(std::string()));
  add_reading("read_char", texts, value(' '));
  add_reading("get", texts, [](auto& in) {
    const auto c = in.get();
    benchmark::DoNotOptimize(c);
    return c != std::char_traits<char>::eof();
  });
  add_reading("getline", texts,
              [line = std::string()](auto& in) mutable { return read_line(in, line); });
  add_reading("getline_of_50", lines,
              [line = std::string()](auto& in) mutable { return read_line(in, line); });
  add_reading("std_getline", texts, [line = std::string()](auto& in) mutable {
    return static_cast<bool>(std::getline(in, line));
  });
  add_reading("istream_int", ints, [](auto& in) {
    int one = 0;
    return read_one(in, one);
  });
  add_reading("istream_double", reals, [](auto& in) {
    double one = 0;
    return read_one(in, one);
  });
}

template <class Work>
void add_loop(const std::string& name, const Work& work_on) {
  all.emplace_back(name, [work_on, start = std::size_t{}](std::size_t count) mutable {
    const row* const first = rows().data();
    for (std::size_t at = start; at != start + count; ++at) work_on(first[at % row_count]);
    start += count;
  });
}

template <class Output, class Input>
void add_strings_of(const std::string& peer) {
  add_loop("ostringstream/" + peer, [](const row& r) {
    Output out;
    out << "id " << r.small << ": " << r.smaller;
    benchmark::DoNotOptimize(out.str());
  });
  add_loop("ostringstream_of_a_double/" + peer, [](const row& r) {
    Output out;
    out << r.real;
    benchmark::DoNotOptimize(out.str());
  });
  add_loop("istringstream/" + peer, [text = std::string("1234 56")](const row&) {
    Input in(text);
    int a = 0, b = 0;
    in >> a >> b;
    benchmark::DoNotOptimize(a + b);
  });
  auto again = std::make_shared<Output>();
  add_loop("ostringstream_used_again/" + peer, [again](const row& r) {
    again->str(std::string());
    *again << "id " << r.small << ": " << r.smaller;
    benchmark::DoNotOptimize(again->str());
  });
}

constexpr std::size_t batch = 1024;

void run(benchmark::State& state, const work& loop) {
  loop(row_count);  // warms the caches up
  while (state.KeepRunningBatch(batch)) loop(batch);
}

}  // namespace

int main(int argc, char** argv) {
  add_output();
  add_input();
  add_strings_of<std::ostringstream, std::istringstream>("std");
  add_strings_of<leat::ostringstream, leat::istringstream>("leat");
  if (argc == 4 && std::string_view(argv[1]) == "--count") {
    for (const auto& [name, loop] : all) {
      if (name != argv[2]) continue;
      loop(std::strtoull(argv[3], nullptr, 10));
      return 0;
    }
    std::fprintf(stderr, "bench_iostreams: there is no '%s'\n", argv[2]);
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& [name, loop] : all)
    benchmark::RegisterBenchmark(name.c_str(), [&loop = loop](auto& state) { run(state, loop); });
  benchmark::RunSpecifiedBenchmarks();
}
