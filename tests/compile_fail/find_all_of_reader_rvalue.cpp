// A search needs a reader with a name, not an rvalue, even for standard input.
// expect: name_the_reader
#include <leat/reader.hpp>

#include <utility>

std::uint64_t wrong() { return *std::move(leat::in).find_all("x").begin(); }
