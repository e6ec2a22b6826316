// Reading into a string is ambiguous: up to its current size, or up to the end of the input.
// expect: "up to its size: read\(std::span\(s\)\); or read_all\(\)"
#include <leat/reader.hpp>

#include <string>

void wrong(leat::reader& in) {
  std::string text(10, ' ');
  in.read(text);
}
