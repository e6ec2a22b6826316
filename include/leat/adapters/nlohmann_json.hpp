// leat's readers for nlohmann/json: nlohmann::json::parse(leat::adapters::json_input(in)).
// Not included by <leat/leat.hpp>. Needs nlohmann/json 3.9 or newer.
#pragma once

#include <leat/reader.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <iterator>

namespace leat {
inline namespace v0 {
namespace adapters {

/// The rest of a reader, as an input of nlohmann::json: for parse, accept, sax_parse, and the
/// binary formats from_cbor, from_msgpack, ….
///
///     auto in = leat::open("s3://bucket/people.json.zst", {.compression =
///     leat::compression::zstd}); const auto people =
///     nlohmann::json::parse(leat::adapters::json_input(in));
///
/// Bytes are taken from the reader's buffer one by one, without a copy. The reader is always
/// exactly after the last byte that the parser has taken. A failed read throws leat::io_error
/// through the parser, also where parse errors throw nothing (`allow_exceptions` = false). A reader
/// must outlive its json_input. @since 0.3
///
/// @par Threads
/// One at a time, as of the reader.
class json_input {
 public:
  /// An iterator over the bytes. All iterators of a reader are at the reader's position.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    /// The end of every input.
    iterator() = default;
    explicit iterator(reader& in) noexcept : in_(&in) {}

    char operator*() const { return in_->buffered().front(); }
    iterator& operator++() {
      in_->skip(1);
      return *this;
    }
    void operator++(int) { in_->skip(1); }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.is_at_end() == b.is_at_end();
    }

   private:
    bool is_at_end() const { return in_ == nullptr || in_->window().empty(); }

    reader* in_ = nullptr;
  };

  explicit json_input(reader& in) noexcept : in_(&in) {}

  iterator begin() const noexcept { return iterator(*in_); }
  iterator end() const noexcept { return {}; }

 private:
  reader* in_;
};

}  // namespace adapters
}  // namespace v0
}  // namespace leat
