// leat::journal_reader: the public functions over journal_scan.
#include <leat/journal.hpp>

#include <memory>
#include <new>
#include <utility>

#include "base/last_error.hpp"
#include "journal/journal_scan.hpp"
#include "opening/open.hpp"

namespace leat {
inline namespace v0 {

namespace {

using detail::journal_scan;

failure closed_reader() noexcept { return {errc::closed, "read"}; }

/// Opens a journal to read. If `settings.live` is set, the file also shows the pending bytes of a
/// live writer. On failure returns a closed file and sets `ec`.
file open_to_scan(path_ref path, const journal_read_options& settings, std::error_code& ec) {
  if (!settings.live) return file::open(path, mode::read, settings.access, ec);
  options all(settings.access);
  all.live = true;
  auto source = open_existing(path, all, ec);
  if (source == nullptr) return {};
  try {
    return file(std::move(source), mode::read, settings.access, path.view());
  } catch (const io_error& why) {
    ec = why.code();
    return {};
  }
}

std::unique_ptr<journal_scan> open_scan(path_ref path, const journal_read_options& settings,
                                        failure& why) try {
  std::error_code ec;
  file source = open_to_scan(path, settings, ec);
  if (ec) {
    why = {ec, "open"};
    return nullptr;
  }
  source.advise(pattern::sequential);
  auto scan = std::make_unique<journal_scan>(std::move(source), settings.strict);
  why = scan->identify();
  if (why) return nullptr;
  return scan;
} catch (const std::bad_alloc&) {
  why = {std::make_error_code(std::errc::not_enough_memory), "open"};
  return nullptr;
}

}  // namespace

journal_reader::journal_reader() noexcept = default;
journal_reader::journal_reader(journal_reader&& other) noexcept = default;
journal_reader& journal_reader::operator=(journal_reader&& other) noexcept = default;
journal_reader::~journal_reader() = default;

journal_reader::journal_reader(std::unique_ptr<device> on, const journal_read_options& how,
                               std::string_view name) {
  if (on == nullptr) return;
  scan_ =
      std::make_unique<journal_scan>(file(std::move(on), mode::read, how.access, name), how.strict);
  if (const failure why = scan_->identify()) throw io_error(why, name);
}

journal_reader journal_reader::open(path_ref path, const journal_read_options& how) {
  failure why;
  journal_reader opened;
  opened.scan_ = open_scan(path, how, why);
  if (why) throw io_error(why, path.view());
  return opened;
}

journal_reader journal_reader::open(path_ref path, const journal_read_options& how,
                                    std::error_code& ec) {
  failure why;
  journal_reader opened;
  opened.scan_ = open_scan(path, how, why);
  ec = set_last_error(why, path.view());
  return opened;
}

void journal_reader::close() noexcept { scan_.reset(); }

void journal_reader::raise(const failure& what) const { throw io_error(what, underlying().name()); }

bool journal_reader::next(journal_record& into) {
  failure why = closed_reader();
  if (scan_ != nullptr) {
    why = {};
    if (scan_->next(into, why)) return true;
  }
  if (why) raise(why);
  return false;
}

bool journal_reader::next(journal_record& into, std::error_code& ec) {
  failure why = closed_reader();
  bool more = false;
  if (scan_ != nullptr) {
    why = {};
    more = scan_->next(into, why);
  }
  ec = set_last_error(why, underlying().name());
  return more;
}

void journal_reader::seek(std::uint64_t position) noexcept {
  if (scan_ != nullptr) scan_->seek(position);
}

std::uint64_t journal_reader::tell() const noexcept { return scan_ == nullptr ? 0 : scan_->tell(); }

const journal_damage& journal_reader::damage() const noexcept {
  static const journal_damage none;
  return scan_ == nullptr ? none : scan_->damage();
}

std::uint64_t journal_reader::torn() const noexcept { return scan_ == nullptr ? 0 : scan_->torn(); }

std::string journal_reader::read_at(std::uint64_t position) const {
  std::string bytes;
  std::uint8_t kind = 0;
  const failure why = scan_ == nullptr ? closed_reader() : scan_->read_at(position, bytes, kind);
  if (why) raise(why);
  return bytes;
}

std::string journal_reader::read_at(std::uint64_t position, std::error_code& ec) const {
  std::uint8_t kind = 0;
  return read_at(position, kind, ec);
}

std::string journal_reader::read_at(std::uint64_t position, std::uint8_t& kind,
                                    std::error_code& ec) const {
  std::string bytes;
  ec = set_last_error(scan_ == nullptr ? closed_reader() : scan_->read_at(position, bytes, kind),
                      underlying().name());
  if (ec) bytes.clear();
  return bytes;
}

void journal_reader::gather(std::span<const std::uint64_t> positions, const visitor& each) const {
  if (const failure why = scan_ == nullptr ? closed_reader() : scan_->gather(positions, each))
    raise(why);
}

void journal_reader::gather(std::span<const std::uint64_t> positions, const visitor& each,
                            std::error_code& ec) const {
  ec = set_last_error(scan_ == nullptr ? closed_reader() : scan_->gather(positions, each),
                      underlying().name());
}

const file& journal_reader::underlying() const noexcept {
  static const file none;
  return scan_ == nullptr ? none : scan_->underlying();
}

}  // namespace v0
}  // namespace leat
