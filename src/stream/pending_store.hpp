// Where the bytes of completed calls wait, if not in a writer's buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "logs/rotating.hpp"
#include "recovery/lanes.hpp"
#include "recovery/sidecar.hpp"
#include "stream/write_buffer.hpp"

namespace leat {
inline namespace v0 {

/// Bytes that wait here belong behind those of the buffer. One thread calls these functions at a
/// time.
class pending_store {
 public:
  explicit pending_store(write_buffer& out) noexcept : out_(out) {}
  virtual ~pending_store() = default;
  pending_store(const pending_store&) = delete;
  pending_store& operator=(const pending_store&) = delete;

  /// Takes the bytes of one call. False: none was taken.
  virtual bool put(std::string_view bytes) noexcept = 0;
  /// Called after move(). Takes or writes the bytes of one call. False: the buffer has to.
  virtual bool write(std::string_view) noexcept { return false; }
  /// Moves what waits to the buffer or to the file.
  virtual void move() noexcept = 0;
  /// Called when nothing waits: the next bytes belong at the buffer's cursor.
  virtual void begin() noexcept {}
  /// Called when nothing waits: from now on each call writes its own bytes.
  virtual void end() noexcept {}
  /// Looks whether the file still has its name. False: this store does not care.
  virtual bool look() noexcept { return false; }
  /// How many bytes wait.
  virtual std::uint64_t size() const noexcept = 0;
  /// Called when nothing waits. True: until the next other call threads may put bytes by the gate.
  virtual bool open_lanes(lane_gate& gate) noexcept = 0;
  /// Called in a forked child. What waits is the parent's.
  virtual void leave_to_parent() noexcept = 0;

 protected:
  write_buffer& out_;
};

/// Lanes in memory, for threads that share a stream.
class lane_store final : public pending_store {
 public:
  using pending_store::pending_store;
  ~lane_store() override {
    if (gate_ != nullptr) gate_->close();
  }
  bool put(std::string_view) noexcept override { return false; }
  void move() noexcept override;
  std::uint64_t size() const noexcept override { return gate_ != nullptr ? gate_->taken() : 0; }
  bool open_lanes(lane_gate& gate) noexcept override;
  void leave_to_parent() noexcept override { gate_ = nullptr; }

 private:
  lane_gate* gate_ = nullptr;  // of the lanes that are open
  std::unique_ptr<lane_memory> lanes_;
};

/// A file beside the file: the bytes of completed calls survive the process.
class sidecar_store : public pending_store {
 public:
  /// `path` is valid as long as this store.
  sidecar_store(write_buffer& out, std::string_view path, std::unique_ptr<sidecar> beside) noexcept
      : pending_store(out), path_(path), beside_(std::move(beside)) {}

  bool put(std::string_view bytes) noexcept override;
  bool write(std::string_view bytes) noexcept override;
  void move() noexcept override;
  void begin() noexcept override;
  void end() noexcept override { beside_.reset(); }
  std::uint64_t size() const noexcept override { return beside_ != nullptr ? beside_->size() : 0; }
  bool open_lanes(lane_gate& gate) noexcept override;
  void leave_to_parent() noexcept override;

 protected:
  /// How many more bytes the file may have.
  virtual std::uint64_t room() const noexcept;
  virtual std::int64_t late_at() const noexcept { return lane_gate::never_late; }
  /// Writes bytes that waited to the file, which others write to as well.
  virtual void write_shared(std::string_view bytes) noexcept;

  [[gnu::cold]] bool end_lanes_and_put(std::string_view bytes) noexcept;
  bool begin_with(std::string_view bytes) noexcept;
  std::uint64_t size_of_pending() const noexcept;
  void move_to_file() noexcept;
  [[gnu::cold]] void withdraw() noexcept;

  std::string_view path_;
  std::unique_ptr<sidecar> beside_;  // null: each call writes its own bytes
  bool joins_ = false;               // a forked child has not opened its own yet
};

/// The same for a log, which has a sidecar for each of its files. The device's turns are here.
class log_store final : public sidecar_store {
 public:
  log_store(write_buffer& out, rotating_device& log) noexcept;

  bool put(std::string_view bytes) noexcept override {
    return beside_ != nullptr && !log_.is_late() && sidecar_store::put(bytes);
  }
  /// Lines that do not fit into the present file go into the next one.
  bool write(std::string_view bytes) noexcept override;
  void move() noexcept override;
  bool look() noexcept override;
  bool open_lanes(lane_gate& gate) noexcept override;

 private:
  std::uint64_t room() const noexcept override { return log_.room(); }
  std::int64_t late_at() const noexcept override { return log_.late_at(); }
  [[gnu::cold]] void write_shared(std::string_view bytes) noexcept override;

  bool begin_turn(std::uint64_t size) noexcept;
  void open_sidecar() noexcept;
  void leave_sidecar() noexcept;
  [[gnu::cold]] void follow_with_pending(std::uint64_t total) noexcept;

  rotating_device& log_;
};

}  // namespace v0
}  // namespace leat
