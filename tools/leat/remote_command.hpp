// `leat remote`: lists and removes objects, and aborts uploads that killed programs left. main.cpp
// calls these functions.
#pragma once

#include <string>

namespace bench {

struct remote_options {
  std::string address;    // "s3://bucket/prefix"
  double older_than = 7;  // days
  bool dry_run = false;
};

/// Each function returns 0, or throws leat::io_error if a request fails or the output fails.
/// list_objects() prints the objects. remove_object() removes one object. abort_old_uploads()
/// aborts and prints the old uploads; with `dry_run`, only prints the uploads.
int list_objects(const remote_options& options);
int remove_object(const remote_options& options);
int abort_old_uploads(const remote_options& options);

}  // namespace bench
