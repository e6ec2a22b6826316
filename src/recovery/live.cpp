// A device for reading a file together with the file's pending bytes. src/opening/ wraps files that
// are opened with the option `live`.
#include "recovery/live.hpp"

#include <algorithm>
#include <new>

namespace leat {
inline namespace v0 {

std::unique_ptr<device> live_device::wrap(path_ref path, std::unique_ptr<device> file,
                                          std::error_code& ec) noexcept try {
  // A file of a leat::folder has no sidecar.
  if (file == nullptr || !file->traits().positional || opened_path(path).is_inside) return file;
  std::unique_ptr<live_device> result(new live_device(std::string(path.view()), std::move(file)));
  result->sidecar_.find(path_ref(result->path_), *result->file_, ec);
  if (ec) return nullptr;
  return result;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::size_t live_device::read_at(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept {
  std::size_t n = file_->read_at(at, into, ec);
  if (n != 0 || ec || into.empty()) return n;
  sidecar_.find(path_ref(path_), *file_, ec);
  if (ec) return 0;
  n = sidecar_.read(at, into);
  // The bytes may have gone into the file since the first read.
  return n != 0 ? n : file_->read_at(at, into, ec);
}

std::size_t live_device::write_at(std::uint64_t, std::span<const std::string_view>,
                                  std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::bad_file_descriptor);
  return 0;
}

std::uint64_t live_device::size(std::error_code& ec) const noexcept {
  sidecar_.find(path_ref(path_), *file_, ec);
  if (ec) return 0;
  const std::uint64_t before = file_->size(ec);
  if (ec) return 0;
  // The pending bytes may have gone into the file meanwhile.
  const std::uint64_t end = sidecar_.end(before);
  return end != before ? end : file_->size(ec);
}

}  // namespace v0
}  // namespace leat
