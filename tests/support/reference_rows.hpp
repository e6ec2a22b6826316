// A simple CSV parser that goes byte by byte: tests and fuzz drivers compare leat's rows with the
// parser's rows.
#pragma once

#include <leat/rows.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat_test {

struct table {
  std::vector<std::vector<std::string>> rows;
  std::optional<std::uint64_t> error_position;  // of the first error
  bool operator==(const table&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const table& t) {
  for (const auto& row : t.rows) {
    for (const auto& field : row) out << '[' << field << ']';
    out << '|';
  }
  return out << (t.error_position ? "bad at " + std::to_string(*t.error_position) : std::string());
}

/// Returns the rows before the first error, and the position of the error.
inline table reference_rows(std::string_view text, const leat::row_options& options) {
  table result;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at != text.size()) {
    std::vector<std::string> row;
    for (bool more = true; more;) {
      std::string field;
      const std::size_t start = at;
      bool quoted = false;
      if (options.quotes && at != text.size() && text[at] == '"') {
        quoted = true;
        for (++at;; ++at) {
          if (at == text.size()) {
            result.error_position = start;
            return result;
          }
          if (text[at] == '"') {
            if (text.substr(at + 1, 1) != "\"") break;
            ++at;
          }
          field += text[at];
        }
        ++at;
      } else {
        for (; at != text.size() && text[at] != options.delimiter && text[at] != '\n'; ++at) {
          if (options.quotes && text[at] == '"') {
            result.error_position = at;
            return result;
          }
          field += text[at];
        }
      }
      const auto rest = text.substr(at);
      // After a closing quote the field must end. A carriage return may precede the row's end.
      if (quoted && rest.starts_with('\r') && !options.lf_only &&
          (rest.size() == 1 || rest[1] == '\n'))
        ++at;
      else if (quoted && !rest.empty() && rest[0] != options.delimiter && rest[0] != '\n') {
        result.error_position = at + (rest[0] == '\r' && !options.lf_only ? 1 : 0);
        return result;
      }
      more = at != text.size() && text[at] == options.delimiter;
      if (!more && !quoted && !options.lf_only && field.ends_with('\r')) field.pop_back();
      if (at != text.size()) ++at;
      row.push_back(std::move(field));
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace leat_test
