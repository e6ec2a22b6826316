// A temporary string would be destroyed before the reader reads it.
// expect: "a temporary is destroyed before it is read"
#include <leat/memory.hpp>

#include <string>

int wrong() {
  leat::memory_reader in(std::string("text"));
  return in.get();
}
