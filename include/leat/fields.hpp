// The fields of a line.
#pragma once

#include <leat/detail/owning_range.hpp>
#include <leat/detail/ranges.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace leat {
inline namespace v0 {

/// The result of leat::fields(): a range of std::string_view.
class [[nodiscard]] field_range {
 public:
  class iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using reference = std::string_view;
    using pointer = const std::string_view*;

    iterator() = default;
    std::string_view operator*() const noexcept { return field_; }
    const std::string_view* operator->() const noexcept { return &field_; }
    iterator& operator++() noexcept {
      const char* behind = field_.data() + field_.size();
      if (behind == end_) {
        field_ = {};
        done_ = true;
      } else {
        cut(behind + 1);
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.done_ == b.done_ && a.field_.data() == b.field_.data();
    }
    friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return i.done_; }

   private:
    friend class field_range;
    iterator(std::string_view line, char delimiter) noexcept
        : end_(line.data() + line.size()), delimiter_(delimiter), done_(false) {
      cut(end_ - line.size());
    }
    // A plain loop: most fields are shorter than a call of memchr.
    void cut(const char* from) noexcept {
      const char* stop = from;
      while (stop != end_ && *stop != delimiter_) ++stop;
      field_ = {from, static_cast<std::size_t>(stop - from)};
    }

    std::string_view field_;
    const char* end_ = nullptr;
    char delimiter_ = ',';
    bool done_ = true;
  };

  explicit field_range(std::string_view line, char delimiter = ',') noexcept
      : line_(line), delimiter_(delimiter) {}
  iterator begin() const noexcept { return {line_, delimiter_}; }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  std::string_view line_;
  char delimiter_;
};

/// The fields of a line: the texts between the delimiters. Quotes are not special. There is one
/// field more than there are delimiters: "a,,b" has three, an empty line has one. Nothing is
/// allocated. The range refers to the line; of a temporary std::string it keeps the string.
///
///     for (std::string_view field : leat::fields(line, ',')) …
[[nodiscard]] inline field_range fields(std::string_view line, char delimiter = ',') noexcept {
  return field_range(line, delimiter);
}
template <std::same_as<std::string> Text>
[[nodiscard]] detail::owning_range<Text, field_range> fields(Text&& line, char delimiter = ',') {
  return {std::forward<Text>(line),
          [=](std::string_view kept) { return field_range(kept, delimiter); }};
}

}  // namespace v0
}  // namespace leat
