// leat::journal: opening, locking and the public functions. The work is in journal_core.
#include <leat/journal.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/last_error.hpp"
#include "device/locking_device.hpp"
#include "device/system.hpp"
#include "journal/journal_core.hpp"
#include "journal/room_device.hpp"
#include "opening/open.hpp"
#include "opening/scheme.hpp"

namespace leat {
inline namespace v0 {

namespace {

using detail::journal_core;

std::error_code no_memory() noexcept { return std::make_error_code(std::errc::not_enough_memory); }

std::string_view title_of(const journal_core* core) noexcept {
  return core == nullptr ? std::string_view("<closed>") : core->title();
}

failure closed_journal(const char* operation) noexcept { return {errc::closed, operation}; }

options record_options(const journal_options& settings) noexcept {
  options all(settings);
  if (all.flush == flush_when::line) all.flush = flush_when::call;  // records are not lines
  return all;
}

struct locked_file {
  std::unique_ptr<device> file;
  file_lock lock;

  /// True if there is no lock, or if the locked file is the file of `other`.
  bool is_of(const device& other) const noexcept {
    return !lock || is_same_file(file->native_handle(), other.native_handle());
  }
};

/// Takes the lock of an existing file. Returns no lock if the file does not exist, cannot be opened
/// to read, or cannot be locked through a descriptor that only reads. If another writer holds the
/// lock, sets `why`. The lock is taken before the file is opened to write, because opening to write
/// disturbs a writer with durability::process. The lock needs an open file description of its own:
/// a forked child shares the description through which the journal writes, and the child may live
/// longer than the parent.
locked_file lock_existing(path_ref path, failure& why) noexcept {
  std::error_code ec;
  auto file = files::open_random(path, false, ec);
  if (file == nullptr) return {};  // opening to write reports the reason
  file_lock lock(file->native_handle(), lock_mode::exclusive, std::try_to_lock, ec);
  // For a moment after a fork, the child holds its parent's lock too, even if the parent is killed.
  // So this loop tries again for about 100 ms.
  for (int attempt = 0; !ec && !lock && attempt != 100; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock = file_lock(file->native_handle(), lock_mode::exclusive, std::try_to_lock, ec);
  }
  if (!ec && !lock) why = {std::make_error_code(std::errc::device_or_resource_busy), "lock"};
  return {std::move(file), std::move(lock)};
}

/// Makes a journal over a device whose end recover_end() has recovered. If the device is not a
/// file, `path` is empty.
std::unique_ptr<journal_core> make_core(std::unique_ptr<device> target, const options& settings,
                                        path_ref path, std::string_view name,
                                        const journal_core::recovery_result& recovered,
                                        file_lock guard) {
  if (settings.durability == durability::system)
    target = std::make_unique<detail::room_device>(std::move(target), recovered.end);
  // A thread of the stream may be using the device while the program reads or clears the journal.
  const bool has_thread = settings.background || settings.flush_interval.count() > 0;
  if (has_thread && !target->traits().concurrent)
    target = std::make_unique<locking_device>(std::move(target));
  opened_device opened(std::move(target));
  opened.position = recovered.end;
  if (settings.durability == durability::process && !path.view().empty())
    opened.own_sidecar = sidecar::open(path, *opened.target);
  return std::make_unique<journal_core>(std::move(opened), settings, name, recovered,
                                        std::move(guard));
}

/// Opens a journal. If `creates` is true, makes a missing file. On an error returns null and sets
/// `why`.
std::unique_ptr<journal_core> open_core(path_ref path, const journal_options& settings,
                                        bool creates, failure& why) try {
  if (is_address(path)) {
    why = {std::make_error_code(std::errc::operation_not_supported), "open"};
    return nullptr;
  }
  options all = record_options(settings);
  all.create = creates;
  std::error_code ec;
  std::unique_ptr<device> file;
  locked_file locked;
  constexpr int most_attempts = 100;
  for (int attempt = 0;; ++attempt) {
    locked = lock_existing(path, why);
    if (why) return nullptr;
    file = files::open_updating(path, all, ec);
    if (file == nullptr) {
      why = {ec, "open"};
      return nullptr;
    }
    if (!file->traits().positional) {
      why = {errc::not_a_file, "open"};
      return nullptr;
    }
    if (!locked.lock) locked = lock_existing(path, why);  // a new file
    if (why) return nullptr;
    // Another process may rename a file to the path after the lock was taken.
    if (locked.is_of(*file)) break;
    if (attempt == most_attempts) {
      why = {std::make_error_code(std::errc::device_or_resource_busy), "lock"};
      return nullptr;
    }
  }
  file_lock lock = std::move(locked.lock);
  if (!lock) {  // the file cannot be opened to read, or locked through a descriptor that only reads
    lock = file_lock(file->native_handle(), lock_mode::exclusive, std::try_to_lock, ec);
    if (ec)
      why = {ec, "lock"};
    else if (!lock)
      why = {std::make_error_code(std::errc::device_or_resource_busy), "lock"};
    if (why) return nullptr;
  }
  const auto found = journal_core::recover_end(*file, why);
  if (why) return nullptr;
  auto core = make_core(std::move(file), all, path, path.view(), found, std::move(lock));
  why = core->begin(settings.durability);
  if (why) return nullptr;
  return core;
} catch (const std::bad_alloc&) {
  why = {no_memory(), "open"};
  return nullptr;
}

[[gnu::noinline]] failure append_slowly(journal_core* to, std::string_view bytes, std::uint8_t kind,
                                        std::uint64_t& position) noexcept {
  return to == nullptr ? closed_journal("append") : to->append({&bytes, 1}, kind, {&position, 1});
}

}  // namespace

journal::journal() noexcept = default;
journal::journal(journal&& other) noexcept = default;
journal& journal::operator=(journal&& other) noexcept = default;
journal::~journal() = default;

journal::journal(std::unique_ptr<device> on, const journal_options& how, std::string_view name) {
  if (on == nullptr) return;
  failure why;
  const auto found = journal_core::recover_end(*on, why);
  if (!why) {
    core_ = make_core(std::move(on), record_options(how), "", name, found, file_lock());
    why = core_->begin(how.durability);
  }
  if (why) throw io_error(why, name);
}

journal journal::open(path_ref path, const journal_options& how) {
  failure why;
  journal opened;
  opened.core_ = open_core(path, how, true, why);
  if (why) throw io_error(why, path.view());
  return opened;
}

journal journal::open(path_ref path, const journal_options& how, std::error_code& ec) {
  failure why;
  journal opened;
  opened.core_ = open_core(path, how, true, why);
  ec = set_last_error(why, path.view());
  return opened;
}

std::uint64_t journal::recover(path_ref path) {
  failure why;
  const auto core = open_core(path, {}, false, why);
  if (!why) why = core->close_file();
  if (why) throw io_error({why.code, "recover", why.offset}, path.view());
  return core->cut();
}

std::uint64_t journal::recover(path_ref path, std::error_code& ec) {
  failure why;
  const auto core = open_core(path, {}, false, why);
  if (!why) why = core->close_file();
  ec = set_last_error({why.code, "recover", why.offset}, path.view());
  return core == nullptr ? 0 : core->cut();
}

void journal::raise(const failure& what) const { throw io_error(what, title_of(core_.get())); }

std::uint64_t journal::append(std::string_view bytes, std::uint8_t kind) {
  std::uint64_t position = 0;
  if (core_ != nullptr && core_->append_quickly(bytes, kind, position)) [[likely]]
    return position;
  if (const failure why = append_slowly(core_.get(), bytes, kind, position)) raise(why);
  return position;
}

std::uint64_t journal::append(std::string_view bytes, std::uint8_t kind,
                              std::error_code& ec) noexcept {
  std::uint64_t position = 0;
  ec.clear();
  if (core_ != nullptr && core_->append_quickly(bytes, kind, position)) [[likely]]
    return position;
  ec = set_last_error(append_slowly(core_.get(), bytes, kind, position), title_of(core_.get()));
  return position;
}

std::vector<std::uint64_t> journal::append_all(std::span<const std::string_view> records,
                                               std::uint8_t kind) {
  std::vector<std::uint64_t> positions(records.size());
  const failure why =
      core_ == nullptr ? closed_journal("append") : core_->append(records, kind, positions);
  if (why) raise(why);
  return positions;
}

std::vector<std::uint64_t> journal::append_all(std::span<const std::string_view> records,
                                               std::uint8_t kind, std::error_code& ec) {
  std::vector<std::uint64_t> positions(records.size());
  const failure why =
      core_ == nullptr ? closed_journal("append") : core_->append(records, kind, positions);
  ec = set_last_error(why, title_of(core_.get()));
  return positions;
}

void journal::flush() {
  if (const failure why = core_ == nullptr ? closed_journal("flush") : core_->flush_or_sync(false))
    raise(why);
}
void journal::flush(std::error_code& ec) noexcept {
  ec = set_last_error(core_ == nullptr ? closed_journal("flush") : core_->flush_or_sync(false),
                      title_of(core_.get()));
}
void journal::sync() {
  if (const failure why = core_ == nullptr ? closed_journal("sync") : core_->flush_or_sync(true))
    raise(why);
}
void journal::sync(std::error_code& ec) noexcept {
  ec = set_last_error(core_ == nullptr ? closed_journal("sync") : core_->flush_or_sync(true),
                      title_of(core_.get()));
}

void journal::clear() {
  if (const failure why = core_ == nullptr ? closed_journal("clear") : core_->clear()) raise(why);
}
void journal::clear(std::error_code& ec) noexcept {
  ec = set_last_error(core_ == nullptr ? closed_journal("clear") : core_->clear(),
                      title_of(core_.get()));
}

void journal::close() {
  if (core_ == nullptr) return;
  const auto core = std::move(core_);
  if (const failure why = core->close_file()) throw io_error(why, core->title());
}
void journal::close(std::error_code& ec) noexcept {
  ec.clear();
  if (core_ == nullptr) return;
  const auto core = std::move(core_);
  ec = set_last_error(core->close_file(), core->title());
}

std::string journal::read_at(std::uint64_t position) {
  std::string bytes;
  const failure why = core_ == nullptr ? closed_journal("read") : core_->read_at(position, bytes);
  if (why) raise(why);
  return bytes;
}
std::string journal::read_at(std::uint64_t position, std::error_code& ec) {
  std::string bytes;
  ec = set_last_error(core_ == nullptr ? closed_journal("read") : core_->read_at(position, bytes),
                      title_of(core_.get()));
  if (ec) bytes.clear();
  return bytes;
}

std::uint64_t journal::size() const noexcept { return core_ == nullptr ? 0 : core_->size(); }
std::uint64_t journal::cut() const noexcept { return core_ == nullptr ? 0 : core_->cut(); }
std::error_code journal::error() const noexcept {
  return core_ == nullptr ? make_error_code(errc::closed) : core_->error();
}

}  // namespace v0
}  // namespace leat
