// Files as memory. Each platform has its own implementation of this.
#pragma once

#include <leat/device.hpp>
#include <leat/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace leat {
inline namespace v0 {

/// Says whether files may be mapped, and returns what was said before; at first they may. While
/// they may not, a mapping holds nothing; those that there are stay. The guard's handler, if there
/// is one, is there from the first mapping on, and taken away by `false`.
bool use_mappings(bool on) noexcept;

struct guarded_range;

/// The first bytes of a file under the guard against its shrinking. Does not own the file, which
/// stays open longer.
class mapping {
 public:
  enum class access { read, write };

  mapping() noexcept = default;
  /// Holds nothing if `size` is 0, the file can't be mapped, or the guard is switched off.
  mapping(native_handle_type file, std::size_t size, access what = access::read) noexcept;
  mapping(mapping&& other) noexcept
      : view_(std::exchange(other.view_, {})), range_(std::exchange(other.range_, nullptr)) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(view_, other.view_);
    std::swap(range_, other.range_);
    return *this;
  }
  ~mapping();

  explicit operator bool() const noexcept { return range_ != nullptr; }
  std::string_view view() const noexcept { return view_; }
  /// The same, to be written to with access::write: that goes to the file.
  char* data() noexcept { return const_cast<char*>(view_.data()); }
  void advise(pattern expected) noexcept;
  /// Maps what is in memory around one byte, by a fault. Nobody looks at the value, so another
  /// thread may be changing it.
  __attribute__((no_sanitize("thread"))) void touch(std::size_t at) const noexcept {
    [[maybe_unused]] const volatile char seen = view_[at];
  }
  /// Maps the file by a fault in every `step` bytes. (MADV_POPULATE_READ goes page by page.)
  void populate(std::size_t step) const noexcept {
    for (std::size_t at = 0; at < view_.size(); at += step) touch(at);
  }

  /// Bytes that somebody has met and that were not there.
  failure met() const noexcept;
  /// The same, or bytes that are not there now.
  failure missing() const noexcept;

 private:
  std::string_view view_;
  guarded_range* range_ = nullptr;
};

}  // namespace v0
}  // namespace leat
