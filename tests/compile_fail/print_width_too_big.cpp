// A width that does not fit into an int.
// expect: non-.?constexpr.? function .*number_too_big
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:99999999999}", 1); }
