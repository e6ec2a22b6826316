// A loop can keep a temporary only if its type is known.
// expect: name_the_reader
#include <leat/reader.hpp>

#include <string_view>
#include <utility>

void wrong(leat::reader& in) {
  for (std::string_view line : std::move(in).lines()) static_cast<void>(line);
}
