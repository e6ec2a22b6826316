// Ranges over a temporary.
#pragma once

#include <leat/detail/ranges.hpp>

#include <utility>

namespace leat {
inline namespace v0 {

namespace detail {

/// A range and what it looks at: a stream, for example. It can't be moved, because the range refers
/// to its neighbour.
template <class Owned, class Range>
class [[nodiscard]] owning_range {
 public:
  using iterator = typename Range::iterator;

  /// `make` returns the range over the owned object.
  template <class Make>
  owning_range(Owned&& owned, Make make) : owned_(std::move(owned)), range_(make(owned_)) {}
  owning_range(const owning_range&) = delete;
  owning_range& operator=(const owning_range&) = delete;

  iterator begin() { return range_.begin(); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Owned owned_;
  Range range_;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
