// Error codes with text and details: keeps the last errors of a component. remote/errors.cpp and
// codecs/incident.cpp use the class.
#pragma once

#include <leat/detail/escaped.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace leat {
inline namespace v0 {
namespace component {

/// A code contains a serial number and, in its lower `KindBits` bits, the kind of the error. The
/// last 256 errors are kept with their text and a Detail; older codes still have their kind. Any
/// thread may call the functions.
template <class Detail, unsigned KindBits>
class incidents {
 public:
  static unsigned kind_in(int code) noexcept { return static_cast<unsigned>(code) & kind_mask; }

  /// Keeps an error and returns its code. Control characters of the text are escaped.
  int keep(unsigned kind, std::string_view text, Detail of) {
    const std::scoped_lock lock(lock_);
    serial_ = serial_ % serial_mask + 1;
    // The text may come from a server or a file.
    last_[serial_ % last_.size()] = {serial_, detail::escaped(text), std::move(of)};
    return static_cast<int>(serial_ << KindBits | (kind & kind_mask));
  }
  /// Returns what is kept for a code, or `otherwise`.
  std::string text_of(int code, const std::string& otherwise) {
    return find(code, otherwise, &kept::text);
  }
  Detail detail_of(int code, const Detail& otherwise) { return find(code, otherwise, &kept::of); }

 private:
  struct kept {
    unsigned serial = 0;
    std::string text;
    Detail of;
  };
  static constexpr unsigned kind_mask = (1U << KindBits) - 1;
  static constexpr unsigned serial_mask = (1U << (30 - KindBits)) - 1;

  template <class Value>
  Value find(int code, const Value& otherwise, Value kept::* which) {
    const unsigned serial = static_cast<unsigned>(code) >> KindBits;
    const std::scoped_lock lock(lock_);
    const kept& one = last_[serial % last_.size()];
    return one.serial == serial && serial != 0 ? one.*which : otherwise;
  }

  std::mutex lock_;
  std::array<kept, 256> last_;
  unsigned serial_ = 0;
};

}  // namespace component
}  // namespace v0
}  // namespace leat
