// A program that needs only leat.hpp, leat/fstream.hpp and leat.cpp of the amalgamation.
#include "leat.hpp"
#include "leat/fstream.hpp"

#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto out = leat::create(argv[1]);
  out.print("The answer is {}, or {:.3f}.\n", 42, 2.5);
  out.close();
  // The text is long enough for each vector width.
  const std::string text = std::string(300, '.') + "needle" + std::string(300, '.');
  leat::memory_reader in(text);
  if (in.find("needle") != 300) return 1;
  leat::ostringstream stream;
  stream << 42 << ' ' << 2.5;
  if (stream.view() != "42 2.5") return 1;
  leat::println("{:>5} of {}", "found", argv[0] != nullptr);
}
