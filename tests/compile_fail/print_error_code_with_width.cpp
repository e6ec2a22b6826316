// A specification for an error code, which has none.
// expect: non-.?constexpr.? function .*specification_not_allowed_for_this_argument
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:>20}", std::error_code()); }
