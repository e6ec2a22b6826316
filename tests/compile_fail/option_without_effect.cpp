// A file that is updated is written by no thread of its own, so update_options has no `background`.
// expect: background
#include <leat/file_stream.hpp>

void wrong() { leat::update("table", {.background = true}).close(); }
