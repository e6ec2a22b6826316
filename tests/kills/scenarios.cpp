// The scenarios of kills.cpp: each way to write one file, with each durability, and the content
// that must survive a kill.
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kills/victim.hpp"

namespace leat_kills {

namespace {

using leat::durability;

/// Sometimes flushes. Adds a promise after a flush, or with `process` after each call.
template <class Stream>
void flush_at_random(victim& v, Stream& stream, durability how) {
  const bool flushes = v.below(how == durability::none ? 4 : 16) == 0;
  if (flushes) stream.flush();
  if (flushes || how == durability::process) v.add_promise();
}

/// With `process` a call of up to 64 KiB is complete or has no effect.
atomicity atomicity_of(durability how) {
  return how == durability::process ? atomicity::whole : atomicity::in_parts;
}

/// Makes one call: text, one byte, or a line.
void write_some(victim& v, leat::writer& out, durability how, atomicity parts) {
  const std::string bytes = v.text();
  switch (v.below(4)) {
    case 0:
      v.begin_change(v.latest() + bytes[0], parts);
      out.put(bytes[0]);
      break;
    case 1:
      v.begin_change(v.latest() + "<" + bytes + ">\n", parts);
      out.println("<{}>", bytes);
      break;
    default:
      v.begin_change(v.latest() + bytes, parts);
      out.write(bytes);
  }
  flush_at_random(v, out, how);
}

/// Appends with one stream after another.
void append(victim& v, durability how) {
  for (;;) {
    auto out = leat::append(v.path(), {.durability = how});
    // 1000 calls fill several buffers in the sidecar.
    const std::size_t most = v.below(4) == 0 ? 1000 : 20;
    for (std::size_t i = v.below(most); i != 0; --i) write_some(v, out, how, atomicity_of(how));
    out.close();
    v.add_promise();
  }
}

void create(victim& v, durability how) {
  v.begin_change("");
  auto out = leat::create(v.path(), {.durability = how});
  for (;;) write_some(v, out, how, atomicity_of(how));
}

void replace(victim& v, durability how) {
  for (;;) {
    std::string next;
    for (std::size_t i = v.below(4); i != 0; --i) next += v.text();
    v.begin_change(next, atomicity::whole);
    auto out = leat::replace(v.path(), {.durability = how});
    out.write(next);
    out.close();
    v.add_promise();
  }
}

void update(victim& v, durability how) {
  auto stream = leat::update(v.path(), {.durability = how, .create = true});
  for (;;) {
    const std::string bytes = v.text();
    const std::size_t at = v.below(std::min<std::size_t>(v.latest().size(), 20000) + 1);
    std::string all = v.latest();
    all.resize(std::max(all.size(), at + bytes.size()));
    all.replace(at, bytes.size(), bytes);
    v.begin_change(all);
    stream.seek(at);
    stream.write(bytes);
    flush_at_random(v, stream, how);
  }
}

using numbers = leat::records<std::uint64_t>;

std::string bytes_of(const std::vector<std::uint64_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]};
}

/// The bytes of each call are in the file when the call returns.
void change_records(victim& v, durability how) {
  v.begin_change("");
  auto table = numbers::create(v.path(), {.access = {.durability = how}});
  std::vector<std::uint64_t> values(50 + v.below(1000), 1);
  v.begin_change(bytes_of(values));
  table.append(values);
  v.add_promise();
  for (;;) {
    std::vector<std::size_t> positions(1 + v.below(50));
    for (auto& position : positions) position = v.below(values.size());
    const std::vector<std::uint64_t> new_values(positions.size(), v.below(1000000));
    switch (v.below(4)) {
      case 0:
        for (const auto position : positions) values[position] = new_values[0];
        v.begin_change(bytes_of(values));
        table.scatter(positions, std::span<const std::uint64_t>(new_values));
        break;
      case 1:
        for (const auto position : positions) ++values[position];
        v.begin_change(bytes_of(values));
        table.update(positions, [](std::uint64_t& value) { ++value; });
        break;
      case 2:
        values[positions[0]] = new_values[0];
        v.begin_change(bytes_of(values));
        table.set(positions[0], new_values[0]);
        break;
      default:
        values.insert(values.end(), new_values.begin(), new_values.end());
        v.begin_change(bytes_of(values));
        table.append(new_values);
    }
    v.add_promise();
  }
}

void c_append(victim& v, durability how) {
  leat_options options{};
  options.durability = static_cast<leat_durability>(how);
  leat_file* const out = leat_open(v.path().c_str(), "a", &options);
  if (out == nullptr) throw std::runtime_error("leat_open failed");
  for (;;) {
    const std::string bytes = v.text();
    v.begin_change(v.latest() + bytes, atomicity_of(how));
    leat_fputs(bytes.c_str(), out);
    const bool flushes = v.below(8) == 0;
    if (flushes) leat_fflush(out);
    if (flushes || how == durability::process) v.add_promise();
  }
}

/// The states of the file are reported as concatenated records. Each record is complete or missing.
void write_journal(victim& v, durability how) {
  for (;;) {
    auto out = leat::journal::open(v.path(), {.durability = how});
    for (std::size_t i = v.below(20); i != 0; --i) {
      std::vector<std::string> records(v.below(4) == 0 ? v.below(4) : 1);
      for (std::string& bytes : records) {
        bytes = v.text();
        if (v.below(40) == 0) bytes.append(40000, '+');
        v.begin_change(v.latest() + bytes, atomicity::whole);
      }
      out.append_all(std::vector<std::string_view>(records.begin(), records.end()));
      const bool flushes = v.below(how == durability::none ? 4 : 16) == 0;
      if (flushes && how == durability::system)
        out.sync();
      else if (flushes)
        out.flush();
      if (flushes || how == durability::process) v.add_promise();
    }
    out.close();
    v.add_promise();
  }
}

}  // namespace

std::vector<scenario> every_scenario() {
  struct {
    const char* name;
    void (*run)(victim&, durability);
  } const operations[] = {{"append", append},          {"create", create},
                          {"replace", replace},        {"update", update},
                          {"records", change_records}, {"c-append", c_append},
                          {"journal", write_journal}};
  struct {
    const char* name;
    durability how;
  } const levels[] = {
      {"none", durability::none}, {"process", durability::process}, {"system", durability::system}};
  std::vector<scenario> all;
  for (const auto& operation : operations) {
    for (const auto& level : levels) {
      all.push_back({std::string(operation.name) + " " + level.name,
                     [run = operation.run, how = level.how](victim& v) { run(v, how); }});
    }
  }
  return all;
}

}  // namespace leat_kills
