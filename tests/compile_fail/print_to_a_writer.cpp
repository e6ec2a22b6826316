// leat::print prints to standard output. The message names the member of a stream.
// expect-first: for a stream of leat write out.print
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { leat::print(out, "{}", 1); }
