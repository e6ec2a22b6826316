// The smallest C++ program with leat, built by the recipe's test.
#include <leat/leat.hpp>

int main() { leat::println("The answer is {}.", 42); }
