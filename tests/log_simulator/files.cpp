// Implements files: the files of a log, and what other tools do to these files.
#include "log_simulator/files.hpp"

#include <leat/leat.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace logs {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view compressing_name = "log.compressing";

bool parse(std::string_view name, archive& into) {
  std::string_view rest = name;
  if (!rest.starts_with("log.")) return false;
  rest.remove_prefix(4);
  into.name = name;
  into.is_compressed = rest.ends_with(".gz");
  if (into.is_compressed) rest.remove_suffix(3);
  if (rest.size() == 23 && rest[8] == 'T') {
    into.time = rest;
    return true;
  }
  if (rest.empty() || rest.find_first_not_of("0123456789") != rest.npos) return false;
  into.number = std::stoull(std::string(rest));
  return true;
}

}  // namespace

bool files::is_archive(std::string_view name) {
  archive one;
  return parse(name, one);
}

std::string files::content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string files::text_of(const archive& one) const {
  if (!one.is_compressed) return content(at(one.name));
  return leat::open(at(one.name), {.compression = leat::compression::gzip}).read_all();
}

void files::set_file_time(const std::string& path) const {
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_OMIT;
  const std::int64_t now = clock_->file_time();
  times[1].tv_sec = now / second - (now % second < 0 ? 1 : 0);
  times[1].tv_nsec = (now % second + second) % second;
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

void files::write_file(const std::string& path, std::string_view text) const {
  std::ofstream(path, std::ios::binary) << text;
  set_file_time(path);
}

std::vector<archive> files::archives() const {
  std::vector<archive> found;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (archive one; parse(entry.path().filename().string(), one)) found.push_back(one);
  std::sort(found.begin(), found.end(), [](const archive& a, const archive& b) {
    if (a.number != b.number) return a.number > b.number;
    return a.time != b.time ? a.time < b.time : a.is_compressed > b.is_compressed;
  });
  return found;
}

// Actions of processes

void files::note_new_log() {
  if (versions_.contains(log_name) || !fs::exists(log())) return;
  versions_.emplace(log_name, file_version{next_file_++, 0});
  set_file_time(log());
}

void files::note_rename(std::string_view from, std::string_view to) {
  if (from == compressing_name) {  // compressed content of a file that will be removed
    const std::string_view original = to.substr(0, to.size() - 3);
    const auto old = versions_.find(original);
    versions_.insert_or_assign(std::string(to), old != versions_.end()
                                                    ? old->second
                                                    : removed_versions_[std::string(original)]);
    return;
  }
  auto node = versions_.extract(std::string(from));
  if (node.empty()) return;
  node.key() = to;
  versions_.insert(std::move(node));
}

std::string files::removal_violation(std::string_view name, std::size_t keep,
                                     listing listed) const {
  archive removed;
  if (!parse(name, removed)) return {};
  const std::vector<archive> all = archives();
  std::size_t count = 0, before = 0;
  for (std::size_t i = 0; i != all.size(); ++i) {
    const bool is_twin = i != 0 && all[i].has_same_id(all[i - 1]);
    count += is_twin ? 0 : 1;
    if (all[i].name == name) before = count - 1;
    if (all[i].name == name || !all[i].has_same_id(removed)) continue;
    return text_of(all[i]) == text_of(removed) ? std::string()
                                               : "the removed bytes are not in " + all[i].name;
  }
  if (keep == 0) return "an old file is removed without `keep`: " + removed.name;
  if (listed == listing::stale) return {};
  if (listed == listing::stale_under_lock)
    return "another process changed names while a process with the rotation lock listed the files";
  if (before != 0) return "`keep` removes a file that is not the oldest: " + removed.name;
  if (count < keep)
    return "`keep` leaves " + std::to_string(count - 1) + " of " + std::to_string(keep) + " files";
  return {};
}

/// If a file has no compressed or uncompressed twin, records that the content of the file was
/// removed.
void files::record_removal(std::string_view name) {
  archive one;
  one.name = name;
  parse(name, one);
  for (const archive& other : archives())
    if (other.name != name && one.name != log_name && other.has_same_id(one)) return;
  history_->record_removal(text_of(one));
}

void files::note_removal(std::string_view name) {
  if (archive one; name == log_name || parse(name, one)) record_removal(name);
  if (const auto known = versions_.find(name); known != versions_.end()) {
    removed_versions_[known->first] = known->second;
    versions_.erase(known);
  }
}

// Actions of tools

std::string files::run_tool(std::size_t which, std::size_t random,
                            std::vector<tool_step>& later_steps) {
  const bool has_log = fs::exists(log());
  const std::vector<archive> all = archives();
  const auto rename_log = [&](std::string_view kind) {
    log_taken_at_ = history_->now();
    const std::string name = new_name(kind);
    fs::rename(log(), at(name));
    note_rename(log_name, name);
    return name;
  };
  switch (which) {
    case 0:
    case 1:
      if (!has_log) return {};
      return "moves the log to " + rename_log("moved.");
    case 2: {
      if (!has_log) return {};
      const std::string name = rename_log("moved.");
      later_steps.emplace_back([this] {
        if (fs::exists(log())) return;
        write_file(log(), "");
        note_new_log();
      });
      return "moves the log to " + name + ", and creates a new log";
    }
    case 3: {
      if (!has_log || !later_steps.empty()) return {};
      const std::string name = new_name("copy.");
      const std::string text = content(log());
      write_file(at(name), text);
      const file_version copied = versions_.at(std::string(log_name));
      versions_.emplace(name, copied);
      later_steps.emplace_back([this, name, text, copied] {
        // The tool has the file open, whatever the file's current name is.
        const auto now = std::find_if(versions_.begin(), versions_.end(), [&](const auto& one) {
          return one.second == copied && one.first != name && !one.first.ends_with(".gz");
        });
        if (now == versions_.end()) {  // the file was compressed or removed
          fs::remove(at(name));
          versions_.erase(name);
          return;
        }
        history_->record_removal(content(at(now->first)).substr(text.size()));
        fs::resize_file(at(now->first), 0);
        set_file_time(at(now->first));
        ++now->second.second;
      });
      return "copies the log to " + name + ", and empties the log";
    }
    case 4:
      if (!has_log) return {};
      note_removal(log_name);
      log_taken_at_ = log_removed_at_ = history_->now();
      fs::remove(log());
      return "removes the log";
    case 5: {
      const std::string text = "#" + std::to_string(++tool_name_count_) + '\n';
      history_->record_tool_text(text);
      write_file(at("tool"), text);
      if (has_log) note_removal(log_name);
      log_taken_at_ = log_removed_at_ = history_->now();
      fs::rename(at("tool"), log());
      note_new_log();
      return "replaces the log";
    }
    case 6:
      if (!has_log) return {};
      ::chmod(log().c_str(), std::array<mode_t, 4>{0600, 0640, 0644, 0666}[random % 4]);
      return "changes the log's mode";
    case 7:
      if (has_log)
        set_file_time(log());
      else
        write_file(log(), "");
      note_new_log();
      return "touches the log";
    case 8: {
      if (all.empty()) return {};
      const archive& one = all[random % all.size()];
      if (one.is_compressed || fs::exists(at(one.name + ".gz"))) return {};
      auto to = leat::create(at("tool"), {.compression = leat::compression::gzip});
      to.write(content(at(one.name)));
      to.close();
      fs::last_write_time(at("tool"), fs::last_write_time(at(one.name)));
      fs::rename(at("tool"), at(one.name + ".gz"));
      versions_.emplace(one.name + ".gz", versions_.at(one.name));
      removed_versions_[one.name] = versions_.at(one.name);
      versions_.erase(one.name);
      fs::remove(at(one.name));
      return "compresses " + one.name;
    }
    default: {
      if (all.empty()) return {};
      const archive& one = all[random % all.size()];
      note_removal(one.name);
      fs::remove(at(one.name));
      return "removes " + one.name;
    }
  }
}

// The comparison at the end of a run

std::vector<file_content> files::contents(std::string& violation) const {
  std::vector<std::pair<file_version, file_content>> found;
  const auto add = [&](const std::string& name, std::string text) {
    const auto known = versions_.find(name);
    if (known == versions_.end())
      violation = "left behind: " + name;
    else
      found.emplace_back(known->second, file_content{name, std::move(text)});
  };
  file_version latest{};
  for (const archive& one : archives()) {
    add(one.name, text_of(one));
    if (!violation.empty()) return {};
    if (found.back().first < latest) violation = one.name + " is older than the file before it";
    latest = found.back().first;
  }
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (archive one; !parse(name, one)) add(name, content(entry.path().string()));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<file_content> all;
  for (auto& one : found) all.push_back(std::move(one.second));
  return all;
}

}  // namespace logs
