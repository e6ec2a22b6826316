// A buffered stream over a device, with C's rules: the descriptor's visible position, the time of
// writes, and the state after an error. The files of src/stdio and src/c call the stream through
// leat_file::below. open.cpp makes streams; process.cpp and standard.cpp derive streams from
// device_stream. device_stream_read.cpp has the reading, device_stream_write.cpp the writing,
// device_stream_flush.cpp the flushes, device_stream.cpp the rest.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "base/standard_peers.hpp"
#include "device/cursor_device.hpp"
#include "device/seek_reads.hpp"
#include "recovery/sidecar.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

class device_stream : public stream {
 public:
  /// `at_end`: starts after the last byte, as with fopen's mode "a".
  /// `sync`: bytes survive a crash of the machine after a flush or a close.
  /// `just_opened`: the program has opened the file by its path; see is_offset_private_.
  explicit device_stream(std::unique_ptr<device> target, bool sync) noexcept;
  explicit device_stream(std::unique_ptr<cursor_device> target, bool at_end = false,
                         bool sync = false, bool just_opened = false) noexcept;
  ~device_stream() override;

  bool begin_reading(leat_file& f) noexcept override;
  bool fill(leat_file& f) noexcept override;
  std::size_t read(leat_file& f, char* to, std::size_t n) noexcept override;
  std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept override;
  bool flush(leat_file& f) noexcept override { return flush(f, sync_); }
  bool sync(leat_file& f) noexcept override { return flush(f, true); }
  bool begin_sync(leat_file& f, bool always, pending_sync& request) noexcept override;
  bool end_sync(leat_file& f, const pending_sync& request, bool served) noexcept override;
  bool seek(leat_file& f, std::int64_t target) noexcept override;
  std::int64_t end(leat_file& f) noexcept override;
  std::int64_t tell(leat_file& f) noexcept override;
  std::int64_t tell_or_count(leat_file& f) noexcept override;
  std::size_t pending(const leat_file& f) const noexcept override;
  void remove_pending(leat_file& f, std::size_t n) noexcept override;
  bool set_buffer(leat_file& f, char* memory, std::size_t size) noexcept override;
  std::size_t buffer_size(const leat_file& f) const noexcept override;
  void purge(leat_file& f) noexcept override;
  bool close(leat_file& f) noexcept override;
  /// Gives up the descriptor to another stream, without a flush.
  void release(leat_file& f) noexcept;
  int descriptor() const noexcept override { return descriptor_; }
  void share_descriptor() noexcept override { is_offset_private_ = false; }
  bool is_terminal() const noexcept override { return traits_.terminal; }
  bool commits() const noexcept override { return traits_.commits; }
  bool drop_uncommitted(leat_file& f) noexcept override;
  bool close_at_exit(leat_file& f, bool& closed) noexcept override;
  bool appends() const noexcept override { return traits_.appends; }
  void before_fork(leat_file& f) noexcept override;
  void after_fork_in_child(leat_file& f) noexcept override;
  /// Attaches a sidecar, which holds the pending bytes of completed calls
  /// (LEAT_DURABILITY_PROCESS). Called before the first read or write.
  void attach_sidecar(std::unique_ptr<sidecar> own) noexcept { sidecar_ = std::move(own); }
  const device& target_device() const noexcept { return *device_; }
  bool syncs() const noexcept override { return sync_; }
  bool is_in_write() const noexcept override { return write_state_ != write_state::none; }
  bool is_inherited(const leat_file& f) const noexcept override {
    return state_ == state::reading && f.get == get_at_fork_;
  }
  std::unique_ptr<device> twin(bool writable) const noexcept override {
    return cursor_ != nullptr ? cursor_->twin(writable) : nullptr;
  }

 protected:
  bool is_standard_ = false;  // leat::out or leat::err may write to the same descriptor

 private:
  // Sizes in bytes, the fastest in measurements: for writes, for the first read and the reads after
  // a jump, and for long sequential reads.
  static constexpr std::size_t write_size = std::size_t{64} << 10;
  static constexpr std::size_t first_read_size = std::size_t{4} << 10;
  static constexpr std::size_t most_read_size = std::size_t{256} << 10;

  bool ensure_buffer(std::size_t size) noexcept;
  bool reload_offset(leat_file& f) noexcept;
  template <class Result>
  Result refuse_position(leat_file& f, Result result) noexcept;
  bool begin_writing(leat_file& f) noexcept;
  bool appends_at_end() const noexcept {
    return traits_.appends && cursor_ != nullptr && traits_.positional;
  }
  std::uint64_t end_for_append(leat_file& f) noexcept;
  std::uint64_t position(const leat_file& f) const noexcept;
  void reset_buffer(leat_file& f) noexcept;
  /// Sets `put` to the end of the `used` pending bytes. With full buffering, put_end is the
  /// buffer's end. With line buffering, put_end is `put`, and line_end is the buffer's end. With a
  /// sidecar, line_end is null.
  void set_put_range(leat_file& f, std::size_t used) noexcept {
    char* const end = buffer_ + capacity_;
    f.put = buffer_ + used;
    f.put_end = f.buffers == buffering::full ? end : f.put;
    f.line_end = f.buffers == buffering::line && sidecar_ == nullptr ? end : nullptr;
  }
  void choose_read_size() noexcept;
  std::size_t read_device(leat_file& f, char* to, std::size_t n) noexcept;
  std::size_t read_once(leat_file& f, std::uint64_t at, std::span<char> into,
                        std::error_code& ec) noexcept;
  [[gnu::noinline]] bool read_around(leat_file& f) noexcept;
  /// The written bytes that the device does not have yet.
  std::string_view pending_bytes(const leat_file& f) const noexcept {
    if (state_ != state::writing) return {};
    if (sidecar_ != nullptr) return sidecar_->pending_bytes();
    return {buffer_, static_cast<std::size_t>(f.put - buffer_)};
  }
  bool has_pending_bytes(const leat_file& f) const noexcept {
    if (state_ != state::writing) return false;
    return sidecar_ == nullptr ? f.put != buffer_ : !sidecar_->pending_bytes().empty();
  }
  /// True if leat::out or leat::err may have bytes that come before this stream's next bytes.
  bool has_peer() const noexcept {
    return is_standard_ && standard_peers::leat.load(std::memory_order_relaxed) != nullptr;
  }
  bool write_to_sidecar(leat_file& f, std::string_view bytes) noexcept;
  [[gnu::noinline]] std::size_t write_call_to_sidecar(leat_file& f,
                                                      std::string_view bytes) noexcept;
  void drain_shared(leat_file& f) noexcept;
  std::size_t write_unbuffered(leat_file& f, std::string_view bytes) noexcept;
  [[gnu::noinline]] std::size_t write_to_buffer(leat_file& f, const char* from,
                                                std::size_t n) noexcept;
  bool write_pending(leat_file& f) noexcept;
  std::size_t write_to_device(leat_file& f, std::string_view bytes) noexcept;
  void begin_write(bool at_offset) noexcept;
  bool write_piece(leat_file& f, std::string_view piece, std::ptrdiff_t& n) noexcept;
  [[gnu::noinline]] std::size_t finish_write(leat_file& f, std::string_view bytes,
                                             std::ptrdiff_t first) noexcept;
  std::size_t write_with_sidecar(std::string_view& pending, std::string_view bytes,
                                 std::error_code& ec) noexcept;
  bool fails_fast(leat_file& f, std::size_t n) noexcept;
  bool repeat_recent_failure(leat_file& f, std::size_t n) noexcept;
  void note_failed_write(leat_file& f, std::error_code ec, std::uint64_t unwritten) noexcept;
  bool drain(leat_file& f) noexcept { return !has_pending_bytes(f) || write_pending(f); }
  /// True for a device, an encoder for example, that may keep bytes until it is closed. A stream of
  /// fopencookie is left open at exit, as in glibc.
  bool keeps_bytes_until_close() const noexcept {
    return cursor_ == nullptr && device_ != nullptr && !traits_.positional &&
           device_->native_handle() == no_handle;
  }
  bool flush(leat_file& f, bool sync) noexcept;
  bool prepare_sync(leat_file& f, pending_sync& request) noexcept;
  bool sync_device(leat_file& f) noexcept;
  void end_syncs() noexcept;
  /// Moves the descriptor's offset to `at`, for other users of the descriptor. `always`: also if
  /// the last known offset is `at`. Returns false on errors.
  bool set_descriptor_offset(leat_file& f, std::uint64_t at, bool always = false) noexcept {
    is_offset_current_ = true;
    return cursor_ == nullptr || !traits_.positional || (!always && cursor_->position() == at) ||
           move_descriptor_offset(f, at);
  }
  [[gnu::noinline]] bool move_descriptor_offset(leat_file& f, std::uint64_t at) noexcept;

  std::unique_ptr<device> device_;
  cursor_device* cursor_;  // device_, if it has a file offset; otherwise null
  int descriptor_ = -1;
  device_traits traits_;
  bool writes_once_ = false;          // see cursor_device
  std::unique_ptr<sidecar> sidecar_;  // null: no sidecar
  bool needs_own_sidecar_ = false;    // a forked child has not opened its own sidecar yet
  std::unique_ptr<char[]> own_buffer_;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;                 // the size of buffer_
  std::size_t setvbuf_size_ = 0;             // the size given to setvbuf; 0: none
  std::size_t read_size_ = first_read_size;  // for the next fill
  /// The position of buffer_[0]; while idle: of the next byte. Not known while bytes are appended
  /// without a sidecar.
  std::uint64_t base_ = 0;
  std::uint64_t run_begin_ = 0;             // the target of the last jump
  std::size_t run_size_ = first_read_size;  // bytes used between the last two jumps
  std::uint64_t last_read_end_ = 0;  // the last read's end; a read that starts there is sequential
  seek_reads seek_reads_;
  bool is_offset_current_ = true;  // the descriptor's offset is the stream's position
  /// The program has opened the file by its path, and neither read nor written yet. No other code
  /// has the descriptor, so the offset is known.
  bool is_offset_private_ = false;
  bool sync_ = false;
  /// After a flush, other users of the descriptor may move the offset, but `base_` and the device's
  /// position stay. So reload_offset() asks the system for the offset.
  bool offset_may_move_ = false;
  /// The write to the device that is under way: at the descriptor's offset, or elsewhere.
  enum class write_state : unsigned char { none, at_offset, elsewhere };
  volatile write_state write_state_ = write_state::none;
  bool was_forked_ = false;            // this process was forked while the stream was open
  const char* get_at_fork_ = nullptr;  // in a forked child: f.get at the fork; null after a read
  std::uint64_t write_count_ = 0;      // the count of writes to the device
  std::uint64_t synced_writes_ = 0;    // the first `synced_writes_` writes are synced
  std::shared_ptr<sync_group> sync_group_;  // null: no sync yet
  bool seeks_device_ = false;               // each seek moves the device's position (fopencookie)
  unsigned failures_ = 0;                   // consecutive writes that failed and wrote no byte
  std::error_code failure_;                 // the error of the last failed write
  std::chrono::steady_clock::time_point failed_at_;
};

/// Makes a stream over the device. Returns null if `device` is null. If there is no memory, returns
/// null, and the device's descriptor stays open.
template <class Stream = device_stream, class... Rest>
std::unique_ptr<stream> stream_over(std::unique_ptr<cursor_device> device, Rest... rest) noexcept {
  if (device == nullptr) return nullptr;
  std::unique_ptr<stream> made(new (std::nothrow) Stream(std::move(device), rest...));
  // Without memory the constructor was not called, and `device` was not moved from.
  std::error_code ignored;
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  if (made == nullptr) device->release(0, ignored);
  return made;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
