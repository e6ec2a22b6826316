/* Calls of leat.h with values outside of the enumerations, for random_test.cpp. In C++ the
 * conversion of such a value may be undefined. */
#include <leat/leat.h>

int accepted_invalid_enumerators(const char* path, int value);

/* Returns the number of calls that neither refused nor ignored the value, plus 1 if the
 * close fails. */
int accepted_invalid_enumerators(const char* path, int value) {
  int accepted = 0;
  leat_random_access_file* const file = leat_random_access_create(path, NULL);
  leat_fault_plan* const plan = leat_fault_plan_new();
  leat_random_access_advise(file, (enum leat_pattern)value);
  accepted += leat_random_access_open(path, (enum leat_mode)value, NULL) != NULL;
  accepted += leat_lock_descriptor(0, (enum leat_lock_mode)value) != NULL;
  accepted += leat_try_lock_descriptor(0, (enum leat_lock_mode)value) != NULL;
  accepted += leat_model_of((enum leat_simulated_disk)value).channels != 0;
  accepted += leat_fault_plan_count(plan, (enum leat_device_operation)value) != 0;
  leat_fault_plan_free(plan);
  leat_file* part = NULL;
  const leat_rotation rotation = {.compression = (enum leat_compression)value};
  const leat_options options[] = {{.compression = (enum leat_compression)value},
                                  {.durability = (enum leat_durability)value},
                                  {.rotation = &rotation}};
  for (int i = 0; i != 3; ++i) {
    accepted += leat_open(path, "a", &options[i]) != NULL;
    accepted += leat_split(path, 1, &options[i], &part) != 0;
  }
  const leat_reader_options reading[] = {{.pattern = (enum leat_pattern)value},
                                         {.compression = (enum leat_compression)value}};
  const leat_writer_options writing = {.when_full = (enum leat_when_full)value};
  leat_reader* reader_part = NULL;
  accepted += leat_reader_split(path, 1, '\n', &reading[0], &reader_part) != 0;
  accepted += leat_reader_map(path, &reading[1]) != NULL;
  accepted += leat_writer_replace(path, &writing) != NULL;
  return accepted + (leat_random_access_close(file) != 0);
}
