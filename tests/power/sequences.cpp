// All sequences of three operations on one file, for power_cuts.cpp. Most of the known crash bugs
// of file systems need at most three operations (Mohan et al., OSDI 2018).
#include <leat/leat.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "power/workload_context.hpp"

namespace leat_power {

namespace {

/// An operation on a file, with this durability. Records its own changes and promises.
using operation = void (*)(workload_context&, workload_file&, leat::durability how);

/// If `how` is `to_disk`, records that the call has promised the content.
void add_promise_if_durable(workload_file& file, leat::durability how) {
  if (how == to_disk) file.add_promise();
}

void create(workload_context& t, workload_file& file, leat::durability how) {
  const std::string bytes = t.text(3000);
  file.begin_change("");
  file.begin_change(bytes);
  auto out = leat::create(file.path(), {.durability = how});
  out.write(bytes);
  out.close();
  add_promise_if_durable(file, how);
}

void append(workload_context& t, workload_file& file, leat::durability how) {
  const std::string bytes = t.text(2000);
  if (!file.exists()) file.begin_change("");
  file.begin_change(file.latest() + bytes);
  auto out = leat::append(file.path(), {.durability = how});
  out.write(bytes);
  out.close();
  add_promise_if_durable(file, how);
}

/// Without durability, a cut may leave an empty or incomplete file.
void replace(workload_context& t, workload_file& file, leat::durability how) {
  const std::string bytes = t.text(5000);
  if (how == to_disk) {
    file.begin_change(bytes, atomicity::whole);
  } else {
    file.begin_change("", atomicity::whole);
    file.begin_change(bytes);
  }
  auto out = leat::replace(file.path(), {.durability = how});
  out.write(bytes);
  out.close();
  add_promise_if_durable(file, how);
}

void update(workload_context& t, workload_file& file, leat::durability how) {
  if (!file.exists()) return;
  const std::string bytes = t.text(900);
  std::string all = file.latest();
  const std::size_t at = all.size() / 2;
  if (all.size() < at + bytes.size()) all.resize(at + bytes.size());
  all.replace(at, bytes.size(), bytes);
  file.begin_change(all);
  auto stream = leat::update(file.path(), {.durability = how});
  stream.seek(at);
  stream.write(bytes);
  stream.close();
  add_promise_if_durable(file, how);
}

void resize(workload_context& t, workload_file& file, leat::durability how) {
  if (!file.exists()) return;
  std::string all = file.latest();
  all.resize(t.below(2) == 0 ? all.size() / 2 : all.size() + 4000);
  file.begin_change(all);
  auto table = leat::file::open(file.path(), leat::mode::update, {.durability = how});
  table.resize(all.size());
  add_promise_if_durable(file, how);
}

/// Syncs the file with a new stream, after other streams have written.
void sync(workload_context& /*t*/, workload_file& file, leat::durability /*how*/) {
  if (!file.exists()) file.begin_change("");
  leat::append(file.path()).sync();
  file.add_promise();
}

void remove(workload_context& /*t*/, workload_file& file, leat::durability /*how*/) {
  if (!file.exists()) return;
  file.begin_change(std::nullopt, atomicity::whole);
  std::filesystem::remove(file.path());
}

struct named_operation {
  const char* name;
  operation call;
  leat::durability how;
};

constexpr auto none = leat::durability::none;
const named_operation operations[] = {
    {"create", create, none},   {"create-system", create, to_disk},
    {"append", append, none},   {"append-system", append, to_disk},
    {"replace", replace, none}, {"replace-system", replace, to_disk},
    {"update", update, none},   {"update-system", update, to_disk},
    {"resize", resize, none},   {"resize-system", resize, to_disk},
    {"sync", sync, none},       {"remove", remove, none},
};

}  // namespace

std::vector<workload> every_sequence() {
  std::vector<workload> all;
  for (const named_operation& a : operations) {
    for (const named_operation& b : operations) {
      for (const named_operation& c : operations) {
        std::string name = std::string(a.name) + ", " + b.name + ", " + c.name;
        all.push_back({name, [=](workload_context& t) {
                         auto file = t.file(name);
                         for (const auto& one : {a, b, c}) one.call(t, file, one.how);
                         t.sync_at_random();
                       }});
      }
    }
  }
  return all;
}

}  // namespace leat_power
