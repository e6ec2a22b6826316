#include <leat/iostream.hpp>

namespace leat {
inline namespace v0 {

ostream::ostream(writer& target) : holds(target), quick_stream(held_) {}

ostream::~ostream() = default;

istream::istream(reader& from) : holds(from), quick_stream(held_) {}

istream::~istream() = default;

}  // namespace v0
}  // namespace leat
