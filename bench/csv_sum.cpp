// Counts the rows of a CSV file and adds up three of its seven columns, in one of several ways; or
// makes such a file. `bench/csv_peers` runs all ways, and other programs beside them.
//
//   bench_csv_sum make FILE GB [quotes]
//   bench_csv_sum WAY FILE
//
// Prints the seconds, and what was found: rows, and the sums of the columns id, large and value.
// Where a way does not add up, the first sum is what it counts.
#include <leat/leat.hpp>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#if defined(LEAT_BENCH_ZSV)
extern "C" {
#  define restrict __restrict
#  include <zsv.h>
#  undef restrict
}
#endif

namespace {

// --- the file

/// Seven columns, all of random lengths, since that is what data is: an int, an int64, a text, a
/// double, a city, a text that may be quoted, and a score.
void make(const std::string& path, double gb, bool quotes) {
  constexpr std::string_view cities[] = {"Hamburg", "Oslo", "San Francisco",      "Rio",
                                         "Wien",    "Ulm",  "Thiruvananthapuram", "Addis Ababa"};
  std::mt19937_64 random(7);
  auto out = leat::create(path);
  out.println("id,large,name,value,city,note,score");
  const auto text = [&](std::size_t size) {
    std::string letters(size, ' ');
    for (char& c : letters) c = static_cast<char>('a' + random() % 26);
    return letters;
  };
  const auto value = [&]() -> double {
    switch (random() % 3) {
      case 0:
        return static_cast<double>(random() % 10'000'000) / 100;
      case 1:
        return static_cast<double>(random() % 100'000) / 1000;
      default:
        return static_cast<double>(random() >> 11) * 0x1p-53;
    }
  };
  while (static_cast<double>(out.tell()) < gb * 1e9) {
    const auto id = static_cast<int>(random() >> 33 >> random() % 31);
    auto large = static_cast<std::int64_t>(random() >> 1 >> random() % 60);
    if (random() % 2 == 0) large = -large;
    const std::string name = text(3 + random() % 12);
    const double price = value();
    const std::string_view city = cities[random() % std::size(cities)];
    std::string note = text(random() % 20);
    if (quotes && random() % 2 == 0) {
      constexpr std::string_view ends[] = {"", ",", "\"\"", "\n", ""};
      note = '"' + note + std::string(ends[random() % std::size(ends)]) + '"';
    }
    out.println("{},{},{},{},{},{},{}", id, large, name, price, city, note, random() % 100);
  }
  out.close();
}

// --- the ways

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

sums read_only(leat::reader& in) {
  sums all;
  for (auto window = in.window(); !window.empty(); window = in.window()) {
    all.id += static_cast<std::int64_t>(window.size());
    in.skip(window.size());
  }
  return all;
}
sums count_commas(leat::reader& in) {
  sums all;
  for (auto window = in.window(); !window.empty(); window = in.window()) {
    all.id += static_cast<std::int64_t>(leat::count(window, ','));
    in.skip(window.size());
  }
  return all;
}
sums count_fields(leat::reader& in) {
  sums all;
  for (const leat::row& row : in.rows()) {
    ++all.rows;
    all.id += static_cast<std::int64_t>(row.size());
  }
  return all;
}
sums by_lines_and_fields(leat::reader& in) {
  sums all;
  for (std::string_view line : in.lines()) {
    auto field = leat::fields(line).begin();
    const std::string_view id = *field++;
    const std::string_view large = *field++;
    all.add(id, large, *++field);
  }
  return all;
}
sums by_rows(leat::reader& in, bool quotes) {
  sums all;
  for (const leat::row& row : in.rows({.quotes = quotes})) all.add(row[0], row[1], row[3]);
  return all;
}
sums by_from_chars(leat::reader& in) {
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
sums by_getline(const std::string& path) {
  sums all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    char* at = line.data();
    const auto id = static_cast<int>(std::strtol(at, nullptr, 10));
    at = std::strchr(at, ',') + 1;
    const std::int64_t large = std::strtoll(at, nullptr, 10);
    at = std::strchr(std::strchr(at, ',') + 1, ',') + 1;
    all.add(id, large, std::strtod(at, nullptr));
  }
  return all;
}

#if defined(LEAT_BENCH_ZSV)
struct zsv_context {
  zsv_parser parser = nullptr;
  sums all;
};
sums by_zsv(const std::string& path) {
  zsv_opts how{};
  zsv_context context;
  how.ctx = &context;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::system_error(errno, std::generic_category(), path);
  how.stream = file;
  how.row_handler = [](void* given) {
    auto& to = *static_cast<zsv_context*>(given);
    const auto cell = [&](std::size_t i) {
      const zsv_cell c = zsv_get_cell(to.parser, i);
      return std::string_view(reinterpret_cast<const char*>(c.str), c.len);
    };
    const auto parse = [](std::string_view text, auto& value) {
      std::from_chars(text.data(), text.data() + text.size(), value);
    };
    int id = 0;
    std::int64_t large = 0;
    double value = 0;
    parse(cell(0), id);
    parse(cell(1), large);
    parse(cell(3), value);
    to.all.add(id, large, value);
  };
  context.parser = zsv_new(&how);
  while (zsv_parse_more(context.parser) == zsv_status_ok) {
  }
  zsv_finish(context.parser);
  zsv_delete(context.parser);
  std::fclose(file);
  return context.all;
}
#endif

using way = std::function<sums(const std::string& path)>;

way over(sums (*one)(leat::reader&)) {
  return [=](const std::string& path) {
    auto in = leat::open(path);
    return one(in);
  };
}

std::map<std::string_view, way> every_way() {
  std::map<std::string_view, way> ways;
  ways["read"] = over(read_only);
  ways["count"] = over(count_commas);
  ways["count-fields"] = over(count_fields);
  ways["fields"] = over(by_lines_and_fields);
  ways["rows"] = over([](leat::reader& in) { return by_rows(in, false); });
  ways["rows-quotes"] = over([](leat::reader& in) { return by_rows(in, true); });
  ways["rows-threads"] = [](const std::string& path) {
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
  };
  ways["from_chars"] = over(by_from_chars);
  ways["getline"] = by_getline;
#if defined(LEAT_BENCH_ZSV)
  ways["zsv"] = by_zsv;
#endif
  return ways;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto ways = every_way();
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "make" && argc > 3) {
    make(argv[2], std::atof(argv[3]), argc > 4);
    return 0;
  }
  const auto found = ways.find(name);
  if (found == ways.end() || argc != 3) {
    leat::err.println("usage: bench_csv_sum make FILE GB [quotes]\n       bench_csv_sum WAY FILE");
    for (const auto& [known, ignored] : ways) leat::err.println("{}", known);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const sums all = found->second(argv[2]);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  leat::println("{} {} {} {} {}", took.count(), all.rows, all.id,
                static_cast<std::int64_t>(all.large), all.value);
} catch (const std::exception& error) {
  leat::err.println("{}", error.what());
  return 1;
}
