// leat's streams for RapidJSON: its input and output stream concepts over a reader and a writer.
// <leat/leat.hpp> does not include this header.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <rapidjson/rapidjson.h>
#include <leat/detail/buffer_access.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace adapters {

/// A reader as an input stream of RapidJSON.
///
///     auto in = leat::open("people.json.gz", {.compression = leat::compression::gzip});
///     leat::adapters::rapidjson_input bytes(in);
///     rapidjson::Document people;
///     people.ParseStream(bytes);
///
/// Bytes come from the reader's buffer without a copy. A failed read throws leat::io_error through
/// the parser. The reader is always exactly after the last byte that the parser has taken, so
/// kParseStopWhenDoneFlag leaves the reader after the first document.
///
/// For RapidJSON a NUL byte is the end. If `in.window()` is not empty after a successful parse
/// without kParseStopWhenDoneFlag, the input has a NUL byte at the reader's position. @since 0.3
///
/// @par Threads
/// One thread at a time may use a rapidjson_input and its reader.
class rapidjson_input {
 public:
  using Ch = char;

  /// The reader must outlive this object.
  explicit rapidjson_input(reader& in) noexcept : in_(&in) {}

  /// The next byte, or NUL at the end.
  [[gnu::always_inline]] char Peek() const {
    const char* const next = buffer_access::next(*in_);
    if (next == buffer_access::end(*in_)) [[unlikely]]
      return peek_slow(*in_);
    return *next;
  }
  /// Takes and returns the next byte; returns NUL at the end.
  [[gnu::always_inline]] char Take() {
    const char* const next = buffer_access::next(*in_);
    if (next == buffer_access::end(*in_)) [[unlikely]]
      return take_slow(*in_);
    buffer_access::set_next(*in_, next + 1);
    return *next;
  }
  /// The reader's position.
  std::size_t Tell() const { return static_cast<std::size_t>(in_->tell()); }
  /// The next four bytes, for rapidjson::AutoUTFInputStream; null if fewer than four bytes are
  /// left.
  const char* Peek4() const {
    const std::string_view bytes = in_->peek(4);
    return bytes.size() < 4 ? nullptr : bytes.data();
  }

  // RapidJSON's concept has these functions for parsing in place, which a reader can't do.
  char* PutBegin() {
    RAPIDJSON_ASSERT(false);
    return nullptr;
  }
  void Put(char) { RAPIDJSON_ASSERT(false); }
  void Flush() { RAPIDJSON_ASSERT(false); }
  std::size_t PutEnd(char*) {
    RAPIDJSON_ASSERT(false);
    return 0;
  }

 private:
  [[gnu::cold, gnu::noinline]] static char peek_slow(reader& in) {
    const std::string_view bytes = in.window();
    return bytes.empty() ? '\0' : bytes.front();
  }
  [[gnu::cold, gnu::noinline]] static char take_slow(reader& in) {
    const int c = in.get();
    return c == reader::end_of_file ? '\0' : static_cast<char>(c);
  }

  reader* in_;
};

/// A writer as an output stream of RapidJSON, for rapidjson::Writer and PrettyWriter.
///
///     auto out = leat::create("people.json.zst", {.compression = leat::compression::zstd});
///     leat::adapters::rapidjson_output bytes(out);
///     rapidjson::Writer json(bytes);
///     people.Accept(json);
///     out.close();  // throws if any byte was lost
///
/// Bytes go into the writer's buffer. A failure stays with the writer until flush() or close().
/// @since 0.3
///
/// @par Threads
/// The rule of the writer applies. Several threads may write to leat::out, but their bytes mix, so
/// write each document to a string_writer first.
template <class Writer = writer>
class rapidjson_output {
 public:
  using Ch = char;

  /// The writer must outlive this object.
  explicit rapidjson_output(Writer& out) noexcept : out_(&out) {}

  void Put(char c) { out_->put(c); }
  /// Does nothing: RapidJSON calls Flush() after each document. The writer's own flush() writes to
  /// the device.
  void Flush() noexcept {}

 private:
  Writer* out_;
};

}  // namespace adapters
}  // namespace v0
}  // namespace leat
