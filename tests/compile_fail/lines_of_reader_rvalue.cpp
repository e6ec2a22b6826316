// A loop can keep a temporary reader only if its concrete type is known.
// expect: name_the_reader
#include <leat/reader.hpp>

#include <string_view>
#include <utility>

void wrong(leat::reader& in) {
  for (std::string_view line : std::move(in).lines()) static_cast<void>(line);
}
