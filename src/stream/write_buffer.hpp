// The buffer between a writer and a device: when bytes are written, and how many at a time.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>

#include "device/options.hpp"
#include "stream/background.hpp"
#include "stream/write_failures.hpp"

namespace leat {
inline namespace v0 {

/// The buffer holds the bytes of the positions [base, base + pending()). For example, if base is
/// 100 and the cursor is 5, the next byte goes to position 105. After a failure no byte is written:
/// each is counted as lost.
class write_buffer {
 public:
  /// The first byte goes to position `at`.
  write_buffer(std::unique_ptr<device> target, std::uint64_t at, const detail::options& how);

  /// Null: it is closed.
  device* target() const noexcept { return device_.get(); }
  const device_traits& traits() const noexcept { return traits_; }
  bool is_usable() const noexcept { return device_ != nullptr && !failures; }
  write_failures failures;
  /// Keeps a failure. The device has all bytes before `offset`.
  void fail(std::error_code ec, const char* operation, std::uint64_t offset,
            std::uint64_t unwritten) noexcept;
  /// Fails the write of `n` bytes at the cursor. Nothing waits.
  void lose(std::error_code ec, std::uint64_t n) noexcept {
    fail(ec, "write", base_, n);
    base_ += n;
  }
  /// Goes on after a failure, where the first lost byte was to go.
  void clear_failure() noexcept;

  // The memory for the next bytes

  /// [next, end) may be written to; both are null if the buffer has no memory yet.
  struct window {
    char* next;
    char* end;
    bool holds_bytes;  ///< those which are not overwritten stay
  };
  window room() noexcept;
  /// The next bytes are in the window up to here.
  void set_next(const char* next) noexcept {
    next_ = static_cast<std::size_t>(next - memory_.get());
  }
  /// Where a byte at the window's place `next` goes.
  std::uint64_t position_of(const char* next) const noexcept {
    return base_ + static_cast<std::size_t>(next - memory_.get());
  }
  /// Where the next byte goes.
  std::uint64_t position() const noexcept { return base_ + next_; }
  /// Where the buffer's bytes end.
  std::uint64_t furthest() const noexcept { return base_ + pending(); }
  /// How many bytes wait.
  std::size_t pending() const noexcept { return next_ > high_ ? next_ : high_; }

  // From the caller into the buffer

  /// Takes bytes: copies them, or writes them with what waits. With when_full::drop they may be
  /// dropped. `begun`: a part of the call is in the stream already, so the rest is not dropped.
  void add(std::string_view bytes, bool begun = false) noexcept;
  /// How many calls were dropped.
  std::uint64_t dropped() const noexcept { return dropped_; }
  bool drops() const noexcept { return drops_; }
  /// Moves the cursor. What waits is written only if the place is outside of the buffer.
  void seek(std::uint64_t position) noexcept;
  /// Overwrites bytes before the cursor, in the device or in the buffer.
  void patch(std::uint64_t position, std::string_view bytes) noexcept;
  /// The device copies up to `n` bytes from another one. Returns how many.
  std::size_t copy(device& from, std::uint64_t from_at, std::size_t n,
                   std::error_code& ec) noexcept;
  /// These bytes are in the file already, or lost. Nothing waits.
  void skip(std::uint64_t n) noexcept { base_ += n; }

  // From the buffer to the device

  /// Writes what waits. The buffer is empty afterwards, also after a failure.
  void write() noexcept { write_with({}); }
  /// Writes what waits, and `bytes` at the cursor, in one call.
  void write_with(std::string_view bytes) noexcept;
  /// Writes bytes of completed calls at the cursor, also after a failure. Nothing waits.
  void write_completed(std::string_view bytes) noexcept;
  /// Writes to a pipe before a fork. The reader may be slow, or may be the child. What it does not
  /// take stays in the buffer.
  void write_to_pipe() noexcept;

  // The thread

  /// Waits until the thread has written all windows that it was given, and learns of failures.
  void wait_for_thread() noexcept;
  /// The same, but nothing changes. Any thread may call it.
  void wait_outside() const noexcept {
    if (thread_ != nullptr) thread_->wait();
  }
  void after_fork_in_child() noexcept;

  /// Ends the thread and frees the memory. Returns the device.
  std::unique_ptr<device> close() noexcept;

 private:
  std::size_t limit() const noexcept;
  bool allocate(std::size_t capacity) noexcept;
  void grow() noexcept;
  void add_large(std::string_view bytes) noexcept;
  void add_lines(std::string_view bytes) noexcept;
  void copy_in(std::string_view bytes) noexcept;
  void write_lines() noexcept;
  void lose_buffer() noexcept;
  bool give_to_thread(std::size_t size) noexcept;
  bool make_spare() noexcept;
  bool waits_long_for_thread() noexcept;
  void take_window_back() noexcept;

  std::unique_ptr<device> device_;
  device_traits traits_;
  bool direct_;                // past the system's cache
  std::size_t last_capacity_;  // the buffer doubles up to this; 0: never
  bool background_;            // full windows are given to a thread
  bool drops_;                 // what would have to wait for the thread

  window_memory memory_;
  std::size_t capacity_;    // the buffer's size, even before it has memory
  std::size_t next_ = 0;    // the cursor, as an index into the buffer
  std::size_t high_ = 0;    // where the buffer's bytes end, if the cursor has gone back
  std::uint64_t base_ = 0;  // position of the buffer's first byte

  // Null without options::background. A fork in another thread reads this pointer, so it never
  // changes.
  std::unique_ptr<background_writer> thread_;
  window_memory spare_;  // a window that came back from it
  std::size_t spare_capacity_ = 0;

  std::uint64_t resume_ = 0;   // where the first lost byte was to go
  std::uint64_t dropped_ = 0;  // calls
};

}  // namespace v0
}  // namespace leat
