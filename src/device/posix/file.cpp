// posix_file, adopt() and borrow(), and is_cached() of mapping.hpp. file.hpp names the callers.
#include "device/posix/file.hpp"

#include <fcntl.h>
#include <poll.h>
#if defined(__linux__)
#  include <sys/sendfile.h>
#endif
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/errno.hpp"
#include "base/no_cancel.hpp"
#include "device/descriptor.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Called after a failed system call. After EAGAIN, waits until the descriptor is ready, because a
/// stream waits even if its descriptor does not. Returns true if the caller must repeat the call.
/// If the call failed for another reason, or if the wait fails, sets `ec` and returns false.
bool wait_until_ready(int descriptor, short events, std::error_code& ec) noexcept {
  if (errno != EAGAIN && errno != EWOULDBLOCK) {
    ec = system_code();
    return false;
  }
  const no_cancel guard;
  pollfd request{descriptor, events, 0};
  if (::poll(&request, 1, -1) < 0 && errno != EINTR) {
    ec = system_code();
    return false;
  }
  return true;
}

/// Writes once. A single piece is not written by writev: writev takes 15 % longer for one byte.
ssize_t write_vectors(int descriptor, bool at_cursor, std::span<const iovec> pieces,
                      off_t at) noexcept {
  if (at_cursor) return write_at_cursor(descriptor, pieces);
  if (pieces.size() == 1)
    return ::pwrite(descriptor, pieces.front().iov_base, pieces.front().iov_len, at);
  return ::pwritev(descriptor, pieces.data(), static_cast<int>(pieces.size()), at);
}

/// After expect_sync(), the disk starts to write whenever this many new bytes are in the page
/// cache, while the program makes the next bytes. Measured: writing 64 MiB took 16 ms instead of 27
/// ms, with steps of 1, 2 and 4 MiB alike. The smallest of these steps helps the smallest files.
/// For steps below 1 MiB the call costs more time than it saves.
constexpr std::uint64_t early_sync_size = 1 << 20;

/// Returns true and sets file_too_large if the system has no such offset. Otherwise leaves `ec` as
/// it is.
bool refuse_large_offset(std::uint64_t at, std::error_code& ec) noexcept {
  if (at <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return false;
  ec = std::make_error_code(std::errc::file_too_large);
  return true;
}

/// Shortens a read that would go beyond the largest offset: systems refuse such a read, even if the
/// file is shorter. If the read starts beyond the largest offset, returns false and sets `ec`.
bool limit_to_offset_range(std::uint64_t at, std::span<char>& into, std::error_code& ec) noexcept {
  if (refuse_large_offset(at, ec)) return false;
  const std::uint64_t room = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) - at;
  if (into.size() > room) into = into.first(static_cast<std::size_t>(room));
  return true;
}

#if defined(__linux__)
/// A hole of a sparse file, or data without a hole.
struct extent {
  std::uint64_t size;
  bool is_hole;
};

/// Returns the rest of the extent that has the byte at `at`. Returns nothing if the file is not
/// sparse, if `at` is not before the file's end, or if the system can't find the extent.
std::optional<extent> extent_at(int file, std::uint64_t at) noexcept {
  const errno_guard kept;
  struct stat before{};
  if (get_status(file, before) != 0 || !S_ISREG(before.st_mode)) return {};
  const auto size = static_cast<std::uint64_t>(before.st_size);
  if (at >= size || static_cast<std::uint64_t>(before.st_blocks) * 512 >= size) return {};
  // The file's offset may be shared with other programs, so open the file again to get another
  // offset.
  std::error_code ignored;
  const int own = open_descriptor(proc_fd_path(file).text, O_RDONLY, 0, ignored);
  if (own < 0) return {};
  const off_t data = ::lseek(own, static_cast<off_t>(at), SEEK_DATA);
  const bool ends_with_hole = data < 0 && errno == ENXIO;
  const off_t hole =
      data == static_cast<off_t>(at) ? ::lseek(own, static_cast<off_t>(at), SEEK_HOLE) : -1;
  ::close(own);
  if (hole > data) return extent{static_cast<std::uint64_t>(hole) - at, false};
  if (data > static_cast<off_t>(at)) return extent{static_cast<std::uint64_t>(data) - at, true};
  // The system gives the same answer for a file that became shorter meanwhile.
  struct stat after{};
  if (!ends_with_hole || get_status(file, after) != 0 || after.st_size != before.st_size) return {};
  return extent{size - at, true};
}
#endif

}  // namespace

posix_file::posix_file(int descriptor, ownership owner, offset use) noexcept
    : descriptor_(descriptor), owned_(owner == ownership::owned) {
  detect_traits(nullptr, use);
}

posix_file::posix_file(const opened_descriptor& file, offset use) noexcept
    : descriptor_(file.descriptor), owned_(true) {
  detect_traits(&file, use);
}

/// Finds out the descriptor's kind, flags and offset. If `file` is not null, leat has just opened
/// the descriptor, so the flags, and the offset of a usual file, are known.
void posix_file::detect_traits(const opened_descriptor* file, offset use) noexcept {
#if !defined(__linux__)
  file = nullptr;  // opening /dev/fd/0 copies descriptor 0, with its offset and flags
#endif
  struct stat& status = first_status_;
  const bool is_known = file != nullptr && file->status != nullptr;
  if (is_known) status = *file->status;
  traits_.positional = false;
  if (is_known || get_status(descriptor_, status) == 0) {
    traits_.positional = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
    traits_.reads_ahead = traits_.syncs_concurrently = traits_.positional;
    traits_.terminal = S_ISCHR(status.st_mode) && ::isatty(descriptor_) == 1;
  } else {
    detection_error_ = system_code();
  }
  const int flags = file != nullptr ? file->flags : ::fcntl(descriptor_, F_GETFL);
  if (flags < 0) detection_error_ = system_code();
  traits_.appends = flags >= 0 && (flags & O_APPEND) != 0;
  if (use == offset::stays) {
    cursor_ = no_cursor;
    traits_.concurrent = traits_.positional && !traits_.appends;
    return;
  }
  if (!traits_.positional) return;
  // A file of size 0 that is opened only to read may be a file of /proc. Some files of /proc have
  // no positions.
  const bool is_plain = S_ISREG(status.st_mode) &&
                        (status.st_size != 0 || (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY));
  off_t at = 0;
  if (file == nullptr || !is_plain)
    at = ::lseek(descriptor_, 0, traits_.appends ? SEEK_END : SEEK_CUR);
  else if (traits_.appends)
    at = status.st_size;
  if (at < 0) detection_error_ = system_code();
  cursor_ = at > 0 ? static_cast<std::uint64_t>(at) : 0;
}

posix_file::~posix_file() {
  const no_cancel guard;
  const errno_guard kept;
  if (descriptor_ < 0) return;
  free_reserved_space();
  if (owned_) ::close(descriptor_);
}

std::size_t posix_file::read_at(std::uint64_t at, std::span<char> into,
                                std::error_code& ec) noexcept {
  const no_cancel guard;
  const errno_guard kept;
  ec.clear();
  if (traits_.positional && !limit_to_offset_range(at, into, ec)) return 0;
  into = request_for(into);
  for (;;) {
    const ssize_t n = traits_.positional
                          ? ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(at))
                          : ::read(descriptor_, into.data(), into.size());
    if (n >= 0) return static_cast<std::size_t>(n);
    if (!wait_until_ready(descriptor_, POLLIN, ec)) return 0;
  }
}

std::size_t posix_file::read_ready(std::uint64_t at, std::span<char> into,
                                   std::error_code& ec) noexcept {
  const no_cancel guard;
  const errno_guard kept;
#if defined(RWF_NOWAIT)
  ec.clear();
  if (!traits_.positional || !limit_to_offset_range(at, into, ec))
    return posix_file::read_at(at, into, ec);
  const iovec vector{into.data(), into.size()};
  for (;;) {
    const ssize_t n = ::preadv2(descriptor_, &vector, 1, static_cast<off_t>(at), RWF_NOWAIT);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {
      ec = std::make_error_code(std::errc::operation_would_block);
      return 0;
    }
    break;  // the file system has no such call, or the read below reports the error
  }
#endif
  return posix_file::read_at(at, into, ec);
}

bool is_cached([[maybe_unused]] const device& file, [[maybe_unused]] std::uint64_t at,
               [[maybe_unused]] std::size_t size) noexcept {
#if defined(RWF_NOWAIT)
  // A device of the program may count or limit its reads.
  const auto* const opened = dynamic_cast<const posix_file*>(&file);
  if (opened == nullptr) return false;
  const errno_guard kept;
  const int descriptor = opened->native_handle();
  struct stat status{};
  constexpr std::int64_t unit = 512;  // bytes for each unit of st_blocks
  if (descriptor < 0 || get_status(descriptor, status) != 0 ||
      status.st_blocks * unit < status.st_size)
    return false;
  constexpr std::size_t step = 512 << 10;
  for (std::size_t i = 0; i < size; i += step) {
    char byte;
    const iovec vector{&byte, 1};
    if (::preadv2(descriptor, &vector, 1, static_cast<off_t>(at + i), RWF_NOWAIT) != 1)
      return false;
  }
  return true;
#else
  return false;
#endif
}

void posix_file::announce(std::uint64_t at, std::uint64_t size) noexcept {
  if (size == 0) return;  // for posix_fadvise, 0 means the rest of the file
  [[maybe_unused]] std::error_code ignored;
  if (!traits_.positional || refuse_large_offset(at, ignored) ||
      refuse_large_offset(at + size, ignored))
    return;
#if defined(POSIX_FADV_WILLNEED)
  static_cast<void>(::posix_fadvise(descriptor_, static_cast<off_t>(at), static_cast<off_t>(size),
                                    POSIX_FADV_WILLNEED));
#elif defined(F_RDADVISE)
  radvisory advice{static_cast<off_t>(at),
                   static_cast<int>(std::min(size, std::uint64_t{1} << 30))};
  static_cast<void>(::fcntl(descriptor_, F_RDADVISE, &advice));
#endif
}

std::size_t posix_file::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                 std::error_code& ec) noexcept {
  const errno_guard kept;
  ec.clear();
  // The usual flush, one piece at the offset, takes few instructions.
  if (!is_at_cursor(at) || pieces.size() != 1 || pieces[0].empty() || syncs_early_)
    return write_pieces(at, pieces, ec);
  const std::ptrdiff_t n = write_once(descriptor_, pieces[0]);
  if (n < 0) return wait_until_ready(descriptor_, POLLOUT, ec) ? write_pieces(at, pieces, ec) : 0;
  cursor_ += static_cast<std::uint64_t>(n);
  return static_cast<std::size_t>(n);
}

/// write_at() of any pieces, at any position. The caller restores errno, and has cleared `ec`.
std::size_t posix_file::write_pieces(std::uint64_t at, std::span<const std::string_view> pieces,
                                     std::error_code& ec) noexcept {
  std::array<iovec, 16> vectors;
  // An append stays one request, so that no other process's bytes come in between.
  const std::span<const iovec> request = request_for(
      pieces, vectors, syncs_early_ && !traits_.appends ? early_sync_size : longest_request);
  const bool at_cursor = is_at_cursor(at);
  if (!at_cursor && refuse_large_offset(at, ec)) return 0;
  const no_cancel guard(!at_cursor || syncs_early_);
  for (;;) {
    const ssize_t n = write_vectors(descriptor_, at_cursor, request, static_cast<off_t>(at));
    if (n >= 0) {
      if (at_cursor) cursor_ += static_cast<std::uint64_t>(n);
      if (syncs_early_) sync_early(at, static_cast<std::uint64_t>(n));
      return static_cast<std::size_t>(n);
    }
    if (!wait_until_ready(descriptor_, POLLOUT, ec)) return 0;
  }
}

/// If at least early_sync_size bytes are new in the page cache, makes the disk start to write them.
void posix_file::sync_early([[maybe_unused]] std::uint64_t at,
                            [[maybe_unused]] std::uint64_t written) noexcept {
#if defined(SYNC_FILE_RANGE_WRITE)
  if (synced_.exchange(false) || at != unsynced_end_) unsynced_begin_ = at;
  unsynced_end_ = at + written;
  if (unsynced_end_ - unsynced_begin_ < early_sync_size) return;
  // sync() reports the write errors that this call meets, because starting to write does not clear
  // the errors (Linux, fs/sync.c).
  static_cast<void>(::sync_file_range(descriptor_, static_cast<off_t>(unsynced_begin_),
                                      static_cast<off_t>(unsynced_end_ - unsynced_begin_),
                                      SYNC_FILE_RANGE_WRITE));
  unsynced_begin_ = unsynced_end_;
#endif
}

std::size_t posix_file::copy_at(std::uint64_t at, device& from, std::uint64_t from_at,
                                std::size_t n, std::error_code& ec) noexcept {
  const no_cancel guard;
  const errno_guard kept;
#if defined(__linux__)
  const int source = from.native_handle();
  const bool from_file = from.traits().positional;
  if (source == no_handle || traits_.appends || refuse_large_offset(at, ec) ||
      refuse_large_offset(from_at, ec))
    return device::copy_at(at, from, from_at, n, ec);
  const bool at_cursor = !traits_.positional || (at == cursor_ && at != no_cursor);
  const auto piece =
      from_file && traits_.positional && owned_ ? extent_at(source, from_at) : std::nullopt;
  if (piece) n = static_cast<std::size_t>(std::min<std::uint64_t>(n, piece->size));
  if (piece && piece->is_hole && make_hole(at, n, at_cursor)) {
    ec.clear();
    return n;
  }
  for (;;) {
    auto read_at = static_cast<off_t>(from_at);
    auto write_at = static_cast<off_t>(at);
    off_t* const out_at = at_cursor ? nullptr : &write_at;
    ssize_t copied;
    if (!from_file)
      copied = ::splice(source, nullptr, descriptor_, out_at, n, 0);
    else if (traits_.positional)
      copied = ::copy_file_range(source, &read_at, descriptor_, out_at, n, 0);
    else
      copied = ::sendfile(descriptor_, source, &read_at, n);
    // EXDEV: the files are on two file systems. sendfile copies only this data range. If copy_at()
    // failed here, the caller's copy of the rest would fill the holes of the rest.
    if (copied < 0 && errno == EXDEV && piece && at_cursor)
      copied = ::sendfile(descriptor_, source, &read_at, n);
    if (copied >= 0) {
      ec.clear();
      if (at_cursor) cursor_ += static_cast<std::uint64_t>(copied);
      if (syncs_early_) sync_early(at, static_cast<std::uint64_t>(copied));
      return static_cast<std::size_t>(copied);
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN && !from_file) {
      // The source or this descriptor may not be ready, so wait for both.
      if (!wait_until_ready(source, POLLIN, ec)) return 0;
      errno = EAGAIN;
    }
    if (errno == EAGAIN) {
      if (!wait_until_ready(descriptor_, POLLOUT, ec)) return 0;
      continue;
    }
    // The kernel can't copy between these two descriptors, or reading and writing will report this
    // error.
    return device::copy_at(at, from, from_at, n, ec);
  }
#else
  return device::copy_at(at, from, from_at, n, ec);
#endif
}

#if defined(__linux__)
/// Makes the file end with a hole of `size` bytes at `at`. Returns false if the file has bytes
/// after `at`, or if the system can't make a hole.
bool posix_file::make_hole(std::uint64_t at, std::uint64_t size, bool at_cursor) noexcept {
  struct stat status{};
  if (get_status(descriptor_, status) != 0 || static_cast<std::uint64_t>(status.st_size) > at ||
      size > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) - at)
    return false;
  const auto end = static_cast<off_t>(at + size);
  if (retry_on_eintr([&] { return ::ftruncate(descriptor_, end); }) != 0) return false;
  if (!at_cursor) return true;
  if (::lseek(descriptor_, end, SEEK_SET) != end) return false;
  cursor_ = static_cast<std::uint64_t>(end);
  return true;
}
#endif

std::uint64_t posix_file::size(std::error_code& ec) const noexcept {
  struct stat status{};
  if (get_status(descriptor_, status) != 0) {
    ec = system_code();
    return 0;
  }
  return S_ISREG(status.st_mode)   ? size_of_file(descriptor_, status, ec)
         : S_ISBLK(status.st_mode) ? end_by_seek(descriptor_, ec)
                                   : device::size(ec);
}

void posix_file::resize(std::uint64_t size, std::error_code& ec) noexcept {
  ec.clear();
  if (refuse_large_offset(size, ec)) return;
  const auto truncate = [&] { return ::ftruncate(descriptor_, static_cast<off_t>(size)); };
  if (retry_on_eintr(truncate) != 0) ec = system_code();
}

void posix_file::advise([[maybe_unused]] pattern expected) noexcept {
#if defined(POSIX_FADV_SEQUENTIAL)
  const int advice = expected == pattern::sequential ? POSIX_FADV_SEQUENTIAL
                     : expected == pattern::random   ? POSIX_FADV_RANDOM
                                                     : POSIX_FADV_NORMAL;
  static_cast<void>(::posix_fadvise(descriptor_, 0, 0, advice));
#endif
}

void posix_file::sync(std::error_code& ec) noexcept {
  const no_cancel guard;
  const errno_guard kept;
  synced_ = true;
  sync_file(descriptor_, ec);
  // Pipes and terminals have nothing to sync: EINVAL or EROFS (POSIX fsync).
  if (!traits_.positional) ec.clear();
  if (ec || !syncs_folder_.load()) return;
  const auto& [folder, name] = containing_folder_;
  sync_folder(folder.get(), name.c_str(), descriptor_, ec);
  if (!ec) syncs_folder_ = false;
}

void posix_file::reserve(std::uint64_t size, std::error_code& ec) noexcept {
  const no_cancel guard;
  const errno_guard kept;
  ec.clear();
#if defined(__linux__)
  if (size == 0 || !traits_.positional || refuse_large_offset(size, ec)) return;
  // File systems fill the disk before they report that there is not enough space.
  struct stat file{};
  struct statvfs disk{};
  if (get_status(descriptor_, file) == 0 && ::fstatvfs(descriptor_, &disk) == 0) {
    const std::uint64_t allocated = static_cast<std::uint64_t>(file.st_blocks) * 512;
    const std::uint64_t available = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (disk.f_blocks != 0 && size > allocated && size - allocated > available) {
      ec = std::make_error_code(std::errc::no_space_on_device);
      return;
    }
  }
  // If the file was opened to append, other processes may append, too. Then the file's end is not
  // known, so close() must not free the space after the end.
  if (!traits_.appends) {
    reserved_by_ = this_process();
    reserved_ = size;
  }
  const int result = retry_on_eintr(
      [&] { return ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)); });
  // Other errors mean that the file system or the kernel can't reserve.
  if (result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
    ec = system_code();
#else
  static_cast<void>(size);
#endif
}

/// Frees reserved space after the end, by a truncation to the file's own size. Without such space
/// there is no truncation: a truncation would change the time of the last write, and could cut off
/// bytes that another program appends at the same time.
void posix_file::free_reserved_space() noexcept {
  if (reserved_by_ == 0 || reserved_by_ != this_process()) return;
  struct stat status{};
  if (get_status(descriptor_, status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) >= reserved_)
    return;
  // If the call fails, space is lost, but no bytes are lost. (A cast to void does not silence GCC.)
  [[maybe_unused]] const int result = ::ftruncate(descriptor_, status.st_size);
}

void posix_file::close(std::error_code& ec) noexcept {
  const no_cancel guard;
  const errno_guard kept;
  ec.clear();
  free_reserved_space();
  const int descriptor = std::exchange(descriptor_, no_handle);
  // After EINTR the state of the descriptor is unspecified. Linux has closed the descriptor, and a
  // second call could close a descriptor that another thread has opened meanwhile.
  if (owned_ && descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR) ec = system_code();
}

native_handle_type posix_file::release(std::uint64_t at, std::error_code& ec) noexcept {
  ec.clear();
  if (traits_.positional && !traits_.appends && at != cursor_ &&
      (refuse_large_offset(at, ec) || ::lseek(descriptor_, static_cast<off_t>(at), SEEK_SET) < 0)) {
    if (!ec) ec = system_code();
    return no_handle;
  }
  free_reserved_space();
  return std::exchange(descriptor_, no_handle);
}

std::unique_ptr<device> adopt(native_handle_type handle) {
  // The caller has given the descriptor away, so it is closed even if there is no memory.
  std::unique_ptr<posix_file> file(new (std::nothrow)
                                       posix_file(handle, posix_file::ownership::owned));
  if (file != nullptr) return file;
  ::close(handle);
  throw std::bad_alloc();
}

std::unique_ptr<device> borrow(native_handle_type handle) {
  return std::make_unique<posix_file>(handle, posix_file::ownership::borrowed);
}

}  // namespace v0
}  // namespace leat
