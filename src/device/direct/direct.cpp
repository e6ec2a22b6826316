// Implements direct_device, which open.cpp makes. Batches are in read_batch.cpp and
// write_batch.cpp.
#include "device/direct/direct.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "device/direct/batch.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// If the bytes are not aligned in memory, or are in several pieces, write_at copies and writes at
/// most this many bytes in one call.
constexpr std::size_t largest_copy = 2 << 20;

/// True if the first `size` bytes are contiguous and aligned in memory: then no copy is needed.
bool is_in_place(std::span<const std::string_view> pieces, std::size_t size) noexcept {
  return pieces.front().size() >= size && is_aligned(pieces.front().data());
}

void gather(std::span<const std::string_view> pieces, std::span<char> into) {
  for (const auto& piece : pieces) into = into.subspan(piece.copy(into.data(), into.size()));
}

/// The first `size` bytes of the pieces. Uses at most max_pieces pieces, even if these pieces have
/// fewer than `size` bytes.
struct first_pieces {
  std::array<std::string_view, max_pieces> all{};
  std::size_t count = 0;

  first_pieces(std::span<const std::string_view> pieces, std::size_t size) noexcept {
    for (const auto& piece : pieces) {
      if (size == 0 || count == all.size()) break;
      if (piece.empty()) continue;
      all[count] = piece.substr(0, size);
      size -= all[count++].size();
    }
  }
};

}  // namespace

direct_device::direct_device(std::unique_ptr<device> disk, idle_mode state, read_order order,
                             unsigned depth)
    : disk_(std::move(disk)),
      mode_(*disk_, state == idle_mode::direct),
      order_(order),
      queues_(depth),
      next_(~std::uint64_t{0}) {}

direct_device::~direct_device() { stop(); }

void direct_device::stop() noexcept {
  if (read_ahead_ != nullptr && !read_ahead_->is_alive()) static_cast<void>(read_ahead_.release());
  read_ahead_.reset();
}

device_traits direct_device::traits() const noexcept {
  device_traits result = disk_->traits();
  result.concurrent = result.concurrent && order_ == read_order::random;
  result.syncs_concurrently = false;
  return result;
}

queue_pool::lease direct_device::acquire_queue() noexcept {
  // A device without a descriptor transfers its blocks itself.
  if (direct_handle(*disk_) == no_handle) return {queues_, nullptr};
  return queues_.acquire();
}

std::size_t direct_device::read_at(std::uint64_t at, std::span<char> into,
                                   std::error_code& ec) noexcept try {
  ec.clear();
  if (into.empty()) return 0;
  if (order_ == read_order::random) return read_around(*disk_, at, into, ec);
  if (read_ahead_ != nullptr && !read_ahead_->is_alive()) stop();
  std::size_t n = 0;
  if (at == next_) {
    if (read_ahead_ == nullptr) read_ahead_ = std::make_unique<read_ahead>(*disk_);
    n = read_ahead_->read(at, into, ec);
    if (n == 0 && !ec) {
      // The file may have grown since the chunk was read. Then the later chunks are old, too.
      n = read_around(*disk_, at, into.first(std::min(into.size(), block_size)), ec);
      if (n != 0) read_ahead_->drop();
    }
  } else {
    // A program that goes back expects the bytes that the file has now.
    if (at < next_ && read_ahead_ != nullptr) read_ahead_->drop();
    n = read_around(*disk_, at, into, ec);
  }
  next_ = at + n;
  return n;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
} catch (const std::system_error&) {
  return read_around(*disk_, at, into, ec);  // no thread could be started
}

void direct_device::read_many(std::span<read_request> requests) noexcept {
  if (requests.empty()) return;
  queue_pool::lease queue = acquire_queue();
  read_batch(*disk_, queue, requests);
}

void direct_device::write_many(std::span<write_request> requests) noexcept {
  if (requests.empty()) return;
  const std::lock_guard guard(write_lock_);
  queue_pool::lease queue = acquire_queue();
  write_batch(*disk_, mode_, queue, requests);
}

std::size_t direct_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                    std::error_code& ec) noexcept {
  const std::lock_guard guard(write_lock_);
  std::size_t size = 0;
  for (const auto& piece : pieces) size += piece.size();
  const auto lead = static_cast<std::size_t>(at % block_size);
  if (lead != 0) {
    size = std::min(size, block_size - lead);
  } else if (size >= block_size) {
    size = size / block_size * block_size;
    try {
      const std::size_t n = write_blocks(at, pieces, size, ec);
      if (n != 0 || ec != std::errc::invalid_argument) return n;
      // The process's file size limit is inside a block, or the file system needs a larger
      // alignment.
    } catch (const std::bad_alloc&) {
      ec.clear();  // writing through the page cache needs no buffer
    }
  }
  const direct_mode::scope cached(mode_, false);
  const first_pieces first(pieces, size);
  return disk_->write_at(at, std::span(first.all).first(first.count), ec);
}

/// Writes the first `size` bytes by one request. If the bytes must be copied, writes at most
/// largest_copy bytes. File systems make requests that extend a file wait for each other, so
/// several requests would be slower.
std::size_t direct_device::write_blocks(std::uint64_t at, std::span<const std::string_view> pieces,
                                        std::size_t size, std::error_code& ec) {
  std::string_view bytes = pieces.front().substr(0, size);
  if (!is_in_place(pieces, size)) {
    if (buffer_ == nullptr) buffer_ = allocate_aligned(largest_copy);
    const std::span<char> copy(buffer_.get(), std::min(size, largest_copy));
    gather(pieces, copy);
    bytes = {copy.data(), copy.size()};
  }
  const direct_mode::scope direct(mode_, true);
  return disk_->write_at(at, {&bytes, 1}, ec);
}

void direct_device::close(std::error_code& ec) noexcept {
  stop();
  disk_->close(ec);
}

native_handle_type direct_device::release(std::uint64_t at, std::error_code& ec) noexcept {
  stop();
  return disk_->release(at, ec);
}

}  // namespace v0
}  // namespace leat
