// A device that fails as planned, for the tests of leat and of programs.
#include <leat/testing.hpp>

#include "device/transfer.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace leat {
inline namespace v0 {

namespace {

constexpr std::size_t index_of(device_operation operation) noexcept {
  return static_cast<std::size_t>(operation);
}

}  // namespace

void fault_plan::add(const device_fault& one) {
  const std::lock_guard guard(lock_);
  faults_.push_back(one);
}

std::uint64_t fault_plan::count(device_operation of) const {
  const std::lock_guard guard(lock_);
  return counts_[index_of(of)];
}

device_fault fault_plan::next(device_operation one) noexcept {
  const std::lock_guard guard(lock_);
  ++counts_[index_of(device_operation::any)];
  ++counts_[index_of(one)];
  for (const auto& each : faults_) {
    const std::uint64_t number = counts_[index_of(each.in)];
    const bool applies = each.in == device_operation::any || each.in == one;
    const std::uint64_t nth = std::max(each.nth, std::uint64_t{1});
    if (applies && (number == nth || (each.onwards && number > nth))) return each;
  }
  return {};
}

failing_device::failing_device(std::unique_ptr<device> below, fault_plan& plan) noexcept
    : below_(std::move(below)), plan_(&plan) {}

device_fault failing_device::next(device_operation one, std::error_code& ec) const noexcept {
  const device_fault hit = plan_->next(one);
  if (hit.delay.count() > 0) std::this_thread::sleep_for(hit.delay);
  ec = hit.ec;
  return hit;
}

device_traits failing_device::traits() const noexcept { return below_->traits().in_front(); }

std::size_t failing_device::read_at(std::uint64_t at, std::span<char> into,
                                    std::error_code& ec) noexcept {
  const device_fault hit = next(device_operation::read, ec);
  if (ec) return 0;
  return below_->read_at(at, into.first(std::min(into.size(), hit.most.value_or(into.size()))), ec);
}

std::size_t failing_device::read_ready(std::uint64_t at, std::span<char> into,
                                       std::error_code& ec) noexcept {
  const device_fault hit = next(device_operation::read, ec);
  if (ec) return 0;
  into = into.first(std::min(into.size(), hit.most.value_or(into.size())));
  return below_->read_ready(at, into, ec);
}

std::size_t failing_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                     std::error_code& ec) noexcept {
  const device_fault hit = next(device_operation::write, ec);
  if (!ec && !hit.most) return below_->write_at(at, pieces, ec);
  std::array<std::string_view, max_pieces> some;
  std::size_t left = hit.most.value_or(0);
  std::size_t count = 0;
  for (const auto& piece : pieces.first(std::min(pieces.size(), max_pieces))) {
    some[count] = piece.substr(0, left);
    left -= some[count++].size();
  }
  std::error_code of_below;
  const std::size_t done = below_->write_at(at, {some.data(), count}, of_below);
  if (of_below) ec = of_below;
  return done;
}

void failing_device::announce(std::uint64_t at, std::uint64_t size) noexcept {
  below_->announce(at, size);
}

std::uint64_t failing_device::position() const noexcept { return below_->position(); }

std::uint64_t failing_device::size(std::error_code& ec) const noexcept {
  next(device_operation::size, ec);
  return ec ? 0 : below_->size(ec);
}

void failing_device::resize(std::uint64_t size, std::error_code& ec) noexcept {
  next(device_operation::resize, ec);
  if (!ec) below_->resize(size, ec);
}

void failing_device::reserve(std::uint64_t size, std::error_code& ec) noexcept {
  next(device_operation::reserve, ec);
  if (!ec) below_->reserve(size, ec);
}

void failing_device::advise(pattern expected) noexcept { below_->advise(expected); }

void failing_device::expect_sync() noexcept { below_->expect_sync(); }

void failing_device::sync(std::error_code& ec) noexcept {
  next(device_operation::sync, ec);
  if (!ec) below_->sync(ec);
}

std::chrono::nanoseconds failing_device::now() const noexcept { return below_->now(); }

double failing_device::cost() const noexcept { return below_->cost(); }

void failing_device::close(std::error_code& ec) noexcept {
  next(device_operation::close, ec);
  std::error_code of_below;
  below_->close(of_below);
  if (!ec) ec = of_below;
}

}  // namespace v0
}  // namespace leat
