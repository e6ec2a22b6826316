// Opening and closing: fopen, fdopen, freopen, fclose, tmpfile, fmemopen, open_memstream,
// fopencookie, and leat_open, leat_split, leat_recover and leat_discard of leat.h.

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "base/c_options.hpp"
#include "device/descriptor.hpp"
#include "logs/rotating.hpp"
#include "opening/compressed.hpp"
#include "opening/open.hpp"
#include "opening/parts.hpp"
#include "opening/scheme.hpp"
#include "recovery/sidecar.hpp"
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

// If there is no memory, the next three functions return null. The first two functions then leave
// the descriptor open. The third function closes the descriptor.

std::unique_ptr<stream> stream_over_descriptor(int descriptor, const open_mode& mode,
                                               bool sync = false) noexcept {
  return stream_over(open_cursor(descriptor, mode), begins_at_end(mode), sync, mode.just_opened);
}

leat_file* file_over(int descriptor, const open_mode& mode, bool sync = false) noexcept {
  leat_file* const f = fresh_file();
  if (f == nullptr) return fail(ENOMEM, nullptr);
  return begin_file(f, stream_over_descriptor(descriptor, mode, sync), mode.readable,
                    mode.writable);
}

leat_file* opened_file(int descriptor, open_mode mode, bool sync = false) noexcept {
  mode.just_opened = true;
  leat_file* const f = file_over(descriptor, mode, sync);
  if (f == nullptr) close_descriptor(descriptor);
  return f;
}

path_ref path_in(const char* path, const int* inside) noexcept {
  return inside == nullptr ? path_ref(path) : path_inside(*inside, path);
}

/// Sets errno and records for leat_last_error() that the path can't be opened. Returns null.
leat_file* open_failed(const char* path, const std::error_code& ec) noexcept {
  note_error({.code = ec, .operation = "open"}, errno_of(ec), path != nullptr ? path : "");
  return nullptr;
}
/// open_failed() for the error in errno.
leat_file* open_failed(const char* path) noexcept {
  return open_failed(path, {errno, std::generic_category()});
}
leat_file* refused(const char* path, std::errc why) noexcept {
  return open_failed(path, make_error_code(why));
}

/// Returns false if an option has a value that its enumeration does not have, or if an option is
/// set that this version does not know.
bool has_known_values(const leat_options& asked) noexcept {
  return enumerator_value(asked.durability) <= LEAT_DURABILITY_SYSTEM &&
         enumerator_value(asked.compression) <= LEAT_COMPRESSION_XZ && !has_unknown_option(asked) &&
         (asked.rotation == nullptr ||
          (enumerator_value(asked.rotation->compression) <= LEAT_COMPRESSION_XZ &&
           !has_unknown_option(*asked.rotation)));
}

/// Opens a file as fopen does. If the file is opened to write, first recovers the bytes that a
/// killed process has left in the sidecar, or for "w" discards these bytes. Files in the directory
/// `inside` have no sidecar.
/// With `sync`, also syncs the directory entry of a new file: without the entry, the file could not
/// be found after a crash.
leat_file* open_plain_file(const char* path, const open_mode& mode, const int* inside,
                           bool sync) noexcept {
  const int descriptor =
      inside == nullptr ? open_recovered_descriptor(path, mode) : open_inside(*inside, path, mode);
  if (descriptor < 0) return open_failed(path);
  if (sync && (mode.truncates || mode.appends)) {
    std::error_code ec;
    sync_name(path_in(path, inside), descriptor, ec);
    if (ec) {
      close_descriptor(descriptor);
      return open_failed(path, ec);
    }
  }
  return opened_file(descriptor, mode, sync);
}

leat_file* file_over_device(std::unique_ptr<device> target, const open_mode& mode,
                            bool sync) noexcept {
  return make_file(
      std::unique_ptr<stream>(new (std::nothrow) device_stream(std::move(target), sync)),
      mode.readable, mode.writable);
}

/// Opens an address through src/opening/, as the C++ functions do. Also opens a file that is
/// compressed, replaced, or read together with the bytes pending in its sidecar.
leat_file* open_file_by_options(const char* path, const open_mode& mode,
                                const leat_options& asked) noexcept {
  const bool replaces = asked.replace != 0, updates = mode.readable && mode.writable;
  if (replaces && (!mode.truncates || mode.readable || mode.exclusive))
    return refused(path, std::errc::invalid_argument);
  // A seek table after frames of earlier writers would not list those frames.
  if ((asked.live != 0 && mode.writable) || (asked.seekable != 0 && mode.appends))
    return refused(path, std::errc::invalid_argument);
  if (asked.compression != LEAT_COMPRESSION_NONE && updates)
    return refused(path, std::errc::not_supported);
  const bool sync = asked.durability == LEAT_DURABILITY_SYSTEM;
  options settings;
  if (mode.writable)
    settings.durability = sync                                          ? durability::system
                          : asked.durability == LEAT_DURABILITY_PROCESS ? durability::process
                                                                        : durability::none;
  settings.exclusive = mode.exclusive;
  settings.live = asked.live != 0;
  settings.local_only = asked.local_only != 0;
  settings.compression = static_cast<compression>(asked.compression);
  settings.level = asked.level;
  settings.codec_threads = asked.codec_threads;
  settings.seekable = asked.seekable != 0;
  if (asked.limit != 0) settings.limit = asked.limit;
  if (asked.codec_memory != 0) settings.codec_memory = asked.codec_memory;
  settings.background = asked.background != 0;
  const path_ref where = path_in(path, asked.inside);
  std::error_code ec;
  auto device = updates         ? open_updating(where, settings, ec)
                : mode.readable ? open_existing(where, settings, ec)
                : replaces      ? open_replacing(where, settings, ec)
                : mode.appends  ? open_appending(where, settings, ec)
                                : open_created(where, settings, ec);
  return ec ? open_failed(path, ec) : file_over_device(std::move(device), mode, sync);
}

/// Opens a log. A rotation or a reopen may change the log's file between two writes.
leat_file* open_log_by_options(const char* path, const open_mode& mode,
                               const leat_options& asked) noexcept try {
  const bool sync = asked.durability == LEAT_DURABILITY_SYSTEM;
  if (!mode.appends || mode.readable || mode.exclusive || asked.replace != 0 || asked.live != 0)
    return refused(path, std::errc::invalid_argument);
  const path_ref where = path_in(path, asked.inside);
  options settings;
  settings.compression = static_cast<compression>(asked.compression);
  if (compression_for_writing(where, settings) != compression::none)
    return refused(path, std::errc::not_supported);
  if (sync) settings.durability = durability::system;
  rotation rotation_settings;
  if (const leat_rotation* const c_rotation = asked.rotation; c_rotation != nullptr) {
    rotation_settings.size = c_rotation->size;
    rotation_settings.every = c_rotation->every;
    rotation_settings.local_time = c_rotation->local_time != 0;
    rotation_settings.keep = c_rotation->keep;
    rotation_settings.by_time = c_rotation->by_time != 0;
    rotation_settings.format = static_cast<compression>(c_rotation->compression);
    rotation_settings.level = c_rotation->level;
    if (c_rotation->finished != nullptr)
      rotation_settings.finished = [call = c_rotation->finished, context = c_rotation->context](
                                       std::string_view old, std::error_code ec) {
        call(std::string(old).c_str(), ec ? errno_of(ec) : 0, context);
      };
  }
  std::error_code ec;
  auto device = rotating_device::open(where, settings,
                                      asked.rotation != nullptr ? &rotation_settings : nullptr, ec);
  return ec ? open_failed(path, ec) : file_over_device(std::move(device), mode, sync);
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, nullptr);
}

/// Closes the stream below. The leat_file stays valid. Returns false if the stream's close failed.
bool close_below(leat_file& f) noexcept {
  const bool good = below(f).close(f);
  f.is_in_pushback = false;
  f.clear_pointers();
  return good;
}

/// Waits for the command of a closed stream of popen, as glibc's fclose and freopen do.
void wait_for_process(leat_file& f) noexcept {
  if (!f.below->is_process()) return;
  const device_call call(f);
  f.below->wait();
}

template <class Stream>
leat_file* memory_file(std::unique_ptr<Stream> memory, bool readable, bool writable) noexcept {
  if (memory == nullptr || !memory->has_memory()) return fail(ENOMEM, nullptr);
  leat_file* const f = make_file(std::move(memory), readable, writable);
  if (f == nullptr) return nullptr;
  f->program_memory = true;
  f->name = "<memory>";
  f->orientation = f->below->stores_wide() ? 1 : -1;
  return f;
}

/// True inside a callback of the program that a batch of this stream has called.
bool is_in_callback(const leat_file& f) noexcept {
  return f.below != nullptr && f.below->attached != nullptr && f.below->attached->is_in_callback();
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

leat_file* leat_fopen(const char* path, const char* mode_text) {
  const leat::no_cancel guard;
  leat::errno_guard kept;
  open_mode mode;
  if (path == nullptr) return kept.restore_if_good(refused(path, std::errc::bad_address));
  if (!parse_mode(mode_text, mode)) return kept.restore_if_good(open_failed(path));
  const int descriptor = leat::open_descriptor(path, mode);
  return kept.restore_if_good(descriptor < 0 ? open_failed(path)
                                             : name_file(opened_file(descriptor, mode), path));
}

static leat_file* open_with_options(const char* path, const char* mode_text,
                                    const leat_options* options) {
  open_mode mode;
  if (path == nullptr) return refused(path, std::errc::bad_address);
  if (!parse_mode(mode_text, mode)) return open_failed(path);
  const leat_options asked = options != nullptr ? *options : leat_options{};
  if (!has_known_values(asked)) return refused(path, std::errc::invalid_argument);
  const bool sync = asked.durability == LEAT_DURABILITY_SYSTEM;
  const bool address = asked.inside == nullptr && leat::is_address(path);
  const bool by_options = address || asked.compression != LEAT_COMPRESSION_NONE ||
                          asked.live != 0 || asked.replace != 0;
  const bool is_log = asked.reopen != 0 || asked.rotation != nullptr;
  leat_file* const f = is_log && !address ? open_log_by_options(path, mode, asked)
                       : by_options       ? open_file_by_options(path, mode, asked)
                                          : open_plain_file(path, mode, asked.inside, sync);
  if (f == nullptr) return nullptr;
  name_file(f, path);
  f->calls_may_start_threads = asked.rotation != nullptr;
  if (asked.buffer_size != 0) f->below->set_buffer(*f, nullptr, asked.buffer_size);
  const bool survives = asked.durability == LEAT_DURABILITY_PROCESS && mode.writable;
  if (survives) f->buffers = buffering::none;
  if (!survives || asked.replace != 0 || asked.inside != nullptr || is_log) return f;
  auto& over = static_cast<device_stream&>(*f->below);
  over.attach_sidecar(leat::sidecar::open(leat::path_ref(path), over.target_device()));
  return f;
}

leat_file* leat_open(const char* path, const char* mode_text, const leat_options* options) {
  const leat::no_cancel guard;
  leat::errno_guard kept;
  return kept.restore_if_good(open_with_options(path, mode_text, options));
}

size_t leat_split(const char* path, size_t parts, const leat_options* options,
                  leat_file** files) try {
  const leat::no_cancel guard;
  leat::errno_guard kept;
  kept.restore_if_good(false, 0);  // early returns keep the errno of their failure
  if (path == nullptr) return open_failed(path, std::make_error_code(std::errc::bad_address)), 0;
  const leat_options asked = options != nullptr ? *options : leat_options{};
  if (parts == 0 || leat::enumerator_value(asked.durability) != LEAT_DURABILITY_NONE ||
      asked.replace != 0 || asked.inside != nullptr || asked.live != 0 || asked.level != 0 ||
      asked.codec_threads != 0 || asked.seekable != 0 || asked.background != 0 ||
      asked.reopen != 0 || asked.rotation != nullptr || !has_known_values(asked))
    return fail<size_t>(EINVAL, 0);
  leat::options settings;
  settings.local_only = asked.local_only != 0;
  settings.compression = static_cast<leat::compression>(asked.compression);
  if (asked.limit != 0) settings.limit = asked.limit;
  if (asked.codec_memory != 0) settings.codec_memory = asked.codec_memory;
  std::error_code ec;
  size_t count = 0;
  for (auto& part : leat::open_parts(path, parts, '\n', settings, ec)) {
    leat_file* const f = file_over_device(std::move(part), {.readable = true}, false);
    if (f == nullptr) {
      while (count != 0) leat_fclose(files[--count]);
      return fail<size_t>(ENOMEM, 0);
    }
    if (asked.buffer_size != 0) f->below->set_buffer(*f, nullptr, asked.buffer_size);
    files[count++] = name_file(f, path);
  }
  if (ec) open_failed(path, ec);
  return kept.restore_if_good(!ec, ec ? 0 : count);
} catch (const std::bad_alloc&) {
  return fail<size_t>(ENOMEM, 0);
}

leat_off_t leat_recover(const char* path) {
  const leat::no_cancel guard;
  leat::errno_guard kept;
  if (path == nullptr) return kept.restore_if_good(false, fail<leat_off_t>(EFAULT, -1));
  std::error_code ec;
  const auto file = leat::files::open_random(path, false, ec);
  const std::uint64_t recovered =
      ec ? 0
         : leat::recover_sidecar(leat::path_ref(path), file->native_handle(),
                                 leat::recovery_mode::replay, ec);
  if (!ec) return static_cast<leat_off_t>(recovered);
  leat::note_error({.code = ec, .operation = "recover"}, errno_of(ec), path);
  return kept.restore_if_good(false, -1);
}

leat_file* leat_fdopen(int descriptor, const char* mode_text) {
  const leat::no_cancel guard;
  leat::errno_guard kept;
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return kept.restore_if_good<leat_file>(nullptr);
  if (!leat::apply_open_mode(descriptor, mode))
    return kept.restore_if_good(open_failed("<descriptor>"));
  leat_file* const f = file_over(descriptor, mode);
  if (f != nullptr) f->name = "<descriptor>";
  return kept.restore_if_good(f);
}

/// If the new file can't be opened, the stream is closed. The memory of `f` stays valid, because
/// programs go on using the pointer.
leat_file* leat_freopen(const char* path, const char* mode_text, leat_file* f) {
  const leat::no_cancel no_cancellation;
  LEAT_GUARD_FILE(f);
  if (is_in_callback(*f)) return fail(EDEADLK, static_cast<leat_file*>(nullptr));
  leat::errno_guard kept;
  open_mode mode;
  static_cast<void>(below(*f));
  flush(*f);  // POSIX: failures to flush and to close are ignored
  const int old = f->below->commits() ? -1 : f->below->descriptor();
  int opened = -1;
  int why = EINVAL;
  if (parse_mode(mode_text, mode)) {
    const device_call call(*f);
    opened =
        path != nullptr ? leat::open_descriptor(path, mode) : leat::reopen_descriptor(old, mode);
    why = errno;
  }
  if (opened >= 0 && old >= 0) {
    // The new file takes over the old file's descriptor, as programs that redirect their output
    // expect. If the program has closed the old descriptor, the old and the new descriptor may have
    // the same number.
    opened = leat::move_descriptor(opened, old, mode.close_on_exec);
    why = errno;
    if (opened >= 0) static_cast<device_stream&>(*f->below).release(*f);
  }
  if (opened < 0 || old < 0) close_below(*f);
  wait_for_process(*f);
  f->drop_pushback();
  auto over = opened < 0       ? nullptr
              : is_standard(f) ? standard_stream_over(opened, mode)
                               : stream_over_descriptor(opened, mode);
  f->readable = over != nullptr && mode.readable;
  f->writable = over != nullptr && mode.writable;
  f->clear_flags();
  f->program_memory = false;
  f->orientation = 0;
  f->read_state = f->write_state = {};
  name_file(f, path);
  if (over == nullptr) {
    if (opened >= 0) leat::close_descriptor(opened);
    errno = opened < 0 ? why : ENOMEM;
    return kept.restore_if_good(open_failed(f->name));
  }
  f->below = std::move(over);
  f->buffers = f == &standard_error()    ? buffering::none
               : f->below->is_terminal() ? buffering::line
                                         : buffering::full;
  return f;
}

int leat_fclose(leat_file* f) {
  leat::errno_guard kept;
  bool good;
  {
    LEAT_GUARD_FILE(f);
    if (is_in_callback(*f)) return kept.restore_if_good(false, fail(EDEADLK, EOF));
    close_libc_view(*f);
    good = close_below(*f);
    wait_for_process(*f);
    f->readable = f->writable = false;
    // The memory of a standard stream stays valid and its functions fail, because programs close
    // the stream again at exit, or reopen it.
    if (is_standard(f)) return kept.restore_if_good(good, good ? 0 : EOF);
  }
  const int why = errno;
  destroy(f);
  errno = why;
  return kept.restore_if_good(good, good ? 0 : EOF);
}

void leat_discard(leat_file* f) {
  {
    LEAT_GUARD_FILE(f);
    if (is_in_callback(*f)) return static_cast<void>(errno = EDEADLK);
    close_libc_view(*f);
    below(*f).purge(*f);
    if (f->below->is_process()) close_below(*f);
    wait_for_process(*f);
    f->readable = f->writable = false;
  }
  destroy(f);
}

leat_file* leat_tmpfile(void) try {
  const leat::no_cancel guard;
  leat::errno_guard kept;
  const std::string folder = leat::tmpfile_folder();
  const std::string name =
      "<temporary file in " + folder + '>';  // made first: nothing may throw after the opening
  std::error_code ec;
  const int descriptor = leat::open_tmpfile(ec);
  if (descriptor < 0) return kept.restore_if_good(open_failed(folder.c_str(), ec));
  return kept.restore_if_good(
      name_file(opened_file(descriptor, {.readable = true, .writable = true}), name.c_str()));
} catch (const std::bad_alloc&) {
  return open_failed("<temporary file>", std::make_error_code(std::errc::not_enough_memory));
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
  return memory_file(std::unique_ptr<stream>(new (std::nothrow) stream(memory, size)), true, true);
}

leat_file* leat_open_wmemstream(wchar_t** memory, size_t* size) {
  if (memory == nullptr || size == nullptr) return fail(EINVAL, nullptr);
  using stream = growing_stream<wchar_t>;
  return memory_file(std::unique_ptr<stream>(new (std::nothrow) stream(memory, size)), false, true);
}

leat_file* leat_fopencookie(void* cookie, const char* mode_text, leat_cookie_functions functions) {
  open_mode mode;
  if (!parse_mode(mode_text, mode)) return nullptr;
  leat_file* const f = fresh_file();
  if (f == nullptr) return fail(ENOMEM, nullptr);
  std::unique_ptr<leat::cursor_device> device(new (std::nothrow)
                                                  cookie_device(cookie, functions, mode));
  auto over = stream_over(std::move(device), begins_at_end(mode));
  if (begin_file(f, std::move(over), mode.readable, mode.writable) == nullptr) return nullptr;
  set_byte_orientation(*f);
  return f;
}
