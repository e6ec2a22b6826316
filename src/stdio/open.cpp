// Opening and closing: fopen, fdopen, freopen, fclose, tmpfile, fmemopen, open_memstream,
// fopencookie and what leat.h adds.
#include <fcntl.h>
#include <unistd.h>
#include <leat/file.hpp>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "device/no_cancel.hpp"
#include "device/open.hpp"
#include "device/posix_system.hpp"
#include "stdio/cookie.hpp"
#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"
#include "stdio/memory_stream.hpp"
#include "stdio/mode.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// Owns the descriptor: without memory it is closed.
std::unique_ptr<stream> over_descriptor(int descriptor, bool at_end, bool sync = false) noexcept {
  auto device = open_descriptor(descriptor);
  if (device == nullptr) {
    ::close(descriptor);
    return nullptr;
  }
  return std::unique_ptr<stream>(new (std::nothrow) device_stream(std::move(device), at_end, sync));
}

int open_path(const char* path, const open_mode& mode) noexcept {
  const no_cancel guard;  // opening a fifo waits
  constexpr mode_t permissions = 0666;
  return ::open(path, mode.flags(), permissions);
}

leat_file* file_over(int descriptor, const open_mode& mode, bool sync = false) noexcept {
  return make_file(over_descriptor(descriptor, mode.appends && !mode.readable, sync), mode.readable,
                   mode.writable);
}

/// As fopen; with `sync`, also the name of a new file is to survive.
leat_file* durable_file(const char* path, const open_mode& mode, bool sync) {
  const int descriptor = open_path(path, mode);
  if (descriptor < 0) return nullptr;
  if (sync && (mode.truncates || mode.appends)) {
    std::error_code ec;
    sync_folder(folder_of(path).c_str(), ec);
    if (ec) {
      ::close(descriptor);
      return fail(errno_of(ec), nullptr);
    }
  }
  return file_over(descriptor, mode, sync);
}

leat_file* replacing_file(const char* path, const open_mode& mode, bool sync) noexcept {
  if (!mode.truncates || mode.readable || mode.exclusive) return fail(EINVAL, nullptr);
  options how;
  how.durability = sync ? durability::system : durability::none;
  std::error_code ec;
  auto device = open_replacing(path, how, ec);
  if (device == nullptr) return fail(errno_of(ec), nullptr);
  return make_file(
      std::unique_ptr<stream>(new (std::nothrow) device_stream(std::move(device), sync)), false,
      true);
}

/// Ends the stream below; the file itself stays.
bool close_below(leat_file& f) noexcept {
  const bool good = below(f).close(f);
  f.pushing = false;
  f.get = f.get_end = f.put = f.put_end = nullptr;
  return good;
}

/// A new descriptor of the same file in another mode, as far as the system allows; -1 where it does
/// not.
int reopened(int descriptor, const open_mode& mode) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return -1;
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  open_mode again = mode;
  again.exclusive = false;
  const int opened = ::open(path.c_str(), again.flags() & ~O_CREAT);
  const int access = flags & O_ACCMODE;
  const bool fits = access == O_RDWR || (access == O_RDONLY && !mode.writable) ||
                    (access == O_WRONLY && !mode.readable);
  if (opened >= 0 || !fits) return opened;
  // Sockets have no name to open, and other files may not be this process's to open any more.
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return -1;
  ::fcntl(copy, F_SETFL, mode.appends ? flags | O_APPEND : flags & ~O_APPEND);
  if (mode.truncates && ::ftruncate(copy, 0) != 0 && errno != EINVAL) {
    ::close(copy);
    return -1;
  }
  ::lseek(copy, 0, SEEK_SET);
  return copy;
}

template <class Stream>
leat_file* memory_file(std::unique_ptr<Stream> memory, bool readable, bool writable) noexcept {
  if (memory == nullptr || !memory->has_memory()) return fail(ENOMEM, nullptr);
  leat_file* const f = make_file(std::move(memory), readable, writable);
  if (f != nullptr) f->exact = true;
  return f;
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

leat_file* leat_fopen(const char* path, const char* mode_text) {
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return nullptr;
  const int descriptor = open_path(path, mode);
  return descriptor < 0 ? nullptr : file_over(descriptor, mode);
}

leat_file* leat_open(const char* path, const char* mode_text, const leat_options* options) try {
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return nullptr;
  const leat_options asked = options != nullptr ? *options : leat_options{};
  const bool sync = asked.durability == LEAT_DURABILITY_SYSTEM;
  leat_file* const f =
      asked.replace != 0 ? replacing_file(path, mode, sync) : durable_file(path, mode, sync);
  if (f == nullptr) return nullptr;
  if (asked.buffer_size != 0) f->below->set_buffer(*f, nullptr, asked.buffer_size);
  if (asked.durability == LEAT_DURABILITY_PROCESS && mode.writable) f->buffers = buffering::none;
  return f;
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, nullptr);
}

leat_file* leat_fdopen(int descriptor, const char* mode_text) {
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return nullptr;
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return nullptr;
  const int access = flags & O_ACCMODE;
  if ((mode.readable && access == O_WRONLY) || (mode.writable && access == O_RDONLY))
    return fail(EINVAL, nullptr);
  if (mode.appends && (flags & O_APPEND) == 0) ::fcntl(descriptor, F_SETFL, flags | O_APPEND);
  if (mode.close_on_exec) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return file_over(descriptor, mode);
}

/// A stream whose new file can't be opened is closed and stays so; its memory is kept, as programs
/// look at it again.
leat_file* leat_freopen(const char* path, const char* mode_text, leat_file* f) {
  LEAT_USE(f);
  open_mode mode;
  static_cast<void>(below(*f));
  flush(*f);  // POSIX: failures to flush and to close are passed over
  const int old = f->below->commits() ? -1 : f->below->descriptor();
  int opened = -1;
  if (parse_mode(mode_text, mode))
    opened = path != nullptr ? open_path(path, mode) : reopened(old, mode);
  int why = errno;
  if (opened >= 0 && old >= 0) {
    // The new file takes the old one's descriptor, as programs that redirect their output expect.
    // Where they had closed that by themselves, it may be there already.
    if (opened != old) {
      const int placed = leat::duplicate(opened, old, mode.close_on_exec);
      why = errno;
      ::close(opened);
      opened = placed;
    }
    if (opened >= 0) static_cast<device_stream&>(*f->below).release(*f);
  }
  if (opened < 0 || old < 0) close_below(*f);
  f->drop_pushed();
  const bool at_end = mode.appends && !mode.readable;
  auto over = opened < 0       ? nullptr
              : is_standard(f) ? standard_over(opened, at_end)
                               : over_descriptor(opened, at_end);
  f->readable = over != nullptr && mode.readable;
  f->writable = over != nullptr && mode.writable;
  f->at_end = f->failed = false;
  f->orientation = 0;
  f->read_state = f->write_state = {};
  if (over == nullptr) return fail(opened < 0 ? why : ENOMEM, nullptr);
  f->below = std::move(over);
  f->buffers = f == &standard_error() ? buffering::none
               : f->below->terminal() ? buffering::line
                                      : buffering::full;
  return f;
}

int leat_fclose(leat_file* f) {
  bool good;
  {
    LEAT_USE(f);
    close_libc_view(*f);
    good = close_below(*f);
    if (f->below->is_process()) f->below->wait();  // as glibc's, for who does not call pclose
  }
  const int why = errno;
  destroy(f);
  errno = why;
  return good ? 0 : EOF;
}

void leat_discard(leat_file* f) {
  {
    LEAT_USE(f);
    close_libc_view(*f);
    below(*f).purge(*f);
    f->below.reset();
  }
  destroy(f);
}

leat_file* leat_tmpfile(void) {
  std::error_code ec;
  auto file = leat::open_temporary({}, ec);
  if (file == nullptr) return fail(errno_of(ec), nullptr);
  return file_over(file->release(0, ec), {.readable = true, .writable = true});
}

leat_file* leat_fmemopen(void* memory, size_t size, const char* mode_text) {
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return nullptr;
  return memory_file(std::unique_ptr<fixed_stream>(
                         new (std::nothrow) fixed_stream(static_cast<char*>(memory), size, mode)),
                     mode.readable, mode.writable);
}

leat_file* leat_open_memstream(char** memory, size_t* size) {
  if (memory == nullptr || size == nullptr) return fail(EINVAL, nullptr);
  using stream = growing_stream<char>;
  return memory_file(std::unique_ptr<stream>(new (std::nothrow) stream(memory, size)), false, true);
}

leat_file* leat_open_wmemstream(wchar_t** memory, size_t* size) {
  if (memory == nullptr || size == nullptr) return fail(EINVAL, nullptr);
  using stream = growing_stream<wchar_t>;
  leat_file* const f =
      memory_file(std::unique_ptr<stream>(new (std::nothrow) stream(memory, size)), false, true);
  if (f != nullptr) f->orientation = 1;
  return f;
}

leat_file* leat_fopencookie(void* cookie, const char* mode_text, leat_cookie_functions functions) {
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return nullptr;
  std::unique_ptr<leat::cursor_device> device(new (std::nothrow)
                                                  cookie_device(cookie, functions, mode));
  if (device == nullptr) return fail(ENOMEM, nullptr);
  return make_file(
      std::unique_ptr<stream>(new (std::nothrow) device_stream(std::move(device), mode.appends)),
      mode.readable, mode.writable);
}
