// leat::ostream and leat::istream: std streams over a writer or a reader.
#include <leat/iostream.hpp>

namespace leat {
inline namespace v0 {

ostream::ostream(writer& target) : std::ostream(nullptr), buffer_(target) { rdbuf(&buffer_); }

ostream::~ostream() = default;

istream::istream(reader& from) : std::istream(nullptr), buffer_(from) { rdbuf(&buffer_); }

istream::~istream() = default;

}  // namespace v0
}  // namespace leat
