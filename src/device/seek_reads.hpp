// Plans the first read after a seek. device_source, update_buffer and device_stream use this class.
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "device/mapping.hpp"
#include "device/options.hpp"

namespace leat {
inline namespace v0 {

/// True if reads are copies from the page cache. False for direct I/O, object storage and decoders.
inline bool uses_page_cache(const device& from, const device_traits& traits,
                            const options& how) noexcept {
  return traits.positional && traits.reads_ahead && !traits.starts_reads && !traits.has_views &&
         how.caching == caching::cached && from.native_handle() != no_handle;
}

/// The page cache copies whole pages at little more cost than a few bytes. So the first read after
/// a seek begins at the page boundary before the position. Then the buffer also has the bytes that
/// a program needs next if the program reads backwards, or near its last position. Example: if a
/// program reads records of 100 bytes from the last record to the first, one read is enough for 40
/// records.
///
/// If a program goes on reading backwards without wide gaps, the reads grow. Each read begins at a
/// multiple of `unit_`, and `unit_` doubles. Example: multiples of 4, 8 and 16 KiB.
///
/// If a program uses few bytes after each of many seeks, and goes far each time, the rest of the
/// page is not needed. Then the seeks read parts of pages: a copy of a page that is not in the
/// processor's cache takes a third of the time of a system call.
class seek_reads {
 public:
  /// The part of the file that is to be read.
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  static constexpr std::size_t page = 4096;
  static constexpr std::size_t part = 512;  // bytes: an eighth of a page
  /// After this number of consecutive seeks that each use few bytes, reads have parts of pages.
  static constexpr unsigned seeks_before_parts = 16;
  /// After this number of such seeks, `skip` also seeks over gaps above 4 KiB: a large read between
  /// two seeks would be used for one gap only.
  static constexpr unsigned seeks_in_a_row = 4;

  struct sizes {
    std::size_t least;      // bytes of a read after a seek
    std::size_t most_used;  // see record()
    std::size_t largest;    // bytes of a read backwards
  };

  /// True if bytes before a position cost little, and the program may need them.
  static bool are_cheap(const device& from, const device_traits& traits,
                        const options& how) noexcept {
    return uses_page_cache(from, traits, how) && how.pattern != pattern::sequential;
  }

  /// Records a seek out of the buffer. `from` is the position before the seek. `buffer_begin` is
  /// the position of the buffer's first byte. From `to` on, the next read has at least as many
  /// bytes as the program has used since the previous seek, up to `most_used` bytes.
  void record(std::uint64_t from, std::uint64_t to, std::uint64_t buffer_begin,
              const sizes& limits) noexcept {
    const std::uint64_t used = from > target_ ? from - target_ : 0;
    if (used != 0) record_size_ = used;  // 0 if the program has moved back in the buffer
    used_ = static_cast<std::size_t>(std::min<std::uint64_t>(used, limits.most_used));
    const bool is_automatic = limits.least == page && limits.largest > page;
    const bool is_far = (to > target_ ? to - target_ : target_ - to) >= far;
    // Over wide gaps, most bytes of a large read would not be used. Example: 100 bytes of each 20
    // KB.
    goes_back_ = to < buffer_begin && buffer_begin - to <= std::max(unit_, 2 * page) &&
                 from - to <= std::max(longest_copy, 4 * record_size_);
    const bool is_lonely = is_automatic && is_far && !goes_back_ && used <= part / 2;
    lonely_seeks_ = is_lonely ? lonely_seeks_ + 1 : 0;
    const bool reads_parts = lonely_seeks_ >= seeks_before_parts;
    least_ = reads_parts ? part : limits.least;
    end_unit_ = std::min(least_, page);
    if (!goes_back_ || unit_ == 0)
      unit_ = end_unit_;
    else if (2 * unit_ <= limits.largest)
      unit_ = std::max(2 * unit_, end_unit_);
    target_ = to;
    is_due_ = true;
  }

  /// If a seek over `n` bytes from `at` on costs less than reading these bytes, returns the end of
  /// the file. Otherwise returns 0. If all reads have one size (`fixed_size` is not 0), a seek
  /// saves the reads between. Otherwise a seek costs less if the bytes are in the page cache and
  /// `n` is above 6 KiB, or above 4 KiB after `seeks_in_a_row` lonely seeks. Bytes on the disk are
  /// read, because the system reads ahead, and a read after a seek waits for the disk. Looks at the
  /// file's size and at the page cache once in each 8 MiB, and again if the seek would go past the
  /// last known end.
  std::uint64_t seekable_end(const device& from, std::uint64_t at, std::uint64_t n,
                             std::size_t fixed_size) noexcept {
    constexpr std::uint64_t look_interval = 8 << 20;
    const std::uint64_t longest_gap = fixed_size != 0                   ? fixed_size
                                      : lonely_seeks_ >= seeks_in_a_row ? page
                                                                        : longest_copy;
    if (n <= longest_gap) return 0;
    if (at < look_begin_ || at - look_begin_ >= look_interval || at >= known_end_ ||
        n > known_end_ - at) {
      look_begin_ = at;
      std::error_code ec;
      known_end_ = from.size(ec);
      if (ec) known_end_ = 0;
      seeks_cost_less_ =
          known_end_ > at &&
          (fixed_size != 0 ||
           is_cached(from, at, static_cast<std::size_t>(std::min(known_end_ - at, look_interval))));
    }
    return seeks_cost_less_ ? known_end_ : 0;
  }
  /// Called after a read with fewer bytes than wanted: the file may have become shorter.
  void forget_end() noexcept { known_end_ = 0; }

  /// True for the first read after a seek to `position`. False for later reads.
  bool take(std::uint64_t position) noexcept {
    if (!is_due_) [[likely]]
      return false;
    is_due_ = false;
    return position == target_;
  }

  /// True if the last seek went to bytes shortly before the buffer.
  bool goes_back() const noexcept { return goes_back_; }

  /// Returns the range of the read that is to have `wanted` bytes from `position` on. Must be
  /// called after record().
  range at(std::uint64_t position, std::size_t wanted) const noexcept {
    const std::uint64_t begin = position - position % unit_;
    const std::uint64_t needed = position + std::max(wanted, used_);
    const std::uint64_t end = needed + (end_unit_ - needed % end_unit_) % end_unit_;
    return {begin, goes_back_ ? end : std::max(end, begin + least_)};
  }

 private:
  static constexpr std::uint64_t far = page;
  /// A copy of this many bytes from the page cache takes as long as a seek and a read.
  static constexpr std::uint64_t longest_copy = 6 << 10;

  std::size_t least_ = 0;     // as in `sizes`
  std::size_t end_unit_ = 0;  // reads end at multiples of this size
  std::size_t unit_ = 0;      // reads begin at multiples of this size
  std::size_t used_ = 0;
  std::uint64_t record_size_ = 0;   // bytes used after a seek, as far as known
  std::uint64_t target_ = 0;        // the position to which the last seek went
  std::uint64_t lonely_seeks_ = 0;  // far seeks in a row, with few bytes used
  bool goes_back_ = false;
  bool is_due_ = false;
  bool seeks_cost_less_ = false;                  // near look_begin_
  std::uint64_t look_begin_ = ~std::uint64_t{0};  // seekable_end() has looked from here on
  std::uint64_t known_end_ = 0;                   // the file's size then
};

}  // namespace v0
}  // namespace leat
