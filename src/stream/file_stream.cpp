// file_stream, and the functions update() and temporary_file().
#include <leat/file_stream.hpp>

#include <memory>
#include <new>
#include <string>

#include "opening/open.hpp"
#include "stream/open_with.hpp"
#include "stream/update_buffer.hpp"

namespace leat {
inline namespace v0 {

file_stream::file_stream() noexcept : concrete_reader(closed_source()), writer(closed_sink()) {}

file_stream::file_stream(std::unique_ptr<device> on, const stream_options& how,
                         std::string_view name)
    : file_stream(options(how), std::move(on), name) {}

file_stream::file_stream(const options& how, std::unique_ptr<device> on, std::string_view name)
    : file_stream() {
  if (on == nullptr) return;
  // An appending device would ignore positions.
  const device_traits traits = on->traits();
  if (!traits.positional || traits.appends)
    throw io_error({std::make_error_code(traits.refusal()), "open"}, name);
  (new update_buffer(std::move(on), how, name))->connect(*this, *this);
}

file_stream::file_stream(file_stream&& other) noexcept : file_stream() {
  reader::take_window(other);
  writer::take_window(other);
}

file_stream& file_stream::operator=(file_stream&& other) noexcept {
  if (this != &other) {
    reader::dispose();
    writer::dispose();
    reader::take_window(other);
    writer::take_window(other);
  }
  return *this;
}

file_stream::~file_stream() {
  reader::dispose();
  writer::dispose();
}

std::error_code file_stream::error() const noexcept {
  const std::error_code writing = writer::error();
  return writing ? writing : reader::error();
}

bool file_stream::is_open() const noexcept { return source_->is_open(); }

native_handle_type file_stream::native_handle() const noexcept { return source_->native_handle(); }

namespace {

std::unique_ptr<device> open_nameless(path_ref, const options& how, std::error_code& ec) noexcept {
  return open_temporary(how, ec);
}

/// The name of a temporary file in messages. Names the folder, so that people see which disk is
/// full.
std::string name_of_temporary() { return "<temporary file in " + temporary_folder() + '>'; }

std::unique_ptr<device> open_seekable(path_ref path, const options& how,
                                      std::error_code& ec) noexcept {
  auto file = open_updating(path, how, ec);
  if (file == nullptr || file->traits().positional) return file;
  ec = std::make_error_code(file->traits().refusal());
  return nullptr;
}

}  // namespace

file_stream update(path_ref path, const update_options& how) {
  return open_with<file_stream>(open_seekable, path, how);
}
file_stream update(path_ref path, std::error_code& ec) { return update(path, {}, ec); }
file_stream update(path_ref path, const update_options& how, std::error_code& ec) {
  return open_with<file_stream>(open_seekable, path, how, ec);
}

file_stream temporary_file(const temporary_options& how) {
  std::error_code ec;
  auto stream = temporary_file(how, ec);
  if (ec) throw io_error({ec, "make a temporary file in"}, temporary_folder());
  return stream;
}
file_stream temporary_file(std::error_code& ec) { return temporary_file({}, ec); }
file_stream temporary_file(const temporary_options& how, std::error_code& ec) try {
  return open_with<file_stream>(open_nameless, name_of_temporary(), how, ec);
} catch (const std::bad_alloc&) {
  return detail::opening::fail_without_memory<file_stream>("<temporary file>", ec);
}

}  // namespace v0
}  // namespace leat
