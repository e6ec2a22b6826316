// Native values need no formatter.
// expect-ok
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <chrono>

void right(leat::writer& out) {
  out.print("{} {:.2f} {:>5} {}", 1, 0.5, "text", std::chrono::system_clock::now());
}
