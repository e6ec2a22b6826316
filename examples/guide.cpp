// The tour of the README's writing half.
#include <leat/leat.hpp>

int main() {
  auto out = leat::create("guide.txt");
  out.print("The answer is {}.\n", 42);
  out.println("{:>8.3f} {:#x}", 3.14159, 255);
  out.write("raw text");
  out.put('\n');
  out.close();  // throws what went wrong, if anything did

  auto log = leat::append("events.log");
  log.println("{} {}", "guide.txt", "written");

  leat::out.print("see {}\n", "guide.txt");
}
