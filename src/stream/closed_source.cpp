// The source of streams that are not open.
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

native_handle_type source::release(reader& r, failure& why) noexcept {
  why = {errc::closed, "release", r.tell()};
  return no_handle;
}

namespace {

class the_one_closed_source final : public source {
 public:
  void fill(reader&, std::size_t) noexcept override {}
  std::size_t read(reader&, std::span<char>) noexcept override { return 0; }
  failure seek(reader&, std::uint64_t) noexcept override { return refusal("seek"); }
  std::uint64_t size(const reader&, std::error_code& ec) const noexcept override {
    ec = errc::closed;
    return 0;
  }
  bool failing() const noexcept override { return true; }
  failure report() noexcept override { return refusal("read"); }
  failure close(reader&) noexcept override { return {}; }
  std::error_code error() const noexcept override { return errc::closed; }
  std::string_view name() const noexcept override { return "<closed>"; }
  void dispose(reader&) noexcept override {}

 private:
  static failure refusal(const char* operation) noexcept { return {errc::closed, operation}; }
};

constinit the_one_closed_source closed;

}  // namespace

source& closed_source() noexcept { return closed; }

}  // namespace v0
}  // namespace leat
