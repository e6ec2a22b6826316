// Ranges that own the stream or text that they refer to, for calls on temporaries. ranges.hpp and
// fields.hpp return such ranges.
#pragma once

#include <leat/detail/ranges.hpp>

#include <utility>

namespace leat {
inline namespace v0 {

namespace detail {

/// A range and the object that it refers to, such as a stream. After a move, the new range
/// refers to the new object.
template <class Owned, class Range>
class [[nodiscard]] owning_range {
 public:
  using iterator = typename Range::iterator;

  /// `make` returns the range over the owned object.
  template <class Make>
  owning_range(Owned&& owned, Make make) : owned_(std::move(owned)), range_(make(owned_)) {}
  owning_range(owning_range&& other) noexcept
      : owned_(std::move(other.owned_)), range_(std::move(other.range_)) {
    range_.rebind(owned_);
  }
  owning_range& operator=(owning_range&& other) noexcept {
    owned_ = std::move(other.owned_);
    range_ = std::move(other.range_);
    range_.rebind(owned_);
    return *this;
  }

  iterator begin() { return range_.begin(); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Owned owned_;
  Range range_;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
