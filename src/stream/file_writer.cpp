// file_writer, and the functions create(), append(), replace() and recover().
#include <leat/file_stream.hpp>

#include <memory>
#include <new>
#include <string>

#include "base/last_error.hpp"
#include "device/follow_system.hpp"
#include "device/system.hpp"
#include "opening/compressed.hpp"
#include "opening/open.hpp"
#include "opening/scheme.hpp"
#include "stream/device_sink.hpp"
#include "stream/interval_sink.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

file_writer::file_writer() noexcept : sole_writer(closed_sink()) {}

file_writer::file_writer(std::unique_ptr<device> target, const writer_options& how,
                         std::string_view name)
    : file_writer(options(how), opened_device(std::move(target)), name) {}

file_writer::file_writer(const options& how, opened_device target, std::string_view name)
    : sole_writer(closed_sink()) {
  if (target.target == nullptr) return;
  if (how.flush_interval.count() > 0) {
    options inner = how;
    inner.flush_interval = {};
    sink_ = new interval_sink(file_writer(inner, std::move(target), name), how.flush_interval);
  } else {
    sink_ = new device_sink(std::move(target), how, name);
  }
}

file_writer::file_writer(file_writer&& other) noexcept : sole_writer(closed_sink()) {
  take_window(other);
}

file_writer& file_writer::operator=(file_writer&& other) noexcept {
  if (this != &other) {
    dispose();
    take_window(other);
  }
  return *this;
}

file_writer::~file_writer() { dispose(); }

bool file_writer::is_open() const noexcept {
  const file_sink* const file = sink_->file();
  return file != nullptr && file->is_open();
}

native_handle_type file_writer::native_handle() const noexcept {
  const file_sink* const file = sink_->file();
  return file != nullptr ? file->native_handle() : no_handle;
}

native_handle_type file_writer::release(std::error_code& ec) noexcept {
  failure why{errc::closed, "release", 0};
  file_sink* const file = sink_->file();
  const native_handle_type handle = file != nullptr ? file->release(*this, why) : no_handle;
  ec = why ? set_last_error(why, sink_->name()) : std::error_code();
  return handle;
}

native_handle_type file_writer::release() {
  std::error_code ec;
  const native_handle_type handle = release(ec);
  if (ec) throw last_error();
  return handle;
}

void file_writer::discard() noexcept {
  if (file_sink* const file = sink_->file()) file->discard(*this);
}

file_writer create(path_ref path, const create_options& how) {
  return open_with<file_writer>(open_created, path, how);
}
file_writer create(path_ref path, std::error_code& ec) { return create(path, {}, ec); }
file_writer create(path_ref path, const create_options& how, std::error_code& ec) {
  return open_with<file_writer>(open_created, path, how, ec);
}

namespace {

/// Opens a file to append. If `how.reopen` is true and `path` is not an address, opens the file as
/// a log. A log can't be compressed: operation_not_supported.
opened_device open_to_append(path_ref path, const options& how, std::error_code& ec) noexcept {
  if (!how.reopen || is_address(path)) return open_appending(path, how, ec);
  if (compression_for_writing(path, how) != compression::none) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return opened_device(nullptr);
  }
  auto log = rotating_device::open(path, how, nullptr, ec);
  rotating_device* const log_device = log.get();
  return {std::move(log), log_device};
}

}  // namespace

file_writer append(path_ref path, const append_options& how) {
  return open_with<file_writer>(open_to_append, path, how);
}
file_writer append(path_ref path, std::error_code& ec) { return append(path, {}, ec); }
file_writer append(path_ref path, const append_options& how, std::error_code& ec) {
  return open_with<file_writer>(open_to_append, path, how, ec);
}

std::uint64_t recover(path_ref path, std::error_code& ec) {
  const auto file = files::open_random(path, false, ec);
  return file == nullptr ? 0
                         : recover_sidecar(path, file->native_handle(), recovery_mode::replay, ec);
}
std::uint64_t recover(path_ref path) {
  std::error_code ec;
  const std::uint64_t recovered = recover(path, ec);
  if (ec) throw io_error({ec, "recover"}, path.view());
  return recovered;
}

file_writer replace(path_ref path, const replace_options& how) {
  std::error_code ec;
  auto stream = replace(path, how, ec);
  if (ec) throw last_error();
  return stream;
}
file_writer replace(path_ref path, std::error_code& ec) { return replace(path, {}, ec); }
file_writer replace(path_ref path, const replace_options& how, std::error_code& ec) try {
  auto stream = open_with<file_writer>(open_replacing, path, how, ec);
  if (ec != std::errc::permission_denied || path.is_inside()) return stream;
  // The new file is made in the target's folder. If the folder's permissions are the reason for the
  // failure, the message names the folder.
  const std::string folder = folder_of(path.view());
  if (may_make_files_in(folder.c_str())) return stream;
  return detail::opening::fail<file_writer>({ec, "make a new file in"}, folder);
} catch (const std::bad_alloc&) {
  return detail::opening::fail_without_memory<file_writer>(path.view(), ec);
}

}  // namespace v0
}  // namespace leat
