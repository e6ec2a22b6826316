// The core of leat::file and of leat.h's random access: a device, and the known facts about this
// device. Used by file.cpp, and by batches.cpp and random.cpp of src/c/.
#pragma once

#include <leat/file.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "device/mapping.hpp"
#include "random/mapped_reads.hpp"
#include "random/measure.hpp"
#include "random/positions.hpp"
#include "random/ranges.hpp"
#include "random/stripes.hpp"

namespace leat {
inline namespace v0 {

/// The operation of a batch on the bytes of its positions. If the batch has several threads, each
/// thread calls apply() for its own entries. All entries of one position are visited by one thread,
/// in the caller's order.
class batch_operation {
 public:
  /// `bytes` has the bytes of `range`, or undefined bytes if the operation only writes and
  /// overwrites all of them. Within `bytes`, an entry is at its offset in the file minus range.at.
  /// If the operation writes, the range is written back afterwards, also after an exception.
  virtual void apply(const batch_positions& input, const sorted_entries& entries,
                     const merged_range& range, char* bytes) = 0;
  /// `file` is the whole mapped file. `positions` are those of entry `first` and of the entries
  /// after it. `prefetches`: most of the file is mapped, so prefetching works.
  virtual void apply_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                            std::size_t first, char* file, bool prefetches) = 0;
  /// Returns how many of the n entries from `first` on the next apply_mapped() is to take.
  virtual std::size_t count_at_once(const batch_positions&, [[maybe_unused]] std::size_t first,
                                    std::size_t n) {
    return n;
  }
  /// If the file had all the bytes, called after apply_mapped().
  virtual void accept_mapped(const batch_positions&, [[maybe_unused]] std::size_t first,
                             [[maybe_unused]] std::size_t n) {}

  /// As apply(), for a range that is exactly this entry.
  virtual void apply_one(const batch_positions& input, std::size_t entry, char* bytes) = 0;

  enum class access_kind { reads, writes, changes };  // changes: reads and writes
  access_kind kind() const noexcept { return kind_; }

 protected:
  explicit batch_operation(access_kind access) noexcept : kind_(access) {}
  batch_operation(const batch_operation&) = default;
  batch_operation& operator=(const batch_operation&) = default;
  ~batch_operation() = default;

 private:
  access_kind kind_;
};

namespace detail {

/// Several threads may use an object at once, except during close().
class random_access {
 public:
  /// `target` accepts calls of several threads at once. `direct` is the same file by direct I/O, or
  /// null.
  random_access(std::unique_ptr<device> target, std::unique_ptr<device> direct, mode access,
                const access_options& settings, std::string_view name);
  /// Makes a core over any device. Puts other devices over `target`, as the mode and the options
  /// require. Returns null and sets `ec` if the device has no positions, if it appends and is to be
  /// updated, or if requested direct I/O is not possible. May throw bad_alloc.
  static std::unique_ptr<random_access> over(std::unique_ptr<device> target, mode access,
                                             const access_options& settings, std::string_view name,
                                             std::error_code& ec);
  /// As over(), for a device that was opened by a path. errc::not_a_file if the path leads to a
  /// pipe, a terminal or another device without positions.
  static std::unique_ptr<random_access> over_file(std::unique_ptr<device> target, mode access,
                                                  const access_options& settings,
                                                  std::string_view name, std::error_code& ec);
  ~random_access();

  device& on() noexcept { return *device_; }
  const std::string& name() const noexcept { return name_; }

  /// Returns errc::ended_early if the file ends before the last byte. If the first call of the
  /// device returns all bytes, makes no other call, so that reading one record is cheap.
  failure read_at(std::uint64_t at, std::span<char> into) noexcept {
    if (single_reads_.read(*device_, at, into)) return {};
    std::error_code ec;
    const std::size_t n = device_->read_at(at, into, ec);
    return n == into.size() ? failure{} : read_rest(at, into, n);
  }
  /// If unchangeable() returns an error, write_at() and resize() fail. With durability::system,
  /// write_at() and resize() also sync.
  failure write_at(std::uint64_t at, std::string_view bytes) noexcept;
  failure resize(std::uint64_t size) noexcept;
  failure sync() noexcept;
  /// Closes the device, and returns the failure, if any. If is_in_batch(), fails:
  /// resource_deadlock_would_occur.
  failure close() noexcept;
  /// Returns errc::read_only if no function may change the file. Returns
  /// resource_deadlock_would_occur inside a function that a changing batch of this file calls: the
  /// batch holds the locks.
  std::error_code unchangeable() const noexcept;
  /// True in a function that a batch of this file calls. Such a function cannot close the file.
  bool is_in_batch() const noexcept;

  // Batches. Each batch returns its failure, if any. If a position is not in the file, the batch
  // fails before any byte is read or changed, and the error names the first such position.
  // Exception: write_ranges makes the file longer. Each batch throws the exceptions of the
  // program's functions, and bad_alloc.

  /// Copies the record at positions[i] to into[i].
  batch_failure gather(const record_layout& records, position_list positions, char* into);
  /// Copies values[i] to the record at positions[i]. If a position occurs more than once, the last
  /// of its values stays.
  batch_failure scatter(const record_layout& records, position_list positions, const char* values);
  /// Calls `each` with the records at the positions, some at a time. `each` may change the records.
  batch_failure update(const record_layout& records, position_list positions, visitor each,
                       void* context);
  /// Calls `each` with the bytes and the index of each range. The file has `end` bytes.
  batch_failure read_ranges(
      std::span<const byte_range> ranges, std::uint64_t end,
      const std::function<void(std::string_view bytes, std::size_t index)>& each);
  /// Reads the ranges into memory, one after the other. If the size of `into` is not the total size
  /// of the ranges, returns invalid_argument.
  batch_failure read_ranges(std::span<const byte_range> ranges, std::uint64_t end,
                            std::span<char> into);
  /// Writes ranges, whose bytes lie in memory one after the other. The file may become longer. If
  /// ranges overlap, the later range's bytes stay. If the size of `bytes` is not the total size of
  /// the ranges, returns invalid_argument. If a range ends beyond 2^63 - 1, returns file_too_large.
  batch_failure write_ranges(std::span<const byte_range> ranges, std::string_view bytes);

  batch_plan last_plan() const;
  /// last_plan() without exceptions: the reason is returned in `why` and not in the plan. The text
  /// stays valid for the life of the program.
  batch_plan last_plan(const char*& why) const;

 private:
  class batch;

  /// Marks this thread as inside a batch while the object lives.
  class batch_scope {
   public:
    batch_scope(const random_access& file, bool writes) noexcept;
    ~batch_scope();
    batch_scope(const batch_scope&) = delete;
    batch_scope& operator=(const batch_scope&) = delete;

    const random_access* const core;
    const bool changes;
    const batch_scope* const outer;
  };

  /// Runs a batch. The caller has checked that all positions are in the file, except in
  /// write_ranges(). `gathered`: the number of first records that gather_singly() has read.
  failure run(const batch_positions& input, batch_operation& operation,
              std::optional<std::size_t> gathered = {});
  /// Notes a small batch for last_plan().
  void store_singles(std::size_t positions, std::uint64_t bytes) noexcept {
    last_singles_.store(std::uint64_t{positions} << 32 | bytes, std::memory_order_relaxed);
  }
  batch_failure gather_rest(const batch_positions& input, char* into,
                            std::optional<std::size_t> done);
  std::optional<std::size_t> gather_singly(const batch_positions& input, char* into) noexcept;
  failure visit_singly(const batch_positions& input, batch_operation& operation, std::size_t& done);
  bool read_in_batch(std::uint64_t at, std::span<char> into, bool is_last) noexcept;
  failure read_rest(std::uint64_t at, std::span<char> into, std::size_t done) noexcept;
  failure write_unlocked(std::uint64_t at, std::string_view bytes) noexcept;
  failure make_durable() noexcept;
  void report_write_loss(const failure& why) const noexcept;
  device* direct_device() noexcept;

  std::unique_ptr<device> device_;
  std::unique_ptr<device> direct_;
  bool direct_failed_ = false;
  std::string name_;
  mode mode_;
  access_options options_;
  stripe_locks stripes_;
  mapped_reads single_reads_;
  static constexpr std::size_t most_single_visits = fewest_sampled - 1;
  bool visits_singly_;                     // small batches need no plan
  std::atomic<unsigned> ready_reads_ = 0;  // consecutive reads that did not wait for the disk
  /// If the last batch needed no plan: the count of its positions in the high 32 bits, the count of
  /// its bytes in the low 32 bits. Otherwise 0.
  std::atomic<std::uint64_t> last_singles_ = 0;

  mutable std::mutex lock_;  // protects `direct_`, `direct_failed_` and the following members
  access_costs costs_;
  batch_plan last_plan_;
  const char* last_reason_ = "";
  std::shared_ptr<mapping> mapping_;
  double mapped_visits_ = 0;   // positions that were visited through `mapping_`
  bool is_populated_ = false;  // nearly all of `mapping_` is mapped
  bool is_unmappable_ = false;
  // The nanoseconds that batches would have saved if the whole file were mapped. If this sum
  // exceeds the cost of mapping the file, and memory is large enough, the next batch maps the file.
  double excess_cost_ = 0;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
