// The sources of readers that were never opened, could not be opened or were moved from, and
// default functions of source. Called by the functions of reader.
#include <new>
#include <string>

#include "base/immortal.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

std::uint64_t source::seekable_end(const reader& r, std::uint64_t n) noexcept {
  // A read of at most short_read bytes costs no more than a seek, and the next reads stay large.
  // The first read after a seek is small.
  constexpr std::uint64_t short_read = 32 << 10;
  if (n <= short_read + available(r) || !is_positional() || is_failing()) return 0;
  std::error_code ec;
  const std::uint64_t end = size(r, ec);
  return ec ? 0 : end;
}

native_handle_type source::release(reader& r, failure& why) noexcept {
  why = {errc::closed, "release", r.tell()};
  return no_handle;
}

namespace {

class unreadable_source : public source {
 public:
  void fill(reader&, std::size_t) noexcept override {}
  std::size_t read(reader&, std::span<char>) noexcept override { return 0; }
  failure seek(reader&, std::uint64_t) noexcept override { return refusal("seek"); }
  std::uint64_t size(const reader&, std::error_code& ec) const noexcept override {
    ec = error();
    return 0;
  }
  bool is_failing() const noexcept override { return true; }
  failure report() noexcept override { return refusal("read"); }
  failure close(reader&) noexcept override { return {}; }
  std::error_code error() const noexcept override { return refusal("read").code; }
  std::string_view name() const noexcept override { return "<closed>"; }
  void dispose(reader&) noexcept override {}

 protected:
  virtual ~unreadable_source() = default;
  virtual failure refusal(const char* operation) const noexcept {
    return {errc::closed, operation};
  }
};

class shared_closed_source final : public unreadable_source {};
constinit immortal<shared_closed_source> the_closed_source;

class open_failure_source final : public unreadable_source {
 public:
  open_failure_source(const failure& why, std::string_view name) : why_(why), name_(name) {}
  std::string_view name() const noexcept override { return name_; }
  void dispose(reader&) noexcept override { delete this; }

 private:
  ~open_failure_source() override = default;
  failure refusal(const char*) const noexcept override { return why_; }

  failure why_;
  std::string name_;
};

}  // namespace

source& closed_source() noexcept { return the_closed_source.value; }

source& unopened_source(const failure& why, std::string_view name) noexcept try {
  return *new open_failure_source(why, name);
} catch (const std::bad_alloc&) {
  return closed_source();
}

}  // namespace v0
}  // namespace leat
