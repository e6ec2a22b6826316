// The message names the header that this specification needs.
// expect: non-.?constexpr.? function .*include_fmt_chrono_h_for_this_specification
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <chrono>

void wrong(leat::writer& out, const std::chrono::seconds& value) { out.print("{:>4%S}", value); }
