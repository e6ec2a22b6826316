// The list of open files, their flush at exit and their locks over a fork; and the parts of C's
// functions that file.hpp declares.
#include "stdio/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/exit.hpp"
#include "base/fork.hpp"
#include "base/loss.hpp"
#include "device/descriptor.hpp"
#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

// The lock is never destroyed: streams live until the process ends.
constinit recursive_lock list_lock;
constinit leat_file* open_files = nullptr;
// The use of a closed file is detected until the file's memory is reused.
constinit leat_file* closed_files = nullptr;
constinit bool is_exiting = false;

void insert(leat_file* f) noexcept {
  f->next = open_files;
  f->link = &open_files;
  if (open_files != nullptr) open_files->link = &f->next;
  open_files = f;
}

void keep_closed(leat_file& f) noexcept {
  const std::lock_guard guard(list_lock);
  f.mark = leat_file::closed_mark;
  f.next = closed_files;
  closed_files = &f;
}

constinit short_lock fork_lock;  // held by a fork

// A fork waits until no stream is in the middle of a change, because a child could not use such a
// stream. A fork does not wait for a stream whose `fork_safe_depth` is above 0: the thread that
// holds the stream's lock may be waiting for input. At the end of a device_call, that thread waits
// for the end of the fork before it changes the stream.
void prepare_fork() noexcept {
  list_lock.lock();
  // This loop runs before `forking` is set. before_fork() may write. While `forking` is set, each
  // device_call ends with a wait for the fork: this thread would wait for itself.
  for (leat_file* f = open_files; f != nullptr; f = f->next) {
    if (!f->lock.try_lock()) continue;
    if (f->below != nullptr) f->below->before_fork(*f);
    f->lock.unlock();
  }
  fork_lock.lock();
  forking = true;
  for (leat_file* f = open_files; f != nullptr; f = f->next)
    while (!(f->held_over_fork = f->lock.try_lock()) && f->fork_safe_depth == 0)
      std::this_thread::yield();
  processes_lock.lock();
}
void end_fork() noexcept {
  processes_lock.unlock();
  forking = false;
  fork_lock.unlock();
  list_lock.unlock();
}
void fork_in_parent() noexcept {
  for (leat_file* f = open_files; f != nullptr; f = f->next)
    if (f->held_over_fork) f->lock.unlock();
  end_fork();
}
// Buffered bytes stay in the child's streams, because C programs that continue in the child expect
// these bytes.
void fork_in_child() noexcept {
  for (leat_file* f = open_files; f != nullptr; f = f->next) {
    if (f->below != nullptr) f->below->after_fork_in_child(*f);
    if (f->held_over_fork) {
      f->lock.unlock();
    } else {
      f->lock.reset();
      f->fork_safe_depth = 0;
      f->is_waiting_for_input = false;
    }
  }
  end_fork();
}

[[gnu::constructor]] void register_fork_handlers() noexcept {
  on_fork(prepare_fork, fork_in_parent, fork_in_child);
}

/// True if the stream has no pending bytes although another thread holds its lock: the stream is
/// never written, or the other thread waits for input.
bool has_only_input(const leat_file& f) noexcept {
  return f.readable && (!f.writable || f.is_waiting_for_input.load(std::memory_order_relaxed));
}

/// Locks a file at exit. Returns false if another thread keeps the lock until `deadline`. If the
/// other thread waits for input, returns false at once.
bool lock_at_exit(leat_file& f, std::chrono::steady_clock::time_point deadline) noexcept {
  if (f.lock.try_lock()) return true;
  while (!has_only_input(f)) {
    if (f.lock.try_lock_for(std::chrono::milliseconds(1))) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
  return false;
}

// Flushes all streams at exit. Runs after the functions given to atexit and the destructors of
// static objects, which may print. Later output is unbuffered.
[[gnu::destructor]] void flush_at_exit() noexcept {
  is_exiting = true;
  // A forking thread holds the list's lock while it waits for other threads. The awaited thread may
  // be this thread: the exit may run in a signal handler that has interrupted a call.
  const auto deadline = std::chrono::steady_clock::now() + fork_timeout;
  if (!list_lock.try_lock_for(fork_timeout)) {
    if (has_loss_handler()) report_loss({errc::left_open, "write"}, "<all streams of C>");
    return;
  }
  const std::lock_guard guard(list_lock, std::adopt_lock);
  for (leat_file* it = open_files; it != nullptr; it = it->next) {
    leat_file& f = *it;
    // A thread that waits for input, or writes to a full pipe, may never release the lock.
    const bool locked = lock_at_exit(f, deadline);
    if (!locked && has_only_input(f)) continue;
    if (!locked || (f.below != nullptr && f.below->is_in_write())) {
      // This thread can't know which of the bytes have been written.
      if (has_loss_handler()) report_loss({errc::left_open, "write"}, f.name);
      if (!locked) continue;
      f.put = f.put_end = f.line_end = nullptr;
      f.writable = false;
      f.lock.unlock();
      continue;
    }
    // The loss is reported even without a loss handler: standard C has no replacement files, so no
    // program relies on a silent drop.
    if (f.below != nullptr && f.below->drop_uncommitted(f)) {
      fail_at_exit();
      report_loss({errc::not_committed, "replace"}, f.name);
    }
    // The memory and the variables of a memory stream may be gone: the function that owned them may
    // have returned.
    const bool is_skipped = f.program_memory || (f.below != nullptr && f.below->is_inherited(f));
    bool closed = false;
    const bool good =
        is_skipped || (flush(f) && (f.below == nullptr || f.below->close_at_exit(f, closed)));
    if (!good && has_loss_handler()) report_loss(last_error_of_thread().cause, f.name);
    if (closed) {
      f.put = f.put_end = f.line_end = nullptr;
      f.writable = false;
      f.lock.unlock();
      continue;
    }
    f.buffers = buffering::none;
    if (f.below != nullptr) f.below->set_buffer(f, nullptr, 0);  // empties [put, put_end)
    f.lock.unlock();
  }
}

[[noreturn]] void abort_with(std::initializer_list<std::string_view> message) noexcept {
  const no_cancel guard;
  for (const std::string_view part : message)
    if (!write_descriptor(2, part)) break;
  std::abort();
}

}  // namespace

void abort_bad_file(const leat_file* f, const char* function) noexcept {
  // The message has the names that the functions of <leat/stdio.h> have in programs. The functions
  // of leat.h keep their prefix.
  std::string_view name = function;
  for (const std::string_view prefix : {"leat_stdio_", "leat_checked_", "leat_c17_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  // GCC calls these functions for fprintf(f, "text") and similar calls. Then the program's source
  // does not contain the name in the message.
  const bool may_replace = name == "leat_fwrite" || name == "leat_fputc" || name == "leat_fputs";
  abort_with(
      {"leat: ", name, ": ",
       f == nullptr                        ? "a null FILE*"
       : f->mark == leat_file::closed_mark ? "a FILE* that is closed"
                                           : "a FILE* of another library (was each file that "
                                             "uses it compiled with <leat/stdio.h>?)",
       may_replace ? " (called by the program, or by the compiler for fprintf or fputs)\n" : "\n"});
}

void abort_overflow(const char* function) noexcept {
  abort_with({"leat: ", function, ": buffer overflow detected\n"});
}

void abort_percent_n() noexcept {
  abort_with({"leat: printf: %n in a format that can be written to\n"});
}

void abort_without_memory() noexcept { abort_with({"leat: no memory for a standard stream\n"}); }

/// Returns a file in its initial state: a reused closed file, or a new file.
leat_file* fresh_file() noexcept {
  const std::lock_guard guard(list_lock);
  leat_file* const f = closed_files;
  if (f == nullptr) return new (std::nothrow) leat_file;
  closed_files = f->next;
  f->~leat_file();
  return new (f) leat_file;
}

leat_file* begin_file(leat_file* f, std::unique_ptr<stream> over, bool readable,
                      bool writable) noexcept {
  if (f == nullptr || over == nullptr) {
    if (f != nullptr) keep_closed(*f);
    return fail(ENOMEM, nullptr);
  }
  f->readable = readable;
  f->writable = writable;
  if (is_exiting) f->buffers = buffering::none;
  f->below = std::move(over);
  if (f->below->is_terminal()) f->buffers = buffering::line;
  const std::lock_guard guard(list_lock);
  insert(f);
  return f;
}

leat_file* name_file(leat_file* f, const char* name) noexcept {
  if (f == nullptr || name == nullptr) return f;
  const std::size_t size = std::strlen(name) + 1;
  auto* const copy = static_cast<char*>(std::malloc(size));
  if (copy == nullptr) return f;
  std::memcpy(copy, name, size);
  std::free(std::exchange(f->own_name, copy));
  f->name = copy;
  return f;
}

void report(const leat_file& f, const failure& cause) noexcept {
  note_error(cause, errno_of(cause.code), f.name);
}

void fork_safe_call::wait_for_fork(leat_file& f) noexcept {
  const errno_guard kept;
  do {
    f.enter_fork_safe();
    fork_lock.lock();
    fork_lock.unlock();
    f.leave_fork_safe();
  } while (forking);
}

constinit short_lock processes_lock;
constinit std::atomic<bool> forking = false;

void destroy(leat_file* f) noexcept {
  const no_cancel no_cancellation;
  std::unique_ptr<stream> ended;
  {
    const std::lock_guard own(f->lock);
    f->readable = f->writable = false;
    ended = std::move(f->below);
  }
  // No lock is held, because a log waits here for `finished`, which may use this stream and open
  // other streams.
  ended.reset();
  const std::lock_guard guard(list_lock);
  *f->link = f->next;
  if (f->next != nullptr) f->next->link = f->link;
  std::free(std::exchange(f->line, nullptr));
  f->name = "<closed>";
  std::free(std::exchange(f->own_name, nullptr));
  if (is_standard(f))
    f->mark = leat_file::closed_mark;
  else
    keep_closed(*f);
}

void add_standard(leat_file& f) noexcept {
  const std::lock_guard guard(list_lock);
  insert(&f);
}

void for_each_file(void (*visit)(leat_file&, void*) noexcept, void* context) noexcept {
  const std::lock_guard guard(list_lock);
  for (leat_file* f = open_files; f != nullptr; f = f->next) visit(*f, context);
}

bool refill(leat_file& f) noexcept {
  if (f.mark != leat_file::open_mark) abort_bad_file(&f, "read");
  if (!f.readable) {
    f.failed = true;
    return fail(EBADF, false);
  }
  set_byte_orientation(f);
  if (f.is_in_pushback) {
    f.drop_pushback();
    if (f.get != f.get_end) return true;
  }
  if (f.at_end) return false;  // C23 7.23.7.1: the end-of-file flag stays until it is cleared
  stream& from = below(f);
  if (f.buffers != buffering::full || from.is_terminal()) flush_standard_output();
  return from.fill(f);
}

bool push_back(leat_file& f, char byte) noexcept {
  if (!f.readable) return false;
  if (!f.is_in_pushback) {
    stream& from = below(f);
    if (!from.begin_reading(f)) return false;
    f.saved_get = f.get;
    f.saved_get_end = f.get_end;
    f.get = f.get_end = f.pushback + leat_file::max_pushback;
    f.is_in_pushback = true;
  }
  if (f.get == f.pushback) return false;
  *--f.get = byte;
  f.at_end = false;
  return true;
}

std::size_t read(leat_file& f, char* to, std::size_t n) noexcept {
  std::size_t done = 0;
  for (;;) {
    const std::size_t taken = std::min(n - done, f.available());
    if (taken != 0) std::memcpy(to + done, f.get, taken);
    f.get += taken;
    done += taken;
    if (done == n) return done;
    if (!f.readable || f.is_in_pushback) {
      if (!refill(f)) return done;
      continue;
    }
    if (f.at_end) return done;
    set_byte_orientation(f);
    stream& from = below(f);
    if (f.buffers != buffering::full || from.is_terminal()) flush_standard_output();
    const std::size_t got = from.read(f, to + done, n - done);
    if (got == 0) return done;
    done += got;
  }
}

namespace {

/// write_past_room() in full. Not inline, so that write_past_room() stays short.
[[gnu::noinline]] std::size_t check_and_write(leat_file& f, const char* from,
                                              std::size_t n) noexcept {
  if (f.mark != leat_file::open_mark) [[unlikely]]
    abort_bad_file(&f, "write");
  if (!f.writable) [[unlikely]] {
    refuse_output(f);
    return 0;
  }
  set_byte_orientation(f);
  if (n == 0) return 0;
  stream& to = below(f);
  if (f.orientation > 0 && to.stores_wide()) {  // the stream stores wchar_t, not bytes
    f.failed = true;
    return fail(EINVAL, std::size_t{0});
  }
  return to.write(f, from, n);
}

}  // namespace

std::size_t write_past_room(leat_file& f, const char* from, std::size_t n) noexcept {
  const bool is_usual = f.mark == leat_file::open_mark && f.orientation < 0 && f.writable &&
                        f.below != nullptr && n != 0;
  return is_usual ? f.below->write(f, from, n) : check_and_write(f, from, n);
}

int refuse_output(leat_file& f) noexcept {
  f.failed = true;
  return fail(EBADF, -1);
}

bool stream::end_sync(leat_file&, const pending_sync&, bool served) noexcept {
  return served || fail(EBADF, false);  // not served: another stream is below the file now
}

bool flush(leat_file& f) noexcept {
  if (f.below == nullptr) return true;  // an unused standard stream
  return f.below->flush(f);
}

bool seek(leat_file& f, std::int64_t offset, int whence) noexcept {
  stream& under = below(f);
  std::int64_t base = 0;
  switch (whence) {
    case SEEK_SET:
      break;
    case SEEK_CUR:
      base = under.tell(f);
      break;
    case SEEK_END:
      base = under.end(f);
      break;
    default:
      return fail(EINVAL, false);
  }
  if (base < 0) return false;
  std::int64_t target;
  if (__builtin_add_overflow(base, offset, &target)) return fail(EOVERFLOW, false);
  if (target < 0) return fail(EINVAL, false);
  if (!under.seek(f, target)) return false;
  f.at_end = false;
  f.read_state = f.write_state = {};
  return true;
}

std::int64_t tell(leat_file& f) noexcept { return below(f).tell(f); }

}  // namespace stdio
}  // namespace v0
}  // namespace leat
