// A buffer in front of a device, with the rules of C: what a program sees of the descriptor, when
// bytes are handed on, and what is left after an error.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <memory>
#include <system_error>

#include "device/cursor_device.hpp"
#include "recovery/sidecar.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

class device_stream : public stream {
 public:
  /// `at_end`: starts behind the last byte, as for "a".
  /// `sync`: bytes survive a crash of the machine after a flush or a close.
  explicit device_stream(std::unique_ptr<device> on, bool sync) noexcept;
  explicit device_stream(std::unique_ptr<cursor_device> on, bool at_end = false,
                         bool sync = false) noexcept;
  ~device_stream() override;

  bool begin_reading(leat_file& f) noexcept override;
  bool fill(leat_file& f) noexcept override;
  std::size_t read(leat_file& f, char* to, std::size_t n) noexcept override;
  std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept override;
  bool flush(leat_file& f) noexcept override { return flush(f, sync_); }
  bool sync(leat_file& f) noexcept override { return flush(f, true); }
  bool begin_sync(leat_file& f, bool always, pending_sync& left) noexcept override;
  bool end_sync(leat_file& f, const pending_sync& of, bool served) noexcept override;
  bool seek(leat_file& f, std::int64_t target) noexcept override;
  std::int64_t end(leat_file& f) noexcept override;
  std::int64_t tell(leat_file& f) noexcept override;
  std::int64_t passed(leat_file& f) noexcept override;
  std::size_t pending(const leat_file& f) const noexcept override;
  bool set_buffer(leat_file& f, char* memory, std::size_t size) noexcept override;
  std::size_t buffer_size(const leat_file& f) const noexcept override;
  void purge(leat_file& f) noexcept override;
  bool close(leat_file& f) noexcept override;
  /// Another stream owns the descriptor from now on; nothing is flushed.
  void release(leat_file& f) noexcept;
  int descriptor() const noexcept override { return descriptor_; }
  bool terminal() const noexcept override { return traits_.terminal; }
  bool commits() const noexcept override { return traits_.commits; }
  bool give_up(leat_file& f) noexcept override;
  bool appends() const noexcept override { return traits_.appends; }
  void before_fork(leat_file& f) noexcept override;
  void after_fork_in_child(leat_file& f) noexcept override;
  /// Bytes of completed calls wait there: LEAT_DURABILITY_PROCESS. Called before the first byte.
  void use(std::unique_ptr<sidecar> beside) noexcept { beside_ = std::move(beside); }
  const device& on() const noexcept { return *device_; }
  bool syncs() const noexcept override { return sync_; }
  bool is_inside() const noexcept override { return pushes_; }
  bool is_parents(const leat_file& f) const noexcept override {
    return state_ == state::reading && f.get == inherited_;
  }
  std::unique_ptr<device> twin(bool writable) const noexcept override {
    return cursor_ != nullptr ? cursor_->twin(writable) : nullptr;
  }

 protected:
  /// Bytes are about to be written.
  virtual void before_write() noexcept {}

 private:
  // Measured with the experiments: the best window for a file that is written or read from start to
  // end, and for one that is read at scattered places.
  static constexpr std::size_t write_window = std::size_t{64} << 10;
  static constexpr std::size_t first_read_window = std::size_t{4} << 10;
  static constexpr std::size_t most_read_window = std::size_t{256} << 10;

  bool have_buffer(std::size_t size) noexcept;
  bool catch_up(leat_file& f) noexcept;
  bool begin_writing(leat_file& f) noexcept;
  std::uint64_t position(const leat_file& f) const noexcept;
  void forget_window(leat_file& f) noexcept;
  void lend(leat_file& f, std::size_t used) noexcept;
  void choose_window() noexcept;
  std::size_t read_device(leat_file& f, char* to, std::size_t n) noexcept;
  std::string_view waiting(const leat_file& f) const noexcept;
  bool put_beside(leat_file& f, std::string_view bytes) noexcept;
  void drain_shared(leat_file& f) noexcept;
  std::size_t write_call(leat_file& f, std::string_view bytes) noexcept;
  [[gnu::noinline]] std::size_t write_to_buffer(leat_file& f, const char* from,
                                                std::size_t n) noexcept;
  std::size_t push(leat_file& f, std::string_view bytes) noexcept;
  bool refuses(leat_file& f, std::size_t n) noexcept;
  bool drain(leat_file& f) noexcept { return pending(f) == 0 || push(f, {}), pending(f) == 0; }
  bool flush(leat_file& f, bool sync) noexcept;
  bool prepare_sync(leat_file& f, pending_sync& left) noexcept;
  bool sync_device(leat_file& f) noexcept;
  void end_syncs() noexcept;
  bool expose(leat_file& f, std::uint64_t at) noexcept;

  std::unique_ptr<device> device_;
  cursor_device* cursor_;  // device_, if it has an offset of its own; otherwise null
  int descriptor_ = -1;
  device_traits traits_;
  std::unique_ptr<sidecar> beside_;  // null: no bytes wait there
  bool joins_ = false;               // a forked child has not opened its own yet
  std::unique_ptr<char[]> own_;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;                // the size of buffer_
  std::size_t wanted_ = 0;                  // what setvbuf asked for; 0: nothing
  std::size_t window_ = first_read_window;  // for the next fill
  std::uint64_t base_ = 0;       // the position of buffer_[0]; while idle: of the next byte
  std::uint64_t run_begin_ = 0;  // where the last jump went to
  std::size_t run_size_ = first_read_window;  // how much was read after the jump before
  std::uint64_t read_to_ = 0;  // the last read's end; a read that starts there is sequential
  bool exposed_ = true;  // the descriptor is at the stream's position, where others can see it
  bool sync_ = false;
  volatile bool pushes_ = false;       // push() is under way
  bool is_childs_ = false;             // this process was forked while the stream was open
  const char* inherited_ = nullptr;    // where a forked child began to read; null: it has read on
  std::uint64_t writes_ = 0;           // to the device
  std::uint64_t synced_ = 0;           // so many of them are safe
  std::shared_ptr<sync_group> syncs_;  // null: nobody has synced yet
  bool eager_ = false;                 // each seek moves the device (fopencookie)
  unsigned failures_ = 0;              // writes that failed, one after the other
  std::error_code failure_;            // the last one's
  std::chrono::steady_clock::time_point failed_at_;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
