// Times are native, but conversions that depend on a locale are not.
// expect: calendar_needs_leat_format_fmt_or_std
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <chrono>

void wrong(leat::writer& out) { out.print("{:%c}", std::chrono::system_clock::now()); }
