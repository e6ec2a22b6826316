// Copies a file and shows the progress. An existing target keeps its content until the copy is
// complete.
#include <leat/leat.hpp>

#include <cstdint>

int main(int argc, char** argv) try {
  if (argc != 3) {
    leat::err.println("usage: copy_progress FROM TO");
    return 2;
  }
  auto from = leat::open(argv[1]);
  auto to = leat::replace(argv[2]);
  leat::copy(from, to, [size = from.size()](std::uint64_t done) {
    leat::err.print("\r{} of {} MiB", done >> 20, size >> 20);
  });
  to.close();
  leat::err.println(", copied");
} catch (const leat::io_error& error) {
  leat::err.println("\ncopy_progress: {}", error.what());
  return 1;
}
