// The part of file locks that all platforms share. Each platform has its own acquire() and
// unlock(ec). Programs and journals use file_lock.
#include <leat/lock.hpp>

#include <utility>

namespace leat {
inline namespace v0 {

namespace {

void check(const std::error_code& ec, const char* operation) {
  if (ec) throw io_error({ec, operation}, "<file lock>");
}

}  // namespace

file_lock::file_lock(native_handle_type file, lock_mode mode) {
  std::error_code ec;
  acquire(file, mode, true, ec);
  check(ec, "lock");
}

file_lock::file_lock(native_handle_type file, lock_mode mode, std::error_code& ec) noexcept {
  acquire(file, mode, true, ec);
}

file_lock::file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t) {
  std::error_code ec;
  acquire(file, mode, false, ec);
  check(ec, "lock");
}

file_lock::file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t,
                     std::error_code& ec) noexcept {
  acquire(file, mode, false, ec);
}

file_lock::file_lock(file_lock&& other) noexcept
    : file_(std::exchange(other.file_, no_handle)), process_(other.process_) {}

file_lock& file_lock::operator=(file_lock&& other) noexcept {
  if (this != &other) {
    std::error_code ignored;
    unlock(ignored);
    file_ = std::exchange(other.file_, no_handle);
    process_ = other.process_;
  }
  return *this;
}

file_lock::~file_lock() {
  std::error_code ignored;
  unlock(ignored);
}

void file_lock::unlock() {
  std::error_code ec;
  unlock(ec);
  check(ec, "unlock");
}

}  // namespace v0
}  // namespace leat
