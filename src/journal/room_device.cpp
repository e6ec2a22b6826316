// Space that a journal writes ahead, so that a sync need not change the file's size. journal.cpp
// makes this device.
#include "journal/room_device.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

// The room is as large as the file's content, within these bounds. Measured on ext4, in memory and
// on a disk: with less than 64 KiB, the room saves less time for records of 4 KB and more. With
// 1 MiB instead of 256 KiB, the room saves no more time, and the call that writes the room takes
// longer.
constexpr std::uint64_t least_room = 64 << 10;
constexpr std::uint64_t most_room = 256 << 10;
/// A write of at least this size hides the cost of the new file size.
constexpr std::uint64_t large_write = 64 << 10;
/// Room ends at a page boundary, so that no write of room covers only a part of its last page.
constexpr std::uint64_t room_step = 4096;

}  // namespace

std::size_t room_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                  std::error_code& ec) noexcept {
  const std::size_t written = below_->write_at(at, pieces, ec);
  end_ = std::max(end_, at + written);
  if (end_ > room_end_ && synced_.exchange(false) && !ec && written < large_write) make_room();
  return written;
}

/// Makes room by a single write. If this write is short, no second write follows, because the disk
/// is full or a limit is reached.
void room_device::make_room() noexcept {
  if (!makes_room_) return;
  std::error_code ec;
  // Room that cannot be cut must not be made. The resize to the current size tests whether the
  // device can cut. For a file of the system, the resize would free reserved space, so the test is
  // skipped.
  if (room_end_ == 0 && below_->native_handle() == no_handle) below_->resize(end_, ec);
  makes_room_ = !ec;
  if (!makes_room_) return;
  const std::uint64_t to = (end_ + std::clamp(end_, least_room, most_room)) / room_step * room_step;
  const auto size = static_cast<std::size_t>(to - end_);
  const std::unique_ptr<char[]> zeros(new (std::nothrow) char[size]());
  if (zeros == nullptr) return;
  const std::string_view bytes(zeros.get(), size);
  const std::size_t written = below_->write_at(end_, {&bytes, 1}, ec);
  room_end_ = end_ + written;
  makes_room_ = !ec && written == size;
}

/// Cuts the room. If the cut fails, the zeros that stay do no harm.
void room_device::cut() noexcept {
  std::error_code ignored;
  // In a forked child, the room belongs to the parent.
  if (room_end_ > end_ && process_ == this_process()) below_->resize(end_, ignored);
  room_end_ = 0;
}

void room_device::resize(std::uint64_t size, std::error_code& ec) noexcept {
  below_->resize(size, ec);
  if (ec) return;
  end_ = size;
  room_end_ = 0;
}

void room_device::sync(std::error_code& ec) noexcept {
  below_->sync(ec);
  if (!ec) synced_ = true;
}

void room_device::close(std::error_code& ec) noexcept {
  cut();
  below_->close(ec);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
