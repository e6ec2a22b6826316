// A width for an error code: error codes accept no specification.
// expect: non-.?constexpr.? function .*specification_not_allowed_for_this_argument
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:>20}", std::error_code()); }
