#include <outer.hpp>

int main() {
  answer(leat::out, 43);
  leat::out.flush();
}
