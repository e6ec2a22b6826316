// A file that takes another one's place when it is closed.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <sys/types.h>

#include <memory>
#include <string>

#include "device/options.hpp"
#include "device/posix/file.hpp"

namespace leat {
inline namespace v0 {

/// A temporary file in the folder of its target. close() renames it; the destructor of an unclosed
/// one removes it. Belongs to the process that opened it: a forked child neither renames nor
/// removes.
class posix_replacement final : public posix_file {
 public:
  static std::unique_ptr<device> open(path_ref path, const options& how, std::error_code& ec);
  ~posix_replacement() override;

  void close(std::error_code& ec) noexcept override;
  /// Fails: only close() can rename the file.
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  posix_replacement(int descriptor, std::string temporary, std::string target,
                    const options& how) noexcept;

  std::string temporary_;  // empty: it has been renamed
  std::string target_;
  bool sync_folder_;
  pid_t process_;
};

}  // namespace v0
}  // namespace leat
