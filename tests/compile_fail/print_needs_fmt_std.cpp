// The message names the header that this specification needs.
// expect: non-.?constexpr.? function .*include_fmt_std_h_for_this_specification
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <filesystem>

void wrong(leat::writer& out, const std::filesystem::path& value) { out.print("{:?}", value); }
