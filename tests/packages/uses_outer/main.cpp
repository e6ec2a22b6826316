// A program that uses the installed outer project.
#include <outer.hpp>

int main() {
  answer(leat::out, 43);
  leat::out.flush();
}
