// follow(): opens a growing file as a reader.
#include <leat/follow.hpp>

#include <new>

#include "logs/follow.hpp"
#include "opening/scheme.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Returns the position of the first of the last `how.last_lines` lines. For 0 lines returns the
/// end, and for all_lines returns 0.
std::uint64_t start_of_last_lines(native_handle_type file, const follow_options& how,
                                  std::error_code& ec) {
  ec.clear();
  std::size_t count = how.last_lines;
  if (count == follow_options::all_lines) return 0;
  file_reader text(borrow(file), {.window_limit = how.window_limit});
  if (count == 0) {
    const std::uint64_t size = text.size(ec);
    if (ec != std::errc::operation_not_supported) return size;
    ec.clear();
    text.skip(~std::uint64_t{0}, ec);
    return text.tell();
  }
  for ([[maybe_unused]] const std::string_view line : text.lines_backwards(ec))
    if (--count == 0) break;
  return text.tell();
}

}  // namespace

file_reader follow(path_ref path, const follow_options& how, std::error_code& ec) try {
  if (is_address(path)) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return detail::opening::fail<file_reader>({ec, "open"}, path.view());
  }
  const auto begin = [&how](native_handle_type opened, std::error_code& why) {
    return start_of_last_lines(opened, how, why);
  };
  auto file = open_following(path, begin, how.timeout, how.stop, ec);
  if (file == nullptr) return detail::opening::fail<file_reader>({ec, "open"}, path.view());
  return file_reader(std::move(file), {.window_limit = how.window_limit}, path.view());
} catch (const std::bad_alloc&) {
  return detail::opening::fail_without_memory<file_reader>(path.view(), ec);
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
