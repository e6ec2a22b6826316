// The core of leat::file and of leat.h's random access: single operations, and the state that
// batches share. random_access.hpp names the callers.
#include "random/random_access.hpp"

#include <limits>
#include <utility>

#include "base/loss.hpp"
#include "device/locking_device.hpp"
#include "device/overlay.hpp"
#include "device/transfer.hpp"
#include "opening/open.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// The innermost batch that this thread is in. A function that a batch calls may start another
/// batch.
thread_local constinit const void* innermost_batch = nullptr;

}  // namespace

random_access::batch_scope::batch_scope(const random_access& file, bool writes) noexcept
    : core(&file), changes(writes), outer(static_cast<const batch_scope*>(innermost_batch)) {
  innermost_batch = this;
}

random_access::batch_scope::~batch_scope() { innermost_batch = outer; }

bool random_access::is_in_batch() const noexcept {
  auto scope = static_cast<const batch_scope*>(innermost_batch);
  while (scope != nullptr && scope->core != this) scope = scope->outer;
  return scope != nullptr;
}

std::error_code random_access::unchangeable() const noexcept {
  if (mode_ == mode::read) return errc::read_only;
  auto scope = static_cast<const batch_scope*>(innermost_batch);
  while (scope != nullptr && !(scope->core == this && scope->changes)) scope = scope->outer;
  return scope == nullptr ? std::error_code{}
                          : std::make_error_code(std::errc::resource_deadlock_would_occur);
}

random_access::random_access(std::unique_ptr<device> target, std::unique_ptr<device> direct,
                             mode access, const access_options& settings, std::string_view name)
    : device_(std::move(target)),
      direct_(std::move(direct)),
      name_(name),
      mode_(access),
      options_(settings),
      single_reads_(settings.caching != caching::direct) {
  // A device without a handle may decode, or make its own requests. So single calls of such a
  // device may cost more.
  const device_traits traits = device_->traits();
  visits_singly_ = device_->native_handle() != no_handle && settings.route == route::automatic &&
                   settings.caching != caching::direct && settings.gap == 0 && !settings.progress &&
                   traits.reads_ahead && !traits.starts_reads && device_->speed().request == 0;
}

random_access::~random_access() = default;

std::unique_ptr<random_access> random_access::over(std::unique_ptr<device> target, mode access,
                                                   const access_options& settings,
                                                   std::string_view name, std::error_code& ec) {
  ec.clear();
  if (access == mode::update_or_create) access = mode::update;  // the file is open by now
  // A device that appends would write the bytes at the end of the file.
  const device_traits traits = target->traits();
  if (!traits.positional || (access == mode::update && traits.appends)) {
    ec = std::make_error_code(traits.refusal());
    return nullptr;
  }
  std::unique_ptr<device> direct;
  if (settings.caching == caching::direct) {
    direct = open_direct_twin(*target, access == mode::update, ec);
    if (ec) return nullptr;
  }
  if (access == mode::copy) {
    target = std::make_unique<overlay_device>(std::move(target));
    direct.reset();  // the direct device would not see the changes
  }
  if (!target->traits().concurrent) target = std::make_unique<locking_device>(std::move(target));
  return std::make_unique<random_access>(std::move(target), std::move(direct), access, settings,
                                         name);
}

std::unique_ptr<random_access> random_access::over_file(std::unique_ptr<device> target, mode access,
                                                        const access_options& settings,
                                                        std::string_view name,
                                                        std::error_code& ec) {
  if (target->native_handle() != no_handle && !target->traits().positional) {
    ec = errc::not_a_file;
    return nullptr;
  }
  return over(std::move(target), access, settings, name, ec);
}

/// Reads the rest after a short read.
failure random_access::read_rest(std::uint64_t at, std::span<char> into,
                                 std::size_t done) noexcept {
  std::error_code ec;
  const std::size_t n = done + read_all(*device_, at + done, into.subspan(done), ec);
  if (n == into.size()) return {};
  // A device refuses a position that no file can have.
  if (!ec || at + n > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    ec = errc::ended_early;
  failure why{ec, "read", at + n};
  why.unread = into.size() - n;
  return why;
}

failure random_access::write_at(std::uint64_t at, std::string_view bytes) noexcept {
  if (const auto ec = unchangeable()) return {ec, "write", at, bytes.size()};
  const stripe_locks::guard guard(stripes_, at, bytes.size());
  failure why = write_unlocked(at, bytes);
  if (!why) why = make_durable();
  return why;
}

failure random_access::write_unlocked(std::uint64_t at, std::string_view bytes) noexcept {
  if (bytes.empty()) return {};
  std::error_code ec;
  const std::uint64_t n = write_all(*device_, at, bytes, ec, {});
  if (!ec) return {};
  return {ec, "write", at + n, bytes.size() - n};
}

failure random_access::make_durable() noexcept {
  return options_.durability == durability::system ? sync() : failure{};
}

/// Reports a failure that a call cannot return, because the call returns or throws something else.
void random_access::report_write_loss(const failure& why) const noexcept {
  if (why) report_lost_bytes(why, name_);
}

failure random_access::resize(std::uint64_t size) noexcept {
  if (const auto ec = unchangeable()) return {ec, "resize", size};
  {
    // Windows does not shorten a file while it is mapped. On other systems the mapping would extend
    // beyond the new end.
    const std::lock_guard guard(lock_);
    if (mapping_ != nullptr && size < mapping_->view().size()) mapping_.reset();
  }
  std::error_code ec;
  device_->resize(size, ec);
  if (ec) return {ec, "resize", size};
  return make_durable();
}

failure random_access::sync() noexcept {
  std::error_code ec;
  device_->sync(ec);
  return ec ? failure{ec, "sync"} : failure{};
}

failure random_access::close() noexcept {
  if (is_in_batch())
    return {std::make_error_code(std::errc::resource_deadlock_would_occur), "close"};
  mapping_.reset();
  single_reads_.unmap();
  std::error_code ec, other;
  if (direct_ != nullptr) direct_->close(other);
  device_->close(ec);
  if (!ec) ec = other;
  return ec ? failure{ec, "close"} : failure{};
}

batch_plan random_access::last_plan() const {
  const char* why;
  batch_plan plan = last_plan(why);
  plan.why = why;
  return plan;
}

batch_plan random_access::last_plan(const char*& why) const {
  const std::lock_guard guard(lock_);
  if (const std::uint64_t singles = last_singles_.load(std::memory_order_relaxed); singles != 0) {
    batch_plan plan;
    plan.taken = route::merged;
    why = "too few positions to sample the page cache";
    plan.positions = plan.requests = static_cast<std::size_t>(singles >> 32);
    plan.bytes = singles & 0xFFFF'FFFF;
    return plan;
  }
  why = last_reason_;
  return last_plan_;
}

/// Returns the device for the direct route. If `device_` has no handle, returns `device_`.
/// Otherwise returns the file, which the first call opens for direct I/O. Returns null if direct
/// I/O is not possible.
device* random_access::direct_device() noexcept {
  if (device_->native_handle() == no_handle) return device_.get();
  const std::lock_guard guard(lock_);
  if (direct_ == nullptr && !direct_failed_) {
    std::error_code ec;
    direct_ = open_direct_twin(*device_, mode_ == mode::update, ec);
    direct_failed_ = direct_ == nullptr;
  }
  return direct_.get();
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
