// file_reader, and the functions open().
#include <leat/file_stream.hpp>

#include <memory>

#include "base/last_error.hpp"
#include "opening/open.hpp"
#include "stream/device_source.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

file_reader::file_reader() noexcept : concrete_reader(closed_source()) {}

file_reader::file_reader(std::unique_ptr<device> from, const reader_options& how,
                         std::string_view name)
    : file_reader(options(how), std::move(from), name) {}

file_reader::file_reader(const options& how, std::unique_ptr<device> from, std::string_view name)
    : concrete_reader(closed_source()) {
  if (from == nullptr) return;
  auto* opened = new device_source(std::move(from), how, name);
  opened->start(*this);
  source_ = opened;
}

file_reader::file_reader(file_reader&& other) noexcept : concrete_reader(closed_source()) {
  take_window(other);
}

file_reader::file_reader(reader&& other) noexcept : concrete_reader(closed_source()) {
  take_window(other);
}

file_reader& file_reader::operator=(file_reader&& other) noexcept {
  if (this != &other) {
    dispose();
    take_window(other);
  }
  return *this;
}

file_reader::~file_reader() { dispose(); }

bool file_reader::is_open() const noexcept { return source_->is_open(); }

native_handle_type file_reader::native_handle() const noexcept { return source_->native_handle(); }

native_handle_type file_reader::release() {
  failure why;
  const native_handle_type handle = source_->release(*this, why);
  if (why) throw io_error(why, source_->name());
  return handle;
}

native_handle_type file_reader::release(std::error_code& ec) noexcept {
  failure why;
  const native_handle_type handle = source_->release(*this, why);
  ec = set_last_error(why, source_->name());
  return handle;
}

file_reader open(path_ref path, const open_options& how) {
  return open_with<file_reader>(open_existing, path, how);
}
file_reader open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }
file_reader open(path_ref path, const open_options& how, std::error_code& ec) {
  return open_with<file_reader>(open_existing, path, how, ec);
}

}  // namespace v0
}  // namespace leat
