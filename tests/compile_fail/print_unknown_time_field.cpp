// A conversion that calendars do not have.
// expect: invalid_type_for_this_argument
#include <leat/print.hpp>

#include <chrono>

void wrong(leat::writer& out) { out.print("{:%Q}", std::chrono::system_clock::now()); }
