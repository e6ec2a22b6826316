// Ways to write a file with leat, each with the promises of docs/reliability.md.
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "power/workload_context.hpp"

namespace leat_power {

namespace {

/// Makes a file with this content, which is promised.
void put_durably(workload_file& file, const std::string& bytes) {
  file.begin_change(bytes);
  auto out = leat::create(file.path(), {.durability = to_disk, .permissions = 0640});
  out.write(bytes);
  out.close();
  file.add_promise();
}

/// A random size: below, at or above a block, or larger than several buffers.
std::size_t some_size(workload_context& t) {
  constexpr std::size_t sizes[] = {0, 1, 100, 511, 4095, 4096, 4097, 20000, 70000, 300000};
  return sizes[t.below(std::size(sizes))];
}

// --- replace: the old content or the new one

void replace_system(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  put_durably(file, t.text(5000));
  file.require_mode(0640);
  for (int i = 0; i != 24; ++i) {
    const std::string next = t.text(some_size(t));
    file.begin_change(next, atomicity::whole);
    auto out = leat::replace(file.path(), {.durability = to_disk});
    out.write(next);
    out.close();
    file.add_promise();
    t.sync_at_random();
  }
}

/// The first content of a new name is complete, too.
void replace_nothing(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  const std::string next = t.text(9000);
  file.begin_change(next, atomicity::whole);
  auto out = leat::replace(file.path(), {.durability = to_disk});
  out.write(next);
  out.close();
  file.add_promise();
}

/// Syncs before the close, but has no durability. The new content may get its name after the close,
/// but a part of the content never gets the name.
void replace_synced(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  put_durably(file, t.text(3000));
  for (int i = 0; i != 12; ++i) {
    const std::string next = t.text(some_size(t));
    file.begin_change(next, atomicity::whole);
    auto out = leat::replace(file.path());
    out.write(next);
    out.sync();
    out.close();
    t.sync_at_random();
  }
}

// --- append and create: all synced bytes, then a part of the rest

/// Appends lines. Each flush is durable.
void append_system(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  std::string all;
  for (int run = 0; run != 3; ++run) {
    auto out = leat::append(file.path(), {.durability = to_disk});
    if (run == 0) {
      file.begin_change("");
      file.add_promise();
    }
    for (int i = 0; i != 8; ++i) {
      const std::string lines = t.text(some_size(t) % 30000 + 1);
      file.begin_change(all += lines);
      out.write(lines);
      out.flush();
      file.add_promise();
      t.sync_at_random();
    }
    const std::string last = t.text(50);
    file.begin_change(all += last);
    out.write(last);
    out.close();
    file.add_promise();
  }
}

/// Appends without durability, and sometimes calls sync().
void append_sync(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  std::string all;
  file.begin_change("");
  auto out = leat::append(file.path());
  for (int i = 0; i != 30; ++i) {
    const std::string lines = t.text(some_size(t) % 30000 + 1);
    file.begin_change(all += lines);
    out.write(lines);
    if (t.below(3) == 0) {
      out.sync();
      file.add_promise();
    } else if (t.below(2) == 0) {
      out.flush();
    }
    t.sync_at_random();
  }
}

/// After a cut, the pending bytes of the sidecar are dropped, and bytes that were synced are in the
/// file.
void append_process(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  std::string all;
  file.begin_change("");
  auto out = leat::append(file.path(), {.durability = leat::durability::process});
  for (int i = 0; i != 60; ++i) {
    const std::string line = t.text(some_size(t) % 3000 + 1);
    file.begin_change(all += line);
    out.write(line);
    if (t.below(5) == 0) {
      out.sync();
      file.add_promise();
    }
    t.sync_at_random();
  }
}

void create_system(workload_context& t, const std::string& name, const leat::create_options& how) {
  for (int i = 0; i != 8; ++i) {
    auto file = t.file(name + std::to_string(i));
    file.begin_change("", atomicity::whole);
    auto out = leat::create(file.path(), how);
    file.add_promise();
    const std::string bytes = t.text(some_size(t));
    file.begin_change(bytes);
    out.write(bytes);
    out.close();
    file.add_promise();
    t.sync_at_random();
  }
}

void create_sync(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  file.begin_change("");
  auto out = leat::create(file.path());
  const std::string bytes = t.text(30000);
  file.begin_change(bytes);
  out.write(bytes);
  out.sync();
  file.add_promise();
}

// --- journals: all synced records are in the file

/// Returns the content that a journal has after these records are appended.
std::string with_records(const std::string& journal, const std::vector<std::string>& records) {
  const auto path =
      std::filesystem::temp_directory_path() / ("leat-rehearsal-" + std::to_string(::getpid()));
  leat::write_file(path, journal);
  auto log = leat::journal::open(path);
  for (const std::string& one : records) log.append(one);
  log.close();
  std::string result = leat::read_file(path);
  std::filesystem::remove(path);
  return result;
}

void journal(workload_context& t, const std::string& name, const leat::journal_options& how) {
  auto file = t.file(name);
  file.allow_trailing_zeros();
  std::string all = with_records("", {});
  put_durably(file, all);
  const bool always = how.durability == to_disk;
  for (int run = 0; run != 3; ++run) {
    auto log = leat::journal::open(file.path(), how);
    for (int i = 0; i != 8; ++i) {
      std::vector<std::string> records(t.below(3) + 1);
      for (auto& one : records) one = t.text(some_size(t) % 40000);
      file.begin_change(all = with_records(all, records));
      for (const auto& one : records) log.append(one);
      if (always || t.below(3) == 0) {
        log.sync();
        file.add_promise();
      } else if (t.below(2) == 0) {
        log.flush();
      }
      t.sync_at_random();
    }
    log.close();
    if (always) file.add_promise();
  }
}

/// Small records, each synced. The records overwrite zeros that the journal has written in advance.
void journal_of_small_records(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  file.allow_trailing_zeros();
  std::string all = with_records("", {});
  put_durably(file, all);
  for (int run = 0; run != 2; ++run) {
    auto log = leat::journal::open(file.path(), {.durability = to_disk});
    for (int i = 0; i != 40; ++i) {
      const std::string record = t.text(t.below(3000));
      file.begin_change(all = with_records(all, {record}));
      log.append(record);
      log.sync();
      file.add_promise();
      t.sync_at_random();
    }
    log.close();
  }
}

// --- logs: a line that was synced is in the old file or in the new one

void rotating(workload_context& t, const std::string& name) {
  for (int i = 0; i != 8; ++i) {
    auto log = t.file(name + std::to_string(i));
    auto old = t.sibling(".1");
    log.begin_change("");
    auto out = leat::rotating(log.path(), {.size = 20000, .keep = 1, .durability = to_disk});
    std::string all;
    for (int line = 0; line != 30 && !old.exists(); ++line) {
      std::string bytes = t.text(some_size(t) % 5000);
      std::ranges::replace(bytes, '\n', ' ');
      bytes += '\n';
      if (all.size() + bytes.size() > 20000) {
        old.begin_change(all, atomicity::whole);
        log.begin_change({}, atomicity::whole);
        log.begin_change("", atomicity::whole);
        all.clear();
      }
      log.begin_change(all += bytes);
      out.write(bytes);
      out.flush();
      log.add_promise();
      if (old.exists()) old.add_promise();
      t.sync_at_random();
    }
    out.close();
  }
}

// --- update: all synced changes are in the file

template <class Sync>
void update_positions(workload_context& t, workload_file& file, leat::file_stream& stream,
                      Sync sync) {
  std::string all = file.latest();
  for (int i = 0; i != 20; ++i) {
    const std::size_t at = t.below(all.size());
    const std::string bytes = t.text(t.below(3000) + 1);
    all.resize(std::max(all.size(), at + bytes.size()));
    all.replace(at, bytes.size(), bytes);
    file.begin_change(all);
    stream.seek(at);
    stream.write(bytes);
    if (i % 3 == 2) {
      sync(stream);
      file.add_promise();
    }
    t.sync_at_random();
  }
  file.begin_change(all);
  stream.close();
}

void update_system(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  put_durably(file, t.text(20000));
  auto stream = leat::update(file.path(), {.durability = to_disk});
  update_positions(t, file, stream, [](auto& one) { one.flush(); });
  file.add_promise();
}

void update_sync(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  file.begin_change("");
  auto stream = leat::update(file.path(), {.create = true});
  const std::string bytes = t.text(9000);
  file.begin_change(bytes);
  stream.write(bytes);
  stream.sync();
  file.add_promise();
  update_positions(t, file, stream, [](auto& one) { one.sync(); });
}

// --- records and file

using numbers = leat::records<std::uint64_t>;

std::string bytes_of(const std::vector<std::uint64_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]};
}

void change_records(workload_context& t, workload_file& file, numbers& table, bool sync) {
  std::vector<std::uint64_t> values(2000);
  for (std::size_t i = 0; i != values.size(); ++i) values[i] = i << 20;
  const auto durable = [&] {
    if (sync) table.sync();
    file.add_promise();
    t.sync_at_random();
  };
  file.begin_change(bytes_of(values));
  table.append(values);
  durable();
  for (std::size_t i = 0; i != 8; ++i) {
    std::vector<std::size_t> positions;
    std::vector<std::uint64_t> new_values;
    for (std::size_t n = 0; n != 100; ++n) {
      positions.push_back(t.below(values.size()));
      new_values.push_back(t.below(1000));
      values[positions.back()] = new_values.back();
    }
    file.begin_change(bytes_of(values));
    table.scatter(positions, std::span<const std::uint64_t>(new_values));
    durable();
    for (const std::size_t position : positions) ++values[position];
    file.begin_change(bytes_of(values));
    table.update(positions, [](std::uint64_t& value) { ++value; });
    durable();
    values.push_back(i);
    file.begin_change(bytes_of(values));
    table.append(values.back());
    durable();
    values[i] = 7;
    file.begin_change(bytes_of(values));
    table.set(i, 7);
    durable();
    values.resize(values.size() - 100 + t.below(150));
    file.begin_change(bytes_of(values));
    table.resize(values.size());
    durable();
  }
}

void records_system(workload_context& t, const std::string& name, leat::caching how) {
  auto file = t.file(name);
  file.begin_change("");
  auto table = numbers::create(file.path(), {.access = {.caching = how, .durability = to_disk}});
  change_records(t, file, table, false);
}

void records_sync(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  file.begin_change("");
  auto table = numbers::open(file.path(), leat::mode::update_or_create);
  change_records(t, file, table, true);
}

// --- whole files, and C

/// copy_file promises nothing. A sync of the copy promises the copy's content.
void copy_then_sync(workload_context& t, const std::string& name) {
  auto from = t.file(name + "0");
  auto to = t.file(name + "1");
  put_durably(from, t.text(50000));
  to.begin_change("");
  to.begin_change(from.latest());
  leat::copy_file(from.path(), to.path());
  leat::append(to.path()).sync();
  to.add_promise();
}

void c_write(workload_file& file, const std::string& all, const std::string& bytes,
             leat_file* out) {
  file.begin_change(all);
  require(leat_fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size(), "write");
}

void c_system(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  file.begin_change("");
  leat_options how{};
  how.durability = LEAT_DURABILITY_SYSTEM;
  leat_file* const out = leat_open(file.path().c_str(), "w", &how);
  require(out != nullptr, "open " + file.path());
  file.add_promise();
  std::string all;
  for (int i = 0; i != 12; ++i) {
    const std::string bytes = t.text(some_size(t) % 30000 + 1);
    c_write(file, all += bytes, bytes, out);
    require((i % 2 == 0 ? leat_sync(out) : leat_fflush(out)) == 0, "sync");
    file.add_promise();
    t.sync_at_random();
  }
  const std::string bytes = t.text(100);
  c_write(file, all += bytes, bytes, out);
  require(leat_fclose(out) == 0, "close");
  file.add_promise();
}

void c_replace(workload_context& t, const std::string& name) {
  auto file = t.file(name);
  put_durably(file, t.text(5000));
  leat_options how{};
  how.durability = LEAT_DURABILITY_SYSTEM;
  how.replace = 1;
  for (int i = 0; i != 8; ++i) {
    const std::string bytes = t.text(some_size(t));
    file.begin_change(bytes, atomicity::whole);
    leat_file* const out = leat_open(file.path().c_str(), "w", &how);
    require(out != nullptr && leat_fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size() &&
                leat_fclose(out) == 0,
            "replace " + file.path());
    file.add_promise();
  }
}

}  // namespace

std::vector<workload> every_workload() {
  std::vector<workload> all;
  const auto add = [&](const std::string& name, auto run, auto... more) {
    all.push_back({name, [=](workload_context& t) { run(t, name, more...); }});
  };
  add("replace-system", replace_system);
  add("replace-nothing", replace_nothing);
  add("replace-synced", replace_synced);
  add("append-system", append_system);
  add("append-sync", append_sync);
  add("append-process", append_process);
  add("create-system", create_system, leat::create_options{.durability = to_disk});
  add("create-exclusive", create_system,
      leat::create_options{.durability = to_disk, .exclusive = true});
  add("create-reserved", create_system,
      leat::create_options{.durability = to_disk, .preallocate = 400000});
  add("create-background", create_system,
      leat::create_options{.buffer_size = 8192, .durability = to_disk, .background = true});
  add("create-direct", create_system,
      leat::create_options{.durability = to_disk, .caching = leat::caching::direct});
  add("create-sync", create_sync);
  add("journal-room", journal_of_small_records);
  add("journal-system", journal, leat::journal_options{.durability = to_disk});
  add("journal-sync", journal, leat::journal_options{});
  add("journal-process", journal, leat::journal_options{.durability = leat::durability::process});
  add("log-system", rotating);
  add("update-system", update_system);
  add("update-sync", update_sync);
  add("records-system", records_system, leat::caching::cached);
  add("records-direct", records_system, leat::caching::direct);
  add("records-sync", records_sync);
  add("copy-sync", copy_then_sync);
  add("c-system", c_system);
  add("c-replace", c_replace);
  return all;
}

}  // namespace leat_power
