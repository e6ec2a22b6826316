// E4: integers at random places of a large file, read, or read, counted up and written back. As
// published: what do sorting, the buffer, and the kind of seek make of it?
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>

#include "../text.hpp"
#include "c_loops.h"
#include "peers.hpp"

namespace bench {

namespace {

/// The places to visit, and the file's integers, which are never zero.
struct places {
  std::uint32_t integers;
  std::vector<std::uint32_t> drawn;
  std::vector<std::uint32_t> sorted;
  std::uint64_t sum = 0;      // of the integers there, as the file was made
  std::uint64_t updates = 0;  // how often each was counted up since
};

constexpr std::uint32_t block = 1 << 16;  // integers; the file repeats them

std::uint32_t integer_at(std::uint32_t place) { return place % block + 1; }

std::shared_ptr<places> draw(size how_much) {
  auto of = std::make_shared<places>();
  of->integers = how_much == size::published ? 1U << 30
                 : how_much == size::quick   ? 1U << 26
                                             : block;
  const std::size_t count = how_much == size::published ? 100'000
                            : how_much == size::quick   ? 20'000
                                                        : 200;
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i != count; ++i) {
    of->drawn.push_back(static_cast<std::uint32_t>(random() % of->integers));
    of->sum += integer_at(of->drawn.back());
  }
  of->sorted = of->drawn;
  std::ranges::sort(of->sorted);
  return of;
}

void prepare(const places& of, const std::filesystem::path& folder) {
  std::string text;
  for (std::uint32_t i = 0; i != block; ++i) {
    const std::uint32_t value = integer_at(i);
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  make_file(folder / "integers", text, of.integers / block);
}

c_visits visits_of(const places& of, const run& now, const std::string& path, const char* mode) {
  const auto& order = now.at.has("order", "sorted") ? of.sorted : of.drawn;
  c_visits visits{};
  visits.path = path.c_str();
  visits.mode = mode;
  visits.numbers = order.data();
  visits.count = order.size();
  visits.buffered = now.at.has("buffer", "buffered");
  return visits;
}

void visit(int (*loop)(c_visits*), c_visits& visits, run& now) {
  if (const int error = loop(&visits)) fail("visit", visits.path, error);
  now.answer = visits.sum;
}

void read_places(const c_loops& with, const places& of, run& now) {
  const std::string path = now.folder / "integers";
  c_visits visits = visits_of(of, now, path, now.at["mode"].text.c_str());
  visits.whence = now.at.has("seek", "SEEK_SET") ? SEEK_SET : SEEK_CUR;
  visit(with.read_at, visits, now);
}

void update_places(const c_loops& with, places& of, run& now) {
  const std::string path = now.folder / "integers";
  c_visits visits = visits_of(of, now, path, "rb+");
  visits.whence = now.at.has("seeks", "CUR, CUR") ? SEEK_CUR : SEEK_SET;
  visits.back = now.at.has("seeks", "SET, SET") ? SEEK_SET : SEEK_CUR;
  visit(with.update_at, visits, now);
  ++of.updates;
}

/// How many pairs of visits there are to one place: each later one finds what the earlier wrote.
std::uint64_t repeats(const places& of) {
  std::uint64_t pairs = 0, run = 0;
  for (std::size_t i = 1; i < of.sorted.size(); ++i) {
    run = of.sorted[i] == of.sorted[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

/// Of all places, how many integers an update adds to what a later one finds.
std::uint64_t growth(const places& of) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i != of.sorted.size();) {
    std::size_t end = i;
    while (end != of.sorted.size() && of.sorted[end] == of.sorted[i]) ++end;
    sum += (end - i) * (end - i);
    i = end;
  }
  return sum;
}

const value as_drawn{"as drawn", {}};
const value in_order{"sorted", {}};

std::vector<std::string> findings(const outcome& of) {
  std::vector<std::string> found;
  for (const auto* variant : {"stdio", "leat/stdio.h"}) {
    const auto drawn = of.median(variant, {{"order", as_drawn}});
    const auto sorted = of.median(variant, {{"order", in_order}});
    if (!drawn || !sorted) continue;
    const double ratio = *drawn / *sorted;
    found.push_back(fmt::format(
        "{}: sorted places are visited {} as fast; that sorting them first is worth it is {}.",
        variant, times(ratio), ratio >= 1.1 ? "confirmed" : "not confirmed here"));
  }
  return found;
}

const factor orders{"order", {as_drawn, in_order}, layout::table};
const factor buffers{"buffer", {{"buffered", {}}, {"unbuffered", {}}}};

std::string title(const places& of) {
  return fmt::format("{} places in {} integers, file in the system's cache",
                     grouped(of.drawn.size()), grouped(of.integers));
}

experiment make_random_read(size how_much) {
  auto of = draw(how_much);
  return {
      .name = "random-read",
      .title = "integers at random places, read one by one",
      .published =
          "mean ticks of CPU a read: SSD 8.2 to 10.6 in any order, hard disk 80 to 108 as drawn, "
          "20 "
          "to 30 sorted; by A. Lakshman, 2024.",
      .factors = {orders,
                  {"mode", {{"rb", {}}, {"rb+", {}}}},
                  buffers,
                  {"seek", {{"SEEK_SET", {}}, {"SEEK_CUR", {}}}}},
      .variants = {{"stdio", role::baseline, [of](run& now) { read_places(libc_loops, *of, now); }},
                   {"leat/stdio.h", role::leat,
                    [of](run& now) { read_places(leat_loops, *of, now); }}},
      .load =
          [of](const setting&) {
            return load{title(*of), 4 * of->drawn.size(), of->drawn.size(), "read"};
          },
      .space = std::uint64_t{4} * of->integers,
      .prepare = [of](const std::filesystem::path& folder) { prepare(*of, folder); },
      .check =
          [of](run& now) {
            if (now.answer != of->sum) throw failure("read something else than the file holds");
          },
      .findings = findings,
  };
}

experiment make_random_update(size how_much) {
  auto of = draw(how_much);
  return {
      .name = "random-update",
      .title = "integers at random places, read, counted up and written back",
      .published =
          "mean ticks of CPU an update: SSD 79 to 95 as drawn, 9.5 to 18.6 sorted; hard disk "
          "sorted "
          "33 to 44; by A. Lakshman, 2024.",
      .factors = {orders,
                  buffers,
                  {"seeks", {{"SET, SET", {}}, {"CUR, CUR", {}}, {"SET, CUR", {}}}}},
      .variants = {{"stdio", role::baseline,
                    [of](run& now) { update_places(libc_loops, *of, now); }},
                   {"leat/stdio.h", role::leat,
                    [of](run& now) { update_places(leat_loops, *of, now); }}},
      .load =
          [of](const setting&) {
            return load{title(*of), 8 * of->drawn.size(), of->drawn.size(), "update"};
          },
      .space = std::uint64_t{4} * of->integers,
      .prepare = [of](const std::filesystem::path& folder) { prepare(*of, folder); },
      .check =
          [of](run& now) {
            // What all updates before this one have added, and this one where it came again.
            const std::uint64_t expected = of->sum + (of->updates - 1) * growth(*of) + repeats(*of);
            if (now.answer != expected) throw failure("an update was lost, or made twice");
          },
      .findings = findings,
  };
}

const registration random_read(4, make_random_read);
const registration random_update(5, make_random_update);

}  // namespace

}  // namespace bench
