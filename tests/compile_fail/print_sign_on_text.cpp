// A sign for a value that has no sign.
// expect: non-.?constexpr.? function .*sign_needs_a_signed_number
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:+}\n", "text"); }
