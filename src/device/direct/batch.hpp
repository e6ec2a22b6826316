// Batches of requests for direct I/O, which needs whole blocks. direct.cpp calls these functions.
#pragma once

#include <leat/device.hpp>

#include <span>

#include "device/direct/direct_mode.hpp"
#include "device/request_queue.hpp"

namespace leat {
inline namespace v0 {

// read_batch and write_batch do what device::read_many and device::write_many promise. Without a
// queue the transfers run one after another.

/// Reads whole blocks and answers the requests from them. Requests in the same block, or in
/// neighbouring blocks, share a transfer.
void read_batch(device& disk, queue_pool::lease& queue, std::span<read_request> requests) noexcept;

/// Writes whole blocks as they are. A block that a request covers only in part is read, changed and
/// written.
void write_batch(device& disk, direct_mode& mode, queue_pool::lease& queue,
                 std::span<write_request> requests) noexcept;

/// Reads once at any position, by a transfer of the blocks around it. Returns how many bytes; 0
/// without an error is the end.
std::size_t read_around(device& disk, std::uint64_t at, std::span<char> into,
                        std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
