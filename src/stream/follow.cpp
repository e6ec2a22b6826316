#include <leat/follow.hpp>

#include <new>

#include "device/follow.hpp"

namespace leat {
inline namespace v0 {

file_reader follow(path_ref path, const follow_options& how, std::error_code& ec) try {
  auto file = open_following(path, how.from_end, how.timeout, how.stop, ec);
  if (file == nullptr) return {};
  return file_reader(std::move(file), {}, path.view());
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

file_reader follow(path_ref path, const follow_options& how) {
  std::error_code ec;
  auto stream = follow(path, how, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
  return stream;
}

file_reader follow(path_ref path, std::error_code& ec) { return follow(path, {}, ec); }

}  // namespace v0
}  // namespace leat
