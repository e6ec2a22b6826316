// The thread that reads ahead, and the blocks that the thread shares with the program.
// compressed.cpp makes this device.
#include "device/read_ahead_device.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "base/service_thread.hpp"
#include "base/sleep.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The sizes of the first block and of the largest blocks. The size doubles from block to block:
/// the first block is small, so that its bytes come soon. All blocks together (1 MiB) fit into the
/// cache that two processors share.
constexpr std::size_t first_block_size = 16 << 10;
constexpr std::size_t largest_block_size = 256 << 10;
/// This many bytes after a block are readable: a reader's window_padding.
constexpr std::size_t block_padding = 64;
/// After a jump forward by up to this many bytes the thread reads on, and is not started again.
constexpr std::uint64_t longest_skip = 4 << 20;

}  // namespace

read_ahead_device::~read_ahead_device() { stop(); }

device_traits read_ahead_device::traits() const noexcept {
  device_traits result = below_->traits();
  result.reads_ahead = true;
  result.concurrent = result.starts_reads = false;
  result.has_views = true;
  return result;
}

/// True in a forked child: the thread exists only in the parent.
bool read_ahead_device::is_child() const noexcept {
  return thread_ != nullptr && process_ != this_process();
}

bool read_ahead_device::start(std::uint64_t at) noexcept try {
  current_ = 0;
  process_ = this_process();
  stopping_.store(false, std::memory_order_relaxed);
  for (block& one : blocks_) one.state.store(empty, std::memory_order_relaxed);
  thread_ = std::make_unique<std::thread>(start_service_thread([this, at] { run(at); }));
  return true;
} catch (const std::exception&) {
  start_failed_ = true;
  return false;
}

void read_ahead_device::stop() noexcept {
  if (thread_ == nullptr) return;
  if (is_child()) {
    static_cast<void>(thread_.release());  // the thread can't be ended here
    return;
  }
  stopping_.store(true, std::memory_order_release);
  // If the thread sleeps, all blocks are full, and the thread waits for the program's block.
  blocks_[current_].state.store(stopped, std::memory_order_release);
  wake_one(blocks_[current_].state);
  join(*thread_);
  thread_.reset();
}

void read_ahead_device::run(std::uint64_t at) noexcept {
  std::size_t size = first_block_size;
  for (std::size_t next = 0;; next = (next + 1) % blocks_.size()) {
    block& mine = blocks_[next];
    while (mine.state.load(std::memory_order_acquire) == full) sleep_while(mine.state, full);
    if (stopping_.load(std::memory_order_acquire)) return;
    mine.at = at;
    mine.size = 0;
    mine.ec.clear();
    if (mine.capacity < size) {
      mine.memory.reset(new (std::nothrow) char[size + block_padding]);
      mine.capacity = mine.memory == nullptr ? 0 : size;
      if (mine.memory == nullptr) mine.ec = std::make_error_code(std::errc::not_enough_memory);
    }
    if (!mine.ec) mine.size = read_some(*below_, at, {mine.memory.get(), size}, mine.ec);
    const bool last = mine.size == 0;
    at += mine.size;
    size = std::min(2 * size, largest_block_size);
    // stop() may have marked the block meanwhile.
    int before = empty;
    if (!mine.state.compare_exchange_strong(before, full, std::memory_order_acq_rel)) return;
    wake_one(mine.state);
    if (last) return;
  }
}

/// Returns the bytes from `at` to the end of their block. At the end of the device below, returns
/// no bytes. After an error, and in a forked child, sets `ec` and returns no bytes. If no thread
/// can be started, sets `start_failed_` and returns no bytes.
std::string_view read_ahead_device::bytes_at(std::uint64_t at, std::error_code& ec) noexcept {
  ec.clear();
  if (start_failed_) return {};
  if (is_child()) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return {};
  }
  if (thread_ == nullptr && !start(at)) return {};
  for (;;) {
    block& one = blocks_[current_];
    while (one.state.load(std::memory_order_acquire) == empty) sleep_while(one.state, empty);
    const bool ended = one.size == 0;
    if (at < one.at || at - one.at > longest_skip || (ended && at != one.at && one.ec)) {
      // The bytes are elsewhere, or a read at an earlier position has failed. The thread starts
      // again at `at`.
      stop();
      if (!start(at)) return {};
      continue;
    }
    if (ended) {
      ec = one.ec;
      return {};
    }
    if (at - one.at < one.size) {
      const auto passed = static_cast<std::size_t>(at - one.at);
      return {one.memory.get() + passed, one.size - passed};
    }
    one.state.store(empty, std::memory_order_release);
    wake_one(one.state);
    current_ = (current_ + 1) % blocks_.size();
  }
}

std::size_t read_ahead_device::read_at(std::uint64_t at, std::span<char> into,
                                       std::error_code& ec) noexcept {
  const std::string_view bytes = bytes_at(at, ec);
  if (start_failed_) return below_->read_at(at, into, ec);
  if (ec && !is_child()) stop();  // the next read tries again
  const std::size_t n = std::min(bytes.size(), into.size());
  if (n != 0) std::memcpy(into.data(), bytes.data(), n);
  return n;
}

std::string_view read_ahead_device::view_at(std::uint64_t at, std::size_t) noexcept {
  std::error_code reported_by_read;
  return bytes_at(at, reported_by_read);
}

std::size_t read_ahead_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                        std::error_code& ec) noexcept {
  return below_->write_at(at, pieces, ec);
}

void read_ahead_device::close(std::error_code& ec) noexcept {
  stop();
  below_->close(ec);
}

}  // namespace v0
}  // namespace leat
