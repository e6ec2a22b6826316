// Walks paths inside a folder, and opens the last names of paths. Also leat::folder's constructors.
// The POSIX functions that open, rename or remove files use resolved_path.
#include "device/posix/resolved_path.hpp"

#include <leat/error.hpp>
#include <leat/folder.hpp>

#include <unistd.h>

#include <climits>
#include <cstring>
#include <string_view>

#include "base/no_cancel.hpp"
#include "device/follow_system.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Opens a name that may be a trap. With O_DIRECTORY the name must be the name of a folder,
/// otherwise the name of a regular file. Never waits: without O_NONBLOCK, opening a pipe would wait
/// for the other side of the pipe.
int open_untrusted(int folder, const char* name, int flags, unsigned permissions,
                   std::error_code& ec) noexcept {
  const no_cancel guard;
  constexpr int safe_flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  const int descriptor = open_at(folder, name, flags | safe_flags, permissions);
  struct stat status{};
  if (descriptor < 0) {
    // ENXIO: a pipe without a reader, or a socket.
    ec = errno == ENXIO ? make_error_code(errc::not_a_file) : system_code();
    return no_handle;
  }
  if (get_status(descriptor, status) != 0)
    ec = system_code();
  else if ((flags & O_DIRECTORY) != 0 || S_ISREG(status.st_mode))
    ec.clear();
  else
    ec = S_ISDIR(status.st_mode) ? std::make_error_code(std::errc::is_a_directory)
                                 : make_error_code(errc::not_a_file);
  // Removes O_NONBLOCK again, because with O_NONBLOCK requests of io_uring would not wait.
  if (!ec && (flags & O_DIRECTORY) == 0) ::fcntl(descriptor, F_SETFL, flags);
  if (!ec) return descriptor;
  ::close(descriptor);
  return no_handle;
}

}  // namespace

unique_descriptor::~unique_descriptor() {
  if (descriptor_ < 0) return;
  const no_cancel guard;
  ::close(descriptor_);
}

resolved_path::resolved_path(path_ref path, std::error_code& ec) noexcept
    : name_(path.c_str()), inside_(path.is_inside()) {
  ec.clear();
  const std::string_view text = path.view();
  if (text.find('\0') != std::string_view::npos) {  // the system would cut the path at the NUL
    ec = std::make_error_code(std::errc::invalid_argument);
    return;
  }
  if (!inside_) return;
  folder_ = path.folder();
  if (text.empty()) ec = std::make_error_code(std::errc::no_such_file_or_directory);
  if (text.starts_with('/')) ec = errc::outside_folder;
  for (std::size_t at = 0; !ec;) {
    const std::size_t slash = text.find('/', at);
    const std::string_view part = text.substr(at, slash - at);
    if (part == "..") {
      ec = errc::outside_folder;
    } else if (slash == std::string_view::npos) {
      name_ = part.empty() ? "." : text.data() + at;
      return;
    } else if (part.size() > NAME_MAX) {
      ec = std::make_error_code(std::errc::filename_too_long);
    } else if (!part.empty()) {
      char name[NAME_MAX + 1] = {};
      std::memcpy(name, part.data(), part.size());
      unique_descriptor next(open_at(folder(), name, lookup_flags | O_NOFOLLOW, 0));
      if (next.get() < 0) ec = system_code();
      last_folder_ = std::move(next);
    }
    at = slash + 1;
  }
}

int resolved_path::open(int flags, unsigned permissions, std::error_code& ec) const noexcept {
  if (inside_) return open_untrusted(folder(), name_, flags, permissions, ec);
  const int descriptor = open_at(AT_FDCWD, name_, flags, permissions);
  ec = descriptor < 0 ? system_code() : std::error_code{};
  return descriptor;
}

int resolved_path::status(struct stat& into) const noexcept {
  return ::fstatat(folder(), name_, &into, inside_ ? AT_SYMLINK_NOFOLLOW : 0);
}

std::pair<unique_descriptor, std::string> resolved_path::parent(std::error_code& ec) const {
  ec.clear();
  if (!inside_) return {unique_descriptor(AT_FDCWD), folder_of(name_)};
  const int again = open_at(folder(), ".", lookup_flags, 0);
  if (again < 0) ec = system_code();
  return {unique_descriptor(again), "."};
}

folder::folder(path_ref path, std::error_code& ec) noexcept {
  const resolved_path where(path, ec);
  if (!ec) handle_ = where.open(lookup_flags, 0, ec);
}

folder::folder(path_ref path) {
  std::error_code ec;
  *this = folder(path, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
}

folder::~folder() {
  const no_cancel guard;
  if (handle_ != no_handle) ::close(handle_);
}

}  // namespace v0
}  // namespace leat
