/* An extension of R for its interface .C, with its own leat */
#include <leat/leat.h>

void leat_write(char** path, int* lines, int* result);
void leat_read(char** path, double* sum, int* result);
void leat_map(char** path, double* size, int* result);

void leat_write(char** path, int* lines, int* result) {
  leat_writer* const out = leat_writer_create(*path, NULL);
  *result = -1;
  if (out == NULL) return;
  for (int i = 0; i != *lines; ++i) leat_writer_printf(out, "%d %.1f\n", i, i * 0.5);
  *result = leat_writer_close(out);
}

void leat_read(char** path, double* sum, int* result) {
  leat_reader* const in = leat_reader_open(*path, NULL);
  double number;
  *result = -1;
  if (in == NULL) return;
  while ((*result = leat_reader_parse_double(in, &number)) == 1) *sum += number;
  leat_reader_close(in);
}

void leat_map(char** path, double* size, int* result) {
  leat_reader* const in = leat_reader_map(*path, NULL);
  *result = -1;
  if (in == NULL) return;
  *size = (double)leat_reader_mapped(in).size;
  *result = leat_reader_close(in);
}
