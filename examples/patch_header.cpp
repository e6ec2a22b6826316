// A file whose header has the number of rows, which is known after the last row: write, then patch.
#include <leat/leat.hpp>

#include <cstdint>
#include <span>

struct header {
  std::uint32_t magic = 0x5441454C;  // "LEAT"
  std::uint32_t rows = 0;
};

int main() {
  header head;
  auto file = leat::create("table.bin");
  file.write(std::as_bytes(std::span(&head, 1)));
  for (std::uint32_t row = 0; row != 1000; ++row, ++head.rows)
    file.write(std::as_bytes(std::span(&row, 1)));
  file.patch(0, std::as_bytes(std::span(&head, 1)));
  file.close();
}
