// A C++ program that uses an installed leat, as another project would.
#include <leat/leat.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto out = leat::create(argv[1]);
  out.print("The answer is {}.\n", 42);
  out.close();
}
