// A time is native, but not with a '%'.
// expect: calendar_needs_leat_format_fmt_or_std
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <chrono>

void wrong(leat::writer& out) { out.print("{:%d %b}", std::chrono::system_clock::now()); }
