#include <leat/leat.hpp>

int main() { leat::println("The answer is {}.", 42); }
