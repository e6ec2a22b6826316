// write_file(), rename_durably() and copy_file(): functions for whole files.
#include <leat/detail/escaped.hpp>
#include <leat/file_stream.hpp>

#include <new>

#include "base/last_error.hpp"
#include "device/descriptor.hpp"
#include "opening/open.hpp"

namespace leat {
inline namespace v0 {

void write_file(path_ref path, std::string_view bytes) {
  auto file = create(path);
  file.write(bytes);
  file.close();
}

void write_file(path_ref path, std::string_view bytes, std::error_code& ec) {
  auto file = create(path, ec);
  if (ec) return;
  file.write(bytes);
  file.close(ec);
}

void rename_durably(path_ref from, path_ref to) {
  std::error_code ec;
  rename_durably(from, to, ec);
  if (ec) throw last_error();
}

void rename_durably(path_ref from, path_ref to, std::error_code& ec) try {
  static_cast<void>(recover(from, ec));  // first writes the sidecar's pending bytes to the file
  if (!ec) rename_and_sync(from, to, ec);
  constexpr std::size_t longest_shown = 48;
  if (ec)
    record_failure({ec, "rename"}, from.view(),
                   "to '" + detail::escaped(to.view(), longest_shown) + "'");
} catch (const std::bad_alloc&) {
  ec = set_last_error({std::make_error_code(std::errc::not_enough_memory), "rename"}, from.view());
}

namespace {

/// Returns the failure of a copy whose target can't be opened.
failure open_failure(std::error_code ec) noexcept {
  return {ec, ec == errc::same_file ? "copy" : "open"};
}

}  // namespace

std::uint64_t copy_file(path_ref from, path_ref to) {
  auto source = open(from);
  static_cast<void>(source.window());  // if the source can't be read, the target is not emptied
  std::error_code ec;
  auto file = open_copy(source.native_handle(), to, ec);
  if (ec) throw io_error(open_failure(ec), to.view());
  file_writer target(std::move(file), {}, to.view());
  const std::uint64_t size = copy(source, target);
  target.close();
  return size;
}

std::uint64_t copy_file(path_ref from, path_ref to, std::error_code& ec) try {
  auto source = open(from, ec);
  if (ec) return 0;
  static_cast<void>(source.window(ec));
  if (ec) return 0;
  auto file = open_copy(source.native_handle(), to, ec);
  if (ec) {
    static_cast<void>(set_last_error(open_failure(ec), to.view()));
    return 0;
  }
  file_writer target(std::move(file), {}, to.view());
  const std::uint64_t size = copy(source, target, ec);
  if (ec)
    target.discard();  // in object storage, an incomplete copy must not replace the object
  else
    target.close(ec);
  return size;
} catch (const std::bad_alloc&) {
  ec = set_last_error({std::make_error_code(std::errc::not_enough_memory), "copy"}, from.view());
  return 0;
}

}  // namespace v0
}  // namespace leat
