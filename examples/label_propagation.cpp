// Finds the connected components of a graph whose edges and labels stay on disk, with stdio and
// with leat.
//
// Every node starts with its own number as its label. A round goes through the edges. For each
// edge, the round gives both ends the smaller of their two labels. When a round changes nothing,
// two nodes have the same label if and only if a path connects them. Reading the edges in order is
// fast. Reading and changing labels at random positions takes most of the time.
//
// On 50 million edges and 12.5 million nodes, with the files in the page cache, leat is 54 times as
// fast as stdio: one round took 3.0 s with leat and 161 s with stdio, on two cores shared with
// other work. With stdio all rounds would take a quarter of an hour. So the following command runs
// one round with each library. Then the program runs the missing rounds with leat on both files of
// labels, and compares the results:
//
//     label_propagation 50000000 . 1
#include <leat/leat.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

using node = std::uint32_t;
using leat::records;

struct edge {
  node a, b;
};

// With stdio: one edge at a time.

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using stdio_file = std::unique_ptr<std::FILE, file_closer>;

static void check(bool good) {
  if (!good) throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "stdio");
}

static stdio_file open(const std::string& path, const char* mode) {
  stdio_file file(std::fopen(path.c_str(), mode));
  check(file != nullptr);
  return file;
}

static void seek_to(std::FILE* labels, node n) {
  check(std::fseek(labels, static_cast<long>(n * sizeof(node)), SEEK_SET) == 0);
}

static node get(std::FILE* labels, node n) {
  node label = 0;
  seek_to(labels, n);
  check(std::fread(&label, sizeof label, 1, labels) == 1);
  return label;
}

static void set(std::FILE* labels, node n, node label) {
  seek_to(labels, n);
  check(std::fwrite(&label, sizeof label, 1, labels) == 1);
}

static bool stdio_round(std::FILE* edges, std::FILE* labels) {
  bool changed = false;
  check(std::fseek(edges, 0, SEEK_SET) == 0);
  for (edge e; std::fread(&e, sizeof e, 1, edges) == 1;) {
    const node a = get(labels, e.a), b = get(labels, e.b);
    if (a == b) continue;
    set(labels, a > b ? e.a : e.b, std::min(a, b));
    changed = true;
  }
  check(std::ferror(edges) == 0);
  return changed;
}

// With leat: a million edges at a time.

static bool leat_round(leat::file_reader& edges, records<node>& labels) {
  bool changed = false;
  std::vector<node> ends(2 << 20);  // the two ends of each edge, one edge after the other
  std::vector<node> found(ends.size());
  std::vector<node> higher, lower;  // nodes, and their new labels
  edges.seek(0);
  while (std::size_t bytes = edges.read(std::as_writable_bytes(std::span(ends)))) {
    ends.resize(bytes / sizeof(node));
    found.resize(ends.size());
    higher.clear();
    lower.clear();
    labels.gather(ends, found);
    for (std::size_t a = 0, b = 1; b < ends.size(); a += 2, b += 2) {
      if (found[a] == found[b]) continue;
      higher.push_back(found[a] > found[b] ? ends[a] : ends[b]);
      lower.push_back(std::min(found[a], found[b]));
    }
    // A node that occurs twice keeps the smallest of its new labels.
    labels.update(higher, [&](node& label, std::size_t i) { label = std::min(label, lower[i]); });
    changed |= !higher.empty();
  }
  return changed;
}

// For stdio and leat.

/// Runs rounds until a round changes nothing, but at most `limit` rounds; 0: no limit. Returns the
/// number of rounds.
template <class Round>
static int repeat(int limit, Round&& round) {
  int rounds = 1;
  while (round() && rounds != limit) ++rounds;
  return rounds;
}

static int with_stdio(const std::string& edges, const std::string& labels, int limit) {
  const auto in = open(edges, "rb"), file = open(labels, "r+b");
  // The positions are far apart: a buffer would be filled for one label.
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  return repeat(limit, [&] { return stdio_round(in.get(), file.get()); });
}

static int with_leat(const std::string& edges, const std::string& labels, int limit) {
  auto in = leat::open(edges);
  auto file = records<node>::open(labels, leat::mode::update);
  return repeat(limit, [&] { return leat_round(in, file); });
}

/// Writes random edges. Each call writes the same edges.
static void make_edges(const std::string& path, std::uint64_t edges, node nodes) {
  std::mt19937_64 random(1);
  auto file = leat::create(path, {.durability = leat::durability::system});
  for (std::uint64_t i = 0; i != edges; ++i) {
    const std::uint64_t drawn = random();
    const edge e{static_cast<node>((drawn >> 32) * nodes >> 32),
                 static_cast<node>((drawn & 0xFFFFFFFF) * nodes >> 32)};
    file.write(leat::bytes_of(e));
  }
  file.close();
}

static void make_labels(const std::string& path, node nodes) {
  auto file = leat::create(path, {.durability = leat::durability::system});
  for (node n = 0; n != nodes; ++n) file.write(leat::bytes_of(n));
  file.close();
}

/// Counts the components: in each component, exactly one node has its own number as its label.
static node components(const records<node>& labels) {
  node n = 0, count = 0;
  for (const node label : labels) count += label == n++;
  return count;
}

/// Writes new labels and runs a program on these labels. Prints and returns the seconds of the
/// program.
template <class Program>
static double timed(std::string_view name, Program&& program, const std::string& edges,
                    const std::string& labels, node nodes, int limit) {
  make_labels(labels, nodes);
  const auto start = std::chrono::steady_clock::now();
  const int rounds = program(edges, labels, limit);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  leat::out.println("{:5} {:9.3f} s, {} rounds", name, time.count(), rounds);
  leat::out.flush();
  return time.count();
}

/// Parses an argument. If the argument is not a number from `least` to `most`, returns false.
template <class N>
static bool parse(std::string_view text, N least, N most, N& number) {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc() && end == text.data() + text.size() && number >= least &&
         number <= most;
}

int main(int argc, char** argv) try {
  std::uint64_t count = 100'000;
  int limit = 0;
  if (argc > 4 || (argc > 1 && !parse<std::uint64_t>(argv[1], 4, 1'000'000'000, count)) ||
      (argc > 3 && !parse(argv[3], 0, 1000, limit))) {
    leat::err.println("usage: label_propagation [EDGES [FOLDER [ROUNDS]]]");
    return 1;
  }
  const std::filesystem::path folder = argc > 2 ? argv[2] : ".";
  const std::string edges = (folder / "edges.bin").string();
  const std::string by_stdio = (folder / "labels_stdio.bin").string(),
                    by_leat = (folder / "labels_leat.bin").string();
  const auto nodes = static_cast<node>(count / 4);

  make_edges(edges, count, nodes);
  const double stdio_seconds = timed("stdio", with_stdio, edges, by_stdio, nodes, limit);
  const double leat_seconds = timed("leat", with_leat, edges, by_leat, nodes, limit);
  leat::out.println("ratio {:9.1f}", stdio_seconds / leat_seconds);

  // With a limit, rounds may be missing: run the missing rounds now. Then the results by stdio and
  // by leat must be equal.
  for (const auto& labels : {by_stdio, by_leat}) with_leat(edges, labels, 0);
  const auto stdio_labels = records<node>::open(by_stdio),
             leat_labels = records<node>::open(by_leat);
  if (!std::ranges::equal(stdio_labels, leat_labels)) throw std::runtime_error("the labels differ");
  leat::out.println("{} components of {} nodes", components(leat_labels), nodes);
  leat::out.flush();
  for (const auto& file : {edges, by_stdio, by_leat}) std::filesystem::remove(file);
} catch (const std::exception& error) {
  leat::err.println("label_propagation: {}", error.what());
  return 1;
}
