// Implements update_buffer: a file_stream reads and writes a file through this one buffer. Called
// by the functions of reader and writer.
#include "stream/update_buffer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "device/system.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr std::size_t default_capacity = 64 << 10;
/// As small as in a reader, because one seek may follow another.
constexpr std::size_t default_first_read_size = 8 << 10;
/// Size of a read with pattern::random.
constexpr std::size_t random_read_size = 4 << 10;

}  // namespace

update_buffer::update_buffer(std::unique_ptr<device> opened, const options& how,
                             std::string_view name)
    : device_(std::move(opened)),
      traits_(device_->traits()),
      name_(name),
      flush_(how.durability == durability::process ? flush_when::call : how.flush),
      sync_(how.durability == durability::system),
      first_read_size_(how.buffer_size != 0                 ? how.buffer_size
                       : how.pattern == pattern::random     ? random_read_size
                       : how.pattern == pattern::sequential ? default_capacity
                                                            : default_first_read_size),
      reads_around_(seek_reads::are_cheap(*device_, traits_, how)),
      capacity_(how.buffer_size != 0 ? how.buffer_size : default_capacity),
      base_(device_->position()) {
  if (sync_) device_->expect_sync();
  if (how.pattern != pattern::automatic) device_->advise(how.pattern);
  enlist();
}

void update_buffer::connect(reader& r, writer& w) noexcept {
  reader_ = &r;
  writer_ = &w;
  source::set_source(r, *this);
  sink::set_sink(w, *this);
  source::set_window(r, {}, base_);
}

// The window: the part of the buffer that the reader or the writer uses

/// Takes the window away from the reader or the writer. Records the cursor and the changed bytes.
void update_buffer::reclaim_window() noexcept {
  user_.set_to_this_thread();
  if (window_side_ == side::reading) {
    next_ = static_cast<std::size_t>(source::next(*reader_) - block_.data);
  } else if (window_side_ == side::writing) {
    const auto stop = static_cast<std::size_t>(sink::next(*writer_) - block_.data);
    if (stop != next_) {
      dirty_begin_ = dirty_end_ == 0 ? next_ : std::min(dirty_begin_, next_);
      dirty_end_ = std::max(dirty_end_, stop);
      valid_end_ = std::max(valid_end_, stop);
    }
    next_ = stop;
  }
  window_side_ = side::none;
  source::set_window(*reader_, {}, base_ + next_);
  sink::set_window(*writer_, nullptr, nullptr);
}

/// Assigns the window to the reader: all bytes of the buffer.
void update_buffer::assign_window_to_reader() noexcept {
  if (block_.data == nullptr || device_ == nullptr) return;
  source::set_window(*reader_, {block_.data, valid_end_}, base_, next_);
  window_side_ = side::reading;
}

/// Assigns the writer a window at the cursor: over the bytes that follow the cursor, or after the
/// last byte. If each call or line is flushed, or after a failed write, assigns no window.
void update_buffer::assign_window_to_writer() noexcept {
  if (block_.data == nullptr || device_ == nullptr || write_failures_ || flush_ != flush_when::full)
    return;
  char* const start = block_.data + next_;
  if (next_ < valid_end_)
    sink::set_window_over(*writer_, start, block_.data + valid_end_);
  else
    sink::set_window(*writer_, start, block_.data + std::max(capacity_, next_));
  window_side_ = side::writing;
}

void update_buffer::before_fork() noexcept {
  // Skip a stream that another thread may be using now.
  if (device_ == nullptr || write_failures_ || user_.is_inside() || !is_only_thread_at_fork())
    return;
  const user_thread::call inside(user_);
  const side window_side = window_side_;
  reclaim_window();
  write_back();
  if (window_side == side::reading) assign_window_to_reader();
  if (window_side == side::writing) assign_window_to_writer();
}

void update_buffer::after_fork_in_child() noexcept {
  user_.after_fork_in_child();
  reclaim_window();
  dirty_end_ = 0;  // the parent writes the changed bytes
  holds_partial_line_.store(false, std::memory_order_relaxed);
  empty_buffer();
  write_failures_.after_fork_in_child();
}

// The buffer

/// Empties the buffer; the cursor keeps its position.
void update_buffer::empty_buffer() noexcept {
  base_ += next_;
  next_ = valid_end_ = 0;
}

/// Makes room for `size` bytes from the cursor on. If necessary, writes changed bytes to the file
/// and moves the bytes from the cursor on to the start of the memory. Only at the start of the
/// memory is there room for more than capacity_ bytes. So after a long line the buffer has its
/// usual size again. Returns false if there is no memory.
bool update_buffer::make_room(std::size_t size) noexcept {
  const bool is_at_start = next_ == 0 && size + window_padding <= block_.size;
  if (is_at_start || (block_.data != nullptr && next_ + size <= capacity_)) return true;
  write_back();
  const std::size_t kept = valid_end_ - next_;
  if (next_ != 0 && kept != 0) std::memmove(block_.data, block_.data + next_, kept);
  base_ += next_;
  next_ = 0;
  valid_end_ = kept;
  const std::size_t room = std::max(size, capacity_);
  if (block_.data != nullptr && room + window_padding <= block_.size) return true;
  return is_affordable(room) && grow_ahead(block_, room + window_padding);
}

void update_buffer::write_back() noexcept {
  if (dirty_end_ == 0) return;
  const std::array<std::string_view, 1> pieces{
      std::string_view(block_.data + dirty_begin_, dirty_end_ - dirty_begin_)};
  const std::uint64_t at = base_ + dirty_begin_;
  dirty_end_ = 0;
  std::error_code ec;
  const std::uint64_t written = write_all(*device_, at, pieces, ec);
  holds_partial_line_.store(false, std::memory_order_relaxed);
  if (!ec) return;
  write_failures_.record(ec, "write", at + written, pieces[0].size() - written);
  empty_buffer();  // the file does not have the bytes of the buffer
}

/// Copies bytes to the cursor. The buffer must have room for the bytes.
void update_buffer::copy_in(std::string_view bytes) noexcept {
  if (bytes.empty()) return;
  // The program may write bytes that it has peeked at.
  std::memmove(block_.data + next_, bytes.data(), bytes.size());
  dirty_begin_ = dirty_end_ == 0 ? next_ : std::min(dirty_begin_, next_);
  next_ += bytes.size();
  dirty_end_ = std::max(dirty_end_, next_);
  valid_end_ = std::max(valid_end_, next_);
}

std::uint64_t update_buffer::tell() const noexcept {
  switch (window_side_) {
    case side::reading:
      return base_ + static_cast<std::size_t>(source::next(*reader_) - block_.data);
    case side::writing:
      return base_ + static_cast<std::size_t>(sink::next(*writer_) - block_.data);
    case side::none:
      break;
  }
  return base_ + next_;
}

std::uint64_t update_buffer::seekable_end(const reader& r, std::uint64_t n) noexcept {
  std::uint64_t end = 0;
  if (reads_around_ && !is_failing()) {
    const bool fixed = first_read_size_ != default_first_read_size;
    end = seek_reads_.seekable_end(*device_, r.tell(), n, fixed ? first_read_size_ : 0);
  }
  return end != 0 ? end : source::seekable_end(r, n);
}

void update_buffer::move_to(std::uint64_t position) noexcept {
  reclaim_window();
  if (position >= base_ && position - base_ <= valid_end_) {
    next_ = static_cast<std::size_t>(position - base_);
  } else {
    write_back();
    if (reads_around_) {
      const bool automatic = first_read_size_ == default_first_read_size;
      seek_reads_.record(
          base_ + next_, position, base_,
          {automatic ? seek_reads::page : first_read_size_, automatic ? default_first_read_size : 0,
           first_read_size_ == random_read_size ? random_read_size : capacity_});
    }
    base_ = position;
    next_ = valid_end_ = 0;
    read_size_ = 0;  // fill() starts with first_read_size_ again
  }
}

failure update_buffer::seek(std::uint64_t position) noexcept {
  if (device_ == nullptr || abandoned_) return {errc::closed, "seek", position};
  const user_thread::call inside(user_);
  if (!traits_.positional) return {std::make_error_code(traits_.refusal()), "seek"};
  if (position > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return {std::make_error_code(std::errc::invalid_argument), "seek", position};
  const std::uint64_t before = tell();
  move_to(position);
  // A program that reads back its own output must learn of the failed write.
  if (write_failures_.is_unreported()) {
    move_to(before);
    return write_failures_.report();
  }
  read_failure_.keep_unreported();
  return {};
}

// Reading

/// Reads from before the cursor on, so that the buffer also has the bytes before the cursor. Called
/// for the first read after a seek, if the file is in the page cache. If the file can't be read or
/// has no byte at the cursor, does nothing: the next read begins at the cursor, and finds the end
/// or the failure. The buffer must be empty.
void update_buffer::read_around(std::size_t wanted) noexcept {
  const auto [begin, end] = seek_reads_.at(base_, std::min(wanted, default_capacity));
  const auto size = static_cast<std::size_t>(end - begin);
  if (size > capacity_ || !make_room(size)) return;
  std::error_code ec;
  const std::size_t n = read_some(*device_, begin, {block_.data, size}, ec);
  const auto lead = static_cast<std::size_t>(base_ - begin);
  if (n < size) seek_reads_.forget_end();
  if (n <= lead) return;
  read_failure_.clear_last();
  base_ = begin;
  next_ = lead;
  valid_end_ = n;
  read_size_ = first_read_size_;
}

void update_buffer::fill(reader&, std::size_t wanted) noexcept {
  if (abandoned_) return;
  const user_thread::call inside(user_);
  reclaim_window();
  if (write_failures_.is_unreported()) return;  // report() returns the failure
  // Writes have moved the end of the buffer past the bytes that could not be read.
  if (read_failure_.is_pending() && read_failure_.position() != base_ + valid_end_)
    read_failure_.keep_unreported();
  if (valid_end_ == 0 && next_ == 0 && wanted != 0 && !is_failing() && seek_reads_.take(base_))
    read_around(wanted);
  while (valid_end_ - next_ < wanted && !is_failing()) {
    read_size_ = read_size_ == 0 ? first_read_size_ : std::min(2 * read_size_, capacity_);
    const std::size_t kept = valid_end_ - next_;
    // The buffer grows by doubling, because the file may end before `wanted` bytes.
    const std::size_t goal = std::min(wanted, std::max(2 * kept, default_capacity));
    const std::size_t piece = std::max(read_size_, next_piece(traits_, kept));
    const std::size_t usual = std::min(kept + read_size_, capacity_);
    const std::size_t size = std::max(goal, wanted <= capacity_ ? usual : kept + piece);
    if (!make_room(size)) {
      read_failure_.record(std::make_error_code(std::errc::not_enough_memory), base_ + valid_end_);
      break;
    }
    if (is_failing()) break;  // make_room() may have failed to write changed bytes
    const std::uint64_t at = base_ + valid_end_;
    const std::size_t n = read_device(at, {block_.data + valid_end_, size - kept});
    if (n == 0) break;
    valid_end_ += n;
  }
  assign_window_to_reader();
}

/// Reads once from the device. Returns the number of bytes. A failure is kept for report().
std::size_t update_buffer::read_device(std::uint64_t at, std::span<char> into) noexcept {
  std::error_code ec;
  const std::size_t n = read_some(*device_, at, into, ec);
  if (n < into.size()) seek_reads_.forget_end();
  if (ec)
    read_failure_.record(ec, at);
  else if (n != 0)
    read_failure_.clear_last();
  return n;
}

std::size_t update_buffer::read(reader& r, std::span<char> into) noexcept {
  if (abandoned_) return 0;
  const user_thread::call inside(user_);
  reclaim_window();
  const std::size_t buffered = valid_end_ - next_;
  const bool is_large = into.size() >= buffered + capacity_ && !is_failing();
  if (is_large) write_back();
  if (is_large && !is_failing()) {
    if (buffered != 0) std::memcpy(into.data(), block_.data + next_, buffered);
    next_ = valid_end_;
    empty_buffer();
    std::size_t done = buffered;
    while (done < into.size() && !is_failing()) {
      const std::size_t n = read_device(base_, into.subspan(done));
      if (n == 0) break;
      base_ += n;
      done += n;
    }
    source::set_window(r, {}, base_);
    return done;
  }
  fill(r, into.size());
  const std::size_t n = std::min(into.size(), available(r));
  if (n != 0) std::memcpy(into.data(), source::next(r), n);
  skip_window(r, n);
  return n;
}

std::uint64_t update_buffer::size(const reader&, std::error_code& ec) const noexcept {
  if (device_ == nullptr) {
    ec = errc::closed;
    return 0;
  }
  const std::uint64_t in_file = device_->size(ec);
  if (ec) return 0;
  std::uint64_t end = dirty_end_ != 0 ? base_ + dirty_end_ : 0;
  if (window_side_ == side::writing && tell() != base_ + next_) end = std::max(end, tell());
  return std::max(in_file, end);
}

failure update_buffer::report() noexcept {
  if (device_ == nullptr && !read_failure_.is_pending()) return {errc::closed, "read"};
  return write_failures_.is_unreported() && !read_failure_.is_pending() ? write_failures_.report()
                                                                        : read_failure_.report();
}

std::error_code update_buffer::error() const noexcept {
  return device_ == nullptr ? make_error_code(errc::closed) : read_failure_.code();
}

// Writing

void update_buffer::write(writer&, std::string_view bytes) noexcept {
  if (abandoned_) return;
  const user_thread::call inside(user_);
  if (device_ == nullptr || write_failures_) {
    reclaim_window();
    write_failures_.record(errc::closed, "write", tell(), bytes.size());
    return;
  }
  reclaim_window();
  if (bytes.size() < capacity_ || next_ + bytes.size() <= valid_end_) {
    if (next_ + bytes.size() > std::max(capacity_, valid_end_) || block_.data == nullptr) {
      write_back();
      // The bytes after the cursor are not needed: they are overwritten before they could be read.
      empty_buffer();
    }
    // A buffer has room now. `bytes` may lie in the buffer, which must not move then.
    if (!write_failures_ && (block_.data != nullptr || make_room(bytes.size()))) {
      copy_in(bytes);
      bytes = {};
    }
  }
  if (!bytes.empty()) {
    // The buffer has not taken the bytes: the buffer is too small, there is no memory for a buffer,
    // or a write has failed.
    if (!write_failures_) write_back();
    empty_buffer();
    const std::array<std::string_view, 1> pieces{bytes};
    std::error_code ec = write_failures_.code();
    const std::uint64_t written = ec ? 0 : write_all(*device_, base_, pieces, ec);
    if (ec) write_failures_.record(ec, "write", base_ + written, bytes.size() - written);
    base_ += written;
  } else if (flush_ == flush_when::call || (flush_ == flush_when::line && dirty_end_ != 0 &&
                                            std::memchr(block_.data + dirty_begin_, '\n',
                                                        dirty_end_ - dirty_begin_) != nullptr)) {
    write_back();
  }
  if (flush_ == flush_when::line)
    holds_partial_line_.store(dirty_end_ != 0, std::memory_order_relaxed);
  assign_window_to_writer();
}

failure update_buffer::flush(bool sync) noexcept {
  if (device_ == nullptr || abandoned_)
    return write_failures_.is_unreported() ? write_failures_.report()
                                           : failure{errc::closed, sync ? "sync" : "flush"};
  const user_thread::call inside(user_);
  reclaim_window();
  if (!write_failures_) write_back();
  if (!write_failures_ && sync) {
    std::error_code ec;
    device_->sync(ec);
    if (ec) write_failures_.record(ec, "sync", failure::no_offset, 0);
  }
  return write_failures_.report();
}

failure update_buffer::patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept {
  if (device_ == nullptr || abandoned_) return {errc::closed, "patch", position, bytes.size()};
  if (write_failures_) return write_failures_.report();
  const std::uint64_t end = tell();
  if (position > end || bytes.size() > end - position)
    return {std::make_error_code(std::errc::invalid_argument), "patch", position};
  if (const failure why = seek(position)) return why;
  write(w, bytes);
  move_to(end);
  return write_failures_ ? write_failures_.report() : failure{};
}

void update_buffer::clear_error(writer&) noexcept {
  if (!write_failures_.is_final()) write_failures_.clear();
}

failure update_buffer::status(const writer&) const noexcept {
  failure first;
  if (write_failures_)
    first.code = write_failures_.code();
  else if (device_ == nullptr)
    first.code = errc::closed;
  first.unwritten = write_failures_.lost();
  return first;
}

// The end

/// If a signal handler that interrupted a call ends the program or closes the stream, abandons the
/// stream: the stream's state is unknown, so nothing is written any more. Returns true if the
/// stream is abandoned.
bool update_buffer::abandon_interrupted() noexcept {
  if (abandoned_ || !user_.is_inside()) return abandoned_;
  abandoned_ = true;
  source::set_window(*reader_, {}, base_);
  sink::set_window(*writer_, nullptr, nullptr);
  window_side_ = side::none;
  write_failures_.record(errc::left_open, "write", failure::no_offset, 0);
  return true;
}

failure update_buffer::close() noexcept {
  if (abandon_interrupted()) return write_failures_.take_unreported();
  if (device_ == nullptr) return write_failures_.take_unreported();
  failure result = flush(sync_);
  if (const failure unread = read_failure_.take_unreported(); !result) result = unread;
  std::error_code ec;
  device_->close(ec);
  if (ec && !result) result = {ec, "close"};
  base_ = tell();
  next_ = valid_end_ = 0;
  device_.reset();
  leat::release(std::exchange(block_, {}));
  user_.clear();
  return result;
}

failure update_buffer::flush_at_exit(writer&) noexcept {
  if (device_ != nullptr && !abandon_interrupted()) {
    const user_thread::call inside(user_);
    flush_ = flush_when::call;
    const bool was_reported = write_failures_ && !write_failures_.is_unreported();
    flush(sync_);
    write_failures_.set_unreported(write_failures_ && !was_reported);
  }
  return write_failures_.take_unreported();
}

open_stream::loss update_buffer::at_exit() noexcept {
  if (!user_.is_other_thread()) return {flush_at_exit(*writer_), name_};
  // Another thread may be using the window, so the number of bytes in the window is unknown. A
  // stream with flush_when::call or flush_when::line has no window.
  const bool may_hold_bytes = flush_ == flush_when::full ||
                              holds_partial_line_.load(std::memory_order_relaxed) ||
                              write_failures_.is_unreported();
  if (!may_hold_bytes) return {};
  return {{errc::left_open, "write"}, name_};
}

void update_buffer::dispose(writer& w) noexcept {
  if (device_ != nullptr) {
    const bool was_reported = write_failures_ && !write_failures_.is_unreported();
    const failure why = close();
    if (why && !was_reported) report_lost_bytes(why, name_);
  } else if (write_failures_.is_unreported()) {
    report_lost_bytes(write_failures_.report(), name_);
  }
  if (abandoned_) {
    source::set_source(*reader_, closed_source());
    sink::set_sink(w, closed_sink());
    return;
  }
  sink::set_sink(w, closed_sink());  // a `synchronized` may outlive a static stream at exit
  delete this;
}

native_handle_type update_buffer::native_handle() const noexcept {
  return device_ == nullptr ? no_handle : device_->native_handle();
}

}  // namespace v0
}  // namespace leat
