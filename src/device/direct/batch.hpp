// Batches of requests, and single reads at any position, for direct I/O, which needs whole blocks.
// direct.cpp calls these functions.
#pragma once

#include <leat/device.hpp>

#include <span>

#include "device/direct/direct_mode.hpp"
#include "device/request_queue.hpp"

namespace leat {
inline namespace v0 {

// read_batch and write_batch do what device::read_many and device::write_many promise. Without a
// queue, the transfers run one after another.

/// Reads whole blocks and answers the requests from the blocks. A request shares the transfer of
/// the previous request in the batch if the request begins in that transfer's blocks, or in the
/// next block. A transfer has at most 1 MiB.
void read_batch(device& disk, queue_pool::lease& queue, std::span<read_request> requests) noexcept;

/// Writes whole blocks as they are. A block that a request covers only in part is read, changed and
/// written. If the file ends in such a block, the part is written through the page cache.
void write_batch(device& disk, direct_mode& mode, queue_pool::lease& queue,
                 std::span<write_request> requests) noexcept;

/// Reads once at any position, by a transfer of the blocks around the bytes. Returns the number of
/// bytes, at most 1 MiB. A result of 0 without an error means the end.
std::size_t read_around(device& disk, std::uint64_t at, std::span<char> into,
                        std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
