// Reads CSV with quoted fields (RFC 4180), which may contain commas, quotes and newlines. Prints
// each field after the number of its row. leat::reader::rows() reads such rows, too.
#include <leat/leat.hpp>

#include <string>
#include <vector>

/// Reads the next row. Returns false at the end.
static bool next_row(leat::reader& in, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  int c = in.get();
  if (c == leat::reader::end_of_file) return false;
  for (; c != leat::reader::end_of_file; c = in.get()) {
    if (c == '"') {
      const bool doubled = quoted && in.peek(1) == "\"";
      if (doubled) fields.back() += static_cast<char>(in.get());
      if (!doubled) quoted = !quoted;
    } else if (c == '\n' && !quoted) {
      return true;
    } else if (c == '\r' && !quoted && in.peek(1) == "\n") {
      continue;  // a line may end with "\r\n"
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += static_cast<char>(c);
    }
  }
  return true;
}

int main(int argc, char** argv) try {
  if (argc != 2) {
    leat::err.println("usage: quoted_csv FILE");
    return 2;
  }
  auto in = leat::open(argv[1]);
  std::vector<std::string> fields;
  for (int row = 1; next_row(in, fields); ++row)
    for (const std::string& field : fields) leat::println("{}: {}", row, field);
} catch (const leat::io_error& error) {
  leat::err.println("quoted_csv: {}", error.what());
  return 1;
}
