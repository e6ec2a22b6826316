// A temporary string is destroyed before it is read.
// expect: "a temporary is destroyed before it is read"
#include <leat/memory.hpp>

#include <string>

int wrong() {
  leat::memory_reader in(std::string("text"));
  return in.get();
}
