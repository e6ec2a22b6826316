// `leat bench small-files`: many small files, such as settings, mails and sources. What do opening
// and closing cost?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "experiments/peers.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"

namespace bench::experiment_small_files {

namespace {

constexpr std::size_t largest_size = 8 << 10;

struct input {
  std::size_t count = 0;
  std::vector<std::string> contents;  // random lengths below `largest_size`
  std::size_t bytes = 0;              // of all contents
};

enum class file_operation { read, create, replace };

struct task {
  const char* name;
  file_operation operation;
};
constexpr std::array tasks{task{"read", file_operation::read},
                           task{"create", file_operation::create},
                           task{"replace", file_operation::replace}};

const task& task_of(const setting& at) {
  return *std::ranges::find_if(tasks, [&at](const task& one) { return at.has("work", one.name); });
}

std::filesystem::path file_of(const run& this_run, std::size_t i) {
  return this_run.folder / (std::to_string(i) + ".txt");
}

/// Makes the contents, once.
void fill(input& in) {
  std::mt19937_64 random(1);
  for (std::size_t i = in.contents.size(); i != in.count; ++i) {
    in.contents.emplace_back(random() % largest_size, static_cast<char>('a' + random() % 26));
    in.bytes += in.contents.back().size();
  }
}

/// Replaces a file atomically, for libraries that cannot replace files: writes a new file, and
/// renames the new file to `path`.
template <class Library>
struct by_rename {
  static void replace(const std::filesystem::path& path, const std::string& text) {
    auto temporary = path;
    temporary += ".new";
    Library::write(temporary, text);
    std::filesystem::rename(temporary, path);
  }
};

// The next four classes read, write and replace whole files, each class in its own way.
struct system_calls : by_rename<system_calls> {
  static std::string read(const std::filesystem::path& path) {
    raw_file file(path, access::read);
    std::string all(largest_size, '\0');  // the program knows the largest size
    std::size_t size = 0;
    for (std::size_t n = 1; n != 0 && size != all.size(); size += n)
      n = file.read(all.data() + size, all.size() - size);
    all.resize(size);
    file.close();
    return all;
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    raw_file file(path);
    if (!text.empty()) file.write(text);
    file.close();
  }
};

struct stdio : by_rename<stdio> {
  static std::string read(const std::filesystem::path& path) {
    c_file file(path, "rb");
    std::string all;
    std::array<char, 4096> part;
    for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), file.get())) != 0;)
      all.append(part.data(), n);
    file.close();
    return all;
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    c_file file(path);
    std::fwrite(text.data(), 1, text.size(), file.get());
    file.close();
  }
};

struct iostreams : by_rename<iostreams> {
  static std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) fail("open", path, errno);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail("write", path, errno != 0 ? errno : EIO);
  }
};

struct ours {
  static std::string read(const std::filesystem::path& path) {
    return leat::read_file(utf8_from_path(path));
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    leat::write_file(utf8_from_path(path), text);
  }
  static void replace(const std::filesystem::path& path, const std::string& text) {
    auto out = leat::replace(utf8_from_path(path));
    out.write(text);
    out.close();
  }
};

template <class Library>
void work_on(const input& in, run& this_run) {
  const file_operation operation = task_of(this_run.setting).operation;
  for (std::size_t i = 0; i != in.count; ++i) {
    const auto path = file_of(this_run, i);
    switch (operation) {
      case file_operation::read:
        this_run.answer += Library::read(path).size();
        break;
      case file_operation::create:
        Library::write(path, in.contents[i]);
        break;
      case file_operation::replace:
        Library::replace(path, in.contents[i]);
        break;
    }
  }
}

/// Prepares the files of a task. To read, makes the missing files. To replace, overwrites the files
/// with other bytes. To create, removes the files.
void before(const input& in, run& this_run) {
  const file_operation operation = task_of(this_run.setting).operation;
  this_run.answer = 0;
  for (std::size_t i = 0; i != in.count; ++i) {
    const auto path = file_of(this_run, i);
    if (operation == file_operation::create)
      std::filesystem::remove(path);
    else if (operation == file_operation::replace)
      stdio::write(path, std::string(in.contents[i].size(), '-'));
    else if (!std::filesystem::exists(path))
      stdio::write(path, in.contents[i]);
  }
}

void require_right(const input& in, const run& this_run) {
  for (std::size_t i = 0; i != in.count; ++i) require_content(file_of(this_run, i), in.contents[i]);
  if (task_of(this_run.setting).operation == file_operation::read && this_run.answer != in.bytes)
    throw failure("read other bytes than the files have");
}

constexpr auto base = "system calls", leat_row = "leat";

choices at(const task& wanted) { return {{"work", {wanted.name, {}}}}; }

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  for (const task& one : tasks) {
    const auto theirs = result.median(base, at(one)), own = result.median(leat_row, at(one));
    const auto c = result.median("stdio", at(one));
    if (!theirs || !own || !c) continue;
    found.push_back(
        {fmt::format("{}: leat is {} as fast as system calls alone, and {} as fast as "
                     "stdio.",
                     one.name, times(*theirs / *own), times(*c / *own))});
  }
  return found;
}

experiment make_small_files(const request& wanted) {
  auto in = std::make_shared<input>();
  in->count = wanted.sized(5000, 1000, 30);
  factor works{"work", {}, layout::table};
  for (const task& one : tasks) works.values.push_back({one.name, {}});
  const auto work = [in](void (*function)(const input&, run&)) {
    return [in, function](run& this_run) { function(*in, this_run); };
  };
  return {
      .name = "small-files",
      .title = "files of 0 to 8 KiB, each opened, read or written whole, and closed",
      .published = "nothing; the experiment shows the cost of opening.",
      .cached = "The files are in the page cache.",
      .factors = {works},
      .variants = {{base, role::baseline, work(work_on<system_calls>)},
                   {"stdio", role::peer, work(work_on<stdio>)},
                   {"iostreams", role::peer, work(work_on<iostreams>)},
                   {leat_row, role::leat, work(work_on<ours>)}},
      .load =
          [in](const setting& at) {
            fill(*in);
            return load{fmt::format("{} {} files", task_of(at).name, grouped(in->count)), in->bytes,
                        in->count, "file"};
          },
      .space = 2 * in->count * largest_size,
      .time_share = 0.25,
      .before = [in](run& this_run) { before(*in, this_run); },
      .check = [in](run& this_run) { require_right(*in, this_run); },
      .findings = findings,
      .charts = {{.title = "reading small files", .where = at(tasks[0])},
                 {.title = "making small files", .where = at(tasks[1])}},
      .headline = {{.work = "reading small files",
                    .ours = leat_row,
                    .ours_at = at(tasks[0]),
                    .theirs = "stdio",
                    .theirs_at = at(tasks[0])}},
  };
}

const registration small_files(10, make_small_files);

}  // namespace

}  // namespace bench::experiment_small_files
