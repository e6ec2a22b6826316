// rotating(): opens a log file that is rotated by size or by time, and returns its writer.
#include <leat/rotating.hpp>

#include <memory>
#include <new>
#include <utility>

#include "logs/rotating.hpp"
#include "opening/scheme.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

file_writer rotating(path_ref path, const rotating_options& how, std::error_code& ec) try {
  options all(how);
  all.compression = compression::none;
  all.level = 0;
  if (is_address(path)) {
    ec = address_error(path, all);
    return detail::opening::fail<file_writer>({ec, "open"}, path.view());
  }
  const rotation policy{.size = how.size,
                        .every = how.every.count(),
                        .local_time = how.local_time,
                        .keep = how.keep,
                        .by_time = how.names == old_names::times,
                        .format = how.compression,
                        .level = how.level,
                        .finished = how.finished};
  auto log = rotating_device::open(path, all, &policy, ec);
  if (log == nullptr) return detail::opening::fail<file_writer>({ec, "open"}, path.view());
  rotating_device* const log_device = log.get();
  return detail::opening::make<file_writer>(opened_device(std::move(log), log_device), all,
                                            path.view());
} catch (const std::bad_alloc&) {
  return detail::opening::fail_without_memory<file_writer>(path.view(), ec);
}

file_writer rotating(path_ref path, const rotating_options& how) {
  std::error_code ec;
  auto stream = rotating(path, how, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
  return stream;
}

}  // namespace v0
}  // namespace leat
