// Standard input stays; a search of it needs its name.
// expect: ends before its range: give it a name
#include <leat/reader.hpp>

#include <utility>

std::uint64_t wrong() { return *std::move(leat::in).find_all("x").begin(); }
