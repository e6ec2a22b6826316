// Standard input stays; a search of it needs its name.
// expect: it ends before its range: name it
#include <leat/reader.hpp>

#include <utility>

std::uint64_t wrong() { return *std::move(leat::in).find_all("x").begin(); }
