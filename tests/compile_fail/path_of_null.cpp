// A null pointer is not a path.
// expect: "a path is not null"
#include <leat/file.hpp>

leat::file wrong() { return leat::file::open(nullptr); }
