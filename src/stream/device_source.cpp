// Implements device_source, the source of files and all other devices. Called by the functions of
// reader.
#include "stream/device_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "device/system.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

// From the experiments `read-buffer` and `search`: with a small first buffer an early hit costs one
// small read; with a large last buffer a long scan runs at full speed. Larger buffers do not fit
// the second-level cache.
constexpr std::size_t first_read_size = 8 << 10;
constexpr std::size_t last_read_size = 256 << 10;
/// Without the system's read-ahead, each buffer waits for the device. An object store takes about
/// 100 ms to begin an answer, whatever the size of the request.
constexpr std::size_t last_read_size_without_read_ahead = 4 << 20;
/// Size of a read with pattern::random.
constexpr std::size_t random_read_size = 4 << 10;
/// For reads of at least this size, a system call of their own costs less than a second copy.
constexpr std::size_t large_read_size = 32 << 10;
constexpr std::size_t page = seek_reads::page;
/// A smaller window limit would refuse the first request of a search.
constexpr std::size_t least_window_limit = 64 << 10;
constexpr std::size_t largest_read_size = std::numeric_limits<std::size_t>::max() / 4;

constexpr std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) {
  return value - value % unit;
}

}  // namespace

device_source::device_source(std::unique_ptr<device> from, const options& how,
                             std::string_view name)
    : device_(std::move(from)),
      traits_(device_->traits()),
      name_(name),
      // Limited, so that adding a position and a few buffer sizes does not overflow.
      first_read_size_(std::min(how.buffer_size, largest_read_size)),
      last_read_size_(first_read_size_),
      bypass_size_(how.buffer_size),
      window_limit_(std::max(how.window_limit, least_window_limit)),
      reads_around_(seek_reads::are_cheap(*device_, traits_, how)),
      mapped_search_(uses_page_cache(*device_, traits_, how) && how.buffer_size == 0 &&
                     how.pattern != pattern::random),
      // With pattern::random reads stay small, and a device with views would read more
      // around the requested bytes.
      uses_views_(traits_.has_views && how.pattern != pattern::random) {
  if (how.buffer_size == 0) {
    const bool random = how.pattern == pattern::random;
    last_read_size_ = random              ? random_read_size
                      : waits_for_reads() ? last_read_size_without_read_ahead
                                          : last_read_size;
    first_read_size_ = how.pattern == pattern::sequential ? last_read_size
                       : random                           ? random_read_size
                                                          : first_read_size;
    bypass_size_ = random ? random_read_size : large_read_size;
  }
  if (how.pattern != pattern::automatic) device_->advise(how.pattern);
}

// Windows

/// Returns true if reads end at page boundaries of the file, and a byte's address and its position
/// are equal modulo the page size.
bool device_source::reads_whole_pages() const noexcept {
  return traits_.positional && read_size_ >= 2 * page;
}

/// Decides where the next read is to end, and makes room for it after the available bytes.
void device_source::plan_read(reader& r, std::size_t wanted) noexcept {
  const std::uint64_t position = r.tell();
  const std::size_t kept = available(r);
  const std::uint64_t from = position + kept;
  if (read_size_ == 0)
    read_size_ = first_read_size_;
  else if (from == planned_end_)
    read_size_ = std::min(2 * read_size_, last_read_size_);
  // A large request grows the buffer by doubling. So a file that ends early takes little memory.
  const std::size_t goal = std::min(wanted, std::max(2 * kept, last_read_size));
  const std::size_t piece = std::max(read_size_, next_piece(traits_, kept));
  std::uint64_t end = position + std::max(kept + piece, goal);
  if (reads_whole_pages()) {
    // Buffers end at multiples of their size, or at least at page boundaries, so that large folios
    // of the page cache are read whole.
    std::uint64_t aligned = round_down(end, read_size_);
    if (aligned < std::max(position + goal, from + read_size_ / 2)) aligned = round_down(end, page);
    if (aligned < position + goal) aligned += page;
    end = aligned;
  }
  // A file that ends earlier needs no larger buffer. 0: unknown.
  const std::uint64_t size = device_->size_when_opened();
  if (size != 0 && from <= size && size < end) end = std::min(end, round_down(size + page, page));
  const std::size_t lead = reads_whole_pages() ? static_cast<std::size_t>(position % page) : 0;
  if (!make_room(r, lead, static_cast<std::size_t>(end - position))) {
    // There may be less memory than buffer_size.
    const std::uint64_t least = position + std::max(goal, kept + last_read_size) + page;
    end = std::min(end, round_down(least, page));
    if (!make_room(r, lead, static_cast<std::size_t>(end - position)))
      return read_failure_.record(std::make_error_code(std::errc::not_enough_memory), from);
  }
  planned_end_ = end;
}

/// Moves the available bytes to offset `lead` of the buffer, which then has room for `size` bytes
/// from that offset on. Returns false if there is no memory.
bool device_source::make_room(reader& r, std::size_t lead, std::size_t size) noexcept {
  const std::uint64_t position = r.tell();
  const std::size_t kept = available(r);
  const std::size_t needed = lead + size;
  const char* from = next(r);
  if (needed > capacity_) {
    if (!is_affordable(needed)) return false;
    // The bytes are in the device's memory, or in this buffer. The buffer may move.
    const bool is_own = overlap({from, kept}, {block_.data, block_.size});
    const std::size_t offset = is_own ? static_cast<std::size_t>(from - block_.data) : 0;
    if (!grow_ahead(block_, needed + page + window_padding)) return false;
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(block_.data) % page;
    buffer_ = block_.data + before;
    capacity_ = block_.size - before - window_padding;
    if (is_own) from = block_.data + offset;
  }
  if (kept != 0) std::memmove(buffer_ + lead, from, kept);
  set_window(r, {buffer_ + lead, kept}, position);
  return true;
}

/// Extends the window with the device's memory, without copying. If the device has no such memory,
/// leaves the window unchanged. After an extension the next copy starts with a small buffer,
/// because a copy only bridges two pieces of the device's memory.
void device_source::view_device_memory(reader& r, std::size_t wanted) noexcept {
  const std::string_view view = device_->view_at(r.tell(), wanted);
  const std::size_t kept = available(r);
  const bool is_longer = view.size() > kept;
  if (is_longer && view.data() == next(r))
    extend_window(r, view.size() - kept);
  else
    set_window(r, is_longer ? view : std::string_view(next(r), kept), r.tell());
  if (!is_longer) return;
  read_size_ = 0;
  planned_end_ = 0;
  read_failure_.clear_last();
}

/// Reads a window that begins before the reader's position. Called for the first read after a seek,
/// if the file is in the page cache. If the byte at the position was not read, the next read begins
/// at the position, and reports the end of the file or the error.
void device_source::read_around(reader& r, std::size_t wanted) noexcept {
  const std::uint64_t position = r.tell();
  const auto [begin, end] = seek_reads_.at(position, std::min(wanted, last_read_size));
  const auto lead = static_cast<std::size_t>(position - begin);
  if (!make_room(r, lead, static_cast<std::size_t>(end - position))) return;
  std::error_code ec;
  const auto size = static_cast<std::size_t>(end - begin);
  const std::size_t n = read_some(*device_, begin, {buffer_, size}, ec);
  if (n < size) seek_reads_.forget_end();
  if (n <= lead) return;
  read_failure_.clear_last();
  set_window(r, {buffer_, n}, begin, lead);
  read_size_ = first_read_size_;
  planned_end_ = end;
}

void device_source::fill(reader& r, std::size_t wanted) noexcept {
  // A caller may ask for the longest allowed line together with the delimiter after it.
  if (available(r) < wanted && wanted - 1 > window_limit_ && can_read())
    read_failure_.record(errc::input_too_long, r.tell() + available(r));
  else
    fill_window(r, wanted);
}

void device_source::fill_window(reader& r, std::size_t wanted) noexcept {
  mapped_search_.record_use(r.tell());
  if (available(r) < wanted && can_read()) {
    if (uses_views_)
      view_device_memory(r, wanted);
    else if (seek_reads_.take(r.tell()))
      read_around(r, wanted);
  }
  while (available(r) < wanted && can_read()) {
    std::uint64_t from = r.tell() + available(r);
    // After a short read, as from a pipe, there is still room in the planned window.
    if (available(r) == 0 || from >= planned_end_ || wanted > planned_end_ - r.tell()) {
      plan_read(r, wanted);
      if (read_failure_.is_pending()) return;
    }
    char* to = buffer_ + (next(r) - buffer_) + available(r);
    const std::size_t n = read_device(from, {to, static_cast<std::size_t>(planned_end_ - from)});
    if (n == 0) return;
    extend_window(r, n);
  }
}

std::size_t device_source::read(reader& r, std::span<char> into) noexcept {
  std::size_t done = 0;
  if (uses_views_)
    set_window(r, {}, r.tell());  // drops the window: the device may reuse its memory
  while (into.size() - done >= bypass_size_ && can_read()) {
    const std::uint64_t from = r.tell();
    const std::size_t n = read_device(from, into.subspan(done));
    if (n == 0) return done;
    done += n;
    set_window(r, {}, from + n);
  }
  const auto rest = into.subspan(done);
  fill_window(r, rest.size());
  const std::size_t n = std::min(rest.size(), available(r));
  if (n != 0) std::memcpy(rest.data(), next(r), n);
  skip_window(r, n);
  return done + n;
}

std::size_t device_source::read_rest(reader& r, std::span<char> into) noexcept {
  std::size_t done = 0;
  while (done != into.size() && can_read()) {
    const std::uint64_t from = r.tell();
    const auto rest = into.subspan(done);
    const std::size_t n = read_device(from, rest);
    done += n;
    set_window(r, {}, from + n);
    if (n == 0 || (n < rest.size() && from + n == device_->size_when_opened())) break;
  }
  return done;
}

/// The search through mappings begins when the reads have their largest size. So an early
/// occurrence costs one small read.
bool device_source::skip_absent(reader& r, search::needle& wanted) noexcept {
  if (!can_read()) return false;
  std::uint64_t at = r.tell();
  const bool found = mapped_search_.find(*device_, at, wanted, read_size_ >= last_read_size_);
  if (found || at != r.tell()) set_window(r, {}, at);
  if (found) read_size_ = 0;
  return found;
}

std::uint64_t device_source::skip_unread(reader& r, std::uint64_t n) noexcept {
  const std::uint64_t at = r.tell();
  n = can_read() ? std::min(n, mapped_search_.unread_bytes(at)) : 0;
  if (n != 0) set_window(r, {}, at + n);
  return n;
}

std::uint64_t device_source::expected_bytes(const reader& r) const noexcept {
  const std::uint64_t first = device_ == nullptr ? 0 : device_->size_when_opened();
  return first > r.tell() ? first - r.tell() : source::expected_bytes(r);
}

/// Reads once from the device. Returns the number of bytes. A failure is kept for report().
std::size_t device_source::read_device(std::uint64_t at, std::span<char> into) noexcept {
  mapped_search_.forget_hit();
  std::error_code ec;
  const std::size_t n = read_some(*device_, at, into, ec);
  if (n < into.size()) seek_reads_.forget_end();
  if (ec)
    read_failure_.record(ec, at);
  else if (n == 0)
    terminal_ended_ = traits_.terminal;
  else
    read_failure_.clear_last();
  return n;
}

failure device_source::seek(reader& r, std::uint64_t position) noexcept {
  if (device_ == nullptr) return {errc::closed, "seek", position};
  if (position == r.tell()) return {};
  if (!traits_.positional) return {std::make_error_code(traits_.refusal()), "seek", position};
  if (position > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return {std::make_error_code(std::errc::invalid_argument), "seek", position};
  if (reads_around_) {
    // With pattern::random, or a size that the program has set, all reads have the same size.
    const bool fixed = first_read_size_ == last_read_size_;
    seek_reads_.record(
        r.tell(), position, window_position(r),
        {fixed ? first_read_size_ : page, fixed ? 0 : first_read_size_, last_read_size_});
  }
  set_window(r, {}, position);
  mapped_search_.forget_hit();
  read_size_ = 0;  // plan_read() starts with first_read_size_ again
  read_failure_.keep_unreported();
  return {};
}

std::uint64_t device_source::seekable_end(const reader& r, std::uint64_t n) noexcept {
  std::uint64_t end = 0;
  if (reads_around_ && can_read()) {
    const bool fixed = first_read_size_ == last_read_size_;  // as with pattern::random
    end = seek_reads_.seekable_end(*device_, r.tell(), n, fixed ? first_read_size_ : 0);
  }
  return end != 0 ? end : source::seekable_end(r, n);
}

std::uint64_t device_source::size(const reader&, std::error_code& ec) const noexcept {
  if (device_ != nullptr) return device_->size(ec);
  ec = errc::closed;
  return 0;
}

// Failures and the end

failure device_source::report() noexcept {
  if (device_ == nullptr && !read_failure_.is_pending()) return {errc::closed, "read"};
  return read_failure_.report();
}

failure device_source::close(reader& r) noexcept {
  if (device_ == nullptr) return {};
  failure result = read_failure_.take_unreported();
  remove_window(r);
  mapped_search_.unmap();
  std::error_code ec;
  device_->close(ec);
  if (ec && !result) result = {ec, "close"};
  device_.reset();
  leat::release(std::exchange(block_, {}));
  capacity_ = 0;
  return result;
}

std::error_code device_source::error() const noexcept {
  return device_ == nullptr ? make_error_code(errc::closed) : read_failure_.code();
}

void device_source::dispose(reader&) noexcept {
  if (const failure unreported = read_failure_.take_unreported()) report_loss(unreported, name_);
  delete this;
}

native_handle_type device_source::native_handle() const noexcept {
  return device_ == nullptr ? no_handle : device_->native_handle();
}

native_handle_type device_source::release(reader& r, failure& why) noexcept {
  if (device_ == nullptr) return source::release(r, why);
  if (!traits_.positional && available(r) != 0) {  // the bytes would be lost
    why = {std::make_error_code(traits_.refusal()), "release", r.tell()};
    return no_handle;
  }
  std::error_code ec;
  mapped_search_.unmap();
  const native_handle_type handle = device_->release(r.tell(), ec);
  if (ec) {
    why = {ec, "release"};
    return no_handle;
  }
  why = {};
  remove_window(r);
  device_.reset();
  return handle;
}

}  // namespace v0
}  // namespace leat
