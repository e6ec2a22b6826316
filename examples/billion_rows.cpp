// The billion-row challenge: the least, mean and greatest temperature of each station, from lines
// like "Abha;-12.3".
//
//   billion_rows FILE [THREADS]
//
// Each thread reads a part of the file, in place in the window of its stream. What costs most are
// branches that the processor guesses wrongly. So those on the length of a name and of a number are
// arithmetic instead.
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// The first bytes of a name, and zeros behind it.
using name_start = std::array<std::uint64_t, 2>;

struct station {
  name_start start{};
  std::string name;  // empty: none
  std::int64_t sum = 0, count = 0;
  int least = 1000, greatest = -1000;  // in tenths of a degree
};

class table {
 public:
  station& operator()(const name_start& start, std::string_view name) {
    std::uint64_t hash = (start[0] ^ std::rotl(start[1], 29)) * 0x9E37'79B9'7F4A'7C15;
    if (name.size() > sizeof start) hash += std::hash<std::string_view>()(name) << 49;
    for (std::size_t i = hash >> 49;; i = (i + 1) % slots.size()) {
      station& here = slots[i];
      if (here.start == start && (name.size() <= sizeof start || here.name == name)) return here;
      if (!here.name.empty()) continue;
      if (++used == slots.size() / 2) throw std::runtime_error("too many stations");
      here.start = start;
      here.name = name;
      return here;
    }
  }
  std::vector<station> slots = std::vector<station>(1 << 15);
  std::size_t used = 0;
};

/// Ones for the bytes of a word that come before its first ';'.
static std::uint64_t before_semicolon(std::uint64_t word) {
  const std::uint64_t other = word ^ 0x3B3B'3B3B'3B3B'3B3B;
  const std::uint64_t found = (other - 0x0101'0101'0101'0101) & ~other & 0x8080'8080'8080'8080;
  return ((found & (0 - found)) >> 7) - 1;
}

/// Whole lines. The bytes behind them can be read: see leat::window_padding.
static void add_lines(table& stations, std::string_view lines) {
  const char* const end = lines.data() + lines.size();
  for (const char* at = lines.data(); at != end;) {
    const char* const line = at;
    name_start start;
    std::memcpy(start.data(), at, sizeof start);
    const std::uint64_t first = before_semicolon(start[0]);
    const std::uint64_t second = ~first != 0 ? 0 : before_semicolon(start[1]);
    start = {start[0] & first, start[1] & second};
    at += (std::popcount(first) + std::popcount(second)) / 8;
    if (~second == 0) at = std::find(at, end, ';');
    const std::string_view name(line, at);
    const bool minus = at[1] == '-';
    at += 1 + minus;
    const bool two = at[1] != '.';  // digits before the point
    const int digits =
        two ? at[0] * 100 + at[1] * 10 + at[3] - 111 * '0' : at[0] * 10 + at[2] - 11 * '0';
    at += two ? 5 : 4;
    if (at > end || at[-1] != '\n' || name.empty())
      throw std::runtime_error("a line is not NAME;-12.3: " + std::string(name.substr(0, 100)));
    const int tenths = minus ? -digits : digits;
    station& one = stations(start, name);
    one.sum += tenths;
    ++one.count;
    one.least = std::min(one.least, tenths);
    one.greatest = std::max(one.greatest, tenths);
  }
}

static table table_of(leat::reader& in) {
  table stations;
  for (std::string_view w = in.window(); !w.empty(); w = in.window()) {
    for (std::size_t size = 0; w.rfind('\n') == std::string_view::npos && w.size() != size;
         w = in.peek(size + 1))
      size = w.size();
    const std::size_t lines = w.rfind('\n') + 1;
    if (lines == 0) throw std::runtime_error("the last line has no end");
    add_lines(stations, w.substr(0, lines));
    in.skip(lines);
  }
  return stations;
}

int main(int argc, char** argv) try {
  static_assert(std::endian::native == std::endian::little);
  unsigned threads = std::thread::hardware_concurrency();
  if (argc < 2) throw std::runtime_error("usage: billion_rows FILE [THREADS]");
  if (argc > 2) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), threads);
  auto parts = leat::split(argv[1], std::max(threads, 1U));
  std::vector<std::future<table>> tables;
  tables.reserve(parts.size());
  for (auto& part : parts)
    tables.push_back(std::async(std::launch::async, [&part] { return table_of(part); }));
  std::vector<station> all;
  for (auto& one : tables)
    for (auto& found : one.get().slots)
      if (found.count != 0) all.push_back(std::move(found));
  std::ranges::sort(all, {}, &station::name);
  leat::out.put('{');
  for (std::size_t i = 0; i != all.size(); ++i) {
    station& one = all[i];
    for (; i + 1 != all.size() && all[i + 1].name == one.name; ++i) {
      one.sum += all[i + 1].sum;
      one.count += all[i + 1].count;
      one.least = std::min(one.least, all[i + 1].least);
      one.greatest = std::max(one.greatest, all[i + 1].greatest);
    }
    const double mean = static_cast<double>(one.sum) / static_cast<double>(one.count);
    leat::out.print("{}={:.1f}/{:.1f}/{:.1f}", one.name, one.least / 10.0, mean / 10,
                    one.greatest / 10.0);
    if (i + 1 != all.size()) leat::out.write(", ");
  }
  leat::out.write("}\n");
  leat::out.flush();
} catch (const std::exception& error) {
  leat::err.println("billion_rows: {}", error.what());
  return 1;
}
