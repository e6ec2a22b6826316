// Adds up one column of CSV files, or of standard input. Quoted fields are not supported.
#include <leat/leat.hpp>

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

/// Returns the sum of a column; the first column is 1. If the first line has no number in this
/// column, the line is a heading. An empty field counts as 0. If a line has no such column, or if
/// another field of the column is not a number, throws std::runtime_error.
static double sum_of(leat::reader& in, int column, char delimiter, const char* name) {
  double sum = 0;
  std::size_t number = 0;
  for (const std::string_view line : in.lines({.crlf = true})) {
    ++number;
    int left = column;
    for (const std::string_view field : leat::fields(line, delimiter)) {
      if (--left != 0) continue;
      double value = 0;
      const char *begin = field.data(), *end = begin + field.size();
      const auto got = std::from_chars(begin, end, value);
      if (got.ec == std::errc() && got.ptr == end)
        sum += value;
      else if (!field.empty() && number != 1)
        throw std::runtime_error(
            leat::format("'{}' is not a number (line {} of {})", field, number, name));
      break;
    }
    if (left > 0)
      throw std::runtime_error(
          leat::format("line {} of {} has no column {}", number, name, column));
  }
  return sum;
}

int main(int argc, char** argv) try {
  int column = 0, first = 2;
  char delimiter = ',';
  if (argc > 1) std::from_chars(argv[1], argv[1] + std::string_view(argv[1]).size(), column);
  if (argc > 2 && std::string_view(argv[2]).starts_with("-d")) {
    delimiter = argv[2][2];
    first = 3;
  }
  if (column < 1 || delimiter == '\0') {
    leat::err.println("usage: csv_sum COLUMN [-dDELIMITER] [FILE]...");
    return 1;
  }
  double sum = 0;
  if (first >= argc) sum = sum_of(leat::in, column, delimiter, "standard input");
  for (int i = first; i < argc; ++i) {
    auto in = leat::open(argv[i]);
    sum += sum_of(in, column, delimiter, argv[i]);
  }
  leat::out.println("{}", sum);
  leat::out.flush();
} catch (const std::exception& error) {
  leat::err.println("csv_sum: {}", error.what());
  return 1;
}
