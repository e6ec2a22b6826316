// Searches a cached file through mappings, without a copy. Called by device_source.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/mapping.hpp"
#include "search/needle.hpp"

namespace leat {
inline namespace v0 {

/// Maps a file in parts of about 8 MiB, and keeps the last part for the next search. A copy would
/// take half of the search's time. No byte of a mapping leaves this class, because the file may
/// change meanwhile. So the bytes of an occurrence are read when the program asks for them.
class mapped_search {
 public:
  explicit mapped_search(bool is_possible) noexcept : is_possible_(is_possible) {}

  /// Searches from `at` on. If the text was found, returns true, and moves `at` to the occurrence.
  /// Otherwise moves `at` to the byte from which on the caller has to search by reads: no
  /// occurrence begins before that byte. If `maps` is false, searches only if a part with `at` is
  /// mapped already.
  bool find(device& from, std::uint64_t& at, search::needle& wanted, bool maps) noexcept;
  /// Number of bytes from `at` to the end of the last occurrence, if `at` is in the last occurrence
  /// and the device was not read since. Otherwise 0.
  std::uint64_t unread_bytes(std::uint64_t at) const noexcept {
    return at >= hit_ && at < hit_end_ ? hit_end_ - at : 0;
  }
  /// Records whether the program uses the bytes of the last occurrence. Called before the program
  /// gets bytes from `at` on.
  void record_use(std::uint64_t at) noexcept {
    uses_hits_ = uses_hits_ || (hit_ != hit_end_ && at == hit_);
    forget_hit();
  }
  void forget_hit() noexcept { hit_end_ = hit_; }
  void unmap() noexcept { part_ = {}; }

 private:
  bool has_mapped(std::uint64_t at, std::size_t size) const noexcept {
    return at >= part_begin_ && at - part_begin_ + size <= part_.view().size();
  }
  bool map_part(device& from, std::uint64_t at, std::size_t size) noexcept;
  bool is_dense(std::uint64_t gap, bool is_costly) noexcept;

  /// Limits of the mean gap between occurrences, in bytes. If the mean gap is less than near_gap,
  /// reads into the buffer find the next occurrence faster. If the program uses the bytes of the
  /// occurrences, the limit is far_gap, because each use costs as much as a copy of far_gap bytes.
  static constexpr std::size_t near_gap = 768, far_gap = 32 << 10;

  bool is_possible_;
  mapping part_;
  std::uint64_t part_begin_ = 0;
  std::uint64_t hit_ = 0, hit_end_ = 0;  // the last occurrence; equal: none, or the device was read
  bool uses_hits_ = false;               // the program uses the bytes of occurrences
  std::size_t mean_gap_ = 2 * far_gap;   // of the last occurrences
};

}  // namespace v0
}  // namespace leat
