// Random calls, some of which fail, on files that are replaced as a whole. Until close() succeeds,
// the target has the old content. Then the target has the new content, and an existing file has
// kept its permissions.
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
namespace fs = std::filesystem;

std::atomic<int> losses = 0;

/// Limits the size of this process's files to `most` bytes: larger writes fail, as on a full disk.
class size_limit {
 public:
  explicit size_limit(std::size_t most) {
    ::getrlimit(RLIMIT_FSIZE, &saved_limit_);
    rlimit reduced_limit = saved_limit_;
    reduced_limit.rlim_cur = most;
    saved_action_ = ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &reduced_limit);
  }
  ~size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &saved_limit_);
    ::signal(SIGXFSZ, saved_action_);
  }

 private:
  rlimit saved_limit_{};
  sighandler_t saved_action_;
};

class trial {
 public:
  explicit trial(input& in) : in_(in) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    if (in.flag()) {
      old_ = in.bytes(in.boundary_size(5'000));
      leat::write_file(file_, *old_);
      fs::permissions(file_, static_cast<fs::perms>(0600 | in.below(0200)));
      mode_ = fs::status(file_).permissions();
      if (in.flag()) fs::create_hard_link(file_, folder_ + "hard");
    }
    if (in.rarely(3)) {
      fs::create_symlink("file", folder_ + "link");
      path_ = folder_ + "link";
    }
    names_ = names();
  }
  ~trial() { fs::remove_all(folder_); }

  void run() {
    options_.buffer_size = in_.flag() ? 0 : in_.boundary_size();
    options_.flush = std::array{leat::flush_when::full, leat::flush_when::line,
                                leat::flush_when::call}[in_.below(3)];
    options_.durability = in_.rarely(16) ? leat::durability::system : leat::durability::none;
    options_.flush_interval = std::chrono::milliseconds(in_.rarely(16) ? 1 : 0);
    options_.background = in_.rarely(16);
    options_.preallocate = in_.rarely(8) ? in_.boundary_size(100'000) : 0;
    options_.permissions = in_.flag() ? 0640 : 0666;
    options_.caching = in_.rarely(16) ? leat::caching::direct : leat::caching::cached;
    std::error_code ec;
    if (in_.rarely(12)) return expect_refused();
    std::optional<size_limit> limit;
    if (in_.rarely(4)) limit.emplace(in_.below(20'000));
    const bool was_limited = limit.has_value();
    step("open");
    std::optional<leat::file_writer> out(leat::replace(path_, options_, ec));
    if (ec) {  // no space to reserve, or no direct I/O
      expect(limit || options_.caching == leat::caching::direct,
             "replace() fails without a reason");
      return expect_unchanged();
    }
    for (int calls = 0; in_.has_more() && calls != 40; ++calls) {
      if (limit && in_.rarely(16)) limit.reset();  // now writes succeed again
      make_call(*out);
      if (!options_.background && options_.flush_interval.count() == 0 && !out->error())
        expect_equal(out->tell(), at_, "tell()");
      expect_old();
    }
    end_stream(out, was_limited);
  }

 private:
  void write(leat::file_writer& out) {
    const std::string bytes = in_.bytes(in_.boundary_size(in_.rarely(20) ? 600'000 : 5'000));
    step("write {}", bytes.size());
    out.write(bytes);
    if (bytes.empty()) return;
    new_.resize(std::max(new_.size(), at_ + bytes.size()));
    new_.replace(at_, bytes.size(), bytes);
    at_ += bytes.size();
  }
  void make_call(leat::file_writer& out) {
    std::error_code ec;
    switch (in_.below(8)) {
      case 0:
        step("flush");
        out.flush(ec);
        break;
      case 1:
        if (in_.rarely(16)) out.sync(ec);
        break;
      case 2: {
        const std::size_t to = in_.below(new_.size() + 5'000);
        step("seek {}", to);
        out.seek(to, ec);
        if (!ec) at_ = to;
        break;
      }
      case 3: {
        const std::size_t to = in_.below(at_ + 1);
        const std::string bytes = in_.bytes(in_.below(std::min<std::size_t>(at_ - to, 100) + 1));
        step("patch {}", to);
        out.patch(to, bytes, ec);
        if (ec || bytes.empty()) break;
        new_.resize(std::max(new_.size(), to + bytes.size()));  // the patch may be in a gap
        new_.replace(to, bytes.size(), bytes);
        break;
      }
      case 4: {
        step("move");
        leat::file_writer moved = std::move(out);
        expect(!out.is_open() && moved.is_open(), "is_open() is wrong after a move");
        out = std::move(moved);
        break;
      }
      case 5:
        step("clear_error");
        out.clear_error();  // after an error, the stream of replace() stays failed
        break;
      default:
        write(out);
    }
  }
  void end_stream(std::optional<leat::file_writer>& out, bool may_fail) {
    std::error_code ec;
    losses = 0;
    const std::size_t way_to_end = in_.below(6);
    if (way_to_end == 0) {
      step("discard");
      out->discard();
      expect_equal(losses.load(), 0, "the losses after discard()");
      out.reset();
      expect_equal(losses.load(), 0, "the losses after discard()");
      return expect_unchanged();
    }
    if (way_to_end == 1) {
      step("destroy");
      out.reset();
      if (!may_fail)
        expect_equal(losses.load(), 1, "the losses after the destructor without close()");
      return expect_unchanged();
    }
    if (way_to_end == 2) {
      step("an exception");
      const bool failed = static_cast<bool>(out->error());
      try {
        const leat::file_writer inner = std::move(*out);
        throw 1;
      } catch (int) {
      }
      if (!failed && !may_fail) expect_equal(losses.load(), 0, "the losses after an exception");
      return expect_unchanged();
    }
    if (way_to_end == 3) {
      step("release");
      expect(out->release(ec) == leat::no_handle && !!ec, "release() is not refused");
    }
    step("close");
    out->close(ec);
    step("{}", ec.message());
    expect(!ec || may_fail, "close() fails without a fault");
    if (ec) {
      out.reset();
      return expect_unchanged();
    }
    expect_equal(out->lost(), 0U, "lost()");
    expect_text(leat::read_file(file_), new_, "the new content");
    const auto mask = ::umask(0);
    ::umask(mask);
    expect(fs::status(file_).permissions() ==
               (old_ ? mode_ : static_cast<fs::perms>(options_.permissions & ~mask)),
           "the new file has other permissions");
    expect(!fs::is_symlink(file_), "the new file is a link");
    if (path_ != file_) expect(fs::is_symlink(path_), "the link is replaced");
    auto wanted = names_;
    wanted.insert("file");
    expect(names() == wanted, "another file is left in the folder");
    if (old_ && fs::exists(folder_ + "hard"))
      expect_text(leat::read_file(folder_ + "hard"), *old_,
                  "the content under another name of the old file");
  }
  void expect_refused() {
    std::error_code ec;
    expect(!leat::replace(folder_, options_, ec).is_open() && !!ec, "replace() accepts a folder");
    expect(!leat::replace(folder_ + "missing/file", options_, ec).is_open() &&
               ec == std::errc::no_such_file_or_directory,
           "replace() in a missing folder is not refused");
    expect(!leat::replace("/dev/null", options_, ec).is_open() && ec == leat::errc::not_a_file,
           "replace() of a device is not refused");
    expect_unchanged();
  }
  void expect_old() const {
    expect(fs::exists(file_) == old_.has_value(),
           "the old file is missing, or a file exists too early");
    if (old_) expect_text(leat::read_file(file_), *old_, "the old content");
  }
  void expect_unchanged() const {
    expect_old();
    expect(names() == names_, "another file is left in the folder");
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename());
    return found;
  }

  input& in_;
  const std::string folder_ = fuzz::scratch() + "replaced/", file_ = folder_ + "file";
  std::string path_ = file_;
  leat::replace_options options_;
  std::optional<std::string> old_;
  fs::perms mode_{};
  std::set<std::string> names_;
  std::string new_;
  std::size_t at_ = 0;
};

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { ++losses; });
  trial(in).run();
}

const fuzz::driver self("replace", drive);

}  // namespace
