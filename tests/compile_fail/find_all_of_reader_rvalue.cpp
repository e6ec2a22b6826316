// Standard input is not temporary: a search needs its name.
// expect: name_the_reader
#include <leat/reader.hpp>

#include <utility>

std::uint64_t wrong() { return *std::move(leat::in).find_all("x").begin(); }
