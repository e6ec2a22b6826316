// Output of CSV fields and JSON strings, quoted and escaped: write_csv and write_json.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>

#include <string_view>

namespace leat {
inline namespace v0 {

class writer;

/// Writes a field of CSV (RFC 4180). A field with the delimiter, a quote, "\r" or "\n" is quoted,
/// with each quote doubled. So rows() with quotes reads the same text. The caller writes the
/// delimiter and the end of the row:
///
///     leat::write_csv(out, name);
///     out.print(",{}\n", age);
///
/// The bytes are one write to the stream, as in a call of print. If there is no memory for all
/// bytes, the bytes are several writes. @since 0.3
LEAT_API void write_csv(writer& to, std::string_view field, char delimiter = ',');

/// Writes a JSON string (RFC 8259) in quotes; escapes quotes, backslashes and control characters.
/// JSON is UTF-8; the text is not checked. The bytes are one write to the stream. If there is no
/// memory for all bytes, the bytes are several writes. @since 0.3
LEAT_API void write_json(writer& to, std::string_view text);

}  // namespace v0
}  // namespace leat
