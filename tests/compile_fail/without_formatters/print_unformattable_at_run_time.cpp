// A value that is not native, in a format string that is known only at run time.
// expect: static assertion failed.*LEAT_FORMAT=none
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <chrono>

void wrong(leat::writer& out) { out.print(leat::runtime("{}"), std::chrono::seconds(1)); }
