// What failed last in a thread, for programs without exceptions.
#pragma once

#include <leat/error.hpp>

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

/// Kept by each thread. It has no destructor, so that it can be used until the thread is gone.
struct kept_failure {
  failure why;
  int number = 0;        // as errno; 0: nothing has failed yet
  char path[1024] = {};  // of a longer path the end
  char remark[64] = {};  // as io_error has it
  bool has_text = false;
  char text[sizeof path + 512] = {};  // the message, as soon as somebody has made it
};

kept_failure& last_error_of_thread() noexcept;

/// Keeps what failed.
[[gnu::cold]] void keep_failure(const failure& what, std::string_view path,
                                std::string_view remark = {}) noexcept;
/// The same, for the `ec` of a caller.
inline std::error_code told(const failure& what, std::string_view path) noexcept {
  if (what) keep_failure(what, path);
  return what.code;
}
/// Keeps what failed, and sets errno.
[[gnu::cold]] void note_error(const failure& what, int number, std::string_view path) noexcept;
/// Keeps the message of what failed last, as far as there is room.
void keep_message(std::string_view message) noexcept;

}  // namespace v0
}  // namespace leat
