// Error codes with text and details: keeps the last errors of a component. remote/errors.cpp and
// codecs/errors.cpp use the class.
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
/// last 256 errors are kept with their text and a Detail. Older codes still have their kind.
/// Example: with 4 bits for the kind, code 0x53 is error 5 of kind 3. Any thread may call the
/// functions.
template <class Detail, unsigned KindBits>
class recent_errors {
 public:
  static unsigned kind_in(int code) noexcept { return static_cast<unsigned>(code) & kind_mask; }

  /// Keeps an error and returns its code. Control characters of the text are escaped. Throws
  /// std::bad_alloc.
  int keep(unsigned kind, std::string_view text, Detail details) {
    const std::scoped_lock lock(lock_);
    serial_ = serial_ % max_serial + 1;
    // The text may come from a server or a file.
    last_[serial_ % last_.size()] = {serial_, detail::escaped(text), std::move(details)};
    return static_cast<int>(serial_ << KindBits | (kind & kind_mask));
  }
  /// Returns the text of a code, or `fallback` if the text is no longer kept.
  std::string text_of(int code, const std::string& fallback) {
    return find(code, fallback, &entry::text);
  }
  /// Returns the details of a code, or `fallback` if they are no longer kept.
  Detail detail_of(int code, const Detail& fallback) {
    return find(code, fallback, &entry::details);
  }

 private:
  struct entry {
    unsigned serial = 0;
    std::string text;
    Detail details;
  };
  static constexpr unsigned kind_mask = (1U << KindBits) - 1;
  static constexpr unsigned max_serial = (1U << (30 - KindBits)) - 1;

  template <class Value>
  Value find(int code, const Value& fallback, Value entry::* member) {
    const unsigned serial = static_cast<unsigned>(code) >> KindBits;
    const std::scoped_lock lock(lock_);
    const entry& found = last_[serial % last_.size()];
    return found.serial == serial && serial != 0 ? found.*member : fallback;
  }

  std::mutex lock_;
  std::array<entry, 256> last_;
  unsigned serial_ = 0;
};

}  // namespace component
}  // namespace v0
}  // namespace leat
