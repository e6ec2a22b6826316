// Single reads of a file at positions near each other, through a mapping. Used by
// random_access::read_at().
#pragma once

#include <leat/device.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "device/mapping.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// A system call takes much longer than the copy of a small record. If a thread's reads of a file
/// are near each other, as in a loop over ascending positions, a mapping replaces the system calls:
/// one page fault maps the pages of many such reads. Far reads would fault each time, so they stay
/// system calls.
///
/// The result is that of a read. A mapping shows zeros where the file has ended or a page can't be
/// read, and a read reports an error. So the bytes of the mapping count only if a byte that is not
/// zero follows them in their page: it proves that the file has the page and does not end before
/// the byte. For example, if another program shortens a file to 100 bytes, the bytes from 100 on
/// are zeros, and a read at 96 of 8 bytes is left to the system, which returns 4 bytes.
class near_reads {
 public:
  /// Copies the bytes. Returns false if the caller has to read: nothing was copied, or the bytes
  /// prove nothing. Several threads may call at once.
  bool copy(device& file, std::uint64_t at, std::span<char> into) noexcept {
    // Mapping a file takes as long as some tens of reads.
    constexpr unsigned enough = 8, enough_to_map = 32;
    const mapping* const mapped = mapped_.load(std::memory_order_acquire);
    if (record(at) < (mapped != nullptr ? enough : enough_to_map)) return false;
    return copy_mapped(file, mapped, at, into);
  }
  /// The file can't be mapped, or must not be.
  void forbid() noexcept { is_unmappable_.store(true, std::memory_order_relaxed); }
  /// Call before the file is closed, when no thread reads.
  void close() noexcept;

 private:
  static constexpr std::uint64_t page_size = 4096;  // a page of the system has a multiple of this

  /// What a thread knows about its last reads of a file.
  struct trace {
    std::uint64_t owner;  // id_; 0: no file
    std::uint64_t page;
    unsigned score;
  };

  /// Records the read in the trace of this thread. Returns a score of how many of the thread's last
  /// reads were near each other: a near read adds 1, and a far read subtracts `loss`. So groups of
  /// more than `loss` near reads raise the score.
  unsigned record(std::uint64_t at) const noexcept {
    constexpr std::uint64_t reach = 16;  // pages; a page fault maps as many
    constexpr unsigned loss = 4, most = 64;
    trace& mine = traces[id_ % trace_count];
    const std::uint64_t page = at / page_size;
    const bool is_near = mine.owner == id_ && page - mine.page + reach <= 2 * reach;
    if (is_near)
      mine.score += mine.score != most;
    else
      mine.score = mine.owner == id_ && mine.score > loss ? mine.score - loss : 0;
    mine.owner = id_;
    mine.page = page;
    return mine.score;
  }
  bool copy_mapped(device& file, const mapping* mapped, std::uint64_t at,
                   std::span<char> into) noexcept;
  const mapping* map(device& file) noexcept;

  static constexpr std::size_t trace_count = 4;  // so that a loop may read several files
  static thread_local constinit trace traces[trace_count];
  static constinit std::atomic<std::uint64_t> last_id;

  // Not the address, which a later file may have.
  const std::uint64_t id_ = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  std::atomic<bool> is_unmappable_{false};
  std::atomic<const mapping*> mapped_{nullptr};  // &mapping_ as soon as the file is mapped
  std::mutex lock_;                              // protects `mapping_` while it is made
  mapping mapping_;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
