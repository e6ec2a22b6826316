// Reading into a string is ambiguous: up to its current size, or all that is left.
// expect: "up to its size: read\(std::span\(s\)\); or read_all\(\)"
#include <leat/reader.hpp>

#include <string>

void wrong(leat::reader& in) {
  std::string text(10, ' ');
  in.read(text);
}
