// A temporary string is gone before it is read.
// expect: use of deleted function|call to deleted (constructor|member function|function)
#include <leat/memory.hpp>

#include <string>

int wrong() {
  leat::memory_reader in(std::string("text"));
  return in.get();
}
