// A private prefix for the objects of experiments, which are removed at the end. The commands bench
// and tune use the prefix.
#pragma once

#include <string>
#include <string_view>

namespace bench {

/// True if a text begins like an address in a store, such as "s3://bucket/prefix".
inline bool is_store(std::string_view text) {
  return text.starts_with("s3://") || text.starts_with("S3://");
}

class scratch_objects {
 public:
  /// Chooses a new name leat-bench-… below `prefix`. Makes an object below this name; the object's
  /// text has the names of the commands that make such objects, and the time. Throws
  /// leat::io_error.
  explicit scratch_objects(std::string_view prefix);
  scratch_objects(const scratch_objects&) = delete;
  scratch_objects& operator=(const scratch_objects&) = delete;
  ~scratch_objects();

  /// The prefix of the objects' addresses; ends with '/'.
  const std::string& address() const { return address_; }

  /// Aborts incomplete uploads, and removes all objects except the object that the constructor
  /// made. Stops at the first failure, and reports the failure on standard error, because remaining
  /// objects cost money. The destructor also removes the constructor's object.
  void clear() noexcept;

 private:
  void remove(bool all) noexcept;

  std::string address_;
};

}  // namespace bench
