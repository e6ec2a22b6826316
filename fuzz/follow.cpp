// Follows a file that grows, is truncated, moved, removed and replaced between reads, and compares
// the bytes with a model.
#include <leat/file_stream.hpp>
#include <leat/follow.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
namespace fs = std::filesystem;
using shared_content = std::shared_ptr<std::string>;  // the content of a file, whatever its name

class trial {
 public:
  explicit trial(input& in) : in_(in) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~trial() {
    reader_.reset();
    fs::remove_all(folder_);
  }

  void run() {
    for (int calls = 0; calls != 3 && in_.flag(); ++calls) change();
    start();
    for (int calls = 0; in_.has_more() && calls != 60; ++calls) {
      if (in_.flag()) {
        change();
      } else if (in_.rarely(8)) {
        step("move the reader");
        leat::file_reader moved = std::move(*reader_);
        expect(!reader_->is_open(), "a reader that was moved from is open");
        *reader_ = std::move(moved);
      } else {
        drain();
      }
    }
    if (in_.flag()) {
      step("stop");
      stop_.request_stop();
      drain();
      change();
      const std::string before = got_;
      drain_ours();
      expect_text(got_, before, "the bytes after a stop");
    } else {
      drain();
    }
    reader_->close();
  }

 private:
  /// A file and the position of the next byte to read.
  struct followed_file {
    shared_content file;
    std::size_t at = 0;
  };

  void start() {
    leat::follow_options options;
    options.timeout = std::chrono::milliseconds(0);
    options.stop = stop_.get_token();
    const std::string_view content =
        log_content_ ? std::string_view(*log_content_) : std::string_view();
    std::size_t begin = 0;
    if (in_.flag()) {
      options.last_lines = in_.below(5);
      // If the last byte is a newline, this newline ends the last line.
      begin = content.size();
      for (std::size_t n = options.last_lines; n != 0 && begin != 0; --n) {
        const auto end = content.rfind('\n', begin - 1 - (begin > 1 && content[begin - 1] == '\n'));
        begin = end == content.npos || (begin == 1) ? 0 : end + 1;
      }
      if (options.last_lines == 0) begin = content.size();
    }
    if (log_content_) files_.push_back({log_content_, begin});
    step("follow {} bytes from {}: {} last lines", content.size(), begin, options.last_lines);
    reader_.emplace(leat::follow(path_, options));
    std::error_code ec;
    reader_->seek(1'000'000, ec);
    expect(ec == std::errc::invalid_seek, "seek() is not refused");
  }

  /// Makes a change that the file's writer or another tool may make.
  void change() {
    switch (in_.below(8)) {
      case 0:
        if (!log_content_) break;
        step("move away");
        fs::rename(path_, folder_ + "moved");
        moved_content_ = std::exchange(log_content_, nullptr);
        break;
      case 1:
        if (!moved_content_) break;
        step("move back");
        fs::rename(folder_ + "moved", path_);
        log_content_ = std::exchange(moved_content_, nullptr);
        break;
      case 2:
        if (!log_content_) break;
        step("remove");
        fs::remove(path_);
        log_content_ = nullptr;
        break;
      case 3: {
        if (!log_content_) break;
        const std::size_t size = in_.flag() ? 0 : in_.below(log_content_->size() + 1);
        step("truncate to {}", size);
        fs::resize_file(path_, size);
        log_content_->resize(size);
        break;
      }
      case 4: {
        step("replace");
        auto out = leat::replace(path_);
        log_content_ = std::make_shared<std::string>(some_text());
        out.write(*log_content_);
        out.close();
        break;
      }
      case 5:
        if (!moved_content_) break;
        step("the old file grows");
        append(folder_ + "moved", moved_content_);
        break;
      default:
        step("append");
        append(path_, log_content_);
    }
  }
  std::string some_text() {
    std::string result =
        in_.flag() ? in_.text(20) : in_.bytes(in_.boundary_size(in_.rarely(8) ? 70'000 : 300));
    if (in_.flag() && !result.empty()) result.back() = '\n';
    return result;
  }
  void append(const std::string& path, shared_content& file) {
    const std::string bytes = some_text();
    leat::append(path).write(bytes);
    if (!file) file = std::make_shared<std::string>();
    *file += bytes;
  }

  void append_expected(std::string_view bytes) {
    if (bytes.empty()) return;
    wanted_ += bytes;
    within_line_ = bytes.back() != '\n';
  }
  void end_line() {
    if (within_line_) append_expected("\n");
  }
  /// Model of a reader: appends the rest of each followed file to `wanted_`. The last of these
  /// files is the file that is now named `log`.
  void drain_model() {
    for (std::size_t before = ~wanted_.size(); before != wanted_.size();) {
      before = wanted_.size();
      bool is_followed = log_content_ == nullptr;
      for (const auto& followed : files_) is_followed |= followed.file == log_content_;
      if (!is_followed) files_.push_back({log_content_, 0});
      while (!files_.empty() && before == wanted_.size()) {
        auto& [file, at] = files_.front();
        const bool is_old =
            files_.size() > 2 || (files_.size() == 2 && !files_.back().file->empty());
        if (file->size() < at) {
          at = 0;
          end_line();
        }
        append_expected(std::string_view(*file).substr(at));
        at = file->size();
        if (!is_old) break;
        files_.pop_front();
        end_line();
      }
    }
  }

  void drain_ours() {
    switch (in_.below(4)) {
      case 0:
        step("read_all");
        got_ += reader_->read_all();
        break;
      case 1: {
        step("lines");
        auto lines = reader_->lines();
        for (const auto line : lines) {
          got_ += line;
          if (!lines.unfinished()) got_ += '\n';
        }
        break;
      }
      case 2:
        step("window");
        for (auto window = reader_->window(); !window.empty(); window = reader_->window()) {
          got_ += window;
          reader_->skip(window.size());
        }
        break;
      default:
        step("read");
        for (std::string buffer(in_.boundary_size(5'000) + 1, '\0');;) {
          const std::size_t n = reader_->read(std::span(buffer));
          got_.append(buffer, 0, n);
          if (n != buffer.size()) break;
        }
    }
    expect_equal(reader_->tell(), got_.size(), "tell()");
  }
  void drain() {
    drain_model();
    drain_ours();
    expect_text(got_, wanted_, "the followed bytes");
  }

  input& in_;
  const std::string folder_ = fuzz::scratch() + "followed/", path_ = folder_ + "log";
  std::optional<leat::file_reader> reader_;
  std::stop_source stop_;
  shared_content log_content_,
      moved_content_;                ///< the contents of `log` and `moved`; nullptr: no such file
  std::deque<followed_file> files_;  ///< the files that are read, the current file last
  bool within_line_ = false;
  std::string wanted_, got_;
};

void drive(fuzz::input& in) { trial(in).run(); }

const fuzz::driver self("follow", drive);

}  // namespace
