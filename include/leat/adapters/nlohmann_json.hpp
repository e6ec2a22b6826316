// leat's streams for nlohmann/json: nlohmann::json::parse(leat::adapters::json_input(in)), and
// leat::adapters::dump_json(out, value). <leat/leat.hpp> does not include this header, which needs
// nlohmann/json 3.9 or newer.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/buffer_access.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace adapters {

/// The rest of a reader, as an input of nlohmann::json: for parse, accept, sax_parse, and the
/// binary formats from_cbor, from_msgpack, ….
///
///     auto in = leat::open("s3://bucket/people.json");
///     const auto people = nlohmann::json::parse(leat::adapters::json_input(in));
///
/// Bytes are taken from the reader's buffer one by one, without a copy. The reader is always
/// exactly after the last byte that the parser has taken. A failed read throws leat::io_error
/// through the parser, even if parse errors throw nothing (`allow_exceptions` = false). A reader
/// must outlive its json_input. @since 0.3
///
/// @par Threads
/// One thread at a time may use a json_input and its reader.
class json_input {
 public:
  // An iterator over the bytes. All iterators of a reader are at the reader's position.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    // The end of every input.
    iterator() = default;
    explicit iterator(reader& in) noexcept : in_(&in) {}

    char operator*() const { return *buffer_access::next(*in_); }
    iterator& operator++() {
      buffer_access::set_next(*in_, buffer_access::next(*in_) + 1);
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.is_at_end() == b.is_at_end();
    }

   private:
    bool is_at_end() const {
      if (in_ == nullptr) return true;
      if (buffer_access::next(*in_) != buffer_access::end(*in_)) [[likely]]
        return false;
      return in_->window().empty();
    }

    reader* in_ = nullptr;
  };

  explicit json_input(reader& in) noexcept : in_(&in) {}

  iterator begin() const noexcept { return iterator(*in_); }
  iterator end() const noexcept { return {}; }

 private:
  reader* in_;
};

namespace detail {

/// Passes the output of nlohmann's serializer to a writer.
class json_target final : public nlohmann::detail::output_adapter_protocol<char> {
 public:
  explicit json_target(writer& out) noexcept : out_(&out) {}
  void write_character(char c) override { out_->put(c); }
  void write_characters(const char* text, std::size_t n) override {
    out_->write(std::string_view(text, n));
  }

 private:
  writer* out_;
};

}  // namespace detail

/// Writes the text that `value.dump(…)` returns for the same arguments, without making a string of
/// the text. With `strict`, a string that is not UTF-8 throws nlohmann's type_error; the text
/// before the string, and perhaps a part of the string, is written. A failure of the writer stays
/// with the writer until flush() or close().
///
///     auto out = leat::replace("people.json.zst", {.compression = leat::compression::zstd});
///     leat::adapters::dump_json(out, people, 2);
///     out.close();  // throws if any byte was lost
///
/// @since 0.3
template <class Json>
void dump_json(writer& out, const Json& value, int indent = -1, char indent_char = ' ',
               bool ensure_ascii = false,
               typename Json::error_handler_t on_error = Json::error_handler_t::strict) {
  nlohmann::detail::serializer<Json> text(std::make_shared<detail::json_target>(out), indent_char,
                                          on_error);
  text.dump(value, indent >= 0, ensure_ascii, indent >= 0 ? static_cast<unsigned>(indent) : 0);
}

}  // namespace adapters
}  // namespace v0
}  // namespace leat
