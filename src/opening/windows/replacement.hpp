// A temporary file that replaces another file in close(). open.cpp makes this device.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <memory>
#include <string>

#include "device/options.hpp"
#include "device/windows/file.hpp"

namespace leat {
inline namespace v0 {

/// A temporary file in the folder of its target. close() renames the file to the target. If close()
/// did not rename the file, the destructor removes the file.
class windows_replacement final : public windows_file {
 public:
  /// Opens a temporary file whose target is `path` or, if `path` is a symbolic link, the link's
  /// target. Returns null and sets `ec` on failure. Throws std::bad_alloc.
  static std::unique_ptr<windows_replacement> open(path_ref path, const options& how,
                                                   std::error_code& ec);
  ~windows_replacement() override;

  void close(std::error_code& ec) noexcept override;
  /// Always fails: sets `ec` and returns no_handle, because only close() can rename the file.
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  windows_replacement(HANDLE handle, std::wstring temporary, std::wstring target, DWORD attributes,
                      bool sync) noexcept;

  std::wstring temporary_;  // empty: the file has been renamed
  std::wstring target_;
  DWORD attributes_;  // attributes that the file gets; 0: the file keeps its own
  bool sync_;
};

/// Removes a file. Ignores errors, for example that there is no such file.
void remove_file(path_ref path) noexcept;

}  // namespace v0
}  // namespace leat
