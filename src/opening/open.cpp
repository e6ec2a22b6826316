// Opens files with the platform's functions, and addresses with their component. All layers above
// that open a path call these functions.
#include "opening/open.hpp"

#include "opening/compressed.hpp"
#include "opening/scheme.hpp"

namespace leat {
inline namespace v0 {

namespace {

using opener = std::unique_ptr<device> (*)(path_ref, const options&, std::error_code&) noexcept;

/// Calls `open` to write to a file. If the options ask for an encoder, adds an encoder.
std::unique_ptr<device> open_encoded(opener open, path_ref path, const options& how,
                                     std::error_code& ec) noexcept {
  const compression as = compression_for_writing(path, how);
  ec = check_compression(as, how);
  return ec ? nullptr : encoded(open(path, how, ec), as, how, ec);
}

std::unique_ptr<device> create_address(path_ref path, const options& how,
                                       std::error_code& ec) noexcept {
  return open_address(path, address_use::create, how, ec);
}

}  // namespace

std::unique_ptr<device> open_existing(path_ref path, const options& how,
                                      std::error_code& ec) noexcept {
  return decoded(is_address(path) ? open_address(path, address_use::read, how, ec)
                                  : files::open_existing(path, how, ec),
                 how, ec);
}

std::unique_ptr<device> open_updating(path_ref path, const options& how,
                                      std::error_code& ec) noexcept {
  if (!is_address(path)) return files::open_updating(path, how, ec);
  ec = address_error(path, how);
  return nullptr;
}

std::unique_ptr<device> open_created(path_ref path, const options& how,
                                     std::error_code& ec) noexcept {
  return open_encoded(is_address(path) ? create_address : files::open_created, path, how, ec);
}

std::unique_ptr<device> open_appending(path_ref path, const options& how,
                                       std::error_code& ec) noexcept {
  if (is_address(path)) {
    ec = address_error(path, how);
    return nullptr;
  }
  return open_encoded(files::open_appending, path, how, ec);
}

std::unique_ptr<device> open_replacing(path_ref path, const options& how,
                                       std::error_code& ec) noexcept {
  return open_encoded(is_address(path) ? create_address : files::open_replacing, path, how, ec);
}

std::unique_ptr<device> open_copy(native_handle_type from, path_ref to,
                                  std::error_code& ec) noexcept {
  if (is_address(to)) return open_address(to, address_use::create, {}, ec);
  return from == no_handle ? files::open_created(to, {}, ec) : files::open_copy(from, to, ec);
}

std::unique_ptr<device> open_random(path_ref path, bool writable, const options& how,
                                    std::error_code& ec) noexcept {
  if (writable && how.compression != compression::none) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return nullptr;
  }
  if (!is_address(path))
    return decoded_for_random_access(files::open_random(path, writable, ec), how, ec);
  if (!writable)
    return decoded_for_random_access(open_address(path, address_use::read_random, how, ec), how,
                                     ec);
  ec = address_error(path, how);
  return nullptr;
}

std::unique_ptr<device> create_random(path_ref path, bool empties, const options& how,
                                      std::error_code& ec) noexcept {
  if (how.compression != compression::none) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return nullptr;
  }
  if (!is_address(path)) return files::create_random(path, empties, ec);
  ec = address_error(path, how);
  return nullptr;
}

}  // namespace v0
}  // namespace leat
