// The message names the header that this specification needs.
// expect: non-.?constexpr.? function .*include_fmt_ranges_h_for_this_specification
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <map>

void wrong(leat::writer& out, const std::map<int, int>& value) { out.print("{:n}", value); }
