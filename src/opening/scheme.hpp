// Decides which paths are addresses, and calls the component that opens an address. Called by
// open.cpp, the streams of C++ and C, and journal.cpp.
#pragma once

#include <leat/scheme.hpp>

#include <memory>

#include "device/options.hpp"

namespace leat {
inline namespace v0 {

/// True if a path begins with a scheme that is registered, or that a component of leat has.
bool is_address(path_ref path) noexcept;

/// Opens an address by the component that is registered for its scheme. Returns null and sets `ec`
/// on failure: errc::no_component if no component is registered; errc::not_local if the options
/// allow no addresses; operation_not_supported if only files support the options; otherwise the
/// error of the component.
std::unique_ptr<device> open_address(path_ref path, address_use use, const options& how,
                                     std::error_code& ec) noexcept;

/// Returns the error of opening an address in a way that only files support.
std::error_code address_error(path_ref path, const options& how) noexcept;

}  // namespace v0
}  // namespace leat
