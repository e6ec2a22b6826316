// Direct I/O: aligned blocks, several requests at a time. The functions that open files make the
// device.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <memory>
#include <mutex>

#include "device/direct/blocks.hpp"
#include "device/direct/direct_mode.hpp"
#include "device/direct/read_ahead.hpp"
#include "device/request_queue.hpp"

namespace leat {
inline namespace v0 {

/// Direct I/O for a device that needs its transfers aligned, both in memory and in the file.
///
/// If a program reads one range after another by read_at, threads read the next chunks, so that the
/// disk works on up to two requests at a time. After a jump only the blocks of the requested bytes
/// are read. Batches keep many requests in flight by a request_queue. Without a queue, batches make
/// one request after the other.
///
/// Whole blocks are written directly. If the system refuses the direct write (invalid_argument), or
/// if write_at has no memory for a copy, whole blocks are written through the page cache. If a
/// request covers a block only in part, write_many reads, changes and writes the block; write_at
/// writes the part through the page cache. The length of a file need not be a multiple of a block,
/// so a block in which the file ends is written through the page cache, too. Between calls O_DIRECT
/// is on or off, as `idle_mode` says. A write that needs the other state switches the descriptor,
/// and switches it back afterwards. Code that uses the same descriptor during a write may find
/// O_DIRECT on or off.
///
/// Direct and cached transfers see each other's bytes. A direct transfer first makes the kernel
/// write the cached pages of its range, and a direct write drops these pages (Linux, mm/filemap.c:
/// kiocb_write_and_wait, kiocb_invalidate_pages). But open(2) warns against direct and cached
/// transfers of the same block at the same time. So nothing else may write to a block while this
/// device writes the block.
class direct_device final : public device {
 public:
  /// The state of the disk's descriptor between calls: for direct I/O, or for the page cache.
  enum class idle_mode { direct, cached };
  /// How read_at is used. With random reads no threads are started. If the disk's traits say
  /// `concurrent`, any number of threads may use the device with random reads at once. Writes wait
  /// for each other.
  enum class read_order { sequential, random };

  static constexpr unsigned default_depth = 256;

  /// `depth`: the most requests of a batch in flight. With 0 there is no queue, and one request is
  /// in flight.
  explicit direct_device(std::unique_ptr<device> disk, idle_mode state = idle_mode::direct,
                         read_order order = read_order::sequential, unsigned depth = default_depth);
  ~direct_device() override;

  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  /// One call writes up to the next block boundary. From a boundary on, one call writes whole
  /// blocks, or all given bytes if these are fewer than a block.
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  void read_many(std::span<read_request> requests) noexcept override;
  void write_many(std::span<write_request> requests) noexcept override;
  std::uint64_t position() const noexcept override { return disk_->position(); }
  std::uint64_t size(std::error_code& ec) const noexcept override { return disk_->size(ec); }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    disk_->resize(size, ec);
  }
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override {
    disk_->reserve(size, ec);
  }
  void sync(std::error_code& ec) noexcept override { disk_->sync(ec); }
  std::chrono::nanoseconds now() const noexcept override { return disk_->now(); }
  double cost() const noexcept override { return disk_->cost(); }
  void close(std::error_code& ec) noexcept override;
  native_handle_type native_handle() const noexcept override { return disk_->native_handle(); }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  std::size_t write_blocks(std::uint64_t at, std::span<const std::string_view> pieces,
                           std::size_t size, std::error_code& ec);
  queue_pool::lease acquire_queue() noexcept;
  void stop() noexcept;

  std::unique_ptr<device> disk_;
  direct_mode mode_;
  read_order order_;
  queue_pool queues_;
  std::mutex write_lock_;                   // also guards mode_ and buffer_
  aligned_memory buffer_;                   // for bytes that write_at must copy
  std::unique_ptr<read_ahead> read_ahead_;  // null: no chunks are read ahead
  std::uint64_t next_;                      // the position after the last read
};

}  // namespace v0
}  // namespace leat
