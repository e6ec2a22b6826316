#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "device/follow.hpp"
#include "device/posix_system.hpp"
#include "device/posix_watch.hpp"

namespace leat {
inline namespace v0 {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A file that has, or had, the name.
class followed_file {
 public:
  explicit followed_file(int file) noexcept : file_(file) {}
  followed_file(followed_file&& other) noexcept
      : watched(other.watched), file_(std::exchange(other.file_, -1)), next_(other.next_) {}
  followed_file& operator=(followed_file&&) = delete;
  ~followed_file() {
    if (file_ >= 0) ::close(file_);
  }

  int descriptor() const noexcept { return file_; }
  struct stat status() const noexcept {
    struct stat now{};
    static_cast<void>(::fstat(file_, &now));
    return now;
  }
  void skip_all() noexcept { next_ = status().st_size; }
  /// Bytes that have not been read. Goes back to the start if the file got shorter than that.
  std::uint64_t left() noexcept {
    const off_t size = status().st_size;
    if (size < next_) next_ = 0;
    return static_cast<std::uint64_t>(size - next_);
  }
  std::size_t read(std::span<char> into, std::error_code& ec) noexcept {
    left();
    ssize_t n;
    do n = ::pread(file_, into.data(), into.size(), next_);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
      ec = last_error();
      return 0;
    }
    ec.clear();
    next_ += n;
    return static_cast<std::size_t>(n);
  }

  int watched = -1;

 private:
  int file_;
  off_t next_ = 0;
};

/// What an open can fail with while files are renamed, made and given their permissions.
bool may_pass(const std::error_code& ec) noexcept {
  return ec == std::errc::no_such_file_or_directory || ec == std::errc::permission_denied ||
         ec.value() == ESTALE;
}

class following_device final : public device {
 public:
  following_device(path_ref path, const follow_options& how)
      : path_(path.view()),
        timeout_(how.timeout),
        stop_(how.stop),
        watch_(folder_of(path_).c_str(), how.stop) {}

  /// Looks for the first time.
  void start(bool from_end, std::error_code& ec) {
    look(ec);
    if (ec == std::errc::no_such_file_or_directory && !path_.empty()) {
      struct stat folder{};
      if (::stat(folder_of(path_).c_str(), &folder) == 0) ec.clear();
    }
    if (from_end && !files_.empty()) files_.front().skip_all();
  }

  device_traits traits() const noexcept override { return {.positional = false}; }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    files_.clear();
  }

 private:
  void look(std::error_code& ec);
  std::size_t read_now(std::span<char> into, std::error_code& ec);
  bool later_file_begun() noexcept;

  std::string path_;
  milliseconds timeout_;
  std::stop_token stop_;
  posix_watch watch_;
  std::deque<followed_file> files_;  // in the order in which they came to have the name
  bool stopping_ = false;
  std::uint64_t last_ = 0;  // bytes still to come when stopping
};

/// Notes the file that has the name now, if it is another one than before.
void following_device::look(std::error_code& ec) {
  ec.clear();
  const auto known = [this](const struct stat& status) {
    return std::any_of(files_.begin(), files_.end(), [&](const followed_file& file) {
      const struct stat other = file.status();
      return other.st_dev == status.st_dev && other.st_ino == status.st_ino;
    });
  };
  struct stat status{};
  if (::stat(path_.c_str(), &status) == 0 && known(status)) return;
  // A pipe must not block here; what it is we see then.
  followed_file file(open_descriptor(path_, O_RDONLY | O_NONBLOCK, 0, ec));
  if (ec) return;
  status = file.status();
  if (!S_ISREG(status.st_mode)) {
    if (files_.empty())
      ec = S_ISDIR(status.st_mode) ? std::make_error_code(std::errc::is_a_directory)
                                   : make_error_code(errc::not_a_file);
  } else if (!known(status)) {
    file.watched = watch_.add(file.descriptor());
    files_.push_back(std::move(file));
  }
}

/// True if nothing more will be written to the first file: its writer has gone on to the next one.
bool following_device::later_file_begun() noexcept {
  return files_.size() > 2 || (files_.size() == 2 && files_.back().left() != 0);
}

std::size_t following_device::read_now(std::span<char> into, std::error_code& ec) {
  look(ec);
  if (may_pass(ec)) ec.clear();
  while (!ec && !files_.empty()) {
    // Asked in this order, the end that is read is the last one.
    const bool done = later_file_begun();
    if (const std::size_t n = files_.front().read(into, ec); n != 0 || ec || !done) return n;
    watch_.remove(files_.front().watched);
    files_.pop_front();
  }
  return 0;
}

std::size_t following_device::read_at(std::uint64_t, std::span<char> into,
                                      std::error_code& ec) noexcept try {
  ec.clear();
  const auto begin = clock::now();
  for (;;) {
    if (!stopping_ && stop_.stop_requested()) {
      stopping_ = true;
      std::error_code later;  // it comes again when it counts
      look(later);
      for (auto& file : files_) last_ += file.left();
    }
    if (stopping_)
      into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), last_)));
    const std::size_t n = into.empty() ? 0 : read_now(into, ec);
    if (stopping_) last_ = n == 0 ? 0 : last_ - n;
    if (n != 0 || ec || stopping_) return n;
    const auto waited = std::chrono::duration_cast<milliseconds>(clock::now() - begin);
    if (waited >= timeout_) return 0;
    watch_.wait(timeout_ - waited);
  }
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

}  // namespace

std::unique_ptr<device> open_following(path_ref path, const follow_options& how,
                                       std::error_code& ec) noexcept try {
  auto result = std::make_unique<following_device>(path, how);
  result->start(how.from_end, ec);
  if (ec) return nullptr;
  return result;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace v0
}  // namespace leat
