/* A program that needs only leat.h, leat/stdio.h and leat.cpp of the amalgamation. */
#include "leat/stdio.h"

#include "leat.h"

int main(int argc, char** argv) {
  FILE* in;
  char line[64];
  if (argc != 2) return 2;
  in = fopen(argv[1], "r");
  if (in == NULL || fgets(line, sizeof line, in) == NULL || fclose(in) != 0) return 1;
  printf("leat %s: %s", leat_version(), line);
  return 0;
}
