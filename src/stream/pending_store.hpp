// Each pending_store keeps the bytes of completed calls that are neither in the file nor in the
// writer's buffer: in a sidecar or in per-thread buffers. Called by device_sink.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "logs/rotating.hpp"
#include "recovery/sidecar.hpp"
#include "recovery/thread_buffers.hpp"
#include "stream/write_buffer.hpp"

namespace leat {
inline namespace v0 {

/// Keeps pending bytes, which belong after the buffer's bytes. Only one thread at a time may call
/// these functions.
class pending_store {
 public:
  explicit pending_store(write_buffer& buffer, std::unique_ptr<sidecar> own = nullptr) noexcept
      : out_(buffer), sidecar_(std::move(own)) {}
  virtual ~pending_store() = default;
  pending_store(const pending_store&) = delete;
  pending_store& operator=(const pending_store&) = delete;

  /// Takes the bytes of one call. Returns false if no byte was taken.
  bool put(std::string_view bytes) noexcept {
    sidecar::result outcome = sidecar::result::no_room;
    if (sidecar_ != nullptr && !rotates_by_time_) [[likely]]
      outcome = sidecar_->put(bytes);
    return outcome == sidecar::result::accepted || put_slow(outcome, bytes);
  }
  /// Takes or writes the bytes of one call. Returns false if the buffer has to take the bytes.
  /// Called after move_pending().
  virtual bool write(std::string_view) noexcept { return false; }
  /// Moves pending bytes to the buffer or to the file.
  virtual void move_pending() noexcept = 0;
  /// Sets the position of the next bytes to the buffer's cursor. Called when nothing is pending.
  virtual void begin_at_cursor() noexcept {}
  /// Ends the use of a sidecar: from now on each call of the stream writes its bytes to the file.
  /// Called when nothing is pending.
  virtual void detach_sidecar() noexcept {}
  /// Checks whether the path still names the file. If the path names another file, continues in
  /// that file. Returns false if this store does not check.
  virtual bool check_path() noexcept { return false; }
  /// Number of pending bytes.
  virtual std::uint64_t size() const noexcept = 0;
  /// Opens per-thread buffers. Returns true if threads may put bytes through the gate.
  /// move_pending() closes the gate. Called when nothing is pending.
  virtual bool open_thread_buffers(thread_buffer_gate& gate) noexcept = 0;
  /// Drops the pending bytes, which belong to the parent. Called in a forked child.
  virtual void after_fork_in_child() noexcept = 0;

 protected:
  /// Continues put() after an outcome that is not `accepted`. The outcome is also `no_room` if the
  /// sidecar was not called. Returns the result of put().
  virtual bool put_slow(sidecar::result outcome, std::string_view bytes) noexcept = 0;

  write_buffer& out_;
  std::unique_ptr<sidecar> sidecar_;  // null: no sidecar takes bytes
  bool rotates_by_time_ = false;      // put() must look at the clock before the sidecar takes bytes
};

/// Per-thread buffers in memory, for threads that share a stream.
class thread_buffer_store final : public pending_store {
 public:
  using pending_store::pending_store;
  ~thread_buffer_store() override {
    if (gate_ != nullptr) gate_->close();
  }
  void move_pending() noexcept override;
  std::uint64_t size() const noexcept override {
    return gate_ != nullptr ? gate_->accepted_bytes() : 0;
  }
  bool open_thread_buffers(thread_buffer_gate& gate) noexcept override;
  void after_fork_in_child() noexcept override { gate_ = nullptr; }

 private:
  bool put_slow(sidecar::result, std::string_view) noexcept override { return false; }

  thread_buffer_gate* gate_ = nullptr;  // null: no per-thread buffers are open
  std::unique_ptr<thread_buffer_memory> thread_buffers_;
};

/// A sidecar, a file next to the stream's file: the bytes of completed calls survive the process.
class sidecar_store : public pending_store {
 public:
  /// `path` must be valid as long as this store.
  sidecar_store(write_buffer& buffer, std::string_view path, std::unique_ptr<sidecar> own) noexcept
      : pending_store(buffer, std::move(own)), path_(path) {}

  bool write(std::string_view bytes) noexcept override;
  void move_pending() noexcept override;
  void begin_at_cursor() noexcept override;
  void detach_sidecar() noexcept override { sidecar_.reset(); }
  std::uint64_t size() const noexcept override {
    return sidecar_ != nullptr ? sidecar_->size() : 0;
  }
  bool open_thread_buffers(thread_buffer_gate& gate) noexcept override;
  void after_fork_in_child() noexcept override;

 protected:
  /// Number of bytes that the file may still take.
  virtual std::uint64_t room() const noexcept;
  virtual std::int64_t period_end() const noexcept { return thread_buffer_gate::never_late; }
  /// Writes pending bytes to the file, to which other processes write, too.
  virtual void write_shared(std::string_view bytes) noexcept;

  bool put_slow(sidecar::result outcome, std::string_view bytes) noexcept override;
  bool put_first(std::string_view bytes) noexcept;
  std::uint64_t pending_size() const noexcept;
  void move_to_file() noexcept;
  [[gnu::cold]] void withdraw() noexcept;

  std::string_view path_;
  bool needs_own_sidecar_ = false;  // in a forked child that has not opened a sidecar yet
};

/// A sidecar_store for a log, which has a sidecar for each of its files. Takes the device's
/// rotation lock (lock_rotation).
class log_store final : public sidecar_store {
 public:
  log_store(write_buffer& buffer, rotating_device& log) noexcept;

  /// Lines that do not fit into the current file go into the next file.
  bool write(std::string_view bytes) noexcept override;
  void move_pending() noexcept override;
  bool check_path() noexcept override;
  bool open_thread_buffers(thread_buffer_gate& gate) noexcept override;

 private:
  bool put_slow(sidecar::result outcome, std::string_view bytes) noexcept override;
  std::uint64_t room() const noexcept override { return log_.room(); }
  std::int64_t period_end() const noexcept override { return log_.period_end(); }
  [[gnu::cold]] void write_shared(std::string_view bytes) noexcept override;

  bool lock_rotation(std::uint64_t size) noexcept;
  void open_sidecar() noexcept;
  void close_sidecar() noexcept;
  [[gnu::cold]] void follow_with_pending(std::uint64_t total) noexcept;

  rotating_device& log_;
};

}  // namespace v0
}  // namespace leat
