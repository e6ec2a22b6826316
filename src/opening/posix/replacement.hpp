// A temporary file that replaces another file in close(). open.cpp makes this device.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <sys/stat.h>

#include <memory>
#include <string>

#include "device/options.hpp"
#include "device/posix/file.hpp"

namespace leat {
inline namespace v0 {

/// A temporary file in the folder of its target. close() renames the file to its target. If the
/// rename fails, close() removes the file. Without a call of close(), the destructor removes the
/// file. If the file system has locks, the file is locked until it is renamed or removed, so that
/// no other program takes the file for the leftover of a killed program. The file belongs to the
/// process that opened it: a forked child does not write, rename or remove the file.
class posix_replacement final : public posix_file {
 public:
  /// Opens a temporary file whose target is `path` or, if `path` is a symbolic link outside of a
  /// leat::folder, the link's target. Returns null and sets `ec` on failure. Throws std::bad_alloc.
  static std::unique_ptr<device> open(path_ref path, const options& how, std::error_code& ec);
  ~posix_replacement() override;

  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::size_t copy_at(std::uint64_t at, device& from, std::uint64_t from_at, std::size_t n,
                      std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override;
  /// Always fails: sets `ec` and returns no_handle, because only close() can rename the file.
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  posix_replacement(int descriptor, const struct stat& status, unique_descriptor folder,
                    std::string temporary, std::string target, const options& how) noexcept;

  bool check_process(std::error_code& ec) const noexcept;
  void commit(int file, std::error_code& ec) noexcept;
  void remove() noexcept;

  unique_descriptor folder_;  // the folder in which the two names are looked up
  std::string temporary_;     // empty: the file has been renamed or removed
  std::string target_;
  bool sync_folder_;
  process_id process_;
};

}  // namespace v0
}  // namespace leat
