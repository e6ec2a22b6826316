// The last failure of each thread.
#include "base/last_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/errno.hpp"

namespace leat {
inline namespace v0 {

namespace {

thread_local kept_failure of_thread;

}  // namespace

kept_failure& last_error_of_thread() noexcept { return of_thread; }

void keep_failure(const failure& what, std::string_view path, std::string_view remark) noexcept {
  const keeps_errno kept;
  kept_failure& to = of_thread;
  to.why = what;
  to.number = errno_of(what.code);
  if (path.size() >= sizeof to.path) path.remove_prefix(path.size() - sizeof to.path + 1);
  if (!path.empty()) std::memmove(to.path, path.data(), path.size());
  to.path[path.size()] = '\0';
  to.remark[remark.copy(to.remark, sizeof to.remark - 1)] = '\0';
  to.has_text = false;
}

void note_error(const failure& what, int number, std::string_view path,
                std::string_view remark) noexcept {
  keep_failure(what, path, remark);
  of_thread.number = number;
  errno = number;
}

io_error last_error() {
  return of_thread.remark[0] == '\0' ? io_error(of_thread.why, of_thread.path)
                                     : io_error(of_thread.why, of_thread.path, of_thread.remark);
}

void keep_message(std::string_view message) noexcept {
  kept_failure& to = of_thread;
  const std::size_t size = std::min(message.size(), sizeof to.text - 1);
  if (size != 0) std::memcpy(to.text, message.data(), size);
  to.text[size] = '\0';
  to.has_text = true;
}

}  // namespace v0
}  // namespace leat
