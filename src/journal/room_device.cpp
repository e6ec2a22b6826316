#include "journal/room_device.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

// Room is as large as what the file has, within these bounds. Measured on ext4, in memory and on a
// disk: less than 64 KiB helps records of 4 KB and more less, and 1 MiB only makes the call that
// writes it longer.
constexpr std::uint64_t least_room = 64 << 10;
constexpr std::uint64_t most_room = 256 << 10;
/// A write of so many bytes hides what the new size costs.
constexpr std::uint64_t large_write = 64 << 10;
/// Room ends where a page does, so that no page is written for a part of it.
constexpr std::uint64_t room_step = 4096;

}  // namespace

std::size_t room_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                  std::error_code& ec) noexcept {
  const std::size_t written = below_->write_at(at, pieces, ec);
  end_ = std::max(end_, at + written);
  if (end_ > room_end_ && synced_.exchange(false) && !ec && written < large_write) make_room();
  return written;
}

/// One call, without another one for the rest: a full disk, or a limit, has been met then.
void room_device::make_room() noexcept {
  if (!makes_room_) return;
  std::error_code ec;
  // What can't be cut must not be made. This changes nothing; of a file of the system it would free
  // what was reserved.
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

/// Zeros that stay are no harm.
void room_device::cut() noexcept {
  std::error_code ignored;
  // The room of a forked child's copy is the parent's.
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
