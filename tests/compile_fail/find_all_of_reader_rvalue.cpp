// Standard input stays; a search of it needs its name.
// expect: name_the_reader
#include <leat/reader.hpp>

#include <utility>

std::uint64_t wrong() { return *std::move(leat::in).find_all("x").begin(); }
