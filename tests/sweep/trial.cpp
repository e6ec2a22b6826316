// Implements trial: the checks of a run.
#include "sweep/trial.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace sweep {

namespace {

/// Thrown by require() for a failure that no exception reports.
struct failed_call {
  std::uint64_t unwritten;
};

std::uint64_t reported_bytes;  // global, because a loss handler gets only the error

void count_loss(const leat::io_error& loss) noexcept { reported_bytes += loss.unwritten(); }

}  // namespace

std::string content_of(const std::string& path) {
  std::string content;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return content;
  char block[16384];
  for (ssize_t n = 0; (n = ::read(file, block, sizeof block)) > 0;)
    content.append(block, static_cast<std::size_t>(n));
  ::close(file);
  return content;
}

void put_file(const std::string& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const ssize_t written = ::write(file, content.data(), content.size());
  if (::close(file) != 0 || written != static_cast<ssize_t>(content.size())) ::_exit(97);
}

std::string numbered_lines(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i)
    text += std::to_string(i) + (i % 8 == 7 ? '\n' : ' ');
  text.resize(size);
  return text;
}

void trial::write(leat::writer& to, std::string_view text, std::size_t piece) {
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto bytes = text.substr(at, piece);
    attempted_bytes += bytes.size();
    to.write(bytes);
  }
}

void trial::require(const std::error_code& ec, std::uint64_t lost) {
  if (ec) throw failed_call{lost};
}

void trial::require(bool succeeded) {
  if (succeeded) return;
  check(errno != 0, "a failed call sets errno");
  throw failed_call{0};
}

void trial::run(const std::function<void(trial&)>& body) {
  leat::set_loss_handler(count_loss);
  reported_bytes = 0;
  try {
    body(*this);
  } catch (const leat::io_error& error) {
    outcome = ending::failure;
    unwritten = error.unwritten();
    check_message(error);
  } catch (const failed_call& error) {
    outcome = ending::failure;
    unwritten = error.unwritten;
  } catch (const std::bad_alloc&) {
    outcome = ending::no_memory;
  } catch (const std::exception& error) {
    outcome = ending::failure;
    check(false, std::string("only io_error and bad_alloc are thrown: ") + error.what());
  }
  reported = reported_bytes;
}

/// Checks that the message names the path and the operation. Keeps the offset of a failed write.
void trial::check_message(const leat::io_error& error) try {
  const std::string_view message = error.what();
  const std::string_view operation = error.operation();
  if (operation == "write") offset_ = error.offset();
  const std::string& path = error.path();
  const bool names_path = path.starts_with(folder_) || path.starts_with('<') ||
                          path.starts_with("/dev/") || path.starts_with("/proc/") ||
                          path == "the file";  // in a leat::folder
  check(names_path && message.find(path) != message.npos, "a message names its path");
  check(!operation.empty() && message.find(operation) != message.npos,
        "a message names its operation");
  if (!names_path || message.find(operation) == message.npos)
    violations_ += std::string(message) + "; ";
} catch (const std::bad_alloc&) {
  outcome = ending::no_memory;
}

void trial::check(bool holds, std::string_view promise) {
  if (!holds) violations_.append(promise).append("; ");
}

void trial::check_written(std::string_view text, std::string_view before) {
  const std::string all = content_of(file_);
  const std::string sizes = std::to_string(all.size()) + " in the file, " +
                            std::to_string(before.size()) + " before, " +
                            std::to_string(attempted_bytes) + " passed to write calls, " +
                            std::to_string(unwritten) + " + " + std::to_string(reported) + " lost";
  if (succeeded()) {
    check(all == std::string(before) + std::string(text),
          "success: the content is right: " + sizes);
    return;
  }
  if (all.empty()) {  // the file was not opened, or was emptied
    if (attempted_bytes == 0) return;
  } else if (!all.starts_with(before)) {
    check(false, "the old content stays: " + sizes);
    return;
  }
  const std::string_view stored = std::string_view(all).substr(std::min(all.size(), before.size()));
  check(text.starts_with(stored), "the file has the first written bytes: " + sizes);
  if (outcome == ending::failure && has_byte_count)
    check(stored.size() + unwritten + reported == attempted_bytes,
          "bytes in the file + lost bytes = bytes passed to write calls: " + sizes);
  if (offset_ != leat::failure::no_offset)
    check(offset_ == stored.size() || offset_ == all.size(),
          "the offset of the error is the end of the written bytes: " + std::to_string(offset_) +
              ", " + sizes);
}

void trial::check_old_or_new(std::string_view before, std::string_view after) {
  const std::string all = content_of(file_);
  check(all == after || (!succeeded() && all == before),
        succeeded() ? "success: the content is right"
                    : "failure: the file has the old or the new content");
}

void trial::check_read(std::string_view expected) {
  if (succeeded())
    check(text_read == expected,
          "success: the bytes read are right: " + std::to_string(text_read.size()) + " of " +
              std::to_string(expected.size()) + " bytes");
  else
    check(expected.starts_with(text_read), "the bytes read before the failure are right");
}

void trial::check_file(std::string_view name, std::string_view content) {
  check(content_of(*this / name) == content, "the content is right");
}

void trial::check_names(std::string_view names) {
  if (may_leave_files) leat::replace(file_).discard();
  // A sidecar that can't be locked or removed may be left. Recovery of this sidecar must not add
  // bytes to a complete file.
  if (::access((file_ + ".leat").c_str(), F_OK) == 0) {
    const std::string before = content_of(file_);
    leat::recover(file_);
    check(!succeeded() || content_of(file_) == before, "recovery adds no bytes to a complete file");
  }
  std::vector<std::string> found;
  DIR* folder = ::opendir(folder_.c_str());
  while (const dirent* entry = ::readdir(folder))
    if (std::string_view(entry->d_name) != "." && std::string_view(entry->d_name) != "..")
      found.emplace_back(entry->d_name);
  ::closedir(folder);
  std::sort(found.begin(), found.end());
  for (const auto& name : found)
    check((std::string(" ").append(names)).find(' ' + name + ' ') != std::string::npos,
          "no other file is left: " + name);
}

void put_pending(trial& t, std::string_view content, std::string_view pending) {
  put_file(t.file(), content);
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto out = leat::append(t.file(), {.durability = leat::durability::process});
    out.write(pending);
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(writer, &status, 0);
  t.check(status == 0 && content_of(t.file()) == content, "bytes are pending in the sidecar");
}

}  // namespace sweep
