// Texts as fields of CSV and as strings of JSON: quoted and escaped where they have to be.
#pragma once

#include <leat/config.h>

#include <string_view>

namespace leat {
inline namespace v0 {

class writer;

/// Writes a field of CSV as RFC 4180 has it: as it is; or between quotes, with each quote doubled,
/// if it has the delimiter, a quote, "\r" or "\n". So rows() with quotes reads the same text. The
/// delimiter and the end of the row are the caller's:
///
///     leat::write_csv(out, name);
///     out.print(",{}\n", age);
///
/// The bytes are one write to the stream, as those of a call of print are. @since 0.3
LEAT_API void write_csv(writer& to, std::string_view field, char delimiter = ',');

/// Writes a string of JSON (RFC 8259) with its quotes: quotes, backslashes and control characters
/// are escaped, all else stays as it is. JSON is UTF-8, and what is not is not looked for. One
/// write, too. @since 0.3
LEAT_API void write_json(writer& to, std::string_view text);

}  // namespace v0
}  // namespace leat
