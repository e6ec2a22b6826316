// Writing a char array is ambiguous: its bytes, or its text.
// expect: its bytes or its text
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) {
  char area[16] = {};
  out.write(area);
}
