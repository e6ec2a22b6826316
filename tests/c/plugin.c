/* A plugin with its own copy of leat, loaded by plugin_host.c. The plugin uses features whose
 * effects on the process must end when the plugin is closed, for example the handler of SIGBUS. */
#include <leat/leat.h>

#include <stddef.h>
#include <string.h>

int plugin_use(const char* path);

/* Writes and reads a file in several ways. Returns 0, or the number of the failed step. */
int plugin_use(const char* path) {
  static const char text[] = "1234567 text 0.50\n";
  leat_file* const file = leat_fopen(path, "w");
  if (file == NULL) return 1;
  if (leat_fprintf(file, "%d %s %.2f\n", 1234567, "text", 0.5) != (int)sizeof text - 1) return 2;
  if (leat_fclose(file) != 0) return 3;

  leat_reader* const mapped = leat_reader_map(path, NULL); /* installs the handler of SIGBUS */
  if (mapped == NULL) return 4;
  const leat_text all = leat_reader_mapped(mapped);
  if (all.size != sizeof text - 1 || memcmp(all.bytes, text, all.size) != 0) return 5;
  if (leat_reader_close(mapped) != 0) return 6;
  return leat_fopen("/missing/file", "r") == NULL && leat_last_error()->code != 0 ? 0 : 7;
}
