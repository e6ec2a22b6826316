// Memory-mapped files, with a guard against files that become shorter. Each platform has its own
// implementation. Sources, sidecars and random access use mappings.
#pragma once

#include <leat/device.hpp>
#include <leat/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace leat {
inline namespace v0 {

/// Allows or forbids mappings. At first, mappings are allowed. Returns true if mappings were
/// allowed before this call. While mappings are forbidden, a new mapping is empty. The first
/// mapping installs the handler of faults. Forbidding mappings removes this handler. On POSIX
/// systems, if another handler was installed over leat's handler, leat's handler stays. Earlier
/// mappings stay. If the handler is removed, earlier mappings have no guard.
bool use_mappings(bool on) noexcept;

/// Causes one fault, in which the system maps the byte's page for writing. The byte does not
/// change. A read before the write would cause two faults, and the first fault would map the whole
/// folio. If folios are large, mapping a folio takes ten times as long as mapping one page.
// NOLINTNEXTLINE(readability-non-const-parameter): the instruction writes the byte
inline void touch_to_write(char* byte) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("orb $0, %0" : "+m"(*byte) : : "cc");
#else
  __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
#endif
}

/// True if samples of this part of a file are in the page cache, so that mapping the part may take
/// less time than reading the part. False for a device that is not a file of the system. False for
/// a file with holes, because a mapping would fill the holes of a file on tmpfs. False on systems
/// that do not say what is cached: Windows and macOS.
bool is_cached(const device& file, std::uint64_t at, std::size_t size) noexcept;

struct guarded_range;

/// True if a fault in a mapping would not end the program: the calling thread does not block the
/// signal of faults, and no other handler was installed over leat's handler. If leat's handler is
/// not installed, installs the handler. False while mappings are forbidden. Windows: always false,
/// because on Windows a mapping would keep other programs from making the file shorter.
bool is_guarded_here() noexcept;

/// False if leat's handler is not installed, or if use_mappings(false) forbids mappings. Makes no
/// system call, so a handler that the program has installed over leat's handler is not noticed.
/// Windows: always false.
bool is_guard_installed() noexcept;

/// As is_guarded_here(), for accesses that take less time than a system call. Each thread has an
/// object of its own.
struct guarded_thread {
  /// Calls is_guarded_here() at the first call, after each `calls_until_next` calls, and while the
  /// guard is not installed.
  bool is_guarded() noexcept {
    constexpr unsigned calls_until_next = 1024;
    if (calls_left == 0 || !is_guard_installed()) {
      was_guarded = is_guarded_here();
      calls_left = calls_until_next;
    }
    --calls_left;
    return was_guarded;
  }

  unsigned calls_left = 0;
  bool was_guarded = false;
};

/// A part of a file as memory. If the file becomes shorter, or the disk fails, the guard puts zeros
/// where bytes are missing, and the program goes on. On Windows the guard puts zeros everywhere.
/// The caller owns the file, and must keep the file open for longer than the mapping.
class mapping {
 public:
  enum class access { read, write };
  /// This many bytes after view() can be read, except on Windows.
  static constexpr std::size_t padding = 64;

  mapping() noexcept = default;
  /// Maps `size` bytes from `offset` on. `offset` is a multiple of the page size (Windows: only 0).
  /// The mapping is empty if `size` is 0, if the file can't be mapped, if mappings are forbidden,
  /// or if there is no memory.
  mapping(native_handle_type file, std::size_t size, access what = access::read,
          std::uint64_t offset = 0) noexcept;
  mapping(mapping&& other) noexcept
      : view_(std::exchange(other.view_, {})), range_(std::exchange(other.range_, nullptr)) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(view_, other.view_);
    std::swap(range_, other.range_);
    return *this;
  }
  ~mapping();

  explicit operator bool() const noexcept { return range_ != nullptr; }
  std::string_view view() const noexcept { return view_; }
  /// The bytes of view(). With access::write the program may change the bytes, which changes the
  /// file.
  char* data() noexcept { return const_cast<char*>(view_.data()); }
  /// Tells the system how the memory will be read. Windows: does nothing.
  void advise(pattern expected) noexcept;
  /// Reads one byte, so that the system maps the cached pages around the byte. The value is not
  /// used, so a simultaneous change of the byte by another thread does no harm.
  __attribute__((no_sanitize("thread"))) void touch(std::size_t at) const noexcept {
    [[maybe_unused]] const volatile char seen = view_[at];
  }
  /// Touches one byte every `step` bytes of the file. (MADV_POPULATE_READ goes page by page.)
  void populate(std::size_t step) const noexcept {
    for (std::size_t at = 0; at < view_.size(); at += step) touch(at);
  }

  /// Returns the failure of the accesses so far: the file did not have a byte, or a byte could not
  /// be read or written. If several accesses have failed, returns the failure at the lowest offset
  /// in the file. If no access has failed, returns an empty failure.
  failure access_failure() const noexcept;
  /// As access_failure(), but also checks the file's size. If the file is now shorter than the
  /// mapping, and access_failure() has no failure at or before the file's end, returns a failure at
  /// the file's end.
  failure find_failure() const noexcept;

 private:
  std::string_view view_;
  guarded_range* range_ = nullptr;
};

}  // namespace v0
}  // namespace leat
