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

}  // namespace

void close_libc_view(leat_file& f) noexcept {
  if (f.libc_view != nullptr) std::fclose(static_cast<FILE*>(std::exchange(f.libc_view, nullptr)));
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

void* leat_libc_file(leat_file* f) {
  LEAT_GUARD_FILE(f);
  auto* view = static_cast<FILE*>(f->libc_view);
  if (view == nullptr) {
    // Always "r+": a freopen may change the stream's mode, and leat's functions check the mode.
    view = ::fopencookie(f, "r+", {read_view, write_view, seek_view, nullptr});
    // Unbuffered, so that bytes written through libc and through leat keep their order.
    if (view != nullptr) ::setvbuf(view, nullptr, _IONBF, 0);
    return f->libc_view = view;
  }
  // Clears libc's flags if they were cleared in leat's stream, for example by a rewind.
  if (!f->at_end) view->_flags &= ~_IO_EOF_SEEN;
  if (!f->has_failed()) view->_flags &= ~_IO_ERR_SEEN;
  return view;
}

// Wrappers for functions of libc, for <leat/stdio.h>.
extern "C" {
static FILE* view(leat_file* f) { return static_cast<FILE*>(leat_libc_file(f)); }

LEAT_API group* leat_fgetgrent(leat_file* f) { return ::fgetgrent(view(f)); }
LEAT_API int leat_putgrent(const group* entry, leat_file* f) { return ::putgrent(entry, view(f)); }
LEAT_API passwd* leat_fgetpwent(leat_file* f) { return ::fgetpwent(view(f)); }
LEAT_API int leat_putpwent(const passwd* entry, leat_file* f) { return ::putpwent(entry, view(f)); }
LEAT_API sgrp* leat_fgetsgent(leat_file* f) { return ::fgetsgent(view(f)); }
LEAT_API int leat_putsgent(const sgrp* entry, leat_file* f) { return ::putsgent(entry, view(f)); }
LEAT_API spwd* leat_fgetspent(leat_file* f) { return ::fgetspent(view(f)); }
LEAT_API int leat_putspent(const spwd* entry, leat_file* f) { return ::putspent(entry, view(f)); }
LEAT_API int leat_malloc_info(int options, leat_file* f) { return ::malloc_info(options, view(f)); }
LEAT_API int leat_fgetgrent_r(leat_file* f, group* entry, char* buffer, size_t size,
                              group** result) {
  return ::fgetgrent_r(view(f), entry, buffer, size, result);
}
LEAT_API int leat_fgetpwent_r(leat_file* f, passwd* entry, char* buffer, size_t size,
                              passwd** result) {
  return ::fgetpwent_r(view(f), entry, buffer, size, result);
}
LEAT_API int leat_fgetsgent_r(leat_file* f, sgrp* entry, char* buffer, size_t size, sgrp** result) {
  return ::fgetsgent_r(view(f), entry, buffer, size, result);
}
LEAT_API int leat_fgetspent_r(leat_file* f, spwd* entry, char* buffer, size_t size, spwd** result) {
  return ::fgetspent_r(view(f), entry, buffer, size, result);
}

LEAT_API leat_file* leat_setmntent(const char* path, const char* mode) {
  // As in glibc, the file is closed on exec.
  char all[32];
  std::snprintf(all, sizeof all, "%se", mode);
  return leat_fopen(path, all);
}
LEAT_API mntent* leat_getmntent(leat_file* f) { return ::getmntent(view(f)); }
LEAT_API mntent* leat_getmntent_r(leat_file* f, mntent* entry, char* buffer, int size) {
  return ::getmntent_r(view(f), entry, buffer, size);
}
LEAT_API int leat_addmntent(leat_file* f, const mntent* entry) {
  return ::addmntent(view(f), entry);
}
LEAT_API int leat_endmntent(leat_file* f) {
  if (f != nullptr) leat_fclose(f);
  return 1;
}

LEAT_API void leat_argp_help(const argp* help, leat_file* f, unsigned flags, char* name) {
  ::argp_help(help, view(f), flags, name);
}
LEAT_API void leat_argp_state_help(const argp_state* state, leat_file* f, unsigned flags) {
  ::argp_state_help(state, view(f), flags);
}
}

#else

void leat::stdio::close_libc_view(leat_file&) noexcept {}

void* leat_libc_file(leat_file*) { return leat::stdio::fail(ENOTSUP, nullptr); }

#endif
