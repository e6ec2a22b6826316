// A temporary is gone before its bytes are used.
// expect: use of deleted function|call to deleted (member )?function
#include <leat/bytes.hpp>

int number();

std::size_t wrong() { return leat::bytes_of(number()).size(); }
