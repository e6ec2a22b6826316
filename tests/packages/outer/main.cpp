// The program of the outer project, which contains leat.
#include "outer.hpp"

int main() {
  answer(leat::out, 42);
  leat::out.flush();
}
