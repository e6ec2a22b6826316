// The loops around a device's single attempts.
#pragma once

#include <leat/device.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// At most this many pieces make one transfer: a window and what goes past it.
inline constexpr std::size_t max_pieces = 2;

/// Writes all the pieces at `at`: continues short writes, repeats interrupted ones and gives up
/// when the device makes no progress. Returns the bytes written, all of them unless `ec` is set.
std::uint64_t write_all(device& to, std::uint64_t at, std::span<const std::string_view> pieces,
                        std::error_code& ec) noexcept;

/// Reads once at `at`, up to into.size() bytes; repeats interrupted calls. 0 without an error is
/// the end.
std::size_t read_some(device& from, std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept;

/// Reads all that there is up to into.size() bytes: continues short reads. Returns how many; fewer
/// without an error is the end.
std::size_t read_all(device& from, std::uint64_t at, std::span<char> into,
                     std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
