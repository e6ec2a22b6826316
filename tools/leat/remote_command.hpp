// `leat remote`: lists a bucket, and removes objects and uploads of killed programs.
#pragma once

#include <string>

namespace bench {

struct remote_options {
  std::string address;    // "s3://bucket/prefix"
  double older_than = 7;  // days
  bool dry_run = false;
};

/// Each function prints its results and returns 0. If a request fails, throws an exception.
int list_objects(const remote_options& options);
int remove_object(const remote_options& options);
int abort_old_uploads(const remote_options& options);

}  // namespace bench
