// `leat remote`: what a bucket has, and what killed programs have left there.
#pragma once

#include <string>

namespace bench {

struct remote_options {
  std::string address;    // "s3://bucket/prefix"
  double older_than = 7;  // days
  bool dry_run = false;
};

/// Each prints what it has found or done. They throw exceptions for what fails.
int list_objects(const remote_options& options);
int remove_object(const remote_options& options);
int abort_old_uploads(const remote_options& options);

}  // namespace bench
