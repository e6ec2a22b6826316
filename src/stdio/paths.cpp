// C's functions remove and rename, which work on paths and not on streams.
#include <leat/c/files.h>

#include "device/descriptor.hpp"

int leat_remove(const char* path) { return leat::remove_path(path); }

int leat_rename(const char* from, const char* to) { return leat::rename_path(from, to); }
