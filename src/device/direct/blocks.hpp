// The blocks of direct I/O: positions in the file, sizes and addresses in memory are multiples of
// block_size. direct.cpp, read_ahead.cpp, read_batch.cpp and write_batch.cpp use these blocks.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "device/request_queue.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

inline constexpr std::size_t block_size = direct_alignment;

struct aligned_delete {
  void operator()(char* memory) const noexcept {
    ::operator delete(memory, std::align_val_t{block_size});
  }
};
/// Memory that is aligned to a block.
using aligned_memory = std::unique_ptr<char, aligned_delete>;

/// Allocates memory that is aligned to a block. Throws std::bad_alloc.
inline aligned_memory allocate_aligned(std::size_t size) {
  return aligned_memory(static_cast<char*>(::operator new(size, std::align_val_t{block_size})));
}

/// Returns true if the address is a multiple of block_size.
inline bool is_aligned(const char* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory) % block_size == 0;
}

/// Returns the start of the block that contains the byte at position `at`. Example: 4096 for
/// position 5000.
inline std::uint64_t block_begin(std::uint64_t at) noexcept { return at - at % block_size; }

/// Transfers whole blocks by the device's blocking calls, for use without a request_queue. Stores
/// the number of bytes and the error in the request.
inline void transfer(device& disk, read_request& one) noexcept {
  one.done = read_all(disk, one.at, one.into, one.ec, block_size);
}
inline void transfer(device& disk, write_request& one) noexcept {
  one.done = static_cast<std::size_t>(write_all(disk, one.at, {&one.bytes, 1}, one.ec));
}

}  // namespace v0
}  // namespace leat
