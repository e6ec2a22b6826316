// Converts the options of leat.h to the options of C++. Refuses values that an enumeration does not
// have. Most files of src/c call these functions.
#pragma once

#include <leat/c/streams.h>
#include <leat/options.hpp>
#include <leat/path.hpp>
#include <leat/reader.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "base/c_options.hpp"
#include "device/descriptor.hpp"

namespace leat {
inline namespace v0 {
namespace c {

/// If the program has set an option that this version does not know, throws std::invalid_argument.
template <class Options>
void refuse_unknown_option(const Options& asked) {
  if (has_unknown_option(asked))
    throw std::invalid_argument("a reserved member is set: a newer version of leat is needed");
}

/// Returns a copy of the program's options, or the default options for null.
template <class Options>
Options options_or_default(const Options* options) {
  if (options == nullptr) return {};
  refuse_unknown_option(*options);
  return *options;
}

/// Converts a C enumerator to C++. If the value is greater than `last`, the last enumerator, throws
/// std::invalid_argument.
template <class To, class From>
To to_enumerator(const From& value, To last) {
  const auto number = enumerator_value(value);
  if (number > static_cast<unsigned>(last))
    throw std::invalid_argument("an enumerator has an unknown value");
  return static_cast<To>(number);
}

/// True if a member of a struct of options does not have its default value, zero.
template <class Value>
bool is_set(const Value& value) noexcept {
  if constexpr (std::is_enum_v<Value>)
    return enumerator_value(value) != 0;
  else
    return value != Value{};
}

/// Sets how.name to `value`. If `how` has no such option and the program has set `asked.name`,
/// throws std::invalid_argument.
#define LEAT_OPTION(name, value)        \
  if constexpr (requires { how.name; }) \
    how.name = value;                   \
  else if (is_set(asked.name))          \
  throw std::invalid_argument("the option " #name " has no effect here")

/// Converts a limit. No limit is 0 in C, and the greatest number in C++.
template <class Number>
Number limit_of(Number asked) noexcept {
  return asked != 0 ? asked : (std::numeric_limits<Number>::max)();
}

/// milliseconds() and nanoseconds() convert a count. A count that is too large becomes the greatest
/// duration.
inline std::chrono::milliseconds milliseconds(std::uint64_t n) noexcept {
  constexpr auto most = static_cast<std::uint64_t>((std::chrono::milliseconds::max)().count());
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(n, most)));
}
inline std::chrono::nanoseconds nanoseconds(std::uint64_t n) noexcept {
  constexpr auto most = static_cast<std::uint64_t>((std::chrono::nanoseconds::max)().count());
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(n, most)));
}

/// Returns the path. If `inside` is not null, the path is inside the folder of the descriptor
/// `*inside`. If `path` is null, throws std::invalid_argument.
inline path_ref path_of(const char* path, const int* inside = nullptr) {
  if (path == nullptr) throw std::invalid_argument("no path");
  return inside != nullptr ? path_inside(*inside, path) : path_ref(path);
}

/// If the program has set the option `inside`, throws std::invalid_argument.
inline void refuse_inside(const int* inside) {
  if (inside != nullptr) throw std::invalid_argument("the option inside has no effect here");
}

inline std::string_view view_of(const void* bytes, std::size_t size) noexcept {
  return {static_cast<const char*>(bytes), size};
}
inline std::string_view view_of(const leat_text& text) noexcept { return {text.bytes, text.size}; }
/// Returns a text whose pointer is not null: a null pointer means "no text".
inline leat_text text_of(std::string_view view) noexcept {
  return {view.data() != nullptr ? view.data() : "", view.size()};
}

/// Returns the descriptor of a handle; -1 on Windows, where a handle is not a descriptor.
template <class Handle>
int descriptor_of_handle(Handle handle) noexcept {
  if constexpr (std::is_integral_v<Handle>)
    return handle;
  else
    return -1;
}

inline durability to_cpp(const leat_durability& level) {
  return to_enumerator(level, durability::system);
}
inline compression to_cpp(const leat_compression& kind) {
  return to_enumerator(kind, compression::xz);
}
inline pattern to_cpp(const leat_pattern& order) { return to_enumerator(order, pattern::random); }
inline caching to_cpp(const leat_caching& how) { return to_enumerator(how, caching::direct); }
inline flush_when to_cpp(const leat_flush_when& when) {
  return to_enumerator(when, flush_when::call);
}
inline when_full to_cpp(const leat_when_full& when) { return to_enumerator(when, when_full::drop); }

/// Converts the delimiter of C: 0 is `default_delimiter`, LEAT_NUL is the byte 0. If `asked` is not
/// a byte, throws std::invalid_argument.
inline char delimiter_of(int asked, char default_delimiter) {
  if (asked < LEAT_NUL || asked > 255) throw std::invalid_argument("the delimiter is not a byte");
  if (asked == 0) return default_delimiter;
  return asked == LEAT_NUL ? '\0' : static_cast<char>(asked);
}

inline line_options to_cpp(const leat_line_options* asked) {
  line_options how;
  if (asked == nullptr) return how;
  refuse_unknown_option(*asked);
  how.delimiter = delimiter_of(asked->delimiter, how.delimiter);
  how.crlf = asked->crlf != 0;
  how.longest = limit_of(asked->longest);
  return how;
}

inline row_options to_cpp(const leat_row_options* asked) {
  row_options how;
  if (asked == nullptr) return how;
  refuse_unknown_option(*asked);
  how.delimiter = delimiter_of(asked->delimiter, how.delimiter);
  how.quotes = asked->quotes != 0;
  how.lf_only = asked->lf_only != 0;
  how.longest = limit_of(asked->longest);
  return how;
}

}  // namespace c
}  // namespace v0
}  // namespace leat
