// Functions that cut texts: fields, trim and split_once.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>
#include <leat/detail/blank.hpp>
#include <leat/detail/owning_range.hpp>
#include <leat/detail/ranges.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace leat {
inline namespace v0 {

namespace detail {
/// Returns a bit for each delimiter in a text of up to 64 bytes.
LEAT_API std::uint64_t mark_delimiters(const char* text, std::size_t size, char delimiter) noexcept;
}  // namespace detail

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
      const char* after = field_.data() + field_.size();
      if (after == end_) {
        field_ = {};
        done_ = true;
      } else {
        cut(after + 1);
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
        : block_(line.data()),
          marked_end_(block_),
          end_(block_ + line.size()),
          delimiter_(delimiter),
          done_(false) {
      cut(block_);
    }
    // Delimiters are marked for 64 bytes at a time.
    void cut(const char* from) noexcept {
      while (marks_ == 0 && marked_end_ != end_) {
        block_ = marked_end_;
        const auto left = static_cast<std::size_t>(end_ - block_);
        const std::size_t size = left < 64 ? left : 64;
        marks_ = detail::mark_delimiters(block_, size, delimiter_);
        marked_end_ += size;
      }
      const char* stop = end_;
      if (marks_ != 0) {
        stop = block_ + __builtin_ctzll(marks_);
        marks_ &= marks_ - 1;
      }
      field_ = {from, static_cast<std::size_t>(stop - from)};
    }

    std::string_view field_;
    std::uint64_t marks_ = 0;  // delimiters after the field, from block_ on
    const char* block_ = nullptr;
    const char* marked_end_ = nullptr;  // all delimiters before this address are marked
    const char* end_ = nullptr;
    char delimiter_ = ',';
    bool done_ = true;
  };

  explicit field_range(std::string_view line, char delimiter = ',') noexcept
      : line_(line), delimiter_(delimiter) {}
  iterator begin() const noexcept { return {line_, delimiter_}; }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  template <class, class>
  friend class detail::owning_range;
  void rebind(std::string_view line) noexcept { line_ = line; }

  std::string_view line_;
  char delimiter_;
};

/// Returns the text without the blanks around it: spaces, and the characters from tab to carriage
/// return. @since 0.3
[[nodiscard]] constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && detail::is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && detail::is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A text cut in two, without the delimiter. @since 0.3
struct text_halves {
  std::string_view before;  ///< the whole text, if there is no delimiter
  std::string_view after;   ///< empty, if there is no delimiter
  bool found = false;

  explicit operator bool() const noexcept { return found; }
};

/// Cuts a text at the first delimiter. Nothing is copied. @since 0.3
///
///     if (auto [key, value, found] = leat::split_once(line, '='); found) …
[[nodiscard]] inline text_halves split_once(std::string_view text, char delimiter) noexcept {
  const std::size_t at = text.find(delimiter);
  if (at == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, at), text.substr(at + 1), true};
}
/// Cuts at a delimiter of any length; an empty delimiter is found at the start. @since 0.3
[[nodiscard]] inline text_halves split_once(std::string_view text,
                                            std::string_view delimiter) noexcept {
  const std::size_t at = text.find(delimiter);
  if (at == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, at), text.substr(at + delimiter.size()), true};
}

/// The fields of a line: the texts between the delimiters. Quotes are not special. A line has one
/// field more than delimiters: "a,,b" has three fields, an empty line has one field. Nothing is
/// allocated. The range refers to the line, but owns a temporary std::string.
///
/// After the last field, `*++field` is an empty text whose data() is null, and the iterator equals
/// end(). Do not increment the iterator again. Compare with end(): a field may be empty, too.
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
