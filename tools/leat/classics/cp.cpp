// `leat cp`: copies files, several at a time. classic_commands.cpp calls cp().
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "classics/classics.hpp"
#include "classics/copying.hpp"
#include "reporting/json.hpp"
#include "system/path_text.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& target) {
  std::error_code ec;
  return is_address(target) ? target.ends_with('/') : fs::is_directory(path_from_utf8(target), ec);
}

std::uint64_t size_of(const std::string& file) {
  std::error_code ec;
  const auto size = is_address(file) ? 0 : fs::file_size(path_from_utf8(file), ec);
  return ec ? 0 : size;
}

}  // namespace

int cp(const cp_options& options) {
  classic command("cp");
  auto files = options.files;
  if (files.size() < 2) {
    command.report_error(files.empty()
                             ? "missing file operand"
                             : "missing destination file operand after '" + files[0] + "'");
    leat::err.println("Try: leat cp --help");
    return command.finish();
  }
  const auto target = files.back();
  files.pop_back();
  const bool into_folder = is_folder(target);
  if (files.size() > 1 && !into_folder) {
    const bool exists = is_address(target) || fs::exists(path_from_utf8(target));
    const auto why = exists ? std::errc::not_a_directory : std::errc::no_such_file_or_directory;
    command.report_error(
        leat::format("target '{}': {}", target, std::make_error_code(why).message()));
    return command.finish();
  }
  std::vector<std::string> conflicts;
  const auto copies = plan_copies(files, target, into_folder, conflicts);
  for (const auto& one : conflicts) command.report_error(one);
  if (!conflicts.empty()) return command.finish();
  std::uint64_t total_bytes = 0;
  for (const auto& one : files) total_bytes += size_of(one);
  transfer_line line(total_bytes);
  std::mutex lock;  // protects the output
  const auto copy = [&](const planned_copy& one) {
    std::string message;
    std::uint64_t bytes = 0;
    try {
      bytes =
          copy_one(one, {.resume = options.resume, .keep_existing = options.keep_existing}, line);
    } catch (const std::exception& error) {
      message = error.what();
    }
    const std::lock_guard hold(lock);
    if (!message.empty()) {
      line.clear();
      command.report_error(message);
    } else if (options.json) {
      leat::println("{{\"from\": {}, \"to\": {}, \"bytes\": {}}}", json_string(one.from),
                    json_string(one.to), bytes);
    }
  };
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < copies.size(); i = next++) copy(copies[i]);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < options.jobs && i < files.size(); ++i) others.emplace_back(work);
  work();
  others.clear();  // joins the threads
  line.clear();
  return command.finish();
}

}  // namespace bench
