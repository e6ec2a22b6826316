// What stands behind leat::file: a device, what is known of it, and how batches are carried out.
#pragma once

#include <leat/file.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "device/mapping.hpp"
#include "random/costs.hpp"
#include "random/plan.hpp"
#include "random/stripes.hpp"

namespace leat {
inline namespace v0 {

/// What a batch does with the bytes of its places. Called by several threads at once if the batch
/// has them, each for other entries; entries of one place come to one thread, in order.
class batch_work {
 public:
  /// The bytes of a range, in which each of its entries is at its offset. Where the work writes,
  /// they are written back then, also if it throws.
  virtual void take(const batch_places& of, const sorted_entries& entries,
                    const planned_range& range, char* bytes) = 0;
  /// The file itself in memory: entries `first` and those behind it are at these places. `ahead`:
  /// most of it is mapped, so that it can be asked for ahead.
  virtual void take_mapped(const batch_places& of, std::span<const std::uint64_t> places,
                           std::size_t first, char* file, bool ahead) = 0;

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
  ~random_access();

  device& on() noexcept { return *device_; }
  const std::string& name() const noexcept { return name_; }

  /// Goes as straight to the device as it can: who reads one record wants to pay for nothing else.
  failure read_at(std::uint64_t at, std::span<char> into) noexcept {
    std::error_code ec;
    const std::size_t n = device_->read_at(at, into, ec);
    return n == into.size() ? failure{} : read_rest(at, into, n);
  }
  failure write_at(std::uint64_t at, std::string_view bytes) noexcept;
  failure resize(std::uint64_t size) noexcept;
  failure sync() noexcept;
  failure close() noexcept;

  /// Carries out a batch. What it reads has to be in the file.
  failure run(const batch_places& of, batch_work& work);
  batch_plan last_plan() const;

 private:
  class batch;

  failure read_rest(std::uint64_t at, std::span<char> into, std::size_t done) noexcept;
  failure write_unlocked(std::uint64_t at, std::string_view bytes) noexcept;
  failure read_only(std::uint64_t at, std::uint64_t bytes) const noexcept;
  failure made_durable() noexcept;
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
  double visited_ = 0;  // places that were visited through it
  bool populated_ = false;
  bool unmappable_ = false;
  // What batches would have saved with the whole file mapped, in nanoseconds: when it comes to what
  // mapping costs, that is done.
  double regret_ = 0;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
