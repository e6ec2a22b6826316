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

/// A system call takes much longer than the copy of a small record. A mapping replaces the system
/// calls where its page faults cost less: if a thread's reads of a file are near each other, as in
/// a loop over ascending positions, because one fault maps the pages of many such reads; and for
/// all reads of a file of moderate size, as soon as a thread has read more often than faults can
/// follow.
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
    const mapping* const mapped = mapped_.load(std::memory_order_acquire);
    if (!replaces_all()) {
      // Mapping a file takes as long as some tens of reads.
      constexpr unsigned enough = 8, enough_to_map = 32;
      if (record(file, at) < (mapped != nullptr ? enough : enough_to_map)) return false;
    }
    return copy_mapped(file, mapped, at, into);
  }
  /// True if the mapping replaces all reads, not only near ones.
  bool replaces_all() const noexcept { return replaces_all_.load(std::memory_order_relaxed); }
  /// Records reads at any positions that did not go through copy().
  void record_far(device& file, std::size_t count) noexcept {
    trace& mine = my_trace();
    mine.far_reads += count;
    if (mine.far_reads >= mine.next_decision) decide_on_all(file, mine);
  }
  /// The file can't be mapped, or must not be.
  void forbid() noexcept { is_unmappable_.store(true, std::memory_order_relaxed); }
  /// Call before the file is closed, when no thread reads.
  void close() noexcept;

 private:
  static constexpr std::uint64_t page_size = 4096;  // a page of the system has a multiple of this

  /// The last reads of a file by a thread.
  struct trace {
    static constexpr std::uint64_t first_decision = 1024;

    std::uint64_t owner = 0;  // id_; 0: no file
    std::uint64_t page = 0;
    unsigned score = 0;
    std::uint64_t far_reads = 0;
    std::uint64_t next_decision = first_decision;  // a number of far reads
  };

  trace& my_trace() const noexcept {
    trace& mine = traces[id_ % trace_count];
    if (mine.owner != id_) mine = {id_};
    return mine;
  }
  /// Records a read of this thread. Returns a score of how many of its last reads were near each
  /// other: a near read adds 1, and a far read subtracts `loss`. So groups of more than `loss` near
  /// reads raise the score.
  unsigned record(device& file, std::uint64_t at) noexcept {
    constexpr std::uint64_t reach = 16;  // pages; a page fault maps as many
    constexpr unsigned loss = 4, most = 64;
    trace& mine = my_trace();
    const std::uint64_t page = at / page_size;
    if (page - mine.page + reach <= 2 * reach) {
      mine.score += mine.score != most;
    } else {
      mine.score = mine.score > loss ? mine.score - loss : 0;
      if (++mine.far_reads == mine.next_decision) decide_on_all(file, mine);
    }
    mine.page = page;
    return mine.score;
  }
  void decide_on_all(device& file, trace& mine) noexcept;
  bool copy_mapped(device& file, const mapping* mapped, std::uint64_t at,
                   std::span<char> into) noexcept;
  const mapping* map(device& file) noexcept;

  static constexpr std::size_t trace_count = 4;  // so that a loop may read several files
  static thread_local constinit trace traces[trace_count];
  static constinit std::atomic<std::uint64_t> last_id;

  // Not the address, which a later file may have.
  const std::uint64_t id_ = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  std::atomic<bool> is_unmappable_{false};
  std::atomic<bool> replaces_all_{false};
  std::atomic<const mapping*> mapped_{nullptr};  // &mapping_ as soon as the file is mapped
  std::mutex lock_;                              // protects `mapping_` while it is made
  mapping mapping_;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
