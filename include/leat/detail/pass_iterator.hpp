// The single-pass iterator of a reader's ranges, in ranges.hpp and rows.hpp.
#pragma once

#include <leat/detail/ranges.hpp>

#include <cstddef>

namespace leat {
inline namespace v0 {

namespace detail {

/// The iterator of a single-pass range. The range holds the current element. The next element is
/// taken lazily, at its first use: so `| std::views::take(2)` takes only two elements. Like the
/// iterator of std::views::istream, this iterator can be moved but not copied: a copy would not
/// know that the other iterator has taken an element.
template <class Range, class Value>
class pass_iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;

  pass_iterator() = default;
  explicit pass_iterator(Range& range) noexcept : range_(&range) {}
  pass_iterator(pass_iterator&&) = default;
  pass_iterator& operator=(pass_iterator&&) = default;
  const Value& operator*() const {
    advance_if_due();
    return range_->value();
  }
  const Value* operator->() const { return &**this; }
  pass_iterator& operator++() {
    advance_if_due();
    is_due_ = true;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const pass_iterator& i, std::default_sentinel_t) {
    i.advance_if_due();
    return i.at_end();
  }

 private:
  bool at_end() const noexcept { return range_->at_end(); }

  [[gnu::always_inline]] void advance_if_due() const {
    if (!is_due_) return;
    is_due_ = false;
    range_->next();
  }

  Range* range_ = nullptr;
  mutable bool is_due_ = false;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat
