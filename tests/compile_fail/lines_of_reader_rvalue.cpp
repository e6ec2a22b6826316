// Only a temporary of a known type can be kept for the loop.
// expect: it ends before its range: name it
#include <leat/reader.hpp>

#include <string_view>
#include <utility>

void wrong(leat::reader& in) {
  for (std::string_view line : std::move(in).lines()) static_cast<void>(line);
}
