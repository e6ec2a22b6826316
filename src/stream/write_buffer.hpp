// The buffer between a writer and a device. Decides when bytes are written, and how many at a time.
// Called by device_sink and by pending_store.
#pragma once

#include <leat/device.hpp>

#include <bit>
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

/// The buffer holds the bytes of the positions [base_, base_ + pending()). For example, if base_ is
/// 100 and next_ (the cursor) is 5, the next byte goes to position 105. After a failure only
/// write_completed() writes; all other bytes count as lost.
class write_buffer {
 public:
  /// In a seekable file, buffers of two or more whole pages end at page boundaries of the file, so
  /// that no page is written twice.
  static constexpr std::size_t page = 4096;

  /// The first byte goes to position `at`.
  write_buffer(std::unique_ptr<device> target, std::uint64_t at, const detail::options& how);

  /// Null if the buffer is closed.
  device* target() const noexcept { return device_.get(); }
  const device_traits& traits() const noexcept { return traits_; }
  bool is_usable() const noexcept { return device_ != nullptr && !failures; }
  write_failures failures;
  /// Records a failure. If `offset` is not no_offset, the device has all bytes before `offset`.
  void fail(std::error_code ec, const char* operation, std::uint64_t offset,
            std::uint64_t unwritten) noexcept;
  /// Records a failed write of `n` bytes at the cursor. The buffer must be empty.
  void lose(std::error_code ec, std::uint64_t n) noexcept {
    fail(ec, "write", base_, n);
    base_ += n;
  }
  /// Counts the buffer's bytes as lost, and empties the buffer. Called only after a failure.
  void lose_buffer() noexcept;
  /// Clears the failure. If the position of the first lost byte is known, writing continues at this
  /// position. After a failed patch, writing continues at the start of the buffer.
  void clear_failure() noexcept;

  // The memory for the next bytes

  /// The memory [next, end) may be written to. `next` and `end` are null if the buffer has no
  /// memory yet, has failed or is closed.
  struct window {
    char* next;
    char* end;
    bool holds_bytes;  ///< the memory has bytes of the buffer; bytes that are not overwritten stay
  };
  /// Returns the memory for the next bytes. Inline, because each flush calls this function.
  window room() noexcept {
    if (!is_usable() || memory_ == nullptr) return {};
    char* const next = memory_.get() + next_;
    const bool holds = next_ < high_;
    return {next, memory_.get() + (holds ? high_ : limit()), holds};
  }
  /// Sets the cursor: the caller has stored bytes up to `next`.
  void set_next(const char* next) noexcept {
    next_ = static_cast<std::size_t>(next - memory_.get());
  }
  /// File position of the byte at `next`.
  std::uint64_t position_of(const char* next) const noexcept {
    return base_ + static_cast<std::size_t>(next - memory_.get());
  }
  /// File position of the cursor.
  std::uint64_t position() const noexcept { return base_ + next_; }
  /// File position of the end of the buffer's bytes.
  std::uint64_t end_position() const noexcept { return base_ + pending(); }
  /// Number of bytes not yet in the file.
  std::size_t pending() const noexcept { return next_ > high_ ? next_ : high_; }

  // From the caller into the buffer

  /// Takes bytes: copies them, or writes them together with pending bytes. With when_full::drop the
  /// call may be dropped. `is_rest`: a part of the call is already in the stream, so the rest is
  /// not dropped.
  void add(std::string_view bytes, bool is_rest = false) noexcept;
  /// Number of dropped calls.
  std::uint64_t dropped() const noexcept { return dropped_; }
  /// Returns true if calls that would wait for the thread are dropped (when_full::drop).
  bool drops() const noexcept { return drops_; }
  /// Moves the cursor. If `position` is outside of the buffer, writes pending bytes first.
  void seek(std::uint64_t position) noexcept;
  /// Overwrites bytes before the cursor, in the device or in the buffer. Called after
  /// wait_for_thread(), when the buffer has not failed. If the device's write fails, records the
  /// failure.
  void patch(std::uint64_t position, std::string_view bytes) noexcept;
  /// Writes pending bytes. Then the device copies up to `n` bytes from another device. Returns the
  /// number of copied bytes. After a failed write: operation_not_supported.
  std::size_t copy(device& from, std::uint64_t from_at, std::size_t n,
                   std::error_code& ec) noexcept;
  /// Moves the position past `n` bytes that are already in the file, or lost. The buffer must be
  /// empty.
  void skip(std::uint64_t n) noexcept { base_ += n; }

  // From the buffer to the device

  /// Writes pending bytes. The buffer is empty afterwards, also after a failure.
  void write() noexcept {
    if (thread_ == nullptr && !failures && pending() != 0)
      write_pending();
    else
      write_with({});
  }
  /// Writes pending bytes, and `bytes` at the cursor, in one call of the device. If bytes of the
  /// buffer follow the cursor, in two calls.
  void write_with(std::string_view bytes) noexcept;
  /// Writes bytes of completed calls at the cursor, also after a failure. The buffer must be empty.
  void write_completed(std::string_view bytes) noexcept;
  /// Writes pending bytes to a pipe before a fork. Bytes that the pipe does not take soon stay in
  /// the buffer: the pipe's reader may be slow, or may be the child.
  void write_to_pipe() noexcept;

  // The background thread

  /// Waits until the thread has returned all buffers, and records the buffers' failures.
  void wait_for_thread() noexcept;
  /// Waits like wait_for_thread, but no longer than background_writer::wait_at_fork() would wait.
  /// Returns true if the thread still writes after the wait.
  bool wait_for_thread_times_out() noexcept;
  /// Waits like wait_for_thread, but records nothing. Any thread may call this function.
  void wait_without_recording() const noexcept {
    if (thread_ != nullptr) thread_->wait();
  }
  /// Calls background_writer::wait_at_fork(). Any thread may call this function.
  void wait_at_fork() const noexcept {
    if (thread_ != nullptr) thread_->wait_at_fork();
  }
  /// Called in a forked child. Empties the buffer, and ends the use of the thread, which exists
  /// only in the parent.
  void after_fork_in_child() noexcept;

  /// Ends the thread and frees the memory. Does not write pending bytes. Returns the device.
  std::unique_ptr<device> close() noexcept;

 private:
  /// Number of bytes that the buffer takes before it is written. In a seekable file, buffers of two
  /// or more whole pages end at a file offset that is a multiple of the buffer's size, or at least
  /// of a page. So the page cache makes larger folios, and no page is written twice. The value
  /// depends on base_, so one buffer can be smaller than the buffer before.
  std::size_t limit() const noexcept {
    if (capacity_ < 2 * page || !traits_.positional || traits_.appends) return capacity_;
    // Almost all capacities are powers of two, and each flush would wait for the division.
    const std::uint64_t past =
        std::has_single_bit(capacity_) ? base_ & (capacity_ - 1) : base_ % capacity_;
    const auto aligned = capacity_ - static_cast<std::size_t>(past);
    return aligned >= capacity_ / 4 ? aligned : capacity_ - static_cast<std::size_t>(base_ % page);
  }
  bool allocate(std::size_t capacity) noexcept;
  void grow() noexcept;
  void add_large(std::string_view bytes) noexcept;
  void add_lines(std::string_view bytes) noexcept;
  void copy_in(std::string_view bytes) noexcept;
  void write_pending() noexcept;
  void write_lines() noexcept;
  bool give_to_thread(std::size_t size) noexcept;
  bool make_spare() noexcept;
  void reclaim_from_thread() noexcept;

  std::unique_ptr<device> device_;
  device_traits traits_;
  bool direct_;                // direct I/O
  std::size_t last_capacity_;  // the buffer doubles up to this size; 0: grows only in add_lines()
  bool background_;            // full buffers are given to a thread
  bool drops_;                 // calls that would wait for the thread are dropped

  buffer_memory memory_;
  std::size_t capacity_;    // the buffer's size, even before it has memory
  std::size_t next_ = 0;    // the cursor, as an index into the buffer
  std::size_t high_ = 0;    // end of the buffer's bytes, if the cursor has moved back
  std::uint64_t base_ = 0;  // position of the buffer's first byte

  // Null if background_ was false at opening, and in a forked child. A fork in another thread reads
  // this pointer, so only a forked child changes it.
  std::unique_ptr<background_writer> thread_;
  buffer_memory spare_;  // memory for the next buffer, once the thread has the current one
  std::size_t spare_capacity_ = 0;

  // Position of the next byte after clear_failure(); no_offset: unknown.
  std::uint64_t resume_position_ = 0;
  std::uint64_t dropped_ = 0;  // number of dropped calls
};

}  // namespace v0
}  // namespace leat
