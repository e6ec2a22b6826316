#include <leat/device.hpp>

namespace leat {
inline namespace v0 {

namespace {

std::error_code not_supported() noexcept {
  return std::make_error_code(std::errc::operation_not_supported);
}

}  // namespace

device::~device() = default;

std::size_t device::copy_at(std::uint64_t, device&, std::uint64_t, std::size_t,
                            std::error_code& ec) noexcept {
  ec = not_supported();
  return 0;
}

std::uint64_t device::size(std::error_code& ec) const noexcept {
  ec = not_supported();
  return 0;
}

void device::resize(std::uint64_t, std::error_code& ec) noexcept { ec = not_supported(); }

void device::reserve(std::uint64_t, std::error_code& ec) noexcept { ec.clear(); }

void device::advise(pattern) noexcept {}

void device::sync(std::error_code& ec) noexcept { ec.clear(); }

native_handle_type device::release(std::uint64_t, std::error_code& ec) noexcept {
  ec = not_supported();
  return no_handle;
}

}  // namespace v0
}  // namespace leat
