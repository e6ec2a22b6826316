// The default implementations of a device's calls, for devices that do not override a call.
#include <leat/device.hpp>

#include <chrono>

#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

std::error_code not_supported() noexcept {
  return std::make_error_code(std::errc::operation_not_supported);
}

}  // namespace

device::~device() = default;

std::size_t device::read_ready(std::uint64_t at, std::span<char> into,
                               std::error_code& ec) noexcept {
  return read_at(at, into, ec);
}

std::string_view device::view_at(std::uint64_t, std::size_t) noexcept { return {}; }

void device::announce(std::uint64_t, std::uint64_t) noexcept {}

void device::start_read(read_request& one) noexcept {
  one.done = read_all(*this, one.at, one.into, one.ec);
}

void device::finish_read(read_request&) noexcept {}

void device::cancel_read(read_request& one) noexcept { finish_read(one); }

void device::read_many(std::span<read_request> requests) noexcept {
  for (auto& one : requests) one.done = read_all(*this, one.at, one.into, one.ec);
}

void device::write_many(std::span<write_request> requests) noexcept {
  for (auto& one : requests)
    one.done = static_cast<std::size_t>(write_all(*this, one.at, {&one.bytes, 1}, one.ec));
}

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

void device::expect_sync() noexcept {}

void device::sync(std::error_code& ec) noexcept { ec.clear(); }

std::chrono::nanoseconds device::now() const noexcept {
  return std::chrono::steady_clock::now().time_since_epoch();
}

native_handle_type device::release(std::uint64_t, std::error_code& ec) noexcept {
  ec = not_supported();
  return no_handle;
}

}  // namespace v0
}  // namespace leat
