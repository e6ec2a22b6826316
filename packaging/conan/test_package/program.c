/* The smallest C program with leat, built by the recipe's test. */
#include <leat/leat.h>
#include <stdio.h>

int main(void) {
  printf("leat %s\n", leat_version());
  return 0;
}
