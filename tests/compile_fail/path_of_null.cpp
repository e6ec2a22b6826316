// A null pointer is not a path.
// expect: "a path must not be null"
#include <leat/file.hpp>

leat::file wrong() { return leat::file::open(nullptr); }
