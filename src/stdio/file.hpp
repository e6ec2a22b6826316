// leat_file: the object behind a FILE* of <leat/stdio.h>, and the interface of the streams below.
//
// The layout begins with a head and the buffer pointers. The inline functions of <leat/stdio.h>
// access only these pointers. If a program passes the FILE to another C library, the head makes
// that library end the program. Reads take bytes from [get, get_end), writes store bytes in [put,
// put_end). A range is empty if the stream does not read, or does not write, at the moment. The put
// range is also empty if the stream below must act on each write (line-buffered, unbuffered). So
// one comparison covers all these cases. All other work is a call of the stream below.
#pragma once

#include <leat/c/files.h>
#include <leat/detail/single_threaded.hpp>
#include <leat/device.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/errno.hpp"
#include "base/group_commit.hpp"
#include "base/no_cancel.hpp"
#include "base/short_lock.hpp"
#include "stdio/line_ends.hpp"
#include "stdio/recursive_lock.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

class stream;

enum class buffering : unsigned char { full, line, none };

}  // namespace stdio
}  // namespace v0
}  // namespace leat

/// One C stream. The stream's lock guards all members except `mark`, the atomic members,
/// `held_over_fork`, the links of the list, and the two members that needs_lock() reads.
struct leat_file {
  // glibc reads the lower half as its _flags: glibc's own mark, and _IO_USER_LOCK.
  static constexpr std::uint64_t open_mark = 0x7461'656c'fbad'8000;    // "leat"
  static constexpr std::uint64_t closed_mark = 0x6473'6c63'fbad'8000;  // "clsd"
  static constexpr std::size_t max_pushback = 64;

  constexpr leat_file() = default;
  constexpr leat_file(bool is_readable, bool is_writable)
      : readable(is_readable), writable(is_writable) {}
  leat_file(const leat_file&) = delete;
  leat_file& operator=(const leat_file&) = delete;

  std::size_t available() const noexcept { return static_cast<std::size_t>(get_end - get); }
  std::size_t room() const noexcept { return static_cast<std::size_t>(put_end - put); }
  /// The count of bytes that ungetc pushed back and that were not read again.
  std::size_t pushback_size() const noexcept {
    return is_in_pushback ? static_cast<std::size_t>(pushback + max_pushback - get) : 0;
  }
  /// Lets a fork proceed while the caller holds the lock; see `fork_safe_depth`.
  void enter_fork_safe() noexcept {
    fork_safe_depth.store(fork_safe_depth.load(std::memory_order_relaxed) + 1,
                          std::memory_order_release);
  }
  /// Ends one enter_fork_safe(). The change is visible before the caller reads `forking`.
  void leave_fork_safe() noexcept {
    const unsigned left = fork_safe_depth.load(std::memory_order_relaxed) - 1;
    if (leat::detail::is_single_threaded())
      fork_safe_depth.store(left, std::memory_order_relaxed);
    else
      fork_safe_depth = left;
  }
  void clear_pointers() noexcept { get = get_end = put = put_end = line_end = nullptr; }
  /// Discards the pushed-back bytes and restores the stream's own get pointers.
  void drop_pushback() noexcept {
    if (!is_in_pushback) return;
    is_in_pushback = false;
    get = saved_get;
    get_end = saved_get_end;
  }

  std::uint64_t mark = open_mark;
  /// The rest of another library's FILE. glibc sees an unlocked FILE with empty buffers and an
  /// invalid vtable (the last word), so glibc ends the program. musl takes a free lock and calls a
  /// null pointer.
  char other_libraries[216]{};
  char* get = nullptr;
  char* get_end = nullptr;
  char* put = nullptr;
  char* put_end = nullptr;
  // gnulib accesses the next two members under glibc's names, from <leat/stdio.h>. null_write_base
  // is glibc's _IO_write_base, and always null, so gnulib sees pending bytes whenever `put` is not
  // null. gnulib sets only the flag `gnulib_failed`.
  char* null_write_base = nullptr;
  unsigned gnulib_flags = 0;
  static constexpr unsigned gnulib_failed = 0x20;  // _IO_ERR_SEEN

  /// The result of ferror.
  bool has_failed() const noexcept { return failed || (gnulib_flags & gnulib_failed) != 0; }
  void clear_flags() noexcept {
    at_end = failed = false;
    gnulib_flags = 0;
  }

  std::unique_ptr<leat::stdio::stream> below;  // null: a standard stream that is still unused

  // `readable` and `writable` change under the lock. Calls for all streams read these two members
  // without the lock.
  std::atomic<bool> readable = false;
  std::atomic<bool> writable = false;
  bool at_end = false;          // feof
  bool failed = false;          // ferror
  bool program_memory = false;  // the put range is the program's memory: keep bytes after `put`
  bool unlocked = false;        // the program locks by itself (__fsetlocking)
  // A log: a call may start the thread that calls `finished`, which may use this stream.
  bool calls_may_start_threads = false;
  bool is_in_pushback = false;  // [get, get_end) is in `pushback`
  signed char orientation = 0;  // fwide: > 0 wide, < 0 bytes
  leat::stdio::buffering buffers = leat::stdio::buffering::full;
  char* line_end = nullptr;     // limit of `put` for bytes other than '\n' (line-buffered)
  bool held_over_fork = false;  // the forking thread holds the lock
  /// Above 0: the lock's holder may keep the lock for a long time, in a device_call or after
  /// flockfile. A fork does not wait for that thread.
  std::atomic<unsigned> fork_safe_depth{0};
  /// The lock's holder waits in a read of the device, and the stream has no pending bytes.
  std::atomic<bool> is_waiting_for_input{false};

  void* libc_view = nullptr;  // libc's FILE over this file; null: not requested yet
  char* line = nullptr;       // for leat_next_line: a line that crosses the buffer's end
  std::size_t line_size = 0;
  char* saved_get = nullptr;  // while `is_in_pushback`: the stream's own get and get_end
  char* saved_get_end = nullptr;
  std::mbstate_t read_state{};  // conversion states of a wide stream
  std::mbstate_t write_state{};

  mutable leat::stdio::recursive_lock lock;
  leat::stdio::line_ends ends;
  const char* name = "<stream>";  // for messages
  char* own_name = nullptr;       // memory of `name`, if this file owns it
  leat_file* next = nullptr;      // in the list of all files
  leat_file** link = nullptr;
  char pushback[max_pushback]{};
};

static_assert(sizeof leat_file::mark + sizeof leat_file::other_libraries == 224,
              "leat_stdio_buffers of <leat/stdio.h>");

namespace leat {
inline namespace v0 {
namespace stdio {

/// An object of a higher layer that lives while the stream's file is open. For example, src/c/
/// keeps the batches' state here.
class attachment {
 public:
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;
  /// True inside a callback of the program that the attachment has called. A callback can't close
  /// the file.
  virtual bool is_in_callback() const noexcept { return false; }
};

/// The syncs of one device. Threads share a group without the file's lock, so each thread keeps the
/// group alive.
class sync_group {
 public:
  explicit sync_group(device& disk) noexcept : disk_(disk) {}
  /// As group_commit::run.
  bool run() noexcept {
    return commits.run([this](std::error_code& ec) { disk_.sync(ec); });
  }

  group_commit commits;

 private:
  device& disk_;  // valid until commits.stop()
};

/// A sync that the caller has still to run, with group->run() and without the file's lock.
struct pending_sync {
  std::shared_ptr<sync_group> group;  // null: nothing left to do
  std::uint64_t write_count = 0;      // the sync covers this many of the stream's first writes
};

/// The layer below a FILE: a device with a buffer, or memory. The functions of a stream report
/// errors as C's do: by the result, the file's flags, and errno. The caller holds the file's lock.
class stream {
 public:
  enum class state : unsigned char { idle, reading, writing };

  stream() = default;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  virtual ~stream() = default;

  /// The range that the file has: none, [get, get_end), or [put, put_end). A flush or a seek may
  /// end either state.
  state current_state() const noexcept { return state_; }

  /// Ends writing and sets [get, get_end), which may be empty. Returns false on errors.
  virtual bool begin_reading(leat_file& f) noexcept = 0;
  /// Fills [get, get_end) with at least one byte and returns true. Otherwise sets at_end or failed
  /// and returns false. Called when the range is empty and nothing is pushed back.
  virtual bool fill(leat_file& f) noexcept = 0;
  /// Reads up to n bytes into the caller's memory. Returns the count; 0 when fill would return
  /// false. Called in the same state as fill.
  virtual std::size_t read(leat_file& f, char* to, std::size_t n) noexcept = 0;
  /// Writes n bytes, whether or not [put, put_end) has room. Returns the count; less than n only on
  /// errors.
  virtual std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept = 0;
  /// Writes the buffered bytes to the device and moves the descriptor's offset to the stream's
  /// position. Afterwards other users of the descriptor see the bytes, and read on after the last
  /// byte that the program took. Returns false on errors.
  virtual bool flush(leat_file& f) noexcept = 0;
  /// Seeks to `target`, which is not negative. Discards pushed-back bytes. Returns false on errors.
  virtual bool seek(leat_file& f, std::int64_t target) noexcept = 0;
  /// Flushes, and waits until the bytes survive a crash of the machine. Returns false on errors.
  virtual bool sync(leat_file& f) noexcept { return flush(f); }
  /// Starts sync(). If `always` is false, starts flush(). If `request` is not empty, the caller
  /// runs the sync in `request`, and then calls end_sync(). On errors returns false, and nothing is
  /// left to do.
  virtual bool begin_sync(leat_file& f, bool always, pending_sync& request) noexcept {
    request = {};
    return always ? sync(f) : flush(f);
  }
  /// Reports the result of a sync: returns false (errno) if it failed. `served`: the sync has
  /// ended, with or without an error. Not `served`: another thread has closed the stream.
  virtual bool end_sync(leat_file& f, const pending_sync& request, bool served) noexcept;
  /// The position of the end, including buffered bytes; -1 on errors.
  virtual std::int64_t end(leat_file& f) noexcept = 0;
  /// The position of the next byte; -1 on errors, also if the stream has no positions.
  virtual std::int64_t tell(leat_file& f) noexcept = 0;
  /// tell(), or for a stream without positions, such as a pipe: the count of bytes read so far.
  virtual std::int64_t tell_or_count(leat_file& f) noexcept { return tell(f); }
  /// The count of written bytes that the device does not have yet.
  virtual std::size_t pending(const leat_file&) const noexcept { return 0; }
  /// Removes the last n pending bytes, or all pending bytes if there are fewer. Called when the
  /// call that wrote these bytes has failed. A sidecar keeps its bytes: other processes may have
  /// read these bytes.
  virtual void remove_pending(leat_file& f, std::size_t n) noexcept = 0;
  /// Sets the size of the next buffer. If `memory` is not null, also sets the next buffer's memory.
  /// While the buffer has unread bytes, keeps the current buffer and size. If pending bytes can't
  /// be written or there is no memory, returns false, and the buffer is unchanged.
  virtual bool set_buffer(leat_file&, char* memory, std::size_t size) noexcept {
    static_cast<void>(memory);
    static_cast<void>(size);
    return true;
  }
  virtual std::size_t buffer_size(const leat_file&) const noexcept { return 0; }
  /// True in a forked child that has not read since the fork. The read-ahead bytes and the
  /// descriptor's position, which both processes share, belong to the parent.
  virtual bool is_inherited(const leat_file&) const noexcept { return false; }
  /// True inside a call that writes. If a signal handler interrupts that call and ends the program,
  /// the stream can't be used.
  virtual bool is_in_write() const noexcept { return false; }
  /// Called with the file's lock. Not called for files that another thread uses.
  virtual void before_fork(leat_file&) noexcept {}
  /// Called in a forked child, for every file.
  virtual void after_fork_in_child(leat_file&) noexcept {}
  /// Discards read-ahead bytes and unwritten bytes.
  virtual void purge(leat_file& f) noexcept = 0;
  /// True for a stream of popen until wait() is called.
  virtual bool is_process() const noexcept { return false; }
  virtual int wait() noexcept { return -1; }
  /// Flushes and closes the device. Returns false if anything failed.
  virtual bool close(leat_file& f) noexcept = 0;
  virtual int descriptor() const noexcept { return -1; }
  /// Called when the program gets the descriptor: the program may then move the offset.
  virtual void share_descriptor() noexcept {}
  virtual bool is_terminal() const noexcept { return false; }
  /// True if close() replaces the old file with the new file.
  virtual bool commits() const noexcept { return false; }
  /// At exit: drops a replacement file that close() has not committed. Returns true if a file was
  /// dropped and this process, not its parent, had opened the file.
  virtual bool drop_uncommitted(leat_file&) noexcept { return false; }
  /// Called at exit, after a flush. Closes a device that may keep bytes until it is closed, such as
  /// an encoder, and sets `closed`: nothing may be written any more. Returns false (errno) if
  /// closing fails.
  virtual bool close_at_exit(leat_file&, [[maybe_unused]] bool& closed) noexcept { return true; }
  /// True if all writes go to the end of the file, whatever the stream's position.
  virtual bool appends() const noexcept { return false; }
  /// True if bytes survive a crash of the machine after a flush or a close.
  virtual bool syncs() const noexcept { return false; }
  /// Returns the file below as a device for batches (see cursor_device), or null.
  virtual std::unique_ptr<device> twin(bool writable) const noexcept {
    static_cast<void>(writable);
    return nullptr;
  }
  /// True if wide characters are stored as wchar_t and not in the locale's encoding.
  virtual bool stores_wide() const noexcept { return false; }

  std::unique_ptr<attachment> attached;  // destroyed before the file is closed

 protected:
  state state_ = state::idle;
};

/// Opens the stream below a standard stream at the first use, and returns the opened stream.
[[gnu::cold]] stream& open_standard(leat_file& f) noexcept;

inline stream& below(leat_file& f) noexcept {
  return f.below != nullptr ? *f.below : open_standard(f);
}

/// Ends the program with a message: the FILE is null, closed, or from another library.
[[noreturn, gnu::cold]] void abort_bad_file(const leat_file* f, const char* function) noexcept;

/// Ends the program with a message: the result does not fit the caller's memory.
[[noreturn, gnu::cold]] void abort_overflow(const char* function) noexcept;

/// Ends the program with a message: "%n" is in a format in writable memory.
[[noreturn, gnu::cold]] void abort_percent_n() noexcept;

/// Ends the program with a message: there is no memory for a standard stream.
[[noreturn, gnu::cold]] void abort_without_memory() noexcept;

/// Returns `f`. If `f` is not an open file, ends the program with a message.
inline leat_file* check(leat_file* f, const char* function) noexcept {
  if (f == nullptr || f->mark != leat_file::open_mark) [[unlikely]]
    abort_bad_file(f, function);
  return f;
}

/// False if the program locks the file, or has one thread and a call starts no thread.
inline bool needs_lock(const leat_file& f) noexcept {
  return (f.calls_may_start_threads || !detail::is_single_threaded()) && !f.unlocked;
}

/// If needs_lock(), locks a file for one call.
class file_guard {
 public:
  file_guard(leat_file* f, const char* function) noexcept
      : file_(check(f, function)), locked_(needs_lock(*f)) {
    if (locked_) f->lock.lock();
  }
  ~file_guard() {
    if (locked_) file_->lock.unlock();
  }
  file_guard(const file_guard&) = delete;
  file_guard& operator=(const file_guard&) = delete;

 private:
  leat_file* file_;
  bool locked_;
};

template <class Use>
[[gnu::noinline]] auto with_locked_file(leat_file& f, Use use) noexcept {
  const std::lock_guard guard(f.lock);
  return use(f);
}
/// Returns use(*f), as under a file_guard. Without a lock, a short call saves no registers.
template <class Use>
auto with_file(leat_file* f, const char* function, Use use) noexcept {
  check(f, function);
  return needs_lock(*f) ? with_locked_file(*f, use) : use(*f);
}

#define LEAT_GUARD_FILE(file) const ::leat::stdio::file_guard guard(file, __func__)

extern constinit std::atomic<bool> forking;  // a thread of this process is in fork()

/// The scope of a call that may block. The caller holds the file's lock, and the stream is in a
/// state that a forked child can use. The call is no cancellation point.
class fork_safe_call {
 public:
  explicit fork_safe_call(leat_file& f) noexcept : file_(f) { f.enter_fork_safe(); }
  ~fork_safe_call() {
    file_.leave_fork_safe();
    if (forking) [[unlikely]]
      wait_for_fork(file_);
  }
  fork_safe_call(const fork_safe_call&) = delete;
  fork_safe_call& operator=(const fork_safe_call&) = delete;

 private:
  [[gnu::noinline]] static void wait_for_fork(leat_file& f) noexcept;

  leat_file& file_;
};

/// A fork_safe_call for calls of any kind: restores errno and disables cancellation.
class device_call {
 public:
  /// `cancellable`: false if what is called in the scope is no cancellation point anyway.
  explicit device_call(leat_file& f, bool cancellable = true) noexcept
      : guard_(cancellable), call_(f) {}

 private:
  no_cancel guard_;
  errno_guard kept_;  // the caller reports errors after the scope
  fork_safe_call call_;
};

/// Guards the list of popen's streams. Lock order: after any file's lock. A fork takes this lock
/// too.
extern constinit short_lock processes_lock;

/// Returns memory for begin_file(), or null if there is no memory.
leat_file* fresh_file() noexcept;
/// Makes `f` a file over a stream and adds the file to the list of all files. Returns `f`. If `f`
/// or `over` is null, frees the other object and returns null (ENOMEM).
leat_file* begin_file(leat_file* f, std::unique_ptr<stream> over, bool readable,
                      bool writable) noexcept;
/// As begin_file(), with new memory.
inline leat_file* make_file(std::unique_ptr<stream> over, bool readable, bool writable) noexcept {
  return begin_file(fresh_file(), std::move(over), readable, writable);
}
/// If there is memory for a copy, sets the file's name for messages. Returns `f`. `f` may be null.
leat_file* name_file(leat_file* f, const char* name) noexcept;
/// Sets errno and records the failure for leat_last_error().
[[gnu::cold]] void report(const leat_file& f, const failure& cause) noexcept;
/// Removes the file from the list and destroys the stream below. A later file may reuse the memory
/// of `f`.
void destroy(leat_file* f) noexcept;

/// Closes libc's FILE over `f`, if any; see leat_libc_file(). The caller holds the lock of `f`.
void close_libc_view(leat_file& f) noexcept;

/// Calls visit(file) for all open files, under the list's lock: then no file opens or closes.
void for_each_file(void (*visit)(leat_file&, void*) noexcept, void* context) noexcept;
template <class Visit>
void for_each_file(Visit visit) noexcept {
  for_each_file([](leat_file& f, void* v) noexcept { (*static_cast<Visit*>(v))(f); }, &visit);
}

/// Flushes standard output, so that a prompt appears. If standard output is fully buffered, or if
/// another thread holds its lock, does nothing. Called before the program may wait for input.
void flush_standard_output() noexcept;

// --- parts of the C functions; the caller holds the lock ----------------------------------------

/// If the stream has no orientation, gives the stream byte orientation.
inline void set_byte_orientation(leat_file& f) noexcept {
  if (f.orientation == 0) f.orientation = -1;
}

/// Fills [get, get_end), which is empty. Returns false at the end (at_end) and on errors (failed,
/// errno).
[[gnu::cold]] bool refill(leat_file& f) noexcept;

/// Returns the next byte, or -1.
inline int get_byte(leat_file& f) noexcept {
  if (f.get == f.get_end && !refill(f)) [[unlikely]]
    return -1;
  return static_cast<unsigned char>(*f.get++);
}
/// Returns the next byte without taking it, or -1.
inline int peek_byte(leat_file& f) noexcept {
  if (f.get == f.get_end && !refill(f)) [[unlikely]]
    return -1;
  return static_cast<unsigned char>(*f.get);
}
/// Pushes one byte back. Returns false if there is no room, or if the file can't be read.
bool push_back(leat_file& f, char byte) noexcept;

/// Reads n bytes. Returns the count, which is less than n at the end (at_end) and on errors
/// (failed, errno).
std::size_t read(leat_file& f, char* to, std::size_t n) noexcept;

/// As write(), when [put, put_end) has no room. Returns the count of bytes written. If each call
/// goes to the device or to a sidecar, the range is always empty. So this function must not be
/// slow.
[[gnu::noinline]] std::size_t write_past_room(leat_file& f, const char* from,
                                              std::size_t n) noexcept;

/// Returns the count of bytes written.
inline std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept {
  if (n > f.room()) [[unlikely]]
    return write_past_room(f, from, n);
  if (n != 0) std::memcpy(f.put, from, n);
  f.put += n;
  return n;
}
/// Writes all of `text`. Returns false on errors.
inline bool write(leat_file& f, std::string_view text) noexcept {
  return write(f, text.data(), text.size()) == text.size();
}

/// Sets EBADF and the error flag, because the stream can't be written. Returns -1.
[[gnu::cold]] int refuse_output(leat_file& f) noexcept;

/// As getdelim.
ssize_t get_delimited(leat_file& f, char** line, std::size_t* size, int delimiter) noexcept;

/// The next three functions are fflush, fseeko and ftello. On errors each of these functions
/// returns false, or -1, and sets errno.
bool flush(leat_file& f) noexcept;
bool seek(leat_file& f, std::int64_t offset, int whence) noexcept;
std::int64_t tell(leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
