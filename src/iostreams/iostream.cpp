// leat::ostream and leat::istream: std streams over a writer or a reader.
#include <leat/fstream.hpp>
#include <leat/iostream.hpp>

#include <locale>

namespace leat {
inline namespace v0 {

namespace {

/// If the program has not set another global locale, makes leat's facets write and read numbers.
void use_fast_facets(std::ios& s) {
  if (s.getloc() == std::locale::classic()) s.imbue(fast_locale());
}

}  // namespace

ostream::ostream(writer& target) : std::ostream(nullptr), buffer_(target) {
  rdbuf(&buffer_);
  use_fast_facets(*this);
}

ostream::~ostream() = default;

istream::istream(reader& from) : std::istream(nullptr), buffer_(from) {
  rdbuf(&buffer_);
  use_fast_facets(*this);
}

istream::~istream() = default;

}  // namespace v0
}  // namespace leat
