// Writing a char array is ambiguous: its bytes, or its text.
// expect: a char array may mean its bytes or its text
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) {
  char area[16] = {};
  out.write(area);
}
