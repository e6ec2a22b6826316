// Rotating logs with random options: the archives and the log have all lines, once and in order.
// With `keep`, the archives and the log have only the last lines, and the number of archives is
// right. Files that are not archives are not changed.
#include <leat/codecs.hpp>
#include <leat/file_stream.hpp>
#include <leat/follow.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
using leat::compression;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Names that are similar to names of archives.
constexpr std::array other_names{"app.log.0",  "app.log.bak",        "app.log.1.old",
                                 "app.log2",   "app.log.01",         "app.log.1.g",
                                 "app.logx.1", "app.log.20261125T1Z"};

struct archive {
  std::uint64_t number = 0;  ///< 0: the name has a time instead
  /// The modification time, which decides the order if some names have numbers and other names have
  /// times.
  fs::file_time_type written;
  std::string path, content;
};

class trial {
 public:
  explicit trial(input& in)
      : in_(in), folder_(fuzz::scratch() + "log/"), path_(folder_ + "app.log") {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    has_other_files_ = in.rarely(4);
    has_parts_ = in.flag();  // if parts of lines are written, an archive may be too large
    if (has_other_files_)
      for (const char* const name : other_names) leat::write_file(folder_ + name, "keep\n");
    options_.size = in.flag() ? 1 + in.below(200) : in.rarely(3) ? 0 : in.boundary_size(70'000) + 1;
    options_.every = std::array{0s, 0s, 0s, 1s, 3600s, 86400s, 604800s}[in.below(7)];
    options_.keep = in.flag() ? 0 : 1 + in.below(5);
    if (in.rarely(6))
      options_.compression = std::array{compression::gzip, compression::zstd, compression::lz4,
                                        compression::xz}[in.below(4)];
    options_.local_time = in.flag();
    options_.finished = [this](std::string_view path, std::error_code ec) {
      if (ec)
        failed_ = true;
      else
        ++rotations_;
      if (!path.starts_with(path_)) failed_ = true;
    };
  }
  ~trial() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void run() {
    open();
    for (int calls = 0; in_.has_more() && calls != 60; ++calls) {
      switch (in_.below(12)) {
        case 0:
          step("flush");
          in_.rarely(16) ? log_.sync() : log_.flush();
          check_flushed();
          break;
        case 1:
          if (!in_.rarely(3)) break;
          close();
          open();
          break;
        case 2:
          if (in_.rarely(3)) age();
          break;
        case 3: {
          step("move");
          leat::file_writer moved = std::move(log_);
          log_ = std::move(moved);
          break;
        }
        case 4:
          if (!in_.rarely(4)) break;
          step("reopen");
          log_.reopen();
          break;
        case 5:
          if (has_partial_line_ || options_.flush != leat::flush_when::call) break;
          write_by_second_stream();
          break;
        default:
          write_some();
      }
      expect_equal(log_.lost(), 0U, "lost()");
      expect(!log_.error(), "the log has an error");
    }
    close();
    follow();
  }

 private:
  void open() {
    options_.level = in_.flag() ? 1 : 0;
    if (in_.rarely(4))
      options_.names = in_.flag() ? leat::old_names::times : leat::old_names::numbers;
    options_.buffer_size = in_.flag() ? 0 : in_.boundary_size();
    options_.durability =
        std::array{leat::durability::none, leat::durability::none, leat::durability::process,
                   leat::durability::system}[in_.below(4)];
    if (options_.durability == leat::durability::system && !in_.rarely(8))
      options_.durability = leat::durability::none;  // a sync of the disk is slow
    options_.flush = std::array{leat::flush_when::full, leat::flush_when::line,
                                leat::flush_when::call}[in_.below(3)];
    options_.flush_interval = in_.rarely(8) ? 1ms : 0ms;
    options_.background = in_.rarely(8);
    options_.readable = in_.rarely(8);
    options_.permissions = in_.flag() ? 0600 : 0666;
    options_.when_full = leat::when_full::wait;
    step("open: size {} every {} keep {} compression {} names {} buffer {} durability {} flush {}",
         options_.size, options_.every.count(), options_.keep,
         static_cast<int>(options_.compression), static_cast<int>(options_.names),
         options_.buffer_size, static_cast<int>(options_.durability),
         static_cast<int>(options_.flush));
    if (in_.rarely(16)) {
      auto invalid = options_;
      std::error_code ec;
      invalid.compression = compression::automatic;
      expect(!leat::rotating(path_, invalid, ec).is_open() && ec == std::errc::invalid_argument,
             "rotating() accepts compression::automatic");
    }
    log_ = leat::rotating(path_, options_);
    start_position_ = log_.tell();
    written_size_ = 0;
  }

  void close() {
    step("close");
    has_partial_line_ = false;
    log_.close();
    expect(!failed_, "`finished` was called with an error or a wrong path");
    check_files();
  }

  void write(leat::writer& to, std::string_view bytes) {
    step("write {}", bytes.size());
    in_.flag() ? to.write(bytes) : to.print("{}", bytes);
    all_lines_ += bytes;
  }
  void write_some() {
    std::string bytes =
        in_.flag() ? in_.text(30) : in_.bytes(in_.boundary_size(in_.rarely(20) ? 300'000 : 5'000));
    if (options_.size != 0) bytes.resize(std::min<std::size_t>(bytes.size(), 8 * options_.size));
    if (!has_parts_ || !in_.rarely(4)) bytes += '\n';
    if (bytes.empty()) return;
    has_partial_line_ = bytes.back() != '\n';
    written_size_ += bytes.size();
    write(log_, bytes);
    expect_equal(log_.tell() - start_position_, written_size_, "tell()");
  }
  /// Writes a line with a second stream of the same log, then a line with the first stream.
  void write_by_second_stream() {
    step("another stream");
    auto other = leat::rotating(path_, options_);
    write(other, in_.bytes(in_.below(100)) + '\n');
    other.close();
    write(log_, "and again\n");
    written_size_ += 10;
  }
  /// Sets an earlier modification time of the log.
  void age() {
    log_.flush();
    step("age");
    is_aged_ = true;
    const auto by = std::chrono::hours(1 + in_.below(500));
    std::error_code ignored;
    fs::last_write_time(path_, fs::last_write_time(path_) - by, ignored);
  }

  std::vector<archive> archives() const {
    std::vector<archive> found;
    bool has_numbers = false, has_times = false;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename();
      if (name == "app.log" ||
          (has_other_files_ && std::ranges::find(other_names, name) != other_names.end()))
        continue;
      if (name == "app.log.leat") continue;
      expect(name.starts_with("app.log."), "an archive has another name");
      const std::string_view after = std::string_view(name).substr(8);
      archive parsed;
      parsed.path = entry.path();
      parsed.written = fs::last_write_time(parsed.path);
      if (after.find('T') == after.npos) {
        parsed.number = std::stoull(std::string(after));
        has_numbers = true;
      } else {
        has_times = true;
      }
      std::error_code ec;
      parsed.content = leat::open(parsed.path, {.compression = options_.compression}).read_all(ec);
      expect(!ec, "reading an archive fails");
      found.push_back(std::move(parsed));
    }
    std::ranges::sort(found, [&](const archive& a, const archive& b) {
      if (has_numbers && has_times && (a.number == 0 || b.number == 0))
        return a.written < b.written;
      return a.number != b.number ? a.number > b.number : a.path < b.path;
    });
    return found;
  }

  void check_files() {
    const auto found_archives = archives();
    std::string all, log = leat::read_file(path_);
    for (const auto& file : found_archives) all += file.content;
    all += log;
    expect(all_lines_.ends_with(all), "the archives and the log are not the last lines in order");
    if (options_.keep == 0) expect_text(all, all_lines_, "the archives and the log");
    const std::size_t rotations = rotations_ - checked_rotations_;
    checked_rotations_ = rotations_;
    archive_count_ = rotations == 0       ? archive_count_
                     : options_.keep == 0 ? archive_count_ + rotations
                                          : std::min(archive_count_ + rotations, options_.keep);
    expect_equal(found_archives.size(), archive_count_, "the number of archives");
    if (!has_parts_) {
      for (std::size_t i = 0; i != found_archives.size(); ++i) {
        const std::string_view text = found_archives[i].content;
        expect(!text.empty(), "an archive is empty");
        expect(text.ends_with('\n'), "an archive does not end with a newline");
        const bool is_single = static_cast<std::size_t>(text.find('\n')) + 1 == text.size();
        if (options_.size == 0) continue;
        expect(text.size() <= options_.size || is_single,
               "an archive of several lines is larger than `size`");
        if (options_.every != 0s) continue;
        const std::string_view next =
            i + 1 == found_archives.size() ? log : found_archives[i + 1].content;
        const std::size_t line = std::min(next.find('\n'), next.size() - 1) + 1;
        expect(text.size() + line > options_.size, "an archive has room for the next line");
      }
      if (options_.size == 0 && (options_.every == 0s || !is_aged_) && options_.every != 1s)
        expect(found_archives.empty() || options_.every != 0s, "a rotation without a reason");
    }
    if (has_other_files_)
      for (const char* const name : other_names)
        expect_text(leat::read_file(folder_ + name), "keep\n", "a file that is not an archive");
  }
  void check_flushed() {
    const std::string log = leat::read_file(path_);
    expect(all_lines_.ends_with(log), "the log is not the end of the written lines");
  }
  /// Checks that the bytes of follow() are the last bytes of the archives and the log together.
  void follow() {
    std::string all;
    for (const auto& file : archives()) all += file.content;
    all += leat::read_file(path_);
    auto tail = leat::follow(path_, {.timeout = 0ms});
    expect(all.ends_with(tail.read_all()), "follow() returns other bytes");
  }

  input& in_;
  const std::string folder_, path_;
  leat::rotating_options options_;
  leat::file_writer log_;
  std::string all_lines_;  ///< all bytes that were written
  bool has_other_files_ = false, has_parts_ = false, has_partial_line_ = false, is_aged_ = false;
  std::uint64_t start_position_ = 0, written_size_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<std::size_t> rotations_ = 0;
  std::size_t checked_rotations_ = 0, archive_count_ = 0;
};

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { fuzz::fail("lines were lost"); });
  trial(in).run();
}

const fuzz::driver self("rotating", drive);

}  // namespace
