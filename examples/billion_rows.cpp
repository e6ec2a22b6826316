// The billion-row challenge: the least, mean and greatest temperature of each station, from lines
// like "Abha;-12.3".
//
//   billion_rows FILE [THREADS]
//
// Each thread reads a part of the file, in the buffer of its stream, without a copy. Mispredicted
// branches would take most of the time. So arithmetic replaces the branches on the length of a name
// and of a number.
#include <leat/leat.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <deque>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// Returns the error for a line that is not like "Abha;-12.3". The program does not check that the
/// digits of a number are digits.
static std::runtime_error invalid_line(std::string_view begin) {
  return std::runtime_error("not NAME;-12.3: " + std::string(begin.substr(0, 100)));
}

/// The first 16 bytes of a name. Zeros follow a shorter name.
struct name_start {
  std::uint64_t first = 0, second = 0;
  bool operator==(const name_start&) const = default;
};

struct alignas(64) station {  // one cache line
  name_start start{};
  std::int64_t sum = 0, count = 0;
  int least = 1000, greatest = -1000;  // in tenths of a degree
  std::string_view name;               // empty: the slot is free
};

class table {
 public:
  station& operator()(const name_start& start, std::string_view name) {
    std::uint64_t hash = (start.first ^ std::rotl(start.second, 29)) * 0x9E37'79B9'7F4A'7C15;
    if (name.size() > sizeof start) hash += std::hash<std::string_view>()(name) << 49;
    for (std::size_t i = hash >> 49;; i = (i + 1) % slots.size()) {
      station& slot = slots[i];
      if (slot.start == start && slot.name.size() == name.size() &&
          (name.size() <= sizeof start || slot.name == name))
        return slot;
      if (!slot.name.empty()) continue;
      if (names.size() == slots.size() / 2) throw std::runtime_error("too many stations");
      if (name.find('\n') != std::string_view::npos) throw invalid_line(name);
      slot.start = start;
      slot.name = names.emplace_back(name);
      return slot;
    }
  }
  std::vector<station> slots = std::vector<station>(1 << 15);
  std::deque<std::string> names;
};

/// Marks the first ';' of a word: returns a word with the highest bit of this byte set, and with no
/// bit set in the bytes before. Bits of later bytes may be wrong. Returns 0 if there is no ';'.
static std::uint64_t semicolons(std::uint64_t word) {
  const std::uint64_t other = word ^ 0x3B3B'3B3B'3B3B'3B3B;
  return (other - 0x0101'0101'0101'0101) & ~other & 0x8080'8080'8080'8080;
}

/// A mask of the bytes before the byte with the lowest set bit.
static std::uint64_t before_lowest(std::uint64_t bits) { return (bits ^ (bits - 1)) >> 8; }

/// Adds a line. Returns the end of the line. Bytes after `end` may be read: see
/// leat::window_padding.
static const char* add_line(table& stations, const char* const line, const char* end) {
  const char* at = line;
  name_start start;
  std::memcpy(&start, at, sizeof start);
  const std::uint64_t first = semicolons(start.first), second = semicolons(start.second);
  const std::uint64_t longer = 0 - static_cast<std::uint64_t>(first == 0);
  start.first &= before_lowest(first) | longer;
  start.second &= before_lowest(second) & longer;
  const std::uint64_t found = (first & ~longer) | (second & longer);
  at += (8 & longer) + static_cast<unsigned>(std::countr_zero(found)) / 8;
  if (found == 0) {
    std::memcpy(&start, line, sizeof start);
    at = std::find(at, end, ';');
  }
  const std::string_view name(line, at);
  const int minus = at[1] == '-';
  at += 1 + minus;
  const int two_digits = at[1] != '.';  // two digits before the point; otherwise one digit
  const int digits = (at[0] - '0') * (10 + 90 * two_digits) + (at[1] - '0') * 10 * two_digits +
                     at[2 + two_digits] - '0';
  at += 4 + two_digits;
  if (at > end || at[-1] != '\n' || name.empty()) throw invalid_line(name);
  const int tenths = (digits ^ -minus) + minus;
  station& entry = stations(start, name);
  entry.sum += tenths;
  ++entry.count;
  entry.least = std::min(entry.least, tenths);
  entry.greatest = std::max(entry.greatest, tenths);
  return at;
}

/// Adds whole lines. Alternates between the first half and the second half, so that the processor
/// works on two independent lines at a time.
static void add_lines(table& stations, std::string_view lines) {
  const char *first = lines.data(), *const end = first + lines.size();
  const char* const middle = first + lines.rfind('\n', lines.size() / 2) + 1;
  const char* second = middle;
  while (first != middle && second != end) {
    first = add_line(stations, first, middle);
    second = add_line(stations, second, end);
  }
  while (first != middle) first = add_line(stations, first, middle);
  while (second != end) second = add_line(stations, second, end);
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
  std::vector<table> finished;  // a table owns its names
  std::vector<station> all;
  finished.reserve(tables.size());
  for (auto& result : tables)
    for (const station& found : finished.emplace_back(result.get()).slots)
      if (found.count != 0) all.push_back(found);
  std::ranges::sort(all, {}, &station::name);
  leat::out.put('{');
  for (std::size_t i = 0; i != all.size(); ++i) {
    station& merged = all[i];
    for (; i + 1 != all.size() && all[i + 1].name == merged.name; ++i) {
      merged.sum += all[i + 1].sum;
      merged.count += all[i + 1].count;
      merged.least = std::min(merged.least, all[i + 1].least);
      merged.greatest = std::max(merged.greatest, all[i + 1].greatest);
    }
    const double mean = static_cast<double>(merged.sum) / static_cast<double>(merged.count);
    leat::out.print("{}={:.1f}/{:.1f}/{:.1f}", merged.name, merged.least / 10.0, mean / 10,
                    merged.greatest / 10.0);
    if (i + 1 != all.size()) leat::out.write(", ");
  }
  leat::out.write("}\n");
  leat::out.flush();
} catch (const std::exception& error) {
  leat::err.println("billion_rows: {}", error.what());
  return 1;
}
