// Whether a store does what a condition of a request says.
#pragma once

#include "remote/client.hpp"

#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// Tries whether the store refuses to write over an object where a request says so (If-None-Match),
/// once for each bucket; Amazon's is known to. It writes an empty object beside the one of the
/// client, and removes it. operation_not_supported: the store overwrites.
void prove_conditions(client& by, std::error_code& ec);
/// From now on nothing is known.
void forget_conditions() noexcept;

}  // namespace remote
}  // namespace v0
}  // namespace leat
