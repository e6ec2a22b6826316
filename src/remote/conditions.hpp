// Probes whether a store supports conditional requests. Used by object_writer.cpp.
#pragma once

#include "remote/client.hpp"

#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// Tests whether the store obeys If-None-Match: a request with this header must not overwrite an
/// object. The test writes an empty object next to the client's object, and then removes the empty
/// object. Up to 1024 buckets that have passed are remembered and not tested again. Amazon's own
/// endpoint is never tested. Errors: the store overwrites (operation_not_supported), a request
/// failed (the condition of its error), or the store did not confirm the removal (io_error). Throws
/// std::bad_alloc.
void probe_conditions(client& store, std::error_code& ec);
/// Forgets all results, for tests of leat.
void forget_proven_buckets() noexcept;

}  // namespace remote
}  // namespace v0
}  // namespace leat
