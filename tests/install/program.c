/* A C program that links an installed leat, without any mention of C++. */
#include <leat/leat.h>
#include <stdio.h>

int main(void) {
  const char* version = leat_version();
  printf("leat %s\n", version);
  return 0;
}
