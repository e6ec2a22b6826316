// fflush, leat_sync, setvbuf and similar functions, and functions that query a buffer. If the
// program does not choose a buffer's size, device_stream does.
#include <cerrno>
#include <cstdio>
#include <utility>

#include "stdio/error.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

bool set_buffer(leat_file& f, buffering kind, char* memory, std::size_t size) noexcept {
  stream& under = below(f);
  if (kind == buffering::none) memory = nullptr, size = 0;
  if (f.put != nullptr && !under.flush(f)) return false;
  const buffering before = std::exchange(f.buffers, kind);
  if (under.set_buffer(f, memory, size)) return true;
  f.buffers = before;
  return false;
}

int flush_all() noexcept {
  bool good = true;
  for_each_file([&good](leat_file& f) noexcept {
    if (!f.writable) return;  // a thread that waits for input may hold the lock
    const file_guard guard(&f, "fflush");
    if (f.below == nullptr) return;
    // The device may have bytes that are not synced yet.
    const bool has_work = f.below->pending(f) != 0 || f.below->syncs();
    if (has_work && !f.below->flush(f)) good = false;
  });
  return good ? 0 : EOF;
}

/// The part of flush_and_sync() for a process with several threads. If the device has the trait
/// syncs_concurrently, concurrent calls share one sync. The sync runs without the file's lock:
/// other threads can write to the file during the sync.
[[gnu::noinline]] bool share_sync(leat_file* file, bool always, const char* function) noexcept {
  pending_sync request;
  {
    const file_guard guard(file, function);
    leat_file& f = *file;
    if (!always && f.below == nullptr) return true;  // an unused standard stream
    if (f.unlocked || !f.lock.is_held_once()) return always ? below(f).sync(f) : below(f).flush(f);
    if (!below(f).begin_sync(f, always, request)) return false;
    if (request.group == nullptr) return true;
  }
  bool served;
  {
    const no_cancel no_cancellation;
    const errno_guard kept;
    served = request.group->run();
  }
  const file_guard guard(file, function);
  return below(*file).end_sync(*file, request, served);
}

/// Flushes. If the stream syncs at each flush or `always` is true, also syncs. Returns false on
/// errors.
bool flush_and_sync(leat_file* file, bool always, const char* function) noexcept {
  if (!detail::is_single_threaded()) return share_sync(file, always, function);
  return with_file(file, function, [=](leat_file& f) noexcept {
    if (!always && f.below == nullptr) return true;  // an unused standard stream
    return always ? below(f).sync(f) : below(f).flush(f);
  });
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

int leat_fflush(leat_file* f) {
  if (f == nullptr) return flush_all();
  return flush_and_sync(f, false, __func__) ? 0 : EOF;
}
int leat_fflush_unlocked(leat_file* f) {
  if (f == nullptr) return flush_all();
  return flush(*f) ? 0 : EOF;
}

int leat_sync(leat_file* f) { return flush_and_sync(f, true, __func__) ? 0 : EOF; }

// As in glibc, closes no stream, because other threads may still use the streams.
int leat_fcloseall(void) { return flush_all(); }

int leat_setvbuf(leat_file* f, char* buffer, int mode, size_t size) {
  LEAT_GUARD_FILE(f);
  switch (mode) {
    case _IOFBF:
      return set_buffer(*f, buffering::full, buffer, size) ? 0 : -1;
    case _IOLBF:
      return set_buffer(*f, buffering::line, buffer, size) ? 0 : -1;
    case _IONBF:
      return set_buffer(*f, buffering::none, nullptr, 0) ? 0 : -1;
    default:
      return fail(EINVAL, -1);
  }
}
void leat_setbuf(leat_file* f, char* buffer) {
  check(f, __func__);
  leat_setbuffer(f, buffer, BUFSIZ);
}
void leat_setbuffer(leat_file* f, char* buffer, size_t size) {
  check(f, __func__);
  leat_setvbuf(f, buffer, buffer != nullptr ? _IOFBF : _IONBF, size);
}
void leat_setlinebuf(leat_file* f) {
  check(f, __func__);
  leat_setvbuf(f, nullptr, _IOLBF, 0);
}

size_t leat_fbufsize(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return below(*f).buffer_size(*f);
}
size_t leat_fpending(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return f->below == nullptr ? 0 : f->below->pending(*f);
}
void leat_fpurge(leat_file* f) {
  LEAT_GUARD_FILE(f);
  below(*f).purge(*f);
}
void leat_flushlbf(void) {
  for_each_file([](leat_file& f) noexcept {
    const file_guard guard(&f, "_flushlbf");
    if (f.buffers == buffering::line) flush(f);
  });
}
