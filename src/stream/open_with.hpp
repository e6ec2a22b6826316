// Opening a device and making a stream over it, with exceptions or with an error code.
#pragma once

#include <leat/file_stream.hpp>

#include "base/last_error.hpp"
#include "device/options.hpp"
#include "device/rotating.hpp"
#include "device/sidecar.hpp"
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

using opener = std::unique_ptr<device> (*)(path_ref, const options&, std::error_code&) noexcept;

/// A friend of the streams that it makes.
struct opening {
  template <class Stream>
  static Stream make(std::unique_ptr<device> over, const options& how, std::string_view name) {
    return Stream(how, std::move(over), name);
  }
  /// A stream that could not be opened, and says why.
  template <class Stream>
  static Stream fail(const failure& why, std::string_view name) noexcept {
    keep_failure(why, name);
    Stream stream;
    if constexpr (std::is_base_of_v<reader, Stream>) stream.source_ = &unopened_source(why, name);
    if constexpr (std::is_base_of_v<writer, Stream>) stream.sink_ = &unopened_sink(why, name);
    return stream;
  }
  /// Completes a stream over a file: where bytes wait for it, and the log that changes it, or null.
  static void use(file_writer& stream, std::unique_ptr<sidecar> beside,
                  rotating_device* changes) noexcept;
};

}  // namespace detail

template <class Stream, class Some>
Stream open_with(detail::opener open, path_ref path, const Some& some, std::error_code& ec) try {
  const options how(some);
  auto target = open(path, how, ec);
  if (target == nullptr) return detail::opening::fail<Stream>({ec, "open"}, path.view());
  constexpr bool only_writes = std::is_same_v<Stream, file_writer>;
  auto* const changes = how.reopen ? static_cast<rotating_device*>(target.get()) : nullptr;
  std::unique_ptr<sidecar> beside;
  if (only_writes && how.durability == durability::process && changes == nullptr &&
      !target->traits().commits)
    beside = sidecar::open(path, *target);
  auto stream = detail::opening::make<Stream>(std::move(target), how, path.view());
  if constexpr (only_writes) detail::opening::use(stream, std::move(beside), changes);
  return stream;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return detail::opening::fail<Stream>({ec, "open"}, path.view());
}

template <class Stream, class Some>
Stream open_with(detail::opener open, path_ref path, const Some& how) {
  std::error_code ec;
  auto stream = open_with<Stream>(open, path, how, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
  return stream;
}

}  // namespace v0
}  // namespace leat
