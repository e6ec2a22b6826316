// A temporary string is destroyed before it is read.
// expect: "the text must outlive the reader, and a temporary does not"
#include <leat/memory.hpp>

#include <string>

int wrong() {
  leat::memory_reader in(std::string("text"));
  return in.get();
}
