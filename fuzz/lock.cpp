// Locks by several open files of one path, in this process and a child, compared with the rules of
// flock(2).
#include <leat/file_stream.hpp>
#include <leat/lock.hpp>
#include <leat/mapped_file.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal;
using leat::file_lock, leat::lock_mode;

enum class lock_state { none, shared, exclusive };

class trial {
 public:
  explicit trial(input& in) : in_(in) {
    leat::write_file(path_, "content\n");
    for (auto& reader : readers_) reader = leat::open(path_);
    writer_ = leat::append(path_);
    map_ = leat::map_file(path_);
  }

  void run() {
    for (int calls = 0; in_.has_more() && calls != 200; ++calls) {
      switch (in_.below(10)) {
        case 0:
        case 1:
          unlock();
          break;
        case 2:
          if (!locks_.empty()) {
            step("destroy");
            const std::size_t i = in_.below(locks_.size());
            mark_released(i);
            locks_.erase(locks_.begin() + static_cast<std::ptrdiff_t>(i));
          }
          break;
        case 3:
          move();
          break;
        case 4:
          if (in_.rarely(4)) reopen();
          break;
        case 5:
          if (in_.rarely(8)) check_in_child();
          break;
        case 6:
          if (in_.rarely(4)) expect_refused();
          break;
        default:
          acquire();
      }
      for (const auto& record : locks_)
        expect(
            record.lock.owns_lock() == record.owns && static_cast<bool>(record.lock) == record.owns,
            "owns_lock() or operator bool differs from the model");
      expect(can_acquire(open_file_count, lock_mode::exclusive) == is_free(lock_mode::exclusive),
             "the model and is_free() differ for an exclusive lock");
      expect(can_acquire(open_file_count, lock_mode::shared) == is_free(lock_mode::shared),
             "the model and is_free() differ for a shared lock");
    }
  }

 private:
  static constexpr std::size_t open_file_count = 5;  // three readers, a writer and a mapping

  struct lock_record {
    file_lock lock;
    std::size_t open_file = 0;
    bool owns = false;
  };

  /// Returns whether no other open file holds a conflicting lock, by the model.
  bool can_acquire(std::size_t open_file, lock_mode mode) const {
    for (std::size_t i = 0; i != open_file_count; ++i)
      if (i != open_file && (state_[i] == lock_state::exclusive ||
                             (state_[i] == lock_state::shared && mode == lock_mode::exclusive)))
        return false;
    return true;
  }
  /// Returns whether a new open file of the path gets a lock in this mode at once.
  bool is_free(lock_mode mode) const {
    const auto other = leat::open(path_);
    return file_lock(other, mode, std::try_to_lock).owns_lock();
  }

  template <class Function>
  auto with_stream(std::size_t open_file, const Function& function) {
    return open_file == 3   ? function(writer_)
           : open_file == 4 ? function(map_)
                            : function(readers_[open_file]);
  }

  void acquire() {
    const std::size_t open_file = in_.below(open_file_count);
    const auto mode = in_.flag() ? lock_mode::shared : lock_mode::exclusive;
    const bool can = can_acquire(open_file, mode);
    const bool waits = can && in_.flag();
    step("lock {} as {}, {}", open_file, mode == lock_mode::shared ? "shared" : "exclusive",
         waits ? "waiting" : "trying");
    std::error_code ec = std::make_error_code(std::errc::io_error);
    const bool reports = in_.flag(), by_handle = in_.flag();
    file_lock acquired = with_stream(open_file, [&](auto& stream) {
      const int handle = stream.native_handle();
      if (waits && reports)
        return by_handle ? file_lock(handle, mode, ec) : file_lock(stream, mode, ec);
      if (waits) return by_handle ? file_lock(handle, mode) : file_lock(stream, mode);
      if (reports)
        return by_handle ? file_lock(handle, mode, std::try_to_lock, ec)
                         : file_lock(stream, mode, std::try_to_lock, ec);
      return by_handle ? file_lock(handle, mode, std::try_to_lock)
                       : file_lock(stream, mode, std::try_to_lock);
    });
    if (reports) expect(!ec, "the constructor of file_lock has an error");
    expect_equal(acquired.owns_lock(), can, "owns_lock() of a new lock");
    // By flock(2), a shared lock that can't become exclusive is lost.
    const auto requested = mode == lock_mode::shared ? lock_state::shared : lock_state::exclusive;
    state_[open_file] = can                              ? requested
                        : state_[open_file] == requested ? requested
                                                         : lock_state::none;
    locks_.push_back({std::move(acquired), open_file, can});
  }
  void mark_released(std::size_t i) {
    if (locks_[i].owns) state_[locks_[i].open_file] = lock_state::none;
    locks_[i].owns = false;
  }
  void unlock() {
    if (locks_.empty()) return;
    const std::size_t i = in_.below(locks_.size());
    step("unlock {}", locks_[i].open_file);
    std::error_code ec = std::make_error_code(std::errc::io_error);
    if (in_.flag()) {
      locks_[i].lock.unlock(ec);
      expect(!ec, "unlock()");
    } else {
      locks_[i].lock.unlock();
    }
    mark_released(i);
  }
  void move() {
    if (locks_.empty()) return;
    const std::size_t i = in_.below(locks_.size()), k = in_.below(locks_.size());
    step("move {} to {}", locks_[i].open_file, locks_[k].open_file);
    if (in_.flag()) {
      file_lock taken = std::move(locks_[i].lock);
      expect(!locks_[i].lock.owns_lock(), "a lock that was moved from owns the lock");
      locks_[i].lock = std::move(taken);
      return;
    }
    locks_[k].lock = std::move(locks_[i].lock);  // for i == k: a move to itself
    if (i == k) return;
    mark_released(k);
    locks_[k].open_file = locks_[i].open_file;
    locks_[k].owns = std::exchange(locks_[i].owns, false);
  }
  /// Closes a reader and opens the file again. A lock outlives its stream.
  void reopen() {
    const std::size_t i = in_.below(readers_.size());
    const bool has_lock = std::ranges::any_of(
        locks_, [&](auto& record) { return record.owns && record.open_file == i; });
    step("close and open {}", i);
    readers_[i].close();
    if (has_lock) {
      expect(can_acquire(open_file_count, lock_mode::exclusive) == is_free(lock_mode::exclusive),
             "a lock does not outlive its stream");
      std::erase_if(locks_, [&](auto& record) { return record.open_file == i; });
    }
    state_[i] = lock_state::none;
    std::erase_if(locks_, [&](auto& record) { return record.open_file == i; });
    readers_[i] = leat::open(path_);
  }
  /// A child process shares its parent's locks. If the child destroys its lock objects, the locks
  /// stay.
  void check_in_child() {
    step("check in a child process");
    const bool shared = can_acquire(open_file_count, lock_mode::shared);
    const bool alone = can_acquire(open_file_count, lock_mode::exclusive);
    const pid_t child = ::fork();
    if (child == 0) {
      bool is_correct =
          is_free(lock_mode::shared) == shared && is_free(lock_mode::exclusive) == alone;
      for (auto& record : locks_) record.lock = file_lock();
      is_correct = is_correct && is_free(lock_mode::exclusive) == alone;
      ::_exit(is_correct ? 0 : 1);
    }
    int status = 0;
    expect(::waitpid(child, &status, 0) == child && status == 0,
           "a child process sees other locks than the parent");
  }
  void expect_refused() {
    std::error_code ec;
    expect(!file_lock(leat::file_reader(), lock_mode::shared, ec) && ec == leat::errc::closed,
           "a lock of a closed stream is not refused");
    expect(!file_lock(1'000'000, lock_mode::shared, std::try_to_lock, ec) &&
               ec == std::errc::bad_file_descriptor,
           "a lock of a closed descriptor is not refused");
  }

  input& in_;
  const std::string path_ = fuzz::scratch() + "locked";
  std::array<leat::file_reader, 3> readers_;
  leat::file_writer writer_;
  leat::mapped_file map_;
  std::array<lock_state, open_file_count> state_{};
  std::vector<lock_record> locks_;
};

void drive(fuzz::input& in) { trial(in).run(); }

const fuzz::driver self("lock", drive);

}  // namespace
