// Implements overlay_device: writes change copies of pages, and reads combine the copies with the
// bytes of the device below. random_access.cpp makes the device.
#include "device/overlay.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>

#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The largest size of a file. Larger sizes fail here as they fail for files.
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();

}  // namespace

overlay_device::overlay_device(std::unique_ptr<device> below) : below_(std::move(below)) {}

device_traits overlay_device::traits() const noexcept {
  device_traits result = below_->traits().in_front();
  result.appends = result.commits = false;
  return result;
}

/// The size of this device. Until a write or resize() changes the size, this is the size of the
/// device below. Called with the lock held.
std::uint64_t overlay_device::visible_size(std::error_code& ec) const noexcept {
  ec.clear();
  return resized_ ? size_ : below_->size(ec);
}

std::uint64_t overlay_device::size(std::error_code& ec) const noexcept {
  const std::shared_lock guard(lock_);
  return visible_size(ec);
}

void overlay_device::resize(std::uint64_t size, std::error_code& ec) noexcept {
  const std::unique_lock guard(lock_);
  const std::uint64_t before = visible_size(ec);
  if (ec) return;
  if (size > largest_size) {
    ec = std::make_error_code(std::errc::file_too_large);
    return;
  }
  if (!resized_) below_end_ = before;
  below_end_ = std::min(below_end_, size);
  resized_ = true;
  size_ = size;
  if (size >= before) return;
  // If the file grows again, the bytes after `size` must be zeros.
  std::erase_if(pages_, [&](const auto& one) { return one.first * page_size >= size; });
  const auto last = pages_.find(size / page_size);
  if (last != pages_.end()) {
    const std::size_t used = size % page_size;
    std::memset(last->second.get() + used, 0, page_size - used);
  }
}

std::size_t overlay_device::read_at(std::uint64_t at, std::span<char> into,
                                    std::error_code& ec) noexcept {
  return read(at, into, ec,
              [](device& from, std::uint64_t where, std::span<char> to, std::error_code& e) {
                return from.read_at(where, to, e);
              });
}

std::size_t overlay_device::read_ready(std::uint64_t at, std::span<char> into,
                                       std::error_code& ec) noexcept {
  return read(at, into, ec,
              [](device& from, std::uint64_t where, std::span<char> to, std::error_code& e) {
                return from.read_ready(where, to, e);
              });
}

/// Reads the bytes of the device below with `read_below`, then copies the changed pages over these
/// bytes. Returns the number of bytes. On failure sets `ec` and returns 0. A result of 0 without an
/// error means the end.
std::size_t overlay_device::read(std::uint64_t at, std::span<char> into, std::error_code& ec,
                                 std::size_t (*read_below)(device&, std::uint64_t, std::span<char>,
                                                           std::error_code&)) noexcept {
  const std::shared_lock guard(lock_);
  if (!resized_ && pages_.empty()) return read_below(*below_, at, into, ec);
  const std::uint64_t size = visible_size(ec);
  if (ec || at >= size) return 0;
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size - at)));

  // One call reads the whole range, although changed pages replace some of the bytes.
  std::error_code read_error;
  std::size_t n = into.size();
  const std::uint64_t below_end = resized_ ? below_end_ : size;
  if (at < below_end) {
    const auto part =
        into.first(static_cast<std::size_t>(std::min<std::uint64_t>(n, below_end - at)));
    const std::size_t got = read_below(*below_, at, part, read_error);
    if (got != part.size())
      n = got;
    else if (part.size() != n)
      std::memset(into.data() + got, 0, n - got);
  } else {
    std::memset(into.data(), 0, n);
  }
  std::size_t done = 0;
  while (done != into.size()) {
    const std::uint64_t number = (at + done) / page_size;
    const auto within = static_cast<std::size_t>((at + done) % page_size);
    const std::size_t length = std::min(page_size - within, into.size() - done);
    if (const auto found = pages_.find(number); found != pages_.end()) {
      std::memcpy(into.data() + done, found->second.get() + within, length);
    } else if (done + length > n) {
      done = std::max(done, n);
      break;
    }
    done += length;
  }
  if (done == 0) ec = read_error;
  return done;
}

/// Returns a copy of a page, for its first change: the bytes of the device below, and zeros after
/// the last valid byte. If the device below reports an error, sets `ec`. Throws std::bad_alloc.
/// Called with the lock held.
overlay_device::page overlay_device::load(std::uint64_t number, std::error_code& ec) const {
  auto bytes = std::make_unique<char[]>(page_size);
  const std::uint64_t at = number * page_size;
  std::uint64_t below_end = below_end_;
  if (!resized_) below_end = below_->size(ec);
  if (!ec && at < below_end) {
    const std::size_t size = std::min<std::uint64_t>(page_size, below_end - at);
    read_all(*below_, at, {bytes.get(), size}, ec);
  }
  return bytes;
}

std::size_t overlay_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                     std::error_code& ec) noexcept {
  const std::unique_lock guard(lock_);
  const std::uint64_t before = visible_size(ec);
  if (ec) return 0;
  std::uint64_t total = 0;
  for (const auto& piece : pieces) total += piece.size();
  if (at > largest_size || total > largest_size - at) {
    ec = std::make_error_code(std::errc::file_too_large);
    return 0;
  }
  std::size_t done = 0;
  try {
    for (std::string_view piece : pieces) {
      while (!piece.empty()) {
        const std::uint64_t number = (at + done) / page_size;
        const auto within = static_cast<std::size_t>((at + done) % page_size);
        const std::size_t length = std::min(page_size - within, piece.size());
        auto found = pages_.find(number);
        if (found == pages_.end()) {
          auto loaded = load(number, ec);
          if (ec) return done;
          found = pages_.emplace(number, std::move(loaded)).first;
        }
        std::memcpy(found->second.get() + within, piece.data(), length);
        piece.remove_prefix(length);
        done += length;
        if (at + done > (resized_ ? size_ : before)) {
          if (!resized_) below_end_ = before;
          resized_ = true;
          size_ = at + done;
        }
      }
    }
  } catch (const std::bad_alloc&) {
    ec = std::make_error_code(std::errc::not_enough_memory);
  }
  return done;
}

}  // namespace v0
}  // namespace leat
