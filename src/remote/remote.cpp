// Functions of <leat/remote.hpp>. Registers the schemes "s3", "http" and "https", and opens their
// devices.
#include <leat/remote.hpp>

#include <openssl/crypto.h>

#include <mutex>
#include <new>
#include <utility>

#include "remote/errors.hpp"
#include "remote/object_reader.hpp"
#include "remote/object_writer.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct default_settings {
  std::mutex lock;
  settings value;
};

/// The settings are never destroyed, because streams may be opened at exit.
default_settings& stored_defaults() {
  static default_settings& stored = *new default_settings;
  return stored;
}

/// Opens addresses passed to leat::open and similar functions.
std::unique_ptr<device> open_by_default(const address_request& request,
                                        std::error_code& ec) noexcept try {
  return open(request, defaults(), ec);
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return nullptr;
}

}  // namespace

void set_defaults(const settings& how) {
  const std::scoped_lock lock(stored_defaults().lock);
  stored_defaults().value = how;
}

settings defaults() {
  const std::scoped_lock lock(stored_defaults().lock);
  return stored_defaults().value;
}

std::unique_ptr<device> open(const address_request& request, const settings& how,
                             std::error_code& ec) noexcept try {
  ec.clear();
  server target = find_server(request.address, how, ec);
  if (!ec) require_key(target, ec);
  if (ec) return nullptr;
  if (request.use == address_use::create)
    return object_writer::open(std::move(target), how, request.exclusive, ec);
  return object_reader::open(std::move(target), how, request.use, request.pattern, ec);
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return nullptr;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat

void leat_remote_register(void) {
  // At exit, the requests that abort the uploads of open streams are sent after the functions
  // registered with atexit() were called. The function that OpenSSL registers would disable the
  // signing and encryption of these requests. Only the first call of OPENSSL_init_crypto can
  // prevent the registration, so this call must precede the program's first use of OpenSSL.
  ::OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  for (const char* const scheme : {"s3", "http", "https"})
    leat::register_scheme(scheme, leat::remote::open_by_default);
}
