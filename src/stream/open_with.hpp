// Opening a device and making a stream over it, with exceptions or with an error code.
#pragma once

#include <leat/file_stream.hpp>

#include <memory>
#include <new>
#include <system_error>

namespace leat {
inline namespace v0 {

using opener = std::unique_ptr<device> (*)(path_ref, const options&, std::error_code&) noexcept;

template <class Stream>
Stream open_with(opener open, path_ref path, const options& how, std::error_code& ec) try {
  auto target = open(path, how, ec);
  if (target == nullptr) return {};
  return Stream(std::move(target), how, path.view());
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

template <class Stream>
Stream open_with(opener open, path_ref path, const options& how) {
  std::error_code ec;
  auto stream = open_with<Stream>(open, path, how, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
  return stream;
}

}  // namespace v0
}  // namespace leat
