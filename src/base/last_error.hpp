// The last failure of each thread, for programs without exceptions and for leat.h. Functions that
// report errors without exceptions record the failure here.
#pragma once

#include <leat/error.hpp>

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

/// The last failure of a thread. The struct is trivially destructible, so that it can be used until
/// the thread has ended.
struct failure_record {
  failure cause;
  int number = 0;        // an errno value; 0 if no call has failed yet
  char path[1024] = {};  // the path, or its last bytes if the path is longer
  char remark[64] = {};  // the remark of io_error
  bool has_text = false;
  char text[sizeof path + 512] = {};  // the message, if has_text
};

/// Returns the last failure of the calling thread.
failure_record& last_error_of_thread() noexcept;

/// Records a failure, with the errno value of its code, and discards the stored message. Leaves
/// errno unchanged.
[[gnu::cold]] void record_failure(const failure& what, std::string_view path,
                                  std::string_view remark = {}) noexcept;
/// If `what` is a failure, records it. Returns the failure's code, for the caller's `ec`.
inline std::error_code set_last_error(const failure& what, std::string_view path) noexcept {
  if (what) record_failure(what, path);
  return what.code;
}
/// Like record_failure(), but records the errno value `number`, and sets errno to `number`.
[[gnu::cold]] void note_error(const failure& what, int number, std::string_view path,
                              std::string_view remark = {}) noexcept;
/// Stores the message of the last failure, truncated to the size of failure_record::text.
void record_message(std::string_view message) noexcept;

}  // namespace v0
}  // namespace leat
