// %Q is a conversion for durations, and is refused for times.
// expect: invalid_type_for_this_argument
#include <leat/print.hpp>

#include <chrono>

void wrong(leat::writer& out) { out.print("{:%Q}", std::chrono::system_clock::now()); }
