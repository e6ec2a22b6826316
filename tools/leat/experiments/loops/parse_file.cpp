// `leat bench loops/parse-file`: reads numbers and words from a file by the calls that a new user
// finds first, parse<T>(), words() and `>>`, compared to mmap with std::from_chars and to
// iostreams.
#include <leat/fstream.hpp>
#include <leat/leat.hpp>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"
#include "system/failure.hpp"

namespace bench::loops_parse_file {

namespace {

enum class value_kind { below_a_million, all_ints, longs, prices, doubles, words, long_words };

struct row {
  const char* name;
  value_kind kind;
};
constexpr row rows[] = {
    {"int_below_a_million", value_kind::below_a_million},
    {"int", value_kind::all_ints},
    {"long", value_kind::longs},
    {"price", value_kind::prices},
    {"double", value_kind::doubles},
    {"words", value_kind::words},
    {"long_words", value_kind::long_words},
};

/// Writes `count` numbers or words, each with a newline.
void write_values(leat::writer& out, value_kind kind, std::size_t count) {
  std::mt19937_64 random(1);
  const auto signed_number = [&](unsigned bits) {
    return static_cast<std::int64_t>(random()) >> (64 - bits + random() % (bits - 1));
  };
  for (std::size_t i = 0; i != count; ++i) {
    switch (kind) {
      case value_kind::below_a_million:
        out.println("{}", random() % 1'000'000);
        break;
      case value_kind::all_ints:
        out.println("{}", signed_number(32));
        break;
      case value_kind::longs:
        out.println("{}", signed_number(64));
        break;
      case value_kind::prices:
        out.println("{:.2f}", static_cast<double>(random() % 10'000'000) / 100);
        break;
      case value_kind::doubles:
        out.println("{}", static_cast<double>(random()) * 0x1p-64);
        break;
      case value_kind::words:
      case value_kind::long_words: {
        std::string word(1 + random() % (kind == value_kind::words ? 10 : 60), ' ');
        for (char& c : word) c = static_cast<char>('a' + random() % 26);
        out.println("{}", word);
      }
    }
  }
}

/// The type of a sum of numbers of type T.
template <class T>
using sum_of = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

template <class T>
sum_of<T> by_reader(leat::reader&& in) {
  sum_of<T> sum = 0;
  while (const auto value = in.parse<T>()) sum += static_cast<sum_of<T>>(*value);
  return sum;
}
template <class T>
sum_of<T> by_from_chars(std::string_view text) {
  sum_of<T> sum = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++at) {
    T value = 0;
    at = std::from_chars(at, end, value).ptr;
    sum += static_cast<sum_of<T>>(value);
  }
  return sum;
}
template <class T, class Stream>
sum_of<T> by_extraction(Stream&& in) {
  sum_of<T> sum = 0;
  for (T value; in >> value;) sum += static_cast<sum_of<T>>(value);
  return sum;
}

std::uint64_t by_words(leat::reader&& in) {
  std::uint64_t sum = 0;
  for (const std::string_view word : in.words()) sum += word.size();
  return sum;
}
template <class Stream>
std::uint64_t by_strings(Stream&& in) {
  std::uint64_t sum = 0;
  for (std::string word; in >> word;) sum += word.size();
  return sum;
}

std::filesystem::path file_of(const run& this_run) {
  return this_run.folder / this_run.setting["loop"].text;
}

/// Adds a variant whose result must be equal to right(file), the result of std::ifstream.
template <class Task, class Right>
void add(loops& all, const row& tested, const char* variant, Task task, Right right) {
  all.add(tested.name, variant, [=](run& this_run) {
    const auto found = task(file_of(this_run));
    use(found);
    if (this_run.is_warm_up && found != right(file_of(this_run)))
      throw failure("the result differs from that of std::ifstream");
  });
}

template <class T>
void add_numbers(loops& all, const row& tested) {
  using path = std::filesystem::path;
  const auto right = [](const path& file) { return by_extraction<T>(std::ifstream(file)); };
  add(all, tested, "leat", [](const path& file) { return by_reader<T>(leat::open(file)); }, right);
  add(
      all, tested, "leat map_file",
      [](const path& file) { return by_reader<T>(leat::map_file(file)); }, right);
  add(
      all, tested, "leat::ifstream >>",
      [](const path& file) { return by_extraction<T>(leat::ifstream(file)); }, right);
  add(
      all, tested, "mmap and std::from_chars",
      [](const path& file) { return by_from_chars<T>(mapped_bytes(file).view()); }, right);
  add(all, tested, "std::ifstream >>", right, right);
}

void add_words(loops& all, const row& tested) {
  using path = std::filesystem::path;
  const auto right = [](const path& file) { return by_strings(std::ifstream(file)); };
  add(all, tested, "leat", [](const path& file) { return by_words(leat::open(file)); }, right);
  add(
      all, tested, "leat map_file", [](const path& file) { return by_words(leat::map_file(file)); },
      right);
  add(
      all, tested, "leat::ifstream >>",
      [](const path& file) { return by_strings(leat::ifstream(file)); }, right);
  add(all, tested, "std::ifstream >>", right, right);
}

experiment make(const request& wanted) {
  loops all(wanted, 2'000'000);
  for (const row& one : rows) {
    switch (one.kind) {
      case value_kind::below_a_million:
      case value_kind::all_ints:
        add_numbers<int>(all, one);
        break;
      case value_kind::longs:
        add_numbers<long>(all, one);
        break;
      case value_kind::prices:
      case value_kind::doubles:
        add_numbers<double>(all, one);
        break;
      case value_kind::words:
      case value_kind::long_words:
        add_words(all, one);
    }
  }
  auto experiment = all.make_experiment("parse-file", "numbers and words out of a file", "value");
  experiment.cached = "The files are in the page cache.";
  experiment.space = std::size(rows) * 32 * all.count();
  experiment.prepare = [count = all.count()](const std::filesystem::path& folder) {
    for (const row& one : rows) {
      auto out = leat::create(folder / one.name);
      write_values(out, one.kind, count);
      out.close();
    }
  };
  return experiment;
}

const registration parse_file(116, make);

}  // namespace

}  // namespace bench::loops_parse_file
