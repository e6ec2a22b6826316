// What a FILE* of <leat/stdio.h> points at.
//
// A head and the windows come first, as <leat/stdio.h> knows: its inline functions touch the
// windows and nothing else. The head ends programs that give the FILE to another C library. Bytes
// are taken from [get, get_end) and stored in [put, put_end). If a stream does not read, or must
// act on each call (line-buffered, unbuffered), its window is empty: so one comparison catches that
// case too. Everything else is a call of the stream below.
#pragma once

#include <leat/c/files.h>
#include <leat/detail/one_thread.hpp>
#include <leat/device.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <memory>
#include <string_view>

#include "base/errno.hpp"
#include "base/group_commit.hpp"
#include "base/no_cancel.hpp"
#include "base/short_lock.hpp"
#include "stdio/recursive_lock.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

class stream;

enum class buffering : unsigned char { full, line, none };

/// Where the next lines of a window end, listed ahead: so no line waits for the one before it.
struct line_ends {
  static constexpr std::uint16_t none = 0xffff;  // stands behind the last place

  /// No end is listed. The program's last line ended at `at`; null: it may be elsewhere.
  void begin(const char* at) noexcept {
    next = text = at;
    used = 0;
    places[0] = none;
  }
  /// The bytes have changed, or may have.
  void forget() noexcept { begin(nullptr); }

  const char* next = nullptr;  // what is listed holds as long as the program is here
  const char* text = nullptr;  // the places are offsets from here
  std::size_t used = 0;        // places of lines that were taken
  std::uint16_t places[512]{none};
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat

/// One stream of C. Everything but the marks is guarded by its lock.
struct leat_file {
  // The lower half is what glibc reads as its _flags: its mark, and _IO_USER_LOCK.
  static constexpr std::uint64_t open_mark = 0x7461'656c'fbad'8000;    // "leat"
  static constexpr std::uint64_t closed_mark = 0x6473'6c63'fbad'8000;  // "clsd"
  static constexpr std::size_t most_pushed = 64;

  constexpr leat_file() = default;
  leat_file(const leat_file&) = delete;
  leat_file& operator=(const leat_file&) = delete;

  std::size_t available() const noexcept { return static_cast<std::size_t>(get_end - get); }
  std::size_t room() const noexcept { return static_cast<std::size_t>(put_end - put); }
  /// Bytes that ungetc pushed back and nobody has taken yet.
  std::size_t pushed() const noexcept {
    return pushing ? static_cast<std::size_t>(pushed_bytes + most_pushed - get) : 0;
  }
  /// Only the thread that has the lock calls these.
  void rest() noexcept { rests = rests.load(std::memory_order_relaxed) + 1; }
  void go_on() noexcept { rests = rests.load(std::memory_order_relaxed) - 1; }
  void take_windows() noexcept { get = get_end = put = put_end = line_end = nullptr; }
  /// Forgets what was pushed back: the window is the stream's again.
  void drop_pushed() noexcept {
    if (!pushing) return;
    pushing = false;
    get = saved_get;
    get_end = saved_get_end;
  }

  std::uint64_t mark = open_mark;
  /// Where other libraries have the rest of their FILE. To glibc it is an unlocked FILE with empty
  /// windows and an invalid table of functions (its last word), so glibc ends the program. musl
  /// takes a lock that is free and calls a null pointer.
  char of_others[216]{};
  char* get = nullptr;
  char* get_end = nullptr;
  char* put = nullptr;
  char* put_end = nullptr;
  // What gnulib looks at besides: <leat/stdio.h> gives these glibc's names. Null, so that a window
  // to put means bytes that wait; and flags, of which gnulib sets one.
  char* no_window = nullptr;
  unsigned gnulib_flags = 0;
  static constexpr unsigned gnulib_failed = 0x20;  // _IO_ERR_SEEN

  /// What ferror says.
  bool has_failed() const noexcept { return failed || (gnulib_flags & gnulib_failed) != 0; }
  void clear_flags() noexcept {
    at_end = failed = false;
    gnulib_flags = 0;
  }

  std::unique_ptr<leat::stdio::stream> below;  // null: a standard stream that nobody has used yet

  bool readable = false;
  bool writable = false;
  bool at_end = false;          // feof
  bool failed = false;          // ferror
  bool program_memory = false;  // the put window is the program's: no byte behind `put` may change
  bool unlocked = false;        // the program locks by itself (__fsetlocking)
  bool pushing = false;         // the get window is pushed_bytes
  signed char orientation = 0;  // fwide: > 0 wide, < 0 bytes
  leat::stdio::buffering buffers = leat::stdio::buffering::full;
  char* line_end = nullptr;     // up to here a line-buffered stream takes bytes that end no line
  bool held_over_fork = false;  // the forking thread has the lock
  /// Above 0: the thread that has the lock may keep it for long. It is in a device_call, or has
  /// called flockfile. A fork does not wait for it.
  std::atomic<unsigned> rests{0};

  void* libc_view = nullptr;  // libc's FILE over this one, if somebody asked for it
  char* line = nullptr;       // of leat_next_line: a line that lies in more than one window
  std::size_t line_size = 0;
  char* saved_get = nullptr;  // while pushing: the stream's own window
  char* saved_get_end = nullptr;
  std::mbstate_t read_state{};  // of a wide stream
  std::mbstate_t write_state{};

  mutable leat::stdio::recursive_lock lock;
  leat::stdio::line_ends ends;
  const char* name = "<stream>";  // for messages
  char* own_name = nullptr;       // where `name` is the file's own
  leat_file* next = nullptr;      // in the list of all files
  leat_file** link = nullptr;
  char pushed_bytes[most_pushed]{};
};

static_assert(sizeof leat_file::mark + sizeof leat_file::of_others == 224,
              "leat_stdio_window of <leat/stdio.h>");

namespace leat {
inline namespace v0 {
namespace stdio {

/// An object of a higher layer that lives as long as the stream's file is open. For example, src/c/
/// keeps here what batches have learnt about the file.
class attachment {
 public:
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;
  /// True in a function of the program that it calls. There the file can't be closed.
  virtual bool is_in_call() const noexcept { return false; }
};

/// The syncs of one device. Threads share them without the file's lock, so they keep the group
/// alive.
class sync_group {
 public:
  explicit sync_group(device& disk) noexcept : disk_(disk) {}
  /// As group_commit::run.
  bool run() noexcept {
    return commits.run([this](std::error_code& ec) { disk_.sync(ec); });
  }

  group_commit commits;

 private:
  device& disk_;  // until commits.end()
};

/// A sync that is still to be called: by group->run(), without the file's lock.
struct pending_sync {
  std::shared_ptr<sync_group> group;  // null: there is nothing left to do
  std::uint64_t written = 0;          // which of the stream's writes it makes safe
};

/// What is below a FILE: a device with a buffer, or memory. The functions report as C's do: by
/// their result, the file's flags, and errno. The caller has the file's lock.
class stream {
 public:
  enum class state : unsigned char { idle, reading, writing };

  stream() = default;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  virtual ~stream() = default;

  /// Which window the file has: none, the one to read, or the one to write. A flush or a seek may
  /// end both.
  state doing() const noexcept { return state_; }

  /// Ends writing and gives the file its get window, which may be empty. False on errors.
  virtual bool begin_reading(leat_file& f) noexcept = 0;
  /// Called where the get window is empty and nothing is pushed back. True: the window has at least
  /// one byte. False: at_end or failed is set.
  virtual bool fill(leat_file& f) noexcept = 0;
  /// Called as fill. Reads up to n bytes into the caller's memory and returns how many; 0 where
  /// fill would be false.
  virtual std::size_t read(leat_file& f, char* to, std::size_t n) noexcept = 0;
  /// Takes n bytes, whether or not they fit into the put window. Returns how many; fewer only on
  /// errors.
  virtual std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept = 0;
  /// Hands over what was written, and moves the descriptor to the stream's position. Afterwards
  /// others who use the descriptor see the bytes, and read on behind the last byte that the program
  /// took.
  virtual bool flush(leat_file& f) noexcept = 0;
  /// Called with a target that is not negative. Afterwards nothing is pushed back.
  virtual bool seek(leat_file& f, std::int64_t target) noexcept = 0;
  /// As flush; then waits until the bytes survive a crash of the machine.
  virtual bool sync(leat_file& f) noexcept { return flush(f); }
  /// As sync(), or as flush() if `always` is false, but leaves the waiting to the caller, who calls
  /// end_sync() afterwards. False: it has failed, and nothing is pending.
  virtual bool begin_sync(leat_file& f, bool always, pending_sync& left) noexcept {
    left = {};
    return always ? sync(f) : flush(f);
  }
  /// `served`: the sync has ended, well or not. Otherwise the stream was closed meanwhile.
  virtual bool end_sync(leat_file& f, const pending_sync& of, bool served) noexcept;
  /// The position of the end, bytes that are still buffered included; -1 on errors.
  virtual std::int64_t end(leat_file& f) noexcept = 0;
  virtual std::int64_t tell(leat_file& f) noexcept = 0;
  /// As tell. For a stream without positions, as a pipe: how many bytes the program has read.
  virtual std::int64_t passed(leat_file& f) noexcept { return tell(f); }
  /// Bytes written that others don't see yet.
  virtual std::size_t pending(const leat_file&) const noexcept { return 0; }
  /// The next buffer is to have this size. It is at `memory`, unless that is null. False: what
  /// waits can't be written, or there is no memory; the buffer stays.
  virtual bool set_buffer(leat_file&, char*, std::size_t) noexcept { return true; }
  virtual std::size_t buffer_size(const leat_file&) const noexcept { return 0; }
  /// True in a forked child that has not read on. What the stream has read ahead is the parent's,
  /// and so is the descriptor's position, which both share.
  virtual bool is_parents(const leat_file&) const noexcept { return false; }
  /// True inside of a call that writes: where the program ends there, by a signal handler that has
  /// interrupted the call, the stream can't be used.
  virtual bool is_inside() const noexcept { return false; }
  /// Called with the file's lock, but for files that another thread uses.
  virtual void before_fork(leat_file&) noexcept {}
  /// Called for all files.
  virtual void after_fork_in_child(leat_file&) noexcept {}
  /// Forgets what was read ahead and what was not written yet.
  virtual void purge(leat_file& f) noexcept = 0;
  /// Only streams of popen have a process to wait for.
  virtual bool is_process() const noexcept { return false; }
  virtual int wait() noexcept { return -1; }
  /// Flushes and closes the device; false if anything failed.
  virtual bool close(leat_file& f) noexcept = 0;
  virtual int descriptor() const noexcept { return -1; }
  virtual bool terminal() const noexcept { return false; }
  /// A new file takes the old one's place when the stream is closed.
  virtual bool commits() const noexcept { return false; }
  /// At exit: drops a file that was to appear with close(). True if that loses what this process
  /// has written.
  virtual bool give_up(leat_file&) noexcept { return false; }
  /// All writes go to the end, at whatever position the stream is.
  virtual bool appends() const noexcept { return false; }
  /// Bytes survive a crash of the machine after a flush or a close.
  virtual bool syncs() const noexcept { return false; }
  /// The file below as a device for batches; see cursor_device. Null if there is none.
  virtual std::unique_ptr<device> twin(bool writable) const noexcept {
    static_cast<void>(writable);
    return nullptr;
  }
  /// Wide characters are stored as they are, and not in the locale's encoding.
  virtual bool stores_wide() const noexcept { return false; }

  std::unique_ptr<attachment> attached;  // dropped before the file is closed

 protected:
  state state_ = state::idle;
};

/// The stream below a standard stream that nobody has used yet.
[[gnu::cold]] stream& open_standard(leat_file& f) noexcept;

/// The stream below, opened if this is a standard stream's first use.
inline stream& below(leat_file& f) noexcept {
  return f.below != nullptr ? *f.below : open_standard(f);
}

/// Ends the program with a message: the FILE is null, closed, or another library's.
[[noreturn, gnu::cold]] void refuse(const leat_file* f, const char* function) noexcept;

/// Ends the program with a message: what is asked for does not fit the caller's memory.
[[noreturn, gnu::cold]] void refuse_overflow(const char* function) noexcept;

/// Ends the program with a message: "%n" is in a format that can be written to.
[[noreturn, gnu::cold]] void refuse_percent_n() noexcept;

/// Ends the program with a message: there is no memory for a standard stream.
[[noreturn, gnu::cold]] void refuse_without_memory() noexcept;

inline leat_file* check(leat_file* f, const char* function) noexcept {
  if (f == nullptr || f->mark != leat_file::open_mark) [[unlikely]]
    refuse(f, function);
  return f;
}

/// Locks a file for one call, unless the program has one thread or locks the file by itself.
class use {
 public:
  use(leat_file* f, const char* function) noexcept
      : file_(check(f, function)), locked_(!detail::one_thread() && !f->unlocked) {
    if (locked_) f->lock.lock();
  }
  ~use() {
    if (locked_) file_->lock.unlock();
  }
  use(const use&) = delete;
  use& operator=(const use&) = delete;

 private:
  leat_file* file_;
  bool locked_;
};

#define LEAT_USE(file) const ::leat::stdio::use guard(file, __func__)

/// A call that may wait, or that calls functions of the program. It is no point of cancellation.
/// The caller has the file's lock, and its stream is in a state that a forked child can use.
class device_call {
 public:
  explicit device_call(leat_file& f) noexcept : file_(f) { f.rest(); }
  ~device_call() {
    file_.go_on();
    if (forks_now()) wait_for_fork();
  }
  device_call(const device_call&) = delete;
  device_call& operator=(const device_call&) = delete;

 private:
  static bool forks_now() noexcept;
  void wait_for_fork() noexcept;

  leat_file& file_;
  no_cancel guard_;
  keeps_errno kept_;  // errors are reported afterwards
};

/// Guards the list of popen's streams. It is taken last, after any file's lock; a fork takes it,
/// too.
extern constinit short_lock processes_lock;

/// A new file over a stream, in the list of all files; null (ENOMEM) without memory, or if `over`
/// is null.
leat_file* make_file(std::unique_ptr<stream> over, bool readable, bool writable) noexcept;
/// The file is called `name` in messages, if there is memory for it. Returns the file, which may be
/// null.
leat_file* name_file(leat_file* f, const char* name) noexcept;
/// Sets errno, and keeps what failed for leat_last_error().
[[gnu::cold]] void report(const leat_file& f, const failure& what) noexcept;
/// Takes the file out of the list. A file that is opened later may use its memory.
void destroy(leat_file* f) noexcept;

void close_libc_view(leat_file& f) noexcept;

/// Calls visit(file) for all open files. Files can't come or go meanwhile.
void for_each_file(void (*visit)(leat_file&, void*) noexcept, void* context) noexcept;
template <class Visit>
void for_each_file(Visit visit) noexcept {
  for_each_file([](leat_file& f, void* v) noexcept { (*static_cast<Visit*>(v))(f); }, &visit);
}

/// Called before a program may wait for input: flushes standard output, unless it is fully
/// buffered, so that a prompt is seen.
void show_output() noexcept;

// --- parts of the functions of C; the caller has the lock ---------------------------------------

/// Marks a stream as one of bytes, unless it is one of wide characters already.
inline void use_bytes(leat_file& f) noexcept {
  if (f.orientation == 0) f.orientation = -1;
}

[[gnu::cold]] bool refill(leat_file& f) noexcept;

/// The next byte, or -1.
inline int get_byte(leat_file& f) noexcept {
  if (f.get == f.get_end && !refill(f)) [[unlikely]]
    return -1;
  return static_cast<unsigned char>(*f.get++);
}
/// The next byte, which stays, or -1.
inline int peek_byte(leat_file& f) noexcept {
  if (f.get == f.get_end && !refill(f)) [[unlikely]]
    return -1;
  return static_cast<unsigned char>(*f.get);
}
/// Pushes one byte back; false without room.
bool push_back(leat_file& f, char byte) noexcept;

std::size_t read(leat_file& f, char* to, std::size_t n) noexcept;

/// As write(), where the window has no room. It never has if each call goes to the device or to a
/// sidecar by itself, so this must not be slow.
[[gnu::noinline]] std::size_t write_beyond_window(leat_file& f, const char* from,
                                                  std::size_t n) noexcept;

/// Returns how many bytes were taken.
inline std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept {
  if (n > f.room()) [[unlikely]]
    return write_beyond_window(f, from, n);
  if (n != 0) std::memcpy(f.put, from, n);
  f.put += n;
  return n;
}
inline bool write(leat_file& f, std::string_view text) noexcept {
  return write(f, text.data(), text.size()) == text.size();
}

/// As getdelim.
ssize_t get_delimited(leat_file& f, char** line, std::size_t* size, int delimiter) noexcept;

bool flush(leat_file& f) noexcept;
bool seek(leat_file& f, std::int64_t offset, int whence) noexcept;
std::int64_t tell(leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
