// string_buffer: the std::streambuf of leat's string streams.
#include <leat/fstream.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <new>

namespace leat {
inline namespace v0 {

namespace detail {

string_buffer::string_buffer(std::ios_base::openmode mode) noexcept : mode_(mode) {
  set_positions(0, 0);
}

string_buffer::string_buffer(std::string_view text, std::ios_base::openmode mode) : mode_(mode) {
  str(text);
}

string_buffer::string_buffer(string_buffer&& other) noexcept : string_buffer(other.mode_) {
  swap(other);
}

string_buffer& string_buffer::operator=(string_buffer&& other) noexcept {
  if (this != &other) {
    str({});
    swap(other);
    other.mode_ = mode_;
    other.set_positions(0, 0);
  }
  return *this;
}

string_buffer::~string_buffer() {
  if (memory_ != inline_memory_) delete[] memory_;
}

void string_buffer::swap(string_buffer& other) noexcept {
  if (this == &other) return;
  const auto put_of = [](const string_buffer& b) {
    return b.pptr() != nullptr ? static_cast<std::size_t>(b.pptr() - b.memory_) : 0;
  };
  const auto get_of = [](const string_buffer& b) {
    return b.gptr() != nullptr ? static_cast<std::size_t>(b.gptr() - b.memory_) : 0;
  };
  const std::size_t put[2] = {put_of(*this), put_of(other)};
  const std::size_t get[2] = {get_of(*this), get_of(other)};
  known_size_ = size();
  other.known_size_ = other.size();
  std::streambuf::swap(other);
  char* const mine = memory_ == inline_memory_ ? nullptr : memory_;
  char* const theirs = other.memory_ == other.inline_memory_ ? nullptr : other.memory_;
  std::swap(inline_memory_, other.inline_memory_);
  std::swap(capacity_, other.capacity_);
  std::swap(known_size_, other.known_size_);
  std::swap(mode_, other.mode_);
  memory_ = theirs != nullptr ? theirs : inline_memory_;
  other.memory_ = mine != nullptr ? mine : other.inline_memory_;
  set_positions(put[1], get[1]);
  other.set_positions(put[0], get[0]);
}

std::size_t string_buffer::size() const noexcept {
  const std::size_t put = pptr() != nullptr ? static_cast<std::size_t>(pptr() - memory_) : 0;
  return std::max(known_size_, put);
}

/// Sets the areas: the put area's cursor is at index `put`, the get area's cursor at `get`.
void string_buffer::set_positions(std::size_t put, std::size_t get) noexcept {
  // Bounds the areas, because pbump() takes an int.
  constexpr std::size_t most = INT_MAX / 2;
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  if ((mode_ & std::ios_base::out) != 0)
    setp(memory_ + put, memory_ + put + std::min(capacity_ - put, most));
  if ((mode_ & std::ios_base::in) != 0)
    setg(memory_, memory_ + get, memory_ + std::max(std::min(known_size_, get + most), get));
  // Stores of numbers may write up to store_end_, and move the cursor up to store_end_. Usually
  // store_end_ is the end of the put area. If text follows the cursor, a store of a fixed size
  // could overwrite this text, so store_end_ is the cursor.
  store_end_ = put < known_size_ ? pptr() : epptr();
}

void string_buffer::str(std::string_view text) {
  if (text.size() > capacity_) {
    std::unique_ptr<char[]> larger(new char[text.size()]);
    std::memcpy(larger.get(), text.data(), text.size());
    take_memory(larger.release(), text.size());
  } else if (!text.empty()) {
    std::memmove(memory_, text.data(), text.size());
  }
  known_size_ = text.size();
  set_positions((mode_ & (std::ios_base::ate | std::ios_base::app)) != 0 ? known_size_ : 0, 0);
}

void string_buffer::take_memory(char* memory, std::size_t size) noexcept {
  if (memory_ != inline_memory_) delete[] memory_;
  memory_ = memory;
  capacity_ = size;
}

/// Writes at the cursor. `text` may lie in the old memory, so the old memory is freed after the
/// copy. Returns false if there is no memory for more text.
bool string_buffer::append(const char* text, std::size_t n) noexcept {
  const auto put = static_cast<std::size_t>(pptr() - memory_);
  const std::size_t get = gptr() != nullptr ? static_cast<std::size_t>(gptr() - memory_) : 0;
  known_size_ = size();
  if (capacity_ - put < n) {
    const std::size_t capacity = std::max(2 * capacity_, put + n);
    std::unique_ptr<char[]> larger(new (std::nothrow) char[capacity]);
    if (larger == nullptr) return false;
    std::memcpy(larger.get(), memory_, known_size_);
    std::memcpy(larger.get() + put, text, n);
    take_memory(larger.release(), capacity);
  } else {
    std::memmove(memory_ + put, text, n);
  }
  set_positions(put + n, get);
  return true;
}

string_buffer::int_type string_buffer::overflow(int_type c) {
  if ((mode_ & std::ios_base::out) == 0) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return append(&byte, 1) ? c : traits_type::eof();
}

std::streamsize string_buffer::xsputn(const char* text, std::streamsize size) {
  if ((mode_ & std::ios_base::out) == 0 || size <= 0) return 0;
  return append(text, static_cast<std::size_t>(size)) ? size : 0;
}

bool string_buffer::ends_here() noexcept {
  if ((mode_ & std::ios_base::in) == 0) return false;
  known_size_ = size();
  if (gptr() < memory_ + known_size_ && egptr() != memory_ + known_size_)
    setg(memory_, gptr(),
         memory_ + std::min<std::size_t>(known_size_,
                                         static_cast<std::size_t>(gptr() - memory_) + INT_MAX / 2));
  return egptr() == memory_ + known_size_;
}

string_buffer::int_type string_buffer::underflow() {
  if ((mode_ & std::ios_base::in) == 0) return traits_type::eof();
  ends_here();
  return gptr() < egptr() ? traits_type::to_int_type(*gptr()) : traits_type::eof();
}

string_buffer::int_type string_buffer::pbackfail(int_type c) {
  if (gptr() == eback()) return traits_type::eof();
  const bool any = traits_type::eq_int_type(c, traits_type::eof());
  const bool same = !any && traits_type::eq_int_type(c, traits_type::to_int_type(gptr()[-1]));
  if (!any && !same && (mode_ & std::ios_base::out) == 0) return traits_type::eof();
  gbump(-1);
  if (!any && !same) *gptr() = traits_type::to_char_type(c);
  return traits_type::not_eof(c);
}

std::streamsize string_buffer::xsgetn(char* into, std::streamsize size) {
  std::streamsize taken = 0;
  while (taken < size && !traits_type::eq_int_type(underflow(), traits_type::eof())) {
    const std::streamsize n = std::min(size - taken, egptr() - gptr());
    std::memcpy(into + taken, gptr(), static_cast<std::size_t>(n));
    gbump(static_cast<int>(n));
    taken += n;
  }
  return taken;
}

std::streamsize string_buffer::showmanyc() {
  if ((mode_ & std::ios_base::in) == 0) return -1;
  ends_here();
  return egptr() - gptr();
}

string_buffer::pos_type string_buffer::seekoff(off_type offset, std::ios_base::seekdir from,
                                               std::ios_base::openmode which) {
  constexpr auto sides = std::ios_base::in | std::ios_base::out;
  const bool get = (which & std::ios_base::in) != 0, put = (which & std::ios_base::out) != 0;
  // With `cur` only one of the two positions can be moved; with `beg` or `end` both can.
  if ((!get && !put) || (which & sides & ~mode_) != 0) return failed_position();
  if (get && put && from == std::ios_base::cur) return failed_position();
  known_size_ = size();
  const auto at_put = pptr() != nullptr ? pptr() - memory_ : 0;
  const auto at_get = gptr() != nullptr ? gptr() - memory_ : 0;
  off_type base = 0;
  if (from == std::ios_base::cur) base = get ? at_get : at_put;
  if (from == std::ios_base::end) base = static_cast<off_type>(known_size_);
  if (offset < -base || offset > static_cast<off_type>(known_size_) - base)
    return failed_position();
  const off_type target = base + offset;
  set_positions(static_cast<std::size_t>(put ? target : at_put),
                static_cast<std::size_t>(get ? target : at_get));
  return pos_type(target);
}

string_buffer::pos_type string_buffer::seekpos(pos_type position, std::ios_base::openmode which) {
  return seekoff(off_type(position), std::ios_base::beg, which & mode_);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
