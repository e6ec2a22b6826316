// write_descriptor(), which is the same on every platform. C's streams call this function.
#include "device/descriptor.hpp"

#include <cerrno>

#include "base/errno.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Lets write_all use a descriptor, which stays open.
class descriptor_to_write final : public device {
 public:
  explicit descriptor_to_write(int descriptor) noexcept : descriptor_(descriptor) {}

  device_traits traits() const noexcept override { return {.positional = false}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    const std::ptrdiff_t n = write_once(descriptor_, pieces.front());
    if (n >= 0) {
      ec.clear();
      return static_cast<std::size_t>(n);
    }
    ec = {errno, std::generic_category()};
    return 0;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  int descriptor_;
};

}  // namespace

bool write_descriptor(int descriptor, std::string_view bytes) noexcept {
  // Most writes need only this first call, which needs no device.
  const std::ptrdiff_t n = write_once(descriptor, bytes);
  if (n == static_cast<std::ptrdiff_t>(bytes.size())) return true;
  if (n < 0 && errno != EINTR) return false;
  if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));

  descriptor_to_write to(descriptor);
  std::error_code ec;
  write_all(to, 0, {&bytes, 1}, ec);
  if (ec) errno = errno_of(ec);
  return !ec;
}

}  // namespace v0
}  // namespace leat
