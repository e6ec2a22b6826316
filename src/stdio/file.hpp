// What a FILE* of <leat/stdio.h> points at.
//
// The windows come first, as <leat/stdio.h> knows: its inline functions touch nothing else. Bytes
// are taken from [get, get_end) and stored in [put, put_end). Where a stream does not read, or
// must act on each call (line-buffered, unbuffered), its window is empty, so the one comparison
// also catches that. All else is asked of the stream below.
#pragma once

#include <leat/leat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <memory>
#include <new>
#include <string_view>

#include "base/short_lock.hpp"
#include "base/single_thread.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

class stream;

/// A lock that its owner may take again, as flockfile promises.
class file_lock {
 public:
  constexpr file_lock() = default;
  void lock() noexcept {
    const char* const me = this_thread();
    if (owner_.load(std::memory_order_relaxed) != me) {
      lock_.lock();
      owner_.store(me, std::memory_order_relaxed);
    }
    ++depth_;
  }
  bool try_lock() noexcept {
    const char* const me = this_thread();
    if (owner_.load(std::memory_order_relaxed) != me) {
      if (!lock_.try_lock()) return false;
      owner_.store(me, std::memory_order_relaxed);
    }
    ++depth_;
    return true;
  }
  void unlock() noexcept {
    if (--depth_ != 0) return;
    owner_.store(nullptr, std::memory_order_relaxed);
    lock_.unlock();
  }
  /// In a forked child: who held it is not here.
  void reset() noexcept {
    owner_.store(nullptr, std::memory_order_relaxed);
    depth_ = 0;
    new (&lock_) short_lock;
  }

 private:
  static const char* this_thread() noexcept {
    static thread_local constinit char mine = 0;
    return &mine;
  }

  std::atomic<const char*> owner_{nullptr};
  unsigned depth_ = 0;
  short_lock lock_;
};

enum class buffering : unsigned char { full, line, none };

}  // namespace stdio
}  // namespace v0
}  // namespace leat

/// One stream of C. Everything but the marks is guarded by its lock.
struct leat_file {
  static constexpr std::uint64_t open_mark = 0x454c'4946'7461'656c;    // "leatFILE"
  static constexpr std::uint64_t closed_mark = 0x6465'736f'6c63'7e21;  // "!~closed"
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
  /// Forgets what was pushed back: the window is the stream's again.
  void drop_pushed() noexcept {
    if (!pushing) return;
    pushing = false;
    get = saved_get;
    get_end = saved_get_end;
  }

  std::uint64_t mark = open_mark;
  char* get = nullptr;
  char* get_end = nullptr;
  char* put = nullptr;
  char* put_end = nullptr;

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
  bool held_over_fork = false;  // the forking thread has the lock

  void* libc_view = nullptr;  // libc's FILE over this one, if somebody asked for it
  char* line = nullptr;       // of leat_next_line, where it had to be put together
  std::size_t line_size = 0;
  char* saved_get = nullptr;  // the stream's own window meanwhile
  char* saved_get_end = nullptr;
  std::mbstate_t read_state{};  // of a wide stream
  std::mbstate_t write_state{};

  mutable leat::stdio::file_lock lock;
  leat_file* next = nullptr;  // in the list of all
  leat_file** link = nullptr;
  char pushed_bytes[most_pushed]{};
};

namespace leat {
inline namespace v0 {
namespace stdio {

/// What a FILE stands on: a device with a buffer, or memory. The functions report as C's do: by
/// their result, the file's flags, and errno.
class stream {
 public:
  enum class state : unsigned char { idle, reading, writing };

  stream() = default;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  virtual ~stream() = default;

  /// What was done last, unless a flush or a seek has ended it.
  state doing() const noexcept { return state_; }

  /// Ends writing; the get window may be empty.
  virtual bool begin_reading(leat_file& f) noexcept = 0;
  /// Makes at least one byte readable. The window is empty, and nothing is pushed back.
  virtual bool fill(leat_file& f) noexcept = 0;
  /// Reads behind an empty window, not necessarily all; 0 at the end or on errors.
  virtual std::size_t read(leat_file& f, char* to, std::size_t n) noexcept = 0;
  /// Takes bytes, whether or not they fit the window; fewer only on errors.
  virtual std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept = 0;
  /// Makes what was written visible to others, and leaves what was read ahead to them.
  virtual bool flush(leat_file& f) noexcept = 0;
  /// The target is not negative.
  virtual bool seek(leat_file& f, std::int64_t target) noexcept = 0;
  /// Where the end is, with what is still buffered; -1 on errors.
  virtual std::int64_t end(leat_file& f) noexcept = 0;
  virtual std::int64_t tell(leat_file& f) noexcept = 0;
  /// As tell; of what has no positions, how much was read.
  virtual std::int64_t passed(leat_file& f) noexcept { return tell(f); }
  /// Bytes written that others don't see yet.
  virtual std::size_t pending(const leat_file&) const noexcept { return 0; }
  /// The buffer is to have this size, at `memory` where that is not null.
  virtual void set_buffer(leat_file&, char*, std::size_t) noexcept {}
  virtual std::size_t buffer_size(const leat_file&) const noexcept { return 0; }
  /// Forgets what was read ahead and what was not written yet.
  virtual void purge(leat_file& f) noexcept = 0;
  /// Only streams of popen have a process to wait for.
  virtual bool is_process() const noexcept { return false; }
  virtual int wait() noexcept { return -1; }
  /// Flushes and gives up the bytes' home; false if anything failed.
  virtual bool close(leat_file& f) noexcept = 0;
  virtual int descriptor() const noexcept { return -1; }
  virtual bool terminal() const noexcept { return false; }
  /// Its bytes take their place when it is closed.
  virtual bool commits() const noexcept { return false; }
  /// Wide characters are stored as they are, not as bytes of the locale's encoding.
  virtual bool stores_wide() const noexcept { return false; }

 protected:
  state state_ = state::idle;
};

/// The stream below, opened if this is a standard stream's first use.
stream& below(leat_file& f) noexcept;

/// Ends the program, as using another library's FILE, or one that is closed, has no meaning.
[[noreturn, gnu::cold]] void refuse(const leat_file* f, const char* function) noexcept;

/// The same where a standard stream has no memory to begin with.
[[noreturn, gnu::cold]] void refuse_without_memory() noexcept;

inline leat_file* check(leat_file* f, const char* function) noexcept {
  if (f == nullptr || f->mark != leat_file::open_mark) [[unlikely]]
    refuse(f, function);
  return f;
}

/// Takes a file's lock for a call, unless nobody else could.
class use {
 public:
  use(leat_file* f, const char* function) noexcept
      : file_(check(f, function)), locked_(!one_thread() && !f->unlocked) {
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

/// A new file over a stream, in the list of all; null (ENOMEM) without memory.
leat_file* make_file(std::unique_ptr<stream> over, bool readable, bool writable) noexcept;
/// Takes the file out of the list, for another one to use its memory.
void destroy(leat_file* f) noexcept;

void close_libc_view(leat_file& f) noexcept;

/// Calls visit(file) for all open files. Files can't come or go meanwhile.
void for_each_file(void (*visit)(leat_file&, void*) noexcept, void* context) noexcept;
template <class Visit>
void for_each_file(Visit visit) noexcept {
  for_each_file([](leat_file& f, void* v) noexcept { (*static_cast<Visit*>(v))(f); }, &visit);
}

/// What may be read from a terminal is asked for: shows what was written to standard output.
void show_output() noexcept;

// --- what the functions are made of; the caller has the lock -----------------------------------

/// A stream is used for bytes unless it is used for wide characters first.
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

[[gnu::cold]] std::size_t write_slowly(leat_file& f, const char* from, std::size_t n) noexcept;

/// Returns how many bytes were taken.
inline std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept {
  if (n > f.room()) [[unlikely]]
    return write_slowly(f, from, n);
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
