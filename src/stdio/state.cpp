// A stream's flags, descriptor and lock: feof, ferror, fileno, flockfile and similar functions.
#include <algorithm>
#include <cerrno>

#include "stdio/error.hpp"
#include "stdio/file.hpp"

using namespace leat::stdio;

int leat_feof(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return f->at_end;
}
int leat_feof_unlocked(leat_file* f) { return f->at_end; }

int leat_ferror(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return f->has_failed();
}
int leat_ferror_unlocked(leat_file* f) { return f->has_failed(); }

void leat_clearerr(leat_file* f) {
  LEAT_GUARD_FILE(f);
  f->clear_flags();
}
void leat_clearerr_unlocked(leat_file* f) { f->clear_flags(); }

int leat_fileno(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return leat_fileno_unlocked(f);
}
int leat_fileno_unlocked(leat_file* f) {
  const int descriptor = below(*f).descriptor();
  below(*f).share_descriptor();
  return descriptor >= 0 ? descriptor : fail(EBADF, -1);
}

void leat_flockfile(leat_file* f) {
  check(f, __func__);
  f->lock.lock();
  f->enter_fork_safe();
}
int leat_ftrylockfile(leat_file* f) {
  check(f, __func__);
  if (!f->lock.try_lock()) return -1;
  f->enter_fork_safe();
  return 0;
}
void leat_funlockfile(leat_file* f) {
  check(f, __func__);
  f->leave_fork_safe();
  f->lock.unlock();
}

int leat_freadable(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return f->readable;
}
int leat_fwritable(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return f->writable;
}
int leat_freading(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return !f->writable ||
         (f->below != nullptr && f->below->current_state() == stream::state::reading);
}
int leat_fwriting(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return !f->readable ||
         (f->below != nullptr && f->below->current_state() == stream::state::writing);
}
int leat_flbf(leat_file* f) {
  LEAT_GUARD_FILE(f);
  static_cast<void>(below(*f));
  return f->buffers == buffering::line;
}

int leat_fsetlocking(leat_file* f, int type) {
  LEAT_GUARD_FILE(f);
  constexpr int internal = 1, by_caller = 2;  // values of <stdio_ext.h>; 0 is only a query
  const int before = f->unlocked ? by_caller : internal;
  if (type == internal || type == by_caller) f->unlocked = type == by_caller;
  return before;
}

// Functions of musl's <stdio_ext.h> that gnulib uses; declared only in <leat/stdio.h>.
extern "C" {
LEAT_API size_t leat_stdio_freadahead(leat_file* f) {
  LEAT_GUARD_FILE(f);
  if (!f->is_in_pushback) return f->available();
  return f->available() + static_cast<size_t>(f->saved_get_end - f->saved_get);
}
LEAT_API const char* leat_stdio_freadptr(leat_file* f, size_t* size) {
  LEAT_GUARD_FILE(f);
  if (f->get == f->get_end) return nullptr;
  *size = f->available();
  return f->get;
}
LEAT_API void leat_stdio_freadptrinc(leat_file* f, size_t size) {
  LEAT_GUARD_FILE(f);
  f->get += std::min(size, f->available());
}
LEAT_API void leat_stdio_fseterr(leat_file* f) {
  LEAT_GUARD_FILE(f);
  f->failed = true;
}
}
