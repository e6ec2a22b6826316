// Reports of lost bytes that no call can return.
#pragma once

#include <leat/error.hpp>

#include <string_view>

namespace leat {
inline namespace v0 {

/// Calls the loss handler.
void report_loss(const failure& what, std::string_view name) noexcept;

/// The same for bytes of a stream that is destroyed. While the program exits, it does not end with
/// status 0 then.
void report_lost_bytes(const failure& what, std::string_view name) noexcept;

/// True if the program has set a handler of its own.
bool has_loss_handler() noexcept;

/// What set_loss_status has set.
int loss_status() noexcept;

}  // namespace v0
}  // namespace leat
