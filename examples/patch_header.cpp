// Writes a header with the number of rows, which is known only after the last row. patch()
// overwrites the header.
#include <leat/leat.hpp>

#include <cstdint>

struct header {
  std::uint32_t magic = 0x5441454C;  // "LEAT"
  std::uint32_t rows = 0;
};

int main() try {
  header head;
  auto file = leat::create("table.bin");
  file.write(leat::bytes_of(head));
  for (std::uint32_t row = 0; row != 1000; ++row, ++head.rows) file.write(leat::bytes_of(row));
  file.patch(0, leat::bytes_of(head));
  file.close();
} catch (const leat::io_error& error) {
  leat::err.println("patch_header: {}", error.what());
  return 1;
}
