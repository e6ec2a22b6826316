// The base of leat::file and of the batches of leat.h: a device, and what is known of it.
#pragma once

#include <leat/file.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "device/mapping.hpp"
#include "random/look.hpp"
#include "random/places.hpp"
#include "random/ranges.hpp"
#include "random/stripes.hpp"

namespace leat {
inline namespace v0 {

/// What a batch does with the bytes of its places. If the batch has several threads, all of them
/// call it, each for other entries. All entries of one place come to one thread, in order.
class batch_work {
 public:
  /// `bytes` are those of the range; each of its entries is at its offset. If the work writes, the
  /// range is written back afterwards, also after an exception.
  virtual void take(const batch_places& of, const sorted_entries& entries,
                    const merged_range& range, char* bytes) = 0;
  /// `file` is the whole file in memory; entry `first` and the next ones are at these places.
  /// `prefetches`: most of the file is mapped, so that memory can be asked for ahead.
  virtual void take_mapped(const batch_places& of, std::span<const std::uint64_t> places,
                           std::size_t first, char* file, bool prefetches) = 0;

  enum class kind { reads, writes, changes };  // changes: reads and writes
  kind what() const noexcept { return kind_; }

 protected:
  explicit batch_work(kind what) noexcept : kind_(what) {}
  batch_work(const batch_work&) = default;
  batch_work& operator=(const batch_work&) = default;
  ~batch_work() = default;

 private:
  kind kind_;
};

namespace detail {

class random_access {
 public:
  /// `on` serves several threads; `direct` is the same file past the cache, or null.
  random_access(std::unique_ptr<device> on, std::unique_ptr<device> direct, mode what,
                const access_options& how, std::string_view name);
  /// Makes one over any device. Other devices may come between, as the mode and the options ask.
  /// Returns null and sets `ec` if that is impossible: the refusal of a device without positions,
  /// or of one that appends and is to be updated.
  static std::unique_ptr<random_access> over(std::unique_ptr<device> on, mode what,
                                             const access_options& how, std::string_view name,
                                             std::error_code& ec);
  ~random_access();

  device& on() noexcept { return *device_; }
  const std::string& name() const noexcept { return name_; }

  /// One call of the device and nothing else, so that a program which reads one record pays for no
  /// more.
  failure read_at(std::uint64_t at, std::span<char> into) noexcept {
    std::error_code ec;
    const std::size_t n = device_->read_at(at, into, ec);
    return n == into.size() ? failure{} : read_rest(at, into, n);
  }
  failure write_at(std::uint64_t at, std::string_view bytes) noexcept;
  failure resize(std::uint64_t size) noexcept;
  failure sync() noexcept;
  failure close() noexcept;
  /// errc::read_only if no function may change the file. resource_deadlock_would_occur if this call
  /// comes from a function that a batch which changes the file calls: the batch has the locks.
  std::error_code unchangeable() const noexcept;
  /// True in a function that a batch calls. There the file can't be closed.
  bool is_in_batch() const noexcept;

  // Batches. If a place is not in the file, the batch fails before anything is read or changed, and
  // the error names the first such place. Each batch throws what the program's functions throw, and
  // bad_alloc.

  /// into[i] becomes the record at places[i].
  batch_failure gather(const record_layout& records, place_list places, char* into);
  /// The record at places[i] becomes values[i]. If a place comes again, its last value stays.
  batch_failure scatter(const record_layout& records, place_list places, const char* values);
  batch_failure update(const record_layout& records, place_list places, visitor each,
                       void* context);
  /// Gives each range of a file of `end` bytes to `each`, with its number.
  batch_failure read_ranges(
      std::span<const byte_range> ranges, std::uint64_t end,
      const std::function<void(std::size_t which, std::string_view bytes)>& each);
  /// Reads them into memory, one behind the other; `into` has exactly their size.
  batch_failure read_ranges(std::span<const byte_range> ranges, std::uint64_t end,
                            std::span<char> into);
  /// Writes ranges, whose bytes lie one behind the other. The file may become longer.
  batch_failure write_ranges(std::span<const byte_range> ranges, std::string_view bytes);

  batch_plan last_plan() const;
  /// The same without exceptions: the reason is not in the plan but in `why`, and stays valid for
  /// ever.
  batch_plan last_plan(const char*& why) const;

 private:
  class batch;

  /// This thread is in a batch while the object lives.
  class within_batch {
   public:
    within_batch(const random_access& file, bool writes) noexcept;
    ~within_batch();
    within_batch(const within_batch&) = delete;
    within_batch& operator=(const within_batch&) = delete;

    const random_access* const of;
    const bool changes;
    const within_batch* const outer;
  };

  /// Carries out a batch. All its places are in the file, unless it only writes.
  failure run(const batch_places& of, batch_work& work);
  failure read_rest(std::uint64_t at, std::span<char> into, std::size_t done) noexcept;
  failure write_unlocked(std::uint64_t at, std::string_view bytes) noexcept;
  failure made_durable() noexcept;
  void tell_loss(const failure& why) const noexcept;
  device* direct() noexcept;
  access_costs known_costs() const {
    const std::lock_guard guard(lock_);
    return costs_;
  }

  std::unique_ptr<device> device_;
  std::unique_ptr<device> direct_;
  bool direct_failed_ = false;
  std::string name_;
  mode mode_;
  access_options how_;
  stripe_locks stripes_;

  mutable std::mutex lock_;  // for what follows, which several batches may change
  access_costs costs_;
  batch_plan last_;
  const char* why_ = "";
  std::shared_ptr<mapping> mapping_;
  double visited_ = 0;      // places that were visited through it
  bool populated_ = false;  // all of it is mapped
  bool unmappable_ = false;
  // What batches would have saved with the whole file mapped, in nanoseconds. When the sum exceeds
  // what mapping the file costs, the file is mapped.
  double regret_ = 0;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
