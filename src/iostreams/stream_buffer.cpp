// window_buffer: the std::streambuf over a writer or a reader. The streambuf's put and get areas
// are the buffer of the leat stream.
#include <leat/detail/buffer_access.hpp>
#include <leat/detail/stream_buffer.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "base/loss.hpp"
#include "iostreams/extract.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace detail {

stream_buffer::~stream_buffer() { free_marks(marks_); }

/// The source of a reader while a window_buffer borrows the reader's window. To the reader's
/// functions the window seems empty, so a call of the program on the reader itself reaches this
/// source. This source first returns the window to the reader, without the bytes that the
/// window_buffer has taken.
class borrowed_source final : public source {
 public:
  explicit borrowed_source(window_buffer& borrower) noexcept : borrower_(borrower) {}
  /// The object in the memory of a window_buffer that has borrowed a window.
  static borrowed_source& of(window_buffer& borrower) noexcept {
    return *std::launder(reinterpret_cast<borrowed_source*>(borrower.source_memory_));
  }

  void borrow(reader& r) noexcept {
    original_source_ = &buffer_access::origin(r);
    position_ = window_position(r);
    if (original_source_->has_borrowable_window()) {
      set_window(r, {}, position_);
      set_source(r, *this);
    } else {  // the reader keeps its window
      next_ = next(r);
      version_ = buffer_access::version(r);
    }
  }
  void return_window(reader& r) const noexcept {
    if (&buffer_access::origin(r) == this) {
      const char* const begin = borrower_.eback();
      set_source(r, *original_source_);
      set_window(r, {begin, borrower_.egptr()}, position_,
                 static_cast<std::size_t>(borrower_.gptr() - begin));
    } else if (next(r) == next_ && buffer_access::version(r) == version_) {
      buffer_access::set_next(r, borrower_.gptr());
    }  // else the program has used the reader, which keeps its position
  }

  void fill(reader& r, std::size_t wanted) noexcept override {
    end_borrowing(r);
    if (available(r) < wanted) original_source_->fill(r, wanted);
  }
  std::size_t read(reader& r, std::span<char> into) noexcept override {
    const std::size_t n = take_buffered(r, into);
    return into.empty() ? n : n + original_source_->read(r, into);
  }
  std::size_t read_rest(reader& r, std::span<char> into) noexcept override {
    const std::size_t n = take_buffered(r, into);
    return into.empty() ? n : n + original_source_->read_rest(r, into);
  }
  failure seek(reader& r, std::uint64_t position) noexcept override {
    end_borrowing(r);
    const std::uint64_t offset = position - window_position(r);
    if (offset > available(r) + static_cast<std::size_t>(next(r) - buffer_access::begin(r)))
      return original_source_->seek(r, position);
    buffer_access::set_next(r, buffer_access::begin(r) + offset);
    return {};
  }
  std::uint64_t tell(const reader&) const noexcept override {
    return position_ + static_cast<std::uint64_t>(borrower_.gptr() - borrower_.eback());
  }
  std::uint64_t size(const reader& r, std::error_code& ec) const noexcept override {
    return original_source_->size(r, ec);
  }
  std::uint64_t expected_bytes(const reader& r) const noexcept override {
    return original_source_->expected_bytes(r);
  }
  bool is_failing() const noexcept override { return original_source_->is_failing(); }
  failure report() noexcept override { return original_source_->report(); }
  failure close(reader& r) noexcept override {
    end_borrowing(r);
    return original_source_->close(r);
  }
  std::error_code error() const noexcept override { return original_source_->error(); }
  std::string_view name() const noexcept override { return original_source_->name(); }
  void dispose(reader& r) noexcept override {
    end_borrowing(r);
    original_source_->dispose(r);
  }
  void moved_to(reader& r) noexcept override {
    end_borrowing(r);
    original_source_->moved_to(r);
  }
  bool is_open() const noexcept override { return original_source_->is_open(); }
  native_handle_type native_handle() const noexcept override {
    return original_source_->native_handle();
  }
  native_handle_type release(reader& r, failure& why) noexcept override {
    end_borrowing(r);
    return original_source_->release(r, why);
  }
  bool is_positional() const noexcept override { return original_source_->is_positional(); }

 private:
  /// Ends the borrowing. `r` is the reader, also after a move.
  void end_borrowing(reader& r) noexcept {
    return_window(r);
    borrower_.forget_lines();
    borrower_.setg(nullptr, nullptr, nullptr);
    borrower_.active_side_ = window_buffer::side::none;
  }
  /// Ends the borrowing, and takes bytes from the window into `into`. Returns the number of bytes.
  /// `into` is then the rest.
  std::size_t take_buffered(reader& r, std::span<char>& into) noexcept {
    end_borrowing(r);
    const std::size_t n = std::min(into.size(), available(r));
    if (n != 0) std::memcpy(into.data(), next(r), n);
    skip_window(r, n);
    into = into.subspan(n);
    return n;
  }

  window_buffer& borrower_;
  source* original_source_ = nullptr;
  std::uint64_t position_ = 0;  // position of the window
  // The reader's next() and version when the loan began, if the reader keeps its window.
  const char* next_ = nullptr;
  std::uint64_t version_ = 0;
};

window_buffer::~window_buffer() { return_buffers(); }

/// Removes the character that pbackfail() has put back, and restores the get area.
void window_buffer::end_putback() noexcept {
  if (!is_put_back_) return;
  const bool taken = gptr() == egptr();
  setg(saved_get_area_[0], saved_get_area_[1] + taken, saved_get_area_[2]);
  is_put_back_ = false;
}

void window_buffer::return_buffers() noexcept {
  forget_lines();
  end_putback();
  if (active_side_ == side::writing && writer_ != nullptr) {
    buffer_access::set_next(*writer_, pptr());
    setp(nullptr, nullptr);
    store_end_ = nullptr;
  } else if (active_side_ == side::reading && reader_ != nullptr) {
    if (exclusive_)
      buffer_access::set_next(*reader_, gptr());
    else
      borrowed_source::of(*this).return_window(*reader_);
    setg(nullptr, nullptr, nullptr);
  }
  active_side_ = side::none;
}

/// Returns true if bytes were lost, except by failures that the program has cleared. Programs
/// easily overlook badbit, so the writer counts each failure as unreported, even after failed() has
/// returned true.
bool window_buffer::failed() const noexcept { return writer_->lost() != cleared_losses_; }

void window_buffer::borrow_to_put() noexcept {
  wrote_ = true;
  if (!exclusive_) return;
  char* const next = buffer_access::next(*writer_);
  char* end = buffer_access::end(*writer_);
  if (next == end) return;
  setp(next, end);
  store_end_ = buffer_access::store_end(*writer_);
  if (store_end_ < next) store_end_ = next;
  active_side_ = side::writing;
}

void window_buffer::borrow_to_get() noexcept {
  char* const next = buffer_access::next(*reader_);
  if (next == nullptr) return;
  setg(buffer_access::begin(*reader_), next, buffer_access::end(*reader_));
  active_side_ = side::reading;
  static_assert(sizeof(borrowed_source) <= sizeof source_memory_ &&
                alignof(borrowed_source) <= alignof(void*));
  if (!exclusive_) (new (source_memory_) borrowed_source(*this))->borrow(*reader_);
}

/// Called before a read and by position(). If the last call wrote, and writer and reader are two
/// streams over one file, flushes the writer and moves the reader to the end. Returns false if the
/// flush or the move fails.
bool window_buffer::turn_to_reading() noexcept {
  if (!wrote_ || !appends_) return true;
  wrote_ = false;
  std::error_code ec;
  writer_->flush(ec);
  const std::uint64_t end = ec ? 0 : size(ec);
  if (!ec) reader_->seek(end, ec);
  return !ec;
}

std::uint64_t window_buffer::position() noexcept {
  return_buffers();
  if (reader_ == nullptr) return writer_->tell();
  turn_to_reading();
  return reader_->tell();
}

std::uint64_t window_buffer::size(std::error_code& ec) const noexcept {
  if (reader_ != nullptr) return reader_->size(ec);
  ec = std::make_error_code(std::errc::operation_not_supported);
  return 0;
}

/// Writes to the buffer of a shared writer, such as leat::out. Returns false if the buffer has no
/// room, or may not be used directly.
bool window_buffer::put_shared(const char* text, std::size_t size) noexcept {
  if (exclusive_ || writer_ == nullptr) return false;
  // As in writer::write(), bytes that fit into the buffer are not lost.
  writer* const direct = buffer_access::direct_writer(*writer_);
  writer& to = direct != nullptr ? *direct : *writer_;
  char* const next = buffer_access::next(to);
  if (static_cast<std::size_t>(buffer_access::end(to) - next) < size) return false;
  if (size == 1) *next = *text;
  buffer_access::set_next(
      to,
      size == 1 ? next + 1 : copy_within(next, buffer_access::store_end(to) - next, text, size));
  return true;
}

window_buffer::int_type window_buffer::overflow(int_type c) {
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    const char byte = traits_type::to_char_type(c);
    if (put_shared(&byte, 1)) return c;
  }
  enter();
  if (writer_ == nullptr) return traits_type::eof();
  return_buffers();
  if (!traits_type::eq_int_type(c, traits_type::eof())) writer_->put(traits_type::to_char_type(c));
  borrow_to_put();
  return failed() ? traits_type::eof() : traits_type::not_eof(c);
}

std::streamsize window_buffer::xsputn(const char* text, std::streamsize size) {
  if (size <= room()) {
    if (size <= 0) return 0;
    std::memcpy(pptr(), text, static_cast<std::size_t>(size));
    setp(pptr() + size, epptr());  // pbump() takes an int
    return size;
  }
  if (put_shared(text, static_cast<std::size_t>(size))) return size;
  enter();
  if (writer_ == nullptr) return 0;
  return_buffers();
  writer_->write(std::string_view(text, static_cast<std::size_t>(size)));
  borrow_to_put();
  return failed() ? 0 : size;
}

int window_buffer::sync() {
  enter();
  const bool writing = active_side_ == side::writing;
  return_buffers();
  if (writer_ == nullptr) return 0;
  if (!wrote_ && exclusive_) return failed() ? -1 : 0;  // turn_to_reading() may have failed
  std::error_code ec;
  writer_->flush(ec);
  if (writing) borrow_to_put();
  return ec ? -1 : 0;
}

// May throw: std::istream turns an exception of a streambuf into badbit.
window_buffer::int_type window_buffer::underflow() {
  if (gptr() != egptr()) return traits_type::to_int_type(*gptr());
  enter();
  if (reader_ == nullptr) return traits_type::eof();
  return_buffers();
  if (!turn_to_reading() || reader_->window().empty()) return traits_type::eof();
  borrow_to_get();
  return traits_type::to_int_type(*gptr());
}

window_buffer::int_type window_buffer::pbackfail(int_type c) {
  enter();
  // There is room for one character. A second character must not replace an unread one.
  if (reader_ == nullptr || (is_put_back_ && gptr() == eback())) return traits_type::eof();
  if (gptr() == eback() || is_put_back_) {
    return_buffers();
    if (!turn_to_reading()) return traits_type::eof();
    std::error_code ec;
    reader_->seek_by(-1, ec);
    if (ec || reader_->window(ec).empty()) return traits_type::eof();
    borrow_to_get();
  } else {
    gbump(-1);
  }
  if (traits_type::eq_int_type(c, traits_type::eof()) ||
      traits_type::eq_int_type(c, traits_type::to_int_type(*gptr())))
    return traits_type::not_eof(c);
  if (!exclusive_) {  // other code uses the reader too, so the reader's text must not change
    gbump(1);
    return traits_type::eof();
  }
  saved_get_area_[0] = eback();
  saved_get_area_[1] = gptr();
  saved_get_area_[2] = egptr();
  put_back_ = traits_type::to_char_type(c);
  setg(&put_back_, &put_back_, &put_back_ + 1);
  is_put_back_ = true;
  return c;
}

std::streamsize window_buffer::xsgetn(char* into, std::streamsize size) {
  if (size < 0) return 0;
  std::streamsize taken = 0;
  if (is_put_back_ && gptr() != egptr() && size != 0) {
    *into++ = *gptr();
    gbump(1);
    ++taken;
    --size;
  }
  end_putback();
  if (size <= egptr() - gptr()) {
    if (size != 0) std::memcpy(into, gptr(), static_cast<std::size_t>(size));
    setg(eback(), gptr() + size, egptr());  // gbump() takes an int
    return taken + size;
  }
  enter();
  if (reader_ == nullptr) return taken;
  return_buffers();
  if (!turn_to_reading()) return taken;
  const auto more = reader_->read(std::span(into, static_cast<std::size_t>(size)));
  borrow_to_get();
  return taken + static_cast<std::streamsize>(more);
}

std::streamsize window_buffer::showmanyc() {
  enter();
  if (reader_ == nullptr) return -1;
  const std::uint64_t at = position();
  std::error_code ec;
  const std::uint64_t all = size(ec);
  if (ec) return static_cast<std::streamsize>(reader_->buffered().size());
  return all > at ? static_cast<std::streamsize>(all - at) : 0;
}

window_buffer::pos_type window_buffer::seekoff(off_type offset, std::ios_base::seekdir from,
                                               std::ios_base::openmode which) {
  enter();
  if (reader_ == nullptr && writer_ == nullptr) return failed_position();
  off_type base = 0;
  if (from == std::ios_base::cur) {
    base = static_cast<off_type>(position());
    if (writer_ != nullptr && failed()) return failed_position();
    if (offset == 0) return pos_type(base);
  } else if (from == std::ios_base::end) {
    return_buffers();
    std::error_code ec;
    if (writer_ != nullptr && wrote_) writer_->flush(ec);
    if (!ec) base = static_cast<off_type>(size(ec));
    if (ec) return failed_position();
  }
  off_type target;
  if (__builtin_add_overflow(base, offset, &target)) return failed_position();
  return seekpos(pos_type(target), which);
}

window_buffer::pos_type window_buffer::seekpos(pos_type position, std::ios_base::openmode) {
  enter();
  if (reader_ == nullptr && writer_ == nullptr) return failed_position();
  return_buffers();
  const off_type offset = position;
  if (offset < 0) return failed_position();
  std::error_code ec;
  const auto target = static_cast<std::uint64_t>(offset);
  if (appends_ && wrote_) writer_->flush(ec);
  wrote_ = wrote_ && !appends_;
  if (!ec) {
    if (reader_ != nullptr)
      reader_->seek(target, ec);
    else
      writer_->seek(target, ec);
  }
  return ec ? failed_position() : position;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
