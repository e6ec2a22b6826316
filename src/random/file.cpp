#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "device/exclusive.hpp"
#include "device/open.hpp"
#include "device/overlay.hpp"
#include "random/places.hpp"
#include "random/random_access.hpp"
#include "random/works.hpp"

namespace leat {
inline namespace v0 {

namespace {

failure closed(const char* operation) noexcept { return {errc::closed, operation}; }

void raise_if(const failure& why, std::string_view name) {
  if (why) throw io_error(why, name);
}

detail::batch_failure outside(const batch_places& of, std::size_t entry) {
  return {{errc::no_such_record, "find"}, of.describe(entry)};
}

}  // namespace

file::file() noexcept = default;
file::file(file&& other) noexcept = default;
file& file::operator=(file&& other) noexcept = default;
file::~file() = default;

/// Puts what the mode asks for between the device and those who use it.
std::unique_ptr<detail::random_access> file::over(std::unique_ptr<device> on, mode what,
                                                  const access_options& how, std::string_view name,
                                                  std::error_code& ec) {
  ec.clear();
  // Of a device that appends, the bytes would go elsewhere.
  if (!on->traits().positional || (what == mode::update && on->traits().appends)) {
    ec = std::make_error_code(std::errc::invalid_seek);
    return nullptr;
  }
  std::unique_ptr<device> direct;
  if (how.caching == caching::direct) {
    direct = open_direct_twin(*on, what == mode::update, ec);
    if (ec) return nullptr;
  }
  if (what == mode::copy) {
    on = std::make_unique<overlay_device>(std::move(on));
    direct.reset();  // it knows nothing of the changes
  }
  if (!on->traits().concurrent) on = std::make_unique<exclusive_device>(std::move(on));
  return std::make_unique<detail::random_access>(std::move(on), std::move(direct), what, how, name);
}

file::file(std::unique_ptr<device> on, mode what, const access_options& how,
           std::string_view name) {
  std::error_code ec;
  core_ = over(std::move(on), what, how, name, ec);
  if (ec) throw io_error({ec, "open"}, name);
}

file file::open(path_ref path, mode what, const access_options& how, std::error_code& ec) try {
  file opened;
  auto on = open_random(path, what == mode::update, ec);
  if (on != nullptr) opened.core_ = over(std::move(on), what, how, path.view(), ec);
  return opened;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

file file::open(path_ref path, mode what, const access_options& how) {
  std::error_code ec;
  file opened = open(path, what, how, ec);
  raise_if({ec, "open"}, path.view());
  return opened;
}

file file::create(path_ref path, const access_options& how, std::error_code& ec) try {
  file opened;
  auto on = create_random(path, ec);
  if (on != nullptr) opened.core_ = over(std::move(on), mode::update, how, path.view(), ec);
  return opened;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

file file::create(path_ref path, const access_options& how) {
  std::error_code ec;
  file opened = create(path, how, ec);
  raise_if({ec, "create"}, path.view());
  return opened;
}

// --- one at a time -----------------------------------------------------------------------------

std::string_view file::name() const noexcept {
  return core_ == nullptr ? std::string_view("<closed>") : std::string_view(core_->name());
}

void file::close() {
  if (core_ == nullptr) return;
  const auto core = std::move(core_);
  raise_if(core->close(), core->name());
}

void file::close(std::error_code& ec) noexcept {
  ec.clear();
  if (core_ != nullptr) ec = std::exchange(core_, nullptr)->close().code;
}

void file::read_at(std::uint64_t at, std::span<char> into) const {
  if (const failure why = core_ == nullptr ? closed("read") : core_->read_at(at, into))
    throw io_error(why, name());
}

void file::read_at(std::uint64_t at, std::span<char> into, std::error_code& ec) const noexcept {
  ec = (core_ == nullptr ? closed("read") : core_->read_at(at, into)).code;
}

void file::write_at(std::uint64_t at, std::string_view bytes) {
  raise_if(core_ == nullptr ? closed("write") : core_->write_at(at, bytes), name());
}

void file::write_at(std::uint64_t at, std::string_view bytes, std::error_code& ec) noexcept {
  ec = (core_ == nullptr ? closed("write") : core_->write_at(at, bytes)).code;
}

std::uint64_t file::size(std::error_code& ec) const noexcept {
  if (core_ != nullptr) return core_->on().size(ec);
  ec = errc::closed;
  return 0;
}

std::uint64_t file::size() const {
  std::error_code ec;
  const std::uint64_t bytes = size(ec);
  raise_if({ec, "tell the size of"}, name());
  return bytes;
}

void file::resize(std::uint64_t size) {
  raise_if(core_ == nullptr ? closed("resize") : core_->resize(size), name());
}

void file::resize(std::uint64_t size, std::error_code& ec) noexcept {
  ec = (core_ == nullptr ? closed("resize") : core_->resize(size)).code;
}

void file::sync() { raise_if(core_ == nullptr ? closed("sync") : core_->sync(), name()); }

void file::sync(std::error_code& ec) noexcept {
  ec = (core_ == nullptr ? closed("sync") : core_->sync()).code;
}

void file::advise(pattern expected) noexcept {
  if (core_ != nullptr) core_->on().advise(expected);
}

void file::announce(byte_range soon) noexcept {
  if (core_ != nullptr) core_->on().announce(soon.at, soon.size);
}

native_handle_type file::native_handle() const noexcept {
  return core_ == nullptr ? no_handle : core_->on().native_handle();
}

batch_plan file::last_plan() const { return core_ == nullptr ? batch_plan{} : core_->last_plan(); }

// --- batches -----------------------------------------------------------------------------------

void file::raise(const detail::batch_failure& what) const {
  throw io_error(what.why, name(), what.place);
}

detail::batch_failure file::gather(const detail::record_layout& records, detail::place_list places,
                                   char* into) const {
  if (core_ == nullptr) return {closed("read"), {}};
  const batch_places of(records, places);
  if (const std::size_t bad = of.first_outside(); bad != of.count()) return outside(of, bad);
  const auto run = [&](auto&& work) { return core_->run(of, work); };
  switch (records.size) {
    case 4:
      return {run(gather_work<4>(into, 4)), {}};
    case 8:
      return {run(gather_work<8>(into, 8)), {}};
    default:
      return {run(gather_work<0>(into, records.size)), {}};
  }
}

detail::batch_failure file::scatter(const detail::record_layout& records, detail::place_list places,
                                    const char* values) {
  if (core_ == nullptr) return {closed("write"), {}};
  const batch_places of(records, places);
  if (const std::size_t bad = of.first_outside(); bad != of.count()) return outside(of, bad);
  scatter_work work(values, records.size);
  return {core_->run(of, work), {}};
}

detail::batch_failure file::update(const detail::record_layout& records, detail::place_list places,
                                   detail::visitor each, void* context) {
  if (core_ == nullptr) return {closed("write"), {}};
  const batch_places of(records, places);
  if (const std::size_t bad = of.first_outside(); bad != of.count()) return outside(of, bad);
  update_work work(each, context);
  return {core_->run(of, work), {}};
}

detail::batch_failure file::read_quietly(
    std::span<const byte_range> ranges,
    const std::function<void(std::size_t, std::string_view)>& each) const {
  if (core_ == nullptr) return {closed("read"), {}};
  std::error_code ec;
  const batch_places of(ranges, size(ec));
  if (ec) return {{ec, "tell the size of"}, {}};
  if (const std::size_t bad = of.first_outside(); bad != of.count()) return outside(of, bad);
  read_ranges_work work(each);
  return {core_->run(of, work), {}};
}

void file::read_ranges(
    std::span<const byte_range> ranges,
    const std::function<void(std::size_t which, std::string_view bytes)>& each) const {
  if (const auto failed = read_quietly(ranges, each)) raise(failed);
}

void file::read_ranges(std::span<const byte_range> ranges,
                       const std::function<void(std::size_t which, std::string_view bytes)>& each,
                       std::error_code& ec) const {
  ec = read_quietly(ranges, each).why.code;
}

namespace {

/// Where the bytes of each range begin if they lie one behind the other, and their end; if there
/// is no such place, one that no memory has.
std::vector<std::size_t> starts_of(std::span<const byte_range> ranges) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> starts(ranges.size() + 1);
  for (std::size_t i = 0; i != ranges.size(); ++i) {
    const std::size_t left = most - starts[i];
    starts[i + 1] =
        starts[i] + static_cast<std::size_t>(std::min<std::uint64_t>(ranges[i].size, left));
  }
  return starts;
}

detail::batch_failure wrong_size(const char* operation, std::size_t needed, std::size_t given) {
  return {{std::make_error_code(std::errc::invalid_argument), operation},
          std::to_string(needed) + " bytes in the ranges, " + std::to_string(given) + " in memory"};
}

bool overlap(std::span<const byte_range> ranges) {
  std::vector<byte_range> sorted(ranges.begin(), ranges.end());
  std::ranges::sort(sorted, {}, &byte_range::at);
  const auto reaches = [](const byte_range& a, const byte_range& b) {
    return a.size > b.at - a.at;
  };
  return std::ranges::adjacent_find(sorted, reaches) != sorted.end();
}

}  // namespace

detail::batch_failure file::read_quietly(std::span<const byte_range> ranges,
                                         std::span<char> into) const {
  const auto starts = starts_of(ranges);
  if (starts.back() != into.size()) return wrong_size("read", starts.back(), into.size());
  return read_quietly(ranges, [&](std::size_t which, std::string_view bytes) {
    std::ranges::copy(bytes, into.begin() + static_cast<std::ptrdiff_t>(starts[which]));
  });
}

void file::read_ranges(std::span<const byte_range> ranges, std::span<char> into) const {
  if (const auto failed = read_quietly(ranges, into)) raise(failed);
}

void file::read_ranges(std::span<const byte_range> ranges, std::span<char> into,
                       std::error_code& ec) const {
  ec = read_quietly(ranges, into).why.code;
}

detail::batch_failure file::write_quietly(std::span<const byte_range> ranges,
                                          std::string_view bytes) {
  if (core_ == nullptr) return {closed("write"), {}};
  const auto is_empty = [](const byte_range& one) { return one.size == 0; };
  if (std::ranges::any_of(ranges, is_empty)) {
    // One behind the end must not make the file grow where a gap up to it is written along.
    std::vector<byte_range> others;
    std::ranges::remove_copy_if(ranges, std::back_inserter(others), is_empty);
    return write_quietly(others, bytes);
  }
  const auto starts = starts_of(ranges);
  if (starts.back() != bytes.size()) return wrong_size("write", starts.back(), bytes.size());
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();  // bytes of a file
  for (const auto& one : ranges) {
    if (one.at > most || one.size > most - one.at)
      return {{std::make_error_code(std::errc::file_too_large), "write", one.at}, {}};
  }
  if (overlap(ranges)) {
    // The caller's order decides who wins.
    for (std::size_t i = 0; i != ranges.size(); ++i) {
      const auto part = bytes.substr(starts[i], static_cast<std::size_t>(ranges[i].size));
      if (const failure why = core_->write_at(ranges[i].at, part)) return {why, {}};
    }
    return {};
  }
  std::error_code ec;
  std::uint64_t end = size(ec);
  if (ec) return {{ec, "tell the size of"}, {}};
  for (const auto& one : ranges) end = std::max(end, one.at + one.size);
  write_ranges_work work(bytes, starts);
  return {core_->run(batch_places(ranges, end), work), {}};
}

void file::write_ranges(std::span<const byte_range> ranges, std::string_view bytes) {
  if (const auto failed = write_quietly(ranges, bytes)) raise(failed);
}

void file::write_ranges(std::span<const byte_range> ranges, std::string_view bytes,
                        std::error_code& ec) {
  ec = write_quietly(ranges, bytes).why.code;
}

}  // namespace v0
}  // namespace leat
