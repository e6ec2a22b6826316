// 'L' is refused, because output does not depend on the locale.
// expect: non-.?constexpr.? function .*locale_not_supported
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:L}", 1000); }
