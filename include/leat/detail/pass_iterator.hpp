// The iterator of the ranges of a reader.
#pragma once

#include <leat/detail/ranges.hpp>

#include <cstddef>

namespace leat {
inline namespace v0 {

namespace detail {

/// The iterator of a range that can be passed through once. The range holds the current element.
template <class Range, class Value>
class pass_iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;

  pass_iterator() = default;
  explicit pass_iterator(Range& range) noexcept : range_(&range) {}
  const Value& operator*() const noexcept { return range_->value(); }
  const Value* operator->() const noexcept { return &range_->value(); }
  pass_iterator& operator++() {
    range_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const pass_iterator& i, std::default_sentinel_t) noexcept {
    return i.at_end();
  }

 private:
  bool at_end() const noexcept { return range_->at_end(); }

  Range* range_ = nullptr;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
