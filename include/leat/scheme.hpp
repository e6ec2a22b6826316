// Addresses that are no paths, such as "s3://bucket/key". A component that opens them registers
// itself for their scheme, the part before "://".
#pragma once

#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What an address is opened for.
enum class address_use {
  read,         ///< a stream: leat::open, leat::read_file, …
  read_random,  ///< places anywhere: leat::file and leat::records
  create,       ///< a new content, as leat::create and leat::replace make it
};

/// How somebody opens an address.
struct address_request {
  std::string_view address;  ///< as it was given, with its scheme; a NUL follows it
  address_use use = address_use::read;
  bool exclusive = false;  ///< for `create`: file_exists if there is something already
  leat::pattern pattern = leat::pattern::automatic;
};

/// Opens an address: a device that is positional for `read_random`, and one that commits for
/// `create`. Null, and the error in `ec`, if it fails. Any thread may call it.
using address_opener = std::unique_ptr<device> (*)(const address_request& request,
                                                   std::error_code& ec) noexcept;

/// From now on the functions that open paths give addresses of this scheme to `open`; before, they
/// took them for paths. The scheme is in lower case, without "://", and stays valid; addresses may
/// have it in any case. There may be 16. The last one to register a scheme has it. Returns false if
/// there is no room for one more.
LEAT_API bool register_scheme(const char* scheme, address_opener open) noexcept;

}  // namespace v0
}  // namespace leat
