// Opens a device and makes a stream over it, with exceptions or with an error code. Called by open,
// create, append and the other opening functions.
#pragma once

#include <leat/file_stream.hpp>

#include "base/last_error.hpp"
#include "device/options.hpp"
#include "recovery/sidecar.hpp"
#include "stream/device_sink.hpp"
#include "stream/sink.hpp"
#include "stream/source.hpp"

#include <memory>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {
namespace detail {

/// Makes the streams that the opening functions return. A friend of the stream classes.
struct opening {
  template <class Stream, class Device>
  static Stream make(Device over, const options& how, std::string_view name) {
    return Stream(how, std::move(over), name);
  }
  /// Returns a stream that could not be opened: its calls fail with `why`. Keeps `why` as the
  /// thread's last error.
  template <class Stream>
  static Stream fail(const failure& why, std::string_view name) noexcept {
    record_failure(why, name);
    Stream stream;
    if constexpr (std::is_base_of_v<reader, Stream>) stream.source_ = &unopened_source(why, name);
    if constexpr (std::is_base_of_v<writer, Stream>) stream.sink_ = &unopened_sink(why, name);
    return stream;
  }
  /// As fail(), for a lack of memory. Also sets `ec`.
  template <class Stream>
  static Stream fail_without_memory(std::string_view name, std::error_code& ec) noexcept {
    ec = std::make_error_code(std::errc::not_enough_memory);
    return fail<Stream>({ec, "open"}, name);
  }
};

}  // namespace detail

/// Opens the device, then the sidecar if the options ask for a sidecar, then the stream.
/// `open(path, options, ec)` returns the device, or an opened_device. Sets `ec` on failure.
template <class Stream, class Open, class Given>
Stream open_with(Open open, path_ref path, const Given& given, std::error_code& ec) try {
  const options how(given);
  opened_device opened = open(path, how, ec);
  if (opened.target == nullptr) return detail::opening::fail<Stream>({ec, "open"}, path.view());
  if constexpr (std::is_same_v<Stream, file_writer>) {
    if (how.durability == durability::process && opened.log == nullptr &&
        !opened.target->traits().commits)
      opened.own_sidecar = sidecar::open(path, *opened.target);
    return detail::opening::make<Stream>(std::move(opened), how, path.view());
  } else {
    return detail::opening::make<Stream>(std::move(opened.target), how, path.view());
  }
} catch (const std::bad_alloc&) {
  return detail::opening::fail_without_memory<Stream>(path.view(), ec);
}

template <class Stream, class Open, class Given>
Stream open_with(Open open, path_ref path, const Given& how) {
  std::error_code ec;
  auto stream = open_with<Stream>(open, path, how, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
  return stream;
}

}  // namespace v0
}  // namespace leat
