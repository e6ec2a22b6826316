// The specification of a container's elements comes after a second colon.
// expect: non-.?constexpr.? function .*elements_need_a_second_colon_before_their_specification
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <vector>

void wrong(leat::writer& out, const std::vector<double>& value) { out.print("{:.2f}", value); }
