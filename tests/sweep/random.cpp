// Scenarios of leat::records and leat::file: random access with each route, and appends.
#include <array>
#include <cstring>
#include <numeric>

#include "sweep/trial.hpp"

namespace sweep {

namespace {

using leat::mode;
using leat::route;
using number = std::uint64_t;
using numbers = leat::records<number>;

constexpr std::size_t count = 4000;  // 32 KB

std::vector<number> first_values() {
  std::vector<number> values(count);
  std::iota(values.begin(), values.end(), number{1'000'000});
  return values;
}

std::string bytes(const std::vector<number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(number)};
}

/// Returns positions that are spread over the file. The last position repeats the first.
std::vector<std::uint32_t> positions() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i != 40; ++i) all.push_back(i * 977 % count);
  all.push_back(all.front());
  return all;
}

std::string gathered_bytes() {
  std::vector<number> values;
  for (const auto position : positions()) values.push_back(first_values()[position]);
  return bytes(values);
}

/// Returns the values after update() or scatter().
std::vector<number> changed_values(bool by_update) {
  auto values = first_values();
  for (const auto position : positions())
    values[position] = by_update ? values[position] + 1 : first_values()[position] + 7;
  return values;
}

void put_numbers(trial& t) { put_file(t.file(), bytes(first_values())); }

/// Checks that each record is between its old and its new value, and after a success has the new
/// value.
void check_changed(trial& t, const std::vector<number>& to) {
  const std::string all = content_of(t.file());
  t.check(all.size() == count * sizeof(number), "the size does not change");
  if (t.succeeded()) t.check(all == bytes(to), "success: the content is right");
  const auto from = first_values();
  for (std::size_t i = 0; i != count && (i + 1) * sizeof(number) <= all.size(); ++i) {
    number value;
    std::memcpy(&value, all.data() + i * sizeof value, sizeof value);
    if (value < from[i] || value > to[i])
      return t.check(false, "each record is between its old and its new value");
  }
}

leat::records_options options_for(route used_route) {
  leat::records_options options;
  options.access.route = used_route;
  if (used_route == route::direct) options.access.caching = leat::caching::direct;
  return options;
}

struct route_scenarios {
  route used_route;
  const char *gather, *scatter, *update, *ranges;
};

constexpr std::array scenarios_by_route{
    route_scenarios{route::automatic, "gather", "scatter", "records::update", "ranges"},
    route_scenarios{route::mapped, "gather, mapped", "scatter, mapped", "records::update, mapped",
                    "ranges, mapped"},
    route_scenarios{route::merged, "gather, merged", "scatter, merged", "records::update, merged",
                    "ranges, merged"},
    route_scenarios{route::single, "gather, single", "scatter, single", "records::update, single",
                    "ranges, single"},
    route_scenarios{route::direct, "gather, direct", "scatter, direct", "records::update, direct",
                    "ranges, direct"},
};

void add_batches(std::vector<scenario>& all, const route_scenarios& routed) {
  all.push_back({routed.gather, put_numbers,
                 [routed](trial& t) {
                   const auto file =
                       numbers::open(t.file(), mode::read, options_for(routed.used_route));
                   t.text_read = bytes(file.gather(positions()));
                 },
                 [](trial& t) { t.check_read(gathered_bytes()); }});
  all.push_back({routed.scatter, put_numbers,
                 [routed](trial& t) {
                   auto file =
                       numbers::open(t.file(), mode::update, options_for(routed.used_route));
                   std::vector<number> values;
                   for (const auto position : positions()) values.push_back(1'000'007 + position);
                   file.scatter(positions(), values);
                   file.close();
                 },
                 [](trial& t) { check_changed(t, changed_values(false)); }});
  all.push_back({routed.update, put_numbers,
                 [routed](trial& t) {
                   auto file =
                       numbers::open(t.file(), mode::update, options_for(routed.used_route));
                   file.update(positions(), [](number& value) { ++value; });
                   file.close();
                 },
                 [](trial& t) { check_changed(t, changed_values(true)); }});
  all.push_back({routed.ranges, put_numbers,
                 [routed](trial& t) {
                   auto options = options_for(routed.used_route).access;
                   const auto in = leat::file::open(t.file(), mode::read, options);
                   const std::array<leat::byte_range, 3> ranges{
                       {{8, 100}, {20'000, 3000}, {0, 16}}};
                   std::string into(3116, ' ');
                   in.read_ranges(ranges, std::span(into));
                   t.text_read = into;
                 },
                 [](trial& t) {
                   const std::string all_bytes = bytes(first_values());
                   t.check_read(all_bytes.substr(8, 100) + all_bytes.substr(20'000, 3000) +
                                all_bytes.substr(0, 16));
                 }});
}

std::vector<scenario> append_scenarios() {
  // An append is complete or has no effect. If an append fails and the file can't be truncated,
  // size() counts the records that were written completely.
  const auto check_appended = [](trial& t) {
    const std::string all = content_of(t.file());
    const std::string before = bytes(first_values()), after = before + before;
    t.check(after.starts_with(all), "the expected bytes begin with the file's bytes");
    if (t.succeeded()) t.check(all == after, "success: the content is right");
    t.check(all.size() >= t.attempted_bytes,
            "the file has at least the records that size() counts");
    if (t.outcome == ending::failure && t.attempted_bytes != 0)
      t.check(all.size() + t.unwritten == after.size(),
              "bytes in the file + lost bytes = all bytes");
  };
  return {
      {"records::append", put_numbers,
       [](trial& t) {
         auto file = numbers::open(t.file(), mode::update);
         t.attempted_bytes = file.size() * sizeof(number);  // here: the bytes that size() counts
         try {
           file.append(first_values());
         } catch (...) {
           t.attempted_bytes = file.size() * sizeof(number);
           throw;
         }
       },
       check_appended},
      {"records::append, durable", put_numbers,
       [](trial& t) {
         leat::records_options options;
         options.access.durability = leat::durability::system;
         auto file = numbers::open(t.file(), mode::update, options);
         file.append(first_values());
         file.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", bytes(first_values()) + bytes(first_values()));
       }},
      {"records::create", [](trial&) {},
       [](trial& t) {
         auto file = numbers::create(t.file(), {.header = 16});
         file.append(first_values());
         file.sync();
         file.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", std::string(16, '\0') + bytes(first_values()));
       }},
  };
}

std::vector<scenario> single_scenarios() {
  return {
      {"records, in order", put_numbers,
       [](trial& t) {
         for (const number value : numbers::open(t.file()))
           t.text_read.append(reinterpret_cast<const char*>(&value), sizeof value);
       },
       [](trial& t) { t.check_read(bytes(first_values())); }},
      {"records, one at a time", put_numbers,
       [](trial& t) {
         auto file = numbers::open(t.file(), mode::update);
         file.set(5, file[6]);
         t.text_read = std::to_string(file.get(5));
         file.set(5, first_values()[5]);
         file.resize(count + 10);
         file.resize(count);
         file.close();
       },
       [](trial& t) {
         t.check_read("1000006");
         if (t.succeeded()) check_changed(t, first_values());
       }},
      {"records::update, durable", put_numbers,
       [](trial& t) {
         auto options = options_for(route::merged);
         options.access.durability = leat::durability::system;
         auto file = numbers::open(t.file(), mode::update, options);
         file.update(positions(), [](number& value) { ++value; });
         file.close();
       },
       [](trial& t) { check_changed(t, changed_values(true)); }},
      {"records::update, threads", put_numbers,
       [](trial& t) {
         auto options = options_for(route::single);
         options.access.threads = 2;
         auto file = numbers::open(t.file(), mode::update, options);
         file.update(positions(), [](number& value) { ++value; });
         file.close();
       },
       [](trial& t) { check_changed(t, changed_values(true)); }},
      {"records, a copy", put_numbers,
       [](trial& t) {
         auto file = numbers::open(t.file(), mode::copy);
         file.update(positions(), [](number& value) { ++value; });
         t.text_read = std::to_string(file[positions()[1]]);
       },
       [](trial& t) {
         t.check_file("the file", bytes(first_values()));
         if (t.succeeded()) t.check_read(std::to_string(changed_values(true)[positions()[1]]));
       }},
      {"file", [](trial&) {},
       [](trial& t) {
         auto file = leat::file::create(t.file());
         const std::string all = bytes(first_values());
         file.write_at(0, all);
         file.sync();
         const std::array<leat::byte_range, 2> ranges{{{10, 5}, {9000, 5}}};
         file.write_ranges(ranges, "abcdefghij");
         t.text_read = std::to_string(file.size());
         file.close();
       },
       [](trial& t) {
         t.check_read("32000");
         if (!t.succeeded()) return;
         std::string all = bytes(first_values());
         all.replace(10, 5, "abcde").replace(9000, 5, "fghij");
         t.check_file("the file", all);
       }},
  };
}

}  // namespace

std::vector<scenario> random_scenarios() {
  std::vector<scenario> all = single_scenarios();
  for (const auto& appending : append_scenarios()) all.push_back(appending);
  for (const auto& routed : scenarios_by_route) add_batches(all, routed);
  return all;
}

}  // namespace sweep
