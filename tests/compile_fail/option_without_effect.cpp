// file_stream has no thread that writes, so update_options has no `background`.
// expect: background
#include <leat/file_stream.hpp>

void wrong() { leat::update("table", {.background = true}).close(); }
