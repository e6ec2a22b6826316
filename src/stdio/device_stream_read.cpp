// Reading of device_stream: the size and the position of each read, from the device through the
// buffer to the program. Called by file.cpp.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <span>

#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Reads from the device once, and reports nothing. Must not be called while the buffer has unread
/// bytes.
std::size_t device_stream::read_once(leat_file& f, std::uint64_t at, std::span<char> into,
                                     std::error_code& ec) noexcept {
  is_offset_current_ = false;
  get_at_fork_ = nullptr;
  const device_call call(f);
  f.is_waiting_for_input.store(true, std::memory_order_relaxed);
  const std::size_t got = device_->read_at(at, into, ec);
  f.is_waiting_for_input.store(false, std::memory_order_relaxed);
  return got;
}

/// As read_once() at the stream's position. Returns 0 at the end (at_end) and on errors (failed).
std::size_t device_stream::read_device(leat_file& f, char* to, std::size_t n) noexcept {
  std::error_code ec;
  const std::size_t got = read_once(f, base_, {to, n}, ec);
  if (ec) {
    f.failed = true;
    report(f, {.code = ec, .operation = "read", .offset = base_});
    return 0;
  }
  if (got == 0) f.at_end = true;
  return got;
}

/// Chooses the size of the next read. For sequential reads: twice the last size, at least 4 KiB and
/// at most 256 KiB. After a jump: about the count of bytes that the program used after the previous
/// jump, at least 64 bytes and at most 4 KiB.
void device_stream::choose_read_size() noexcept {
  if (base_ == last_read_end_ && base_ != run_begin_) {
    read_size_ = std::clamp(2 * read_size_, first_read_size, most_read_size);
  } else {
    constexpr std::size_t least = 64;
    read_size_ = std::max(std::bit_ceil(std::min(run_size_, first_read_size)), least);
    run_begin_ = base_;
  }
}

/// Fills the buffer from before the position on, because the program may go on reading backwards.
/// Called for the first read after a seek to bytes shortly before the buffer. Returns false if the
/// byte at the position was not read: the read that follows then begins at the position, and
/// reports the end of the file or the error.
bool device_stream::read_around(leat_file& f) noexcept {
  const auto [begin, end] = seek_reads_.at(base_, read_size_);
  const auto size = static_cast<std::size_t>(end - begin);
  const auto lead = static_cast<std::size_t>(base_ - begin);
  if (!ensure_buffer(std::max(size, capacity_))) return false;
  f.get = f.get_end = buffer_;
  f.ends.forget();
  std::error_code ec;
  const std::size_t got = read_once(f, begin, {buffer_, std::min(size, capacity_)}, ec);
  if (ec || got <= lead) return false;
  f.get = buffer_ + lead;
  f.get_end = buffer_ + got;
  base_ = begin;
  last_read_end_ = begin + got;
  return true;
}

bool device_stream::fill(leat_file& f) noexcept {
  if (state_ != state::reading && !begin_reading(f)) return false;
  base_ = position(f);
  f.get = f.get_end = buffer_;
  choose_read_size();
  const bool unbuffered = f.buffers == buffering::none;
  if (seek_reads_.take(base_) && seek_reads_.goes_back() && !unbuffered && read_around(f))
    return true;
  if (!ensure_buffer(unbuffered ? 1 : std::max(read_size_, capacity_))) {
    f.failed = true;
    return false;
  }
  f.get = f.get_end = buffer_;
  f.ends.forget();
  const std::size_t most = unbuffered           ? 1
                           : setvbuf_size_ != 0 ? capacity_
                                                : std::min(read_size_, capacity_);
  const std::size_t got = read_device(f, buffer_, most);
  if (got == 0) return false;
  f.get_end = buffer_ + got;
  last_read_end_ = base_ + got;
  return true;
}

std::size_t device_stream::read(leat_file& f, char* to, std::size_t n) noexcept {
  if (state_ != state::reading && !begin_reading(f)) return 0;
  const bool large = n >= (setvbuf_size_ != 0 ? setvbuf_size_ : std::max(read_size_, capacity_));
  if (f.buffers != buffering::none && !large) {
    if (!fill(f)) return 0;
    const std::size_t taken = std::min(n, f.available());
    std::memcpy(to, f.get, taken);
    f.get += taken;
    return taken;
  }
  base_ = position(f);
  f.get = f.get_end = buffer_;
  const std::size_t got = read_device(f, to, n);
  base_ += got;
  last_read_end_ = base_;
  return got;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
