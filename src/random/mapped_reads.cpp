// Single reads of cached bytes through a mapping: when to map, and when to trust the mapped bytes.
// Called by random_access::read_at() and by small batches.
#include "random/mapped_reads.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// No system has smaller pages, and the pages of all systems are multiples of this size.
constexpr std::uintptr_t page = 4096;

/// True if the file has the byte at `last`. `last` points into a mapping of the file. When a file
/// becomes shorter, the kernel puts zeros after the end of the file, up to the end of the page. So
/// if a byte of the page, at `last` or later, is not zero, the file has the byte at `last`.
/// Example: the file ends at byte 100 of a page of 4096 bytes. Bytes 100 to 4095 are zeros, so byte
/// 99 may be the last byte that is not zero. May return false even if the file has the byte: only
/// some bytes are searched. If another program writes bytes after the end, through a mapping of its
/// own, those bytes look like bytes of the file.
bool is_in_file(const char* last) noexcept {
  constexpr std::size_t searched = 256;
  const std::size_t left = page - (reinterpret_cast<std::uintptr_t>(last) & (page - 1));
  const char* const end = last + std::min(searched, left);
  const char* at = last;
  for (std::uint64_t word; end - at >= std::ptrdiff_t{sizeof word}; at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    if (word != 0) return true;
  }
  return std::find_if(at, end, [](char c) { return c != 0; }) != end;
}

/// Copies the bytes at `at`. Returns false if the file may not have all of these bytes.
bool copy(const mapping& from, std::size_t at, std::span<char> into) noexcept {
  const char* const first = from.view().data() + at;
  const char* const last = first + into.size() - 1;
  std::memcpy(into.data(), first, into.size());
  if (!is_in_file(last)) return false;
  // If a page was replaced by zeros, the next page may still have bytes.
  const bool has_more_pages =
      (reinterpret_cast<std::uintptr_t>(first) ^ reinterpret_cast<std::uintptr_t>(last)) >= page;
  return !has_more_pages || !from.access_failure();
}

/// The reads of one thread in files that are mapped.
struct reading_thread {
  using counter = std::atomic<std::uint8_t>;

  /// Notes a read of the block that has this counter. Returns true if the thread has come from the
  /// block before or after, and has read that block so often that a page fault was worth its time.
  bool note(const counter& reads) noexcept {
    constexpr unsigned reads_worth_a_fault = 12;
    const counter* const before = std::exchange(block, &reads);
    if (before == block) {
      ++reads_of_block;
      return false;
    }
    return std::exchange(reads_of_block, 1U) >= reads_worth_a_fault &&
           (before + 1 == block || before - 1 == block);
  }

  const counter* block = nullptr;  // of the last read, perhaps in a file that was closed
  unsigned reads_of_block = 0;     // consecutive reads of this block
  guarded_thread guard;
};

thread_local constinit reading_thread this_thread;

}  // namespace

/// Counts a read before the file is mapped.
void mapped_reads::count(device& file, std::uint64_t at) noexcept {
  const bool is_near = (at ^ last_.load(std::memory_order_relaxed)) < block;
  last_.store(at, std::memory_order_relaxed);
  count(file, at, is_near ? 4U : 1U);
}

/// Counts one read as `more` reads. The last of these reads maps the file. Two threads may count
/// two reads as one: with atomic additions, a read would take 5 % longer.
void mapped_reads::count(device& file, std::uint64_t at, unsigned more) noexcept {
  const unsigned n = reads_.load(std::memory_order_relaxed) + more;
  reads_.store(n, std::memory_order_relaxed);
  if (n >= reads_before_mapping && !is_tried_.exchange(true, std::memory_order_relaxed))
    view_.store(map(file, at), std::memory_order_release);
}

/// Maps the file. `at` is the position of the read. Returns null if the mapping could show other
/// bytes than a read, could fill holes of the file, or could end the program. Also returns null if
/// the file is too large for the memory, or if there is no memory.
mapped_reads::view* mapped_reads::map(device& file, std::uint64_t at) noexcept {
  // is_cached() is false for a file on a file system over a network, and for a file of a lower
  // layer of an overlay: a read may find newer bytes than the mapping.
  std::error_code ec;
  if (!is_guarded_here() || !is_cached(file, at, 1)) return nullptr;
  const std::uint64_t size = file.size(ec);
  if (ec || size > std::numeric_limits<std::size_t>::max() || !is_affordable(size)) return nullptr;
  std::unique_ptr<view> made(
      new (std::nothrow) view{mapping(file.native_handle(), static_cast<std::size_t>(size)), {}});
  if (made == nullptr || !made->bytes) return nullptr;
  const auto blocks = static_cast<std::size_t>((size + block - 1) / block);
  made->reads.reset(new (std::nothrow) counter[blocks + 2]());
  return made->reads != nullptr ? made.release() : nullptr;
}

bool mapped_reads::read(const view& mapped, device& file, std::uint64_t at,
                        std::span<char> into) noexcept {
  const std::uint64_t size = mapped.bytes.view().size();
  // An empty read has no last byte.
  if (into.size() - 1 >= longest || at >= size || into.size() > size - at) return false;
  counter& reads = mapped.reads[static_cast<std::size_t>(at / block) + 1];
  const bool goes_on = this_thread.note(reads);
  if (reads.load(std::memory_order_relaxed) < reads_before_fault)
    return read_and_count(file, at, into, reads, goes_on);
  return this_thread.guard.is_guarded() && copy(mapped.bytes, static_cast<std::size_t>(at), into);
}

/// Counts a read of a block that is not read through the mapping yet. `goes_on`: the block gets at
/// least the counts of the blocks before and after. The last counted read does not wait for the
/// disk, so a block is mapped only if its bytes at `at` are in the page cache. Returns true if the
/// bytes were read.
bool mapped_reads::read_and_count(device& file, std::uint64_t at, std::span<char> into,
                                  counter& reads, bool goes_on) noexcept {
  // Two threads may count two reads as one.
  std::uint8_t n = reads.load(std::memory_order_relaxed);
  if (goes_on) {
    n = std::max({n, (&reads - 1)->load(std::memory_order_relaxed),
                  (&reads + 1)->load(std::memory_order_relaxed)});
  }
  n = std::min<std::uint8_t>(n, reads_before_fault - 1);
  if (++n < reads_before_fault) {
    reads.store(n, std::memory_order_relaxed);
    return false;
  }
  std::error_code ec;
  const bool is_ready = file.read_ready(at, into, ec) == into.size();
  reads.store(is_ready ? n : 0, std::memory_order_relaxed);
  return is_ready;
}

void mapped_reads::count_range(device& file, std::uint64_t at, std::uint64_t size,
                               std::size_t n) noexcept {
  const view* const mapped = view_.load(std::memory_order_acquire);
  if (mapped == nullptr) {
    if (reads_.load(std::memory_order_relaxed) < reads_before_mapping)
      count(file, at, static_cast<unsigned>(n));
    return;
  }
  const std::uint64_t end = std::min<std::uint64_t>(at + size, mapped->bytes.view().size());
  if (at >= end) return;
  const std::uint64_t first = at / block, last = (end - 1) / block;
  const auto more = std::min<std::uint64_t>(n / (last - first + 1), reads_before_fault);
  // The last read before the fault is a single read, which finds out whether the block is cached.
  for (std::uint64_t i = first; i <= last; ++i) {
    counter& reads = mapped->reads[static_cast<std::size_t>(i) + 1];
    const std::uint8_t before = reads.load(std::memory_order_relaxed);
    if (before < reads_before_fault) {
      const std::uint64_t now = std::min<std::uint64_t>(before + more, reads_before_fault - 1);
      reads.store(static_cast<std::uint8_t>(now), std::memory_order_relaxed);
    }
  }
}

}  // namespace v0
}  // namespace leat
