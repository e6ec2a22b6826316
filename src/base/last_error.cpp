// The last failure of each thread. Functions that report errors without exceptions record the
// failure here.
#include "base/last_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/errno.hpp"

namespace leat {
inline namespace v0 {

namespace {

thread_local failure_record thread_failure;

}  // namespace

failure_record& last_error_of_thread() noexcept { return thread_failure; }

void record_failure(const failure& what, std::string_view path, std::string_view remark) noexcept {
  const errno_guard kept;
  failure_record& to = thread_failure;
  to.cause = what;
  to.number = errno_of(what.code);
  if (path.size() >= sizeof to.path) path.remove_prefix(path.size() - sizeof to.path + 1);
  if (!path.empty()) std::memmove(to.path, path.data(), path.size());
  to.path[path.size()] = '\0';
  to.remark[remark.copy(to.remark, sizeof to.remark - 1)] = '\0';
  to.has_text = false;
}

void note_error(const failure& what, int number, std::string_view path,
                std::string_view remark) noexcept {
  record_failure(what, path, remark);
  thread_failure.number = number;
  errno = number;
}

io_error last_error() {
  return thread_failure.remark[0] == '\0'
             ? io_error(thread_failure.cause, thread_failure.path)
             : io_error(thread_failure.cause, thread_failure.path, thread_failure.remark);
}

void record_message(std::string_view message) noexcept {
  failure_record& to = thread_failure;
  const std::size_t size = std::min(message.size(), sizeof to.text - 1);
  if (size != 0) std::memcpy(to.text, message.data(), size);
  to.text[size] = '\0';
  to.has_text = true;
}

}  // namespace v0
}  // namespace leat
