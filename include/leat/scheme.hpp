// Addresses, such as "s3://bucket/key". A component that opens addresses registers itself for their
// scheme, the part before "://".
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The purpose of opening an address.
enum class address_use {
  read,         ///< a stream: leat::open, leat::read_file, …
  read_random,  ///< random access: leat::file and leat::records
  create,       ///< new content, as from leat::create and leat::replace
};

/// A request to open an address.
struct address_request {
  std::string_view address;  ///< as the program gave it, with its scheme; a NUL follows it
  address_use use = address_use::read;
  bool exclusive = false;  ///< for `create`: if the address exists, fails with file_exists
  leat::pattern pattern = leat::pattern::automatic;  ///< the expected order of reads
};

/// Opens an address, and returns a device for it. For `read_random` the device must have the trait
/// `positional`, and for `create` the trait `commits`. On failure, returns null and sets `ec`. Any
/// thread may call the function.
using address_opener = std::unique_ptr<device> (*)(const address_request& request,
                                                   std::error_code& ec) noexcept;

/// Registers `open` for addresses of this scheme. Functions that open paths treat an address of an
/// unknown scheme as a path. The scheme is in lower case, without "://", and must stay valid; in
/// addresses its case does not matter. A later registration of the same scheme replaces the earlier
/// registration. There is room for 16 schemes, including "s3", "http" and "https". If there is no
/// room, returns false.
LEAT_API bool register_scheme(const char* scheme, address_opener open) noexcept;

}  // namespace v0
}  // namespace leat
