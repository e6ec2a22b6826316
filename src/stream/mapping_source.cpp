// mapped_file and its source: the window is the whole file, mapped or copied to memory.
#include <leat/mapped_file.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/last_error.hpp"
#include "device/mapping.hpp"
#include "device/system.hpp"
#include "device/transfer.hpp"
#include "opening/open.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

class mapping_source final : public source {
 public:
  /// Opens and maps the file. Returns the failure. If there is no failure, `r` owns the source.
  static failure open(mapped_file& r, path_ref path, const map_options& how);
  /// Makes the calls of `r` fail with `why`, because the file could not be opened.
  static void set_unopened(mapped_file& r, const failure& why, std::string_view name) noexcept {
    set_source(r, unopened_source(why, name));
  }

  void fill(reader& r, std::size_t wanted) noexcept override;
  std::size_t read(reader& r, std::span<char> into) noexcept override;
  failure seek(reader& r, std::uint64_t position) noexcept override;
  std::uint64_t size(const reader& r, std::error_code& ec) const noexcept override;
  bool is_failing() const noexcept override { return failure_pending_ || file_ == nullptr; }
  failure report() noexcept override;
  failure close(reader& r) noexcept override;
  std::error_code error() const noexcept override;
  std::string_view name() const noexcept override { return name_; }
  void dispose(reader& r) noexcept override;
  bool is_open() const noexcept override { return file_ != nullptr; }
  native_handle_type native_handle() const noexcept override {
    return file_ == nullptr ? no_handle : file_->native_handle();
  }
  bool is_positional() const noexcept override { return true; }

 private:
  explicit mapping_source(std::unique_ptr<device> file, std::string_view name)
      : file_(std::move(file)), name_(name) {}
  ~mapping_source() = default;

  failure load(const map_options& how);
  failure copy_file(std::uint64_t expected);
  std::string_view content() const noexcept {
    return mapping_ ? mapping_.view() : std::string_view(copy_.data(), copied_);
  }
  failure damage() const noexcept {
    return was_complete_ ? mapping_.access_failure() : mapping_.find_failure();
  }

  std::unique_ptr<device> file_;  // null: closed
  std::string name_;
  // The bytes are in mapping_ or in copy_. mapping_ and copy_ are destroyed before file_, because
  // the guard of the mapping uses the file.
  mapping mapping_;
  std::string copy_;              // includes the padding
  std::size_t copied_ = 0;        // size without the padding
  bool was_complete_ = false;     // no byte was missing when the reader reached the end
  bool failure_pending_ = false;  // a read has met missing bytes; the failure is unreported
  bool reported_ = false;
};

failure mapping_source::open(mapped_file& r, path_ref path, const map_options& how) try {
  std::error_code ec;
  auto file = open_existing(path, options(how), ec);
  if (ec) return {ec, "open"};
  struct discard {
    void operator()(mapping_source* unused) const noexcept { delete unused; }
  };
  std::unique_ptr<mapping_source, discard> opened(new mapping_source(std::move(file), path.view()));
  if (const failure why = opened->load(how)) return why;
  r.view_ = opened->content();
  set_window(r, r.view_, 0);
  set_source(r, *opened.release());
  return {};
} catch (const std::bad_alloc&) {
  return {std::make_error_code(std::errc::not_enough_memory), "map"};
}

/// Maps the file. If the file can't be mapped, copies the file to memory.
failure mapping_source::load(const map_options& how) {
  std::error_code unknown;
  const std::uint64_t size = file_->traits().positional ? file_->size(unknown) : 0;
  if (!unknown && size <= std::numeric_limits<std::size_t>::max())
    mapping_ = mapping(file_->native_handle(), static_cast<std::size_t>(size));
  if (!mapping_) return copy_file(unknown ? 0 : size);
  if (how.pattern != pattern::automatic) mapping_.advise(how.pattern);
  return {};
}

/// Reads the whole file into memory. `expected`: the file's size; 0 if unknown.
failure mapping_source::copy_file(std::uint64_t expected) {
  constexpr std::size_t least = 4096;
  std::error_code ec;
  for (std::size_t n = 0;;) {
    if (n == copy_.size()) {
      // Files in /proc report no size, and other files may grow. So there is room for more bytes,
      // to find out whether the file has ended.
      const std::uint64_t room =
          n == 0 ? std::max<std::uint64_t>(expected + window_padding, least) : 2 * n;
      if (!is_affordable(room))
        return {std::make_error_code(std::errc::not_enough_memory), "read", n};
      copy_.resize(static_cast<std::size_t>(room));
    }
    const std::size_t more = read_some(*file_, n, std::span(copy_).subspan(n), ec);
    if (ec) return {ec, "read", n};
    n += more;
    if (more != 0) continue;
    copy_.resize(n + window_padding);
    copied_ = n;
    return {};
  }
}

void mapping_source::fill(reader& r, std::size_t wanted) noexcept {
  if (available(r) >= wanted || file_ == nullptr) return;
  const failure found = mapping_.find_failure();
  failure_pending_ = static_cast<bool>(found);
  was_complete_ = !found && available(r) == 0;
}

std::size_t mapping_source::read(reader& r, std::span<char> into) noexcept {
  fill(r, into.size());  // checks for missing bytes
  return 0;
}

failure mapping_source::seek(reader& r, std::uint64_t position) noexcept {
  if (file_ == nullptr) return {errc::closed, "seek", position};
  if (position > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return {std::make_error_code(std::errc::invalid_argument), "seek", position};
  if (position <= content().size())
    set_window(r, content(), 0, static_cast<std::size_t>(position));
  else
    set_window(r, {}, position);
  return {};
}

std::uint64_t mapping_source::size(const reader&, std::error_code& ec) const noexcept {
  if (file_ == nullptr)
    ec = errc::closed;
  else
    ec.clear();
  return content().size();
}

failure mapping_source::report() noexcept {
  if (file_ == nullptr) return {errc::closed, "read"};
  failure_pending_ = false;
  reported_ = true;
  return damage();
}

failure mapping_source::close(reader& r) noexcept {
  if (file_ == nullptr) return {};
  failure result = reported_ ? failure{} : damage();
  remove_window(r);
  static_cast<mapped_file&>(r).view_ = {};
  mapping_ = mapping();
  copy_ = {};
  copied_ = 0;
  std::error_code ec;
  file_->close(ec);
  if (ec && !result) result = {ec, "close"};
  file_.reset();
  return result;
}

std::error_code mapping_source::error() const noexcept {
  return file_ == nullptr ? make_error_code(errc::closed) : damage().code;
}

void mapping_source::dispose(reader&) noexcept {
  if (const failure unreported = file_ == nullptr || reported_ ? failure{} : damage())
    report_loss(unreported, name_);
  delete this;
}

mapped_file::mapped_file() noexcept : concrete_reader(closed_source()) {}

mapped_file::mapped_file(mapped_file&& other) noexcept
    : concrete_reader(closed_source()), view_(std::exchange(other.view_, {})) {
  take_window(other);
}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  if (this != &other) {
    dispose();
    take_window(other);
    view_ = std::exchange(other.view_, {});
  }
  return *this;
}

mapped_file::~mapped_file() { dispose(); }

bool mapped_file::is_open() const noexcept { return source_->is_open(); }

native_handle_type mapped_file::native_handle() const noexcept { return source_->native_handle(); }

mapped_file map_file(path_ref path, const map_options& how) {
  mapped_file result;
  if (const failure why = mapping_source::open(result, path, how)) throw io_error(why, path.view());
  return result;
}

mapped_file map_file(path_ref path, std::error_code& ec) { return map_file(path, {}, ec); }

mapped_file map_file(path_ref path, const map_options& how, std::error_code& ec) {
  mapped_file result;
  const failure why = mapping_source::open(result, path, how);
  ec = set_last_error(why, path.view());
  if (why) mapping_source::set_unopened(result, why, path.view());
  return result;
}

bool guard_mappings(bool on) noexcept { return use_mappings(on); }

}  // namespace v0
}  // namespace leat
