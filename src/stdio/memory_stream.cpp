// Memory as a FILE: fmemopen, open_memstream and open_wmemstream. open.cpp makes these streams.
#include "stdio/memory_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// The offset of the next byte, without pushed-back bytes.
std::size_t memory_stream::cursor(const leat_file& f) const noexcept {
  switch (state_) {
    case state::reading:
      return static_cast<std::size_t>((f.is_in_pushback ? f.saved_get : f.get) - memory_);
    case state::writing:
      return static_cast<std::size_t>(f.put - memory_);
    default:
      return at_;
  }
}

/// Ends reading or writing. Afterwards at_ is the cursor, and the file's buffer pointers are null.
void memory_stream::end_state(leat_file& f) noexcept {
  const std::size_t pushed = f.pushback_size();
  at_ = cursor(f);
  f.drop_pushback();
  if (state_ == state::writing) size_ = std::max(size_, at_);
  at_ -= std::min(at_, pushed);
  f.clear_pointers();
  state_ = state::idle;
}

bool memory_stream::begin_reading(leat_file& f) noexcept {
  if (state_ == state::reading) return true;
  if (state_ == state::writing) flush(f);
  end_state(f);
  state_ = state::reading;
  f.get = memory_ + at_;
  f.get_end = memory_ + std::max(size_, at_);
  return true;
}

bool memory_stream::fill(leat_file& f) noexcept {
  begin_reading(f);
  if (f.get != f.get_end) return true;
  f.at_end = true;
  return false;
}

std::size_t memory_stream::read(leat_file& f, char* to, std::size_t n) noexcept {
  if (!fill(f)) return 0;
  const std::size_t taken = std::min(n, f.available());
  std::memcpy(to, f.get, taken);
  f.get += taken;
  return taken;
}

std::size_t memory_stream::write(leat_file& f, const char* from, std::size_t n) noexcept {
  if (state_ != state::writing) {
    end_state(f);
    if (appends_) at_ = size_;
  }
  const std::size_t at = cursor(f);
  std::size_t taken = n;
  if (!reserve(at + n)) taken = std::min(n, at < capacity_ ? capacity_ - at : 0);
  if (taken != 0) {
    if (state_ != state::writing && at > size_) std::memset(memory_ + size_, 0, at - size_);
    std::memcpy(memory_ + at, from, taken);
    state_ = state::writing;
    f.put = memory_ + at + taken;
    // If the memory is full, the next write calls write(): fixed memory refuses the bytes, growing
    // memory grows.
    f.put_end = stores_wide() ? f.put : memory_ + capacity_;
  }
  if (taken == n) return n;
  f.failed = true;
  return taken;
}

void memory_stream::remove_pending(leat_file& f, std::size_t n) noexcept {
  if (state_ != state::writing) return;
  f.put -= std::min(n, pending(f));
  if (stores_wide()) f.put_end = f.put;
}

bool memory_stream::flush(leat_file& f) noexcept {
  if (state_ == state::writing) {
    at_ = cursor(f);
    size_ = std::max(size_, at_);
  }
  terminate();
  return true;
}

bool memory_stream::seek(leat_file& f, std::int64_t target) noexcept {
  flush(f);
  end_state(f);
  std::size_t at;
  if (__builtin_mul_overflow(static_cast<std::size_t>(target), unit_, &at) || !reserve(at))
    return fail(EINVAL, false);
  at_ = at;
  return true;
}

std::int64_t memory_stream::end(leat_file& f) noexcept {
  flush(f);
  return static_cast<std::int64_t>(size_ / unit_);
}

std::int64_t memory_stream::tell(leat_file& f) noexcept {
  const std::size_t at = cursor(f);
  return static_cast<std::int64_t>((at - std::min(at, f.pushback_size())) / unit_);
}

bool memory_stream::close(leat_file& f) noexcept {
  flush(f);
  end_state(f);
  return true;
}

fixed_stream::fixed_stream(char* memory, std::size_t size, const open_mode& mode) noexcept
    : memory_stream(1), writes_only_(!mode.readable) {
  if (memory == nullptr && size != SIZE_MAX) {  // allocates one more byte, for the NUL
    own_.reset(new (std::nothrow) char[size + 1]());
    memory = own_.get();
  }
  memory_ = memory;
  capacity_ = size;
  appends_ = mode.appends;
  if (memory == nullptr) return;
  if (mode.truncates) {
    if (size != 0) *memory = '\0';
  } else if (mode.appends) {
    size_ = ::strnlen(memory, size);
  } else {
    size_ = size;
  }
  terminated_size_ = size_;
  if (mode.appends) at_ = size_;
}

bool fixed_stream::reserve(std::size_t end) noexcept {
  return end <= capacity_ || fail(ENOSPC, false);
}

void fixed_stream::terminate() noexcept {
  if (size_ <= terminated_size_) return;
  terminated_size_ = size_;
  if (size_ < capacity_)
    memory_[size_] = '\0';
  else if (writes_only_ && capacity_ != 0)
    memory_[capacity_ - 1] = '\0';
}

template <class Char>
growing_stream<Char>::growing_stream(Char** where, std::size_t* size) noexcept
    : memory_stream(sizeof(Char)), where_(where), reported_size_(size) {
  if (reserve(0)) terminate();
}

template <class Char>
bool growing_stream<Char>::reserve(std::size_t end) noexcept {
  constexpr std::size_t least = 128;
  if (memory_ != nullptr && end <= capacity_) return true;
  std::size_t wanted;
  if (__builtin_add_overflow(end, sizeof(Char), &wanted)) return fail(ENOMEM, false);
  wanted = std::max({wanted, least, capacity_ + capacity_ / 2});
  wanted -= wanted % sizeof(Char);
  auto* const memory = static_cast<char*>(std::realloc(memory_, wanted));
  if (memory == nullptr) return false;
  memory_ = memory;
  capacity_ = wanted - sizeof(Char);  // leaves room for the NUL
  return true;
}

template <class Char>
void growing_stream<Char>::terminate() noexcept {
  std::memset(memory_ + size_, 0, sizeof(Char));
  *where_ = reinterpret_cast<Char*>(memory_);
  *reported_size_ = visible_size() / sizeof(Char);
}

/// Puts the NUL at the reported size. After a rewind, older bytes may follow that size; these bytes
/// are not part of the text.
template <class Char>
bool growing_stream<Char>::close(leat_file& f) noexcept {
  memory_stream::close(f);
  std::memset(memory_ + visible_size(), 0, sizeof(Char));
  return true;
}

template class growing_stream<char>;
template class growing_stream<wchar_t>;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
