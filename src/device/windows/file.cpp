// windows_file, which reads and writes through a file handle; and adopt(), borrow() and
// borrow_descriptor(). file.hpp names the callers.
#include "device/windows/file.hpp"

#include <winternl.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "device/descriptor.hpp"
#include "device/request_queue.hpp"
#include "device/system.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

windows_file::windows_file(HANDLE handle, ownership owner) noexcept
    : handle_(handle), owned_(owner == ownership::owned) {
  detect_traits();
}

windows_file::windows_file(int descriptor) noexcept
    : handle_(no_handle), descriptor_(descriptor), owned_(false) {
  detect_traits();
}

/// Sets the traits from the kind and the rights of the handle, and reads the handle's offset.
void windows_file::detect_traits() noexcept {
  const HANDLE handle = native_handle();
  traits_.positional = is_on_disk(handle);
  traits_.terminal = is_console(handle);
  traits_.reads_ahead = traits_.syncs_concurrently = traits_.positional;
  if (traits_.terminal) console_.reset(new (std::nothrow) windows_console(handle));
  if (!traits_.positional) return;
  const DWORD access = access_of(handle);
  traits_.appends = (access & FILE_APPEND_DATA) != 0 && (access & FILE_WRITE_DATA) == 0;
  if (is_asynchronous(handle)) {
    traits_.concurrent = !traits_.appends;
    return;
  }
  std::error_code ignored;
  const std::int64_t position = position_of(handle);
  start_ = traits_.appends ? size_of(handle, ignored)
           : position > 0  ? static_cast<std::uint64_t>(position)
                           : 0;
  cursor_ = start_;
}

windows_file::~windows_file() {
  std::error_code ignored;
  close(ignored);
}

native_handle_type windows_file::native_handle() const noexcept {
  return descriptor_ < 0 ? handle_ : handle_of_descriptor(descriptor_);
}

HANDLE windows_file::handle_for(std::uint64_t at, const char* data,
                                std::size_t size) const noexcept {
  const bool aligned = at % direct_alignment == 0 && size % direct_alignment == 0 &&
                       reinterpret_cast<std::uintptr_t>(data) % direct_alignment == 0;
  return direct_ != no_handle && aligned ? direct_ : native_handle();
}

/// If the handle has an offset, updates cursor_ after a transfer of `n` bytes at `at`. After a
/// failure, and after a read at the end, asks the system for the offset.
void windows_file::update_cursor(HANDLE handle, std::uint64_t at, std::size_t n) noexcept {
  if (cursor_ == no_cursor || handle == direct_) return;
  cursor_ = at + n;
  if (n != 0) return;
  if (const std::int64_t now = position_of(handle); now >= 0)
    cursor_ = static_cast<std::uint64_t>(now);
}

std::size_t windows_file::read_at(std::uint64_t at, std::span<char> into,
                                  std::error_code& ec) noexcept {
  if (console_ != nullptr) return console_->read(into, ec);
  const HANDLE handle = handle_for(at, into.data(), into.size());
  const std::size_t n =
      read_handle(handle, traits_.positional ? at : 0, into, ec, waiting_for(handle));
  update_cursor(handle, at, n);
  return n;
}

/// Makes the file sparse before a write or resize to a position that is 1 MiB or more after the
/// file's end. Then the hole takes no space, and the system need not fill the hole with zeros.
void windows_file::make_sparse_before(std::uint64_t at) noexcept {
  constexpr std::uint64_t large = 1 << 20;
  const std::uint64_t known_end = last_write_end_.load(std::memory_order_relaxed);
  if (at <= known_end || at - known_end < large) return;
  std::error_code ec;
  const std::uint64_t size = size_of(native_handle(), ec);
  last_write_end_.store(size, std::memory_order_relaxed);
  if (!ec && at > size && at - size >= large) make_sparse(native_handle());
}

std::size_t windows_file::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                   std::error_code& ec) noexcept {
  const auto has_bytes = [](const std::string_view& piece) { return !piece.empty(); };
  const auto first = std::ranges::find_if(pieces, has_bytes);
  ec.clear();
  if (first == pieces.end()) return 0;
  if (console_ != nullptr) return console_->write(*first, ec);
  std::string_view bytes = *first;
  if (traits_.appends) {
    // One call writes all pieces, so that no other program writes between the pieces. Without
    // memory for a copy, the call writes only the first piece.
    std::string joined;
    if (std::find_if(first + 1, pieces.end(), has_bytes) != pieces.end()) {
      try {
        for (const auto& piece : pieces) joined += piece;
        bytes = joined;
      } catch (const std::bad_alloc&) {
        bytes = *first;
      }
    }
    return write_handle(native_handle(), at_end_of_file, bytes, ec, waiting_for(handle_));
  }
  if (!traits_.positional) return write_handle(native_handle(), 0, bytes, ec);
  make_sparse_before(at);
  const HANDLE handle = handle_for(at, bytes.data(), bytes.size());
  const bool is_at_cursor = at == cursor_ && handle != direct_;
  const std::size_t n =
      write_handle(handle, is_at_cursor ? at_current_offset : at, bytes, ec, waiting_for(handle));
  update_cursor(handle, at, n);
  last_write_end_.store(at + n, std::memory_order_relaxed);
  return n;
}

std::uint64_t windows_file::size(std::error_code& ec) const noexcept {
  return size_of(native_handle(), ec);
}

void windows_file::resize(std::uint64_t size, std::error_code& ec) noexcept {
  make_sparse_before(size);
  resize_file(native_handle(), size, ec);
  last_write_end_.store(0, std::memory_order_relaxed);
}

/// Reserves space. When the file is closed, the system frees reserved space after the end.
void windows_file::reserve(std::uint64_t size, std::error_code& ec) noexcept {
  ec.clear();
  if (size == 0 || !traits_.positional) return;
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    ec = std::make_error_code(std::errc::file_too_large);
    return;
  }
  std::error_code unknown;
  const HANDLE handle = native_handle();
  const std::uint64_t end = size_of(handle, unknown);
  if (unknown || size <= end) return;
  struct {
    LARGE_INTEGER total, available;
    ULONG sectors, bytes;
  } disk{};  // FILE_FS_SIZE_INFORMATION
  constexpr int file_fs_size_information = 3;
  IO_STATUS_BLOCK status;
  if (::NtQueryVolumeInformationFile(handle, &status, &disk, sizeof disk,
                                     static_cast<FS_INFORMATION_CLASS>(file_fs_size_information)) >=
      0) {
    const std::uint64_t unit = std::uint64_t{disk.sectors} * disk.bytes;
    if (unit != 0 && (size - end) / unit > static_cast<std::uint64_t>(disk.available.QuadPart)) {
      ec = std::make_error_code(std::errc::no_space_on_device);
      return;
    }
  }
  FILE_ALLOCATION_INFO wanted;
  wanted.AllocationSize.QuadPart = static_cast<LONGLONG>(size);
  if (::SetFileInformationByHandle(handle, FileAllocationInfo, &wanted, sizeof wanted) == 0 &&
      ::GetLastError() == ERROR_DISK_FULL)
    ec = system_code();
}

void windows_file::sync(std::error_code& ec) noexcept {
  ec.clear();
  // Pipes and the console have nothing to sync, and a sync of a pipe would wait for the pipe's
  // reader.
  if (traits_.positional && ::FlushFileBuffers(native_handle()) == 0) ec = system_code();
  // A file that was opened only to read has nothing to sync.
  if (ec.value() == ERROR_ACCESS_DENIED) ec.clear();
}

void windows_file::close(std::error_code& ec) noexcept {
  ec.clear();
  console_.reset();
  if (const HANDLE direct = std::exchange(direct_, no_handle); direct != no_handle)
    ::CloseHandle(direct);
  descriptor_ = -1;
  const HANDLE handle = std::exchange(handle_, no_handle);
  if (owned_ && handle != no_handle && ::CloseHandle(handle) == 0) ec = system_code();
}

native_handle_type windows_file::release(std::uint64_t at, std::error_code& ec) noexcept {
  ec.clear();
  const HANDLE handle = native_handle();
  if (traits_.positional && !traits_.appends && cursor_ != no_cursor && at != cursor_ &&
      !seek_handle(handle, at, ec))
    return no_handle;
  owned_ = false;
  std::error_code ignored;
  close(ignored);
  return handle;
}

native_handle_type direct_handle(const device& disk) noexcept {
  const auto* const file = dynamic_cast<const windows_file*>(&disk);
  return file == nullptr ? disk.native_handle() : file->direct_handle();
}

std::unique_ptr<device> adopt(native_handle_type handle) {
  // The caller has given the handle away, so adopt() closes the handle if there is no memory.
  std::unique_ptr<windows_file> file(new (std::nothrow)
                                         windows_file(handle, windows_file::ownership::owned));
  if (file != nullptr) return file;
  ::CloseHandle(handle);
  throw std::bad_alloc();
}

std::unique_ptr<device> borrow(native_handle_type handle) {
  return std::make_unique<windows_file>(handle, windows_file::ownership::borrowed);
}

std::unique_ptr<device> borrow_descriptor(int descriptor) {
  return std::make_unique<windows_file>(descriptor);
}

}  // namespace v0
}  // namespace leat
