// A FILE of libc over a stream of leat, for libraries that were compiled with <stdio.h>.
#include <cerrno>
#include <cstdio>
#include <utility>

#include "stdio/error.hpp"
#include "stdio/file.hpp"

#if defined(__GLIBC__)

#  include <argp.h>
#  include <grp.h>
#  include <gshadow.h>
#  include <malloc.h>
#  include <mntent.h>
#  include <pwd.h>
#  include <shadow.h>

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

leat_file* file_of(void* cookie) noexcept { return static_cast<leat_file*>(cookie); }

ssize_t read_view(void* cookie, char* to, std::size_t n) {
  leat_file* const f = file_of(cookie);
  const std::size_t got = leat_fread(to, 1, n, f);
  return got == 0 && leat_ferror(f) != 0 ? -1 : static_cast<ssize_t>(got);
}
ssize_t write_view(void* cookie, const char* from, std::size_t n) {
  return static_cast<ssize_t>(leat_fwrite(from, 1, n, file_of(cookie)));
}
int seek_view(void* cookie, off64_t* offset, int whence) {
  leat_file* const f = file_of(cookie);
  if (leat_fseeko(f, *offset, whence) != 0) return -1;
  *offset = leat_ftello(f);
  return *offset < 0 ? -1 : 0;
}

FILE* view_of(leat_file* f) { return static_cast<FILE*>(leat_libc_file(f)); }

/// Returns call(view). If there is no memory for the view, returns `failed` (ENOMEM).
template <class Result, class Call>
Result with_view(leat_file* f, Result failed, const Call& call) {
  FILE* const view = view_of(f);
  return view != nullptr ? call(view) : failed;
}

/// Reads an entry by call(view). Returns 0 or an errno.
template <class Entry, class Call>
int read_entry(leat_file* f, Entry** result, const Call& call) {
  *result = nullptr;
  return with_view(f, ENOMEM, call);
}

}  // namespace

void close_libc_view(leat_file& f) noexcept {
  if (f.libc_view != nullptr) std::fclose(static_cast<FILE*>(std::exchange(f.libc_view, nullptr)));
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

void* leat_libc_file(leat_file* f) {
  FILE* view;
  {
    LEAT_GUARD_FILE(f);
    view = static_cast<FILE*>(f->libc_view);
    if (view == nullptr) {
      // Always "r+": a freopen may change the stream's mode, and leat's functions check the mode.
      view = ::fopencookie(f, "r+", {read_view, write_view, seek_view, nullptr});
      if (view == nullptr) return fail(ENOMEM, nullptr);
      // Unbuffered, so that bytes written through libc and through leat keep their order.
      ::setvbuf(view, nullptr, _IONBF, 0);
      return f->libc_view = view;
    }
  }
  // If leat's stream does not have a flag of libc, for example after a rewind, clears libc's flag.
  // Another thread may use the view: libc takes the view's lock first, and the stream's lock
  // second.
  ::flockfile(view);
  {
    LEAT_GUARD_FILE(f);
    if (!f->at_end) view->_flags &= ~_IO_EOF_SEEN;
    if (!f->has_failed()) view->_flags &= ~_IO_ERR_SEEN;
  }
  ::funlockfile(view);
  return view;
}

// Wrappers for functions of libc, for <leat/stdio.h>.

extern "C" {
LEAT_API group* leat_fgetgrent(leat_file* f) { return with_view<group*>(f, nullptr, ::fgetgrent); }
LEAT_API int leat_fgetgrent_r(leat_file* f, group* entry, char* buffer, size_t size,
                              group** result) {
  return read_entry(f, result,
                    [&](FILE* view) { return ::fgetgrent_r(view, entry, buffer, size, result); });
}
LEAT_API int leat_putgrent(const group* entry, leat_file* f) {
  return with_view(f, -1, [&](FILE* view) { return ::putgrent(entry, view); });
}
LEAT_API passwd* leat_fgetpwent(leat_file* f) {
  return with_view<passwd*>(f, nullptr, ::fgetpwent);
}
LEAT_API int leat_fgetpwent_r(leat_file* f, passwd* entry, char* buffer, size_t size,
                              passwd** result) {
  return read_entry(f, result,
                    [&](FILE* view) { return ::fgetpwent_r(view, entry, buffer, size, result); });
}
LEAT_API int leat_putpwent(const passwd* entry, leat_file* f) {
  return with_view(f, -1, [&](FILE* view) { return ::putpwent(entry, view); });
}
LEAT_API sgrp* leat_fgetsgent(leat_file* f) { return with_view<sgrp*>(f, nullptr, ::fgetsgent); }
LEAT_API int leat_fgetsgent_r(leat_file* f, sgrp* entry, char* buffer, size_t size, sgrp** result) {
  return read_entry(f, result,
                    [&](FILE* view) { return ::fgetsgent_r(view, entry, buffer, size, result); });
}
LEAT_API int leat_putsgent(const sgrp* entry, leat_file* f) {
  return with_view(f, -1, [&](FILE* view) { return ::putsgent(entry, view); });
}
LEAT_API spwd* leat_fgetspent(leat_file* f) { return with_view<spwd*>(f, nullptr, ::fgetspent); }
LEAT_API int leat_fgetspent_r(leat_file* f, spwd* entry, char* buffer, size_t size, spwd** result) {
  return read_entry(f, result,
                    [&](FILE* view) { return ::fgetspent_r(view, entry, buffer, size, result); });
}
LEAT_API int leat_putspent(const spwd* entry, leat_file* f) {
  return with_view(f, -1, [&](FILE* view) { return ::putspent(entry, view); });
}
LEAT_API int leat_malloc_info(int options, leat_file* f) {
  return with_view(f, -1, [&](FILE* view) { return ::malloc_info(options, view); });
}

LEAT_API leat_file* leat_setmntent(const char* path, const char* mode) {
  // As in glibc, the file is closed on exec.
  char closing_mode[32];
  std::snprintf(closing_mode, sizeof closing_mode, "%se", mode);
  return leat_fopen(path, closing_mode);
}
LEAT_API mntent* leat_getmntent(leat_file* f) {
  return with_view<mntent*>(f, nullptr, ::getmntent);
}
LEAT_API mntent* leat_getmntent_r(leat_file* f, mntent* entry, char* buffer, int size) {
  return with_view<mntent*>(f, nullptr,
                            [&](FILE* view) { return ::getmntent_r(view, entry, buffer, size); });
}
LEAT_API int leat_addmntent(leat_file* f, const mntent* entry) {
  return with_view(f, 1, [&](FILE* view) { return ::addmntent(view, entry); });
}
LEAT_API int leat_endmntent(leat_file* f) {
  if (f != nullptr) leat_fclose(f);
  return 1;
}

LEAT_API void leat_argp_help(const argp* help, leat_file* f, unsigned flags, char* name) {
  ::argp_help(help, view_of(f), flags, name);
}
LEAT_API void leat_argp_state_help(const argp_state* state, leat_file* f, unsigned flags) {
  ::argp_state_help(state, view_of(f), flags);
}
}

#else

void leat::stdio::close_libc_view(leat_file&) noexcept {}

void* leat_libc_file(leat_file*) { return leat::stdio::fail(ENOTSUP, nullptr); }

#endif
