// leat::file, a class for programs: opening, single operations, and batches over the core in
// random_access.hpp.
#include <leat/file.hpp>

#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "base/last_error.hpp"
#include "opening/open.hpp"
#include "random/random_access.hpp"

namespace leat {
inline namespace v0 {

namespace {

using core = detail::random_access;

failure closed(const char* operation) noexcept { return {errc::closed, operation}; }

void raise_if(const failure& why, std::string_view name) {
  if (why) throw io_error(why, name);
}

}  // namespace

file::file() noexcept = default;
file::file(file&& other) noexcept = default;
file& file::operator=(file&& other) noexcept = default;
file::~file() = default;

file::file(std::unique_ptr<device> on, mode what, const access_options& how,
           std::string_view name) {
  if (on == nullptr) return;
  std::error_code ec;
  if (how.compression != compression::none)  // a device is not decoded
    ec = std::make_error_code(std::errc::invalid_argument);
  else
    core_ = core::over(std::move(on), what, how, name, ec);
  if (ec) throw io_error({ec, "open"}, name);
}

file file::open(path_ref path, mode what, const access_options& how, std::error_code& ec) {
  file opened;
  try {
    auto target = what == mode::update_or_create
                      ? create_random(path, false, options(how), ec)
                      : open_random(path, what == mode::update, options(how), ec);
    if (target != nullptr)
      opened.core_ = core::over_file(std::move(target), what, how, path.view(), ec);
  } catch (const std::bad_alloc&) {
    ec = std::make_error_code(std::errc::not_enough_memory);
  }
  static_cast<void>(leat::set_last_error({ec, "open"}, path.view()));
  return opened;
}

file file::open(path_ref path, mode what, const access_options& how) {
  std::error_code ec;
  file opened = open(path, what, how, ec);
  raise_if({ec, "open"}, path.view());
  return opened;
}

file file::create(path_ref path, const access_options& how, std::error_code& ec) {
  file opened;
  try {
    auto target = create_random(path, true, options(how), ec);
    if (target != nullptr)
      opened.core_ = core::over_file(std::move(target), mode::update, how, path.view(), ec);
  } catch (const std::bad_alloc&) {
    ec = std::make_error_code(std::errc::not_enough_memory);
  }
  static_cast<void>(leat::set_last_error({ec, "create"}, path.view()));
  return opened;
}

file file::create(path_ref path, const access_options& how) {
  std::error_code ec;
  file opened = create(path, how, ec);
  raise_if({ec, "create"}, path.view());
  return opened;
}

// --- single operations ---------------------------------------------------------------------------

std::string_view file::name() const noexcept {
  return core_ == nullptr ? std::string_view("<closed>") : std::string_view(core_->name());
}

void file::close() {
  if (core_ == nullptr) return;
  if (core_->is_in_batch()) return raise_if(core_->close(), name());  // refused with an error
  const auto core = std::move(core_);
  raise_if(core->close(), core->name());
}

void file::close(std::error_code& ec) noexcept {
  ec.clear();
  if (core_ == nullptr) return;
  ec = leat::set_last_error(core_->close(), name());
  if (!core_->is_in_batch()) core_.reset();
}

void file::read_at(std::uint64_t at, std::span<char> into) const {
  if (const failure why = core_ == nullptr ? closed("read") : core_->read_at(at, into))
    throw io_error(why, name());
}

void file::read_at(std::uint64_t at, std::span<char> into, std::error_code& ec) const noexcept {
  ec = leat::set_last_error(core_ == nullptr ? closed("read") : core_->read_at(at, into), name());
}

failure file::write_quietly(std::uint64_t at, std::string_view bytes) noexcept {
  return core_ == nullptr ? closed("write") : core_->write_at(at, bytes);
}

void file::write_at(std::uint64_t at, std::string_view bytes) {
  raise_if(write_quietly(at, bytes), name());
}

void file::write_at(std::uint64_t at, std::string_view bytes, std::error_code& ec) noexcept {
  ec = leat::set_last_error(write_quietly(at, bytes), name());
}

std::uint64_t file::size(std::error_code& ec) const noexcept {
  ec.clear();
  std::uint64_t bytes = 0;
  if (core_ != nullptr)
    bytes = core_->on().size(ec);
  else
    ec = errc::closed;
  static_cast<void>(leat::set_last_error({ec, "get the size of"}, name()));
  return bytes;
}

std::uint64_t file::size() const {
  std::error_code ec;
  const std::uint64_t bytes = size(ec);
  raise_if({ec, "get the size of"}, name());
  return bytes;
}

void file::resize(std::uint64_t size) {
  raise_if(core_ == nullptr ? closed("resize") : core_->resize(size), name());
}

void file::resize(std::uint64_t size, std::error_code& ec) noexcept {
  ec = leat::set_last_error(core_ == nullptr ? closed("resize") : core_->resize(size), name());
}

void file::sync() { raise_if(core_ == nullptr ? closed("sync") : core_->sync(), name()); }

void file::sync(std::error_code& ec) noexcept {
  ec = leat::set_last_error(core_ == nullptr ? closed("sync") : core_->sync(), name());
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

std::error_code file::set_last_error(const detail::batch_failure& what) const noexcept {
  if (what) record_failure(what.why, name(), what.position);
  return what.why.code;
}

void file::raise(const detail::batch_failure& what) const {
  throw io_error(what.why, name(), what.position);
}

std::error_code file::unchangeable() const noexcept {
  return core_ == nullptr ? make_error_code(errc::closed) : core_->unchangeable();
}

detail::batch_failure file::gather(const detail::record_layout& records,
                                   detail::position_list positions, char* into) const {
  if (core_ == nullptr) return {closed("read"), {}};
  return core_->gather(records, positions, into);
}

detail::batch_failure file::scatter(const detail::record_layout& records,
                                    detail::position_list positions, const char* values) {
  if (core_ == nullptr) return {closed("write"), {}};
  return core_->scatter(records, positions, values);
}

detail::batch_failure file::update(const detail::record_layout& records,
                                   detail::position_list positions, detail::visitor each,
                                   void* context) {
  if (core_ == nullptr) return {closed("write"), {}};
  return core_->update(records, positions, each, context);
}

template <class Target>
detail::batch_failure file::read_quietly(std::span<const byte_range> ranges,
                                         const Target& into) const {
  if (core_ == nullptr) return {closed("read"), {}};
  std::error_code ec;
  const std::uint64_t end = size(ec);
  if (ec) return {{ec, "get the size of"}, {}};
  return core_->read_ranges(ranges, end, into);
}

void file::read_ranges(
    std::span<const byte_range> ranges,
    const std::function<void(std::string_view bytes, std::size_t index)>& each) const {
  if (const auto failed = read_quietly(ranges, each)) raise(failed);
}

void file::read_ranges(std::span<const byte_range> ranges,
                       const std::function<void(std::string_view bytes, std::size_t index)>& each,
                       std::error_code& ec) const {
  ec = set_last_error(read_quietly(ranges, each));
}

void file::read_ranges(std::span<const byte_range> ranges, std::span<char> into) const {
  if (const auto failed = read_quietly(ranges, into)) raise(failed);
}

void file::read_ranges(std::span<const byte_range> ranges, std::span<char> into,
                       std::error_code& ec) const {
  ec = set_last_error(read_quietly(ranges, into));
}

detail::batch_failure file::write_quietly(std::span<const byte_range> ranges,
                                          std::string_view bytes) {
  if (core_ == nullptr) return {closed("write"), {}};
  return core_->write_ranges(ranges, bytes);
}

void file::write_ranges(std::span<const byte_range> ranges, std::string_view bytes) {
  if (const auto failed = write_quietly(ranges, bytes)) raise(failed);
}

void file::write_ranges(std::span<const byte_range> ranges, std::string_view bytes,
                        std::error_code& ec) {
  ec = set_last_error(write_quietly(ranges, bytes));
}

}  // namespace v0
}  // namespace leat
