// A private prefix for the objects of experiments. They are removed at the end.
#pragma once

#include <string>
#include <string_view>

namespace bench {

/// Whether a text is the address of objects, as "s3://bucket/prefix".
inline bool is_store(std::string_view text) {
  return text.starts_with("s3://") || text.starts_with("S3://");
}

class scratch_objects {
 public:
  /// Chooses a new name leat-bench-… below `prefix`, and makes an object there that says whose they
  /// are. Throws `failure`.
  explicit scratch_objects(std::string_view prefix);
  scratch_objects(const scratch_objects&) = delete;
  scratch_objects& operator=(const scratch_objects&) = delete;
  ~scratch_objects();

  /// What the addresses of the objects begin with; ends with a '/'.
  const std::string& address() const { return address_; }

  /// Removes all objects but the first one. Says so on standard error if it can't, because somebody
  /// pays for what is left.
  void clear() noexcept;

 private:
  void remove(bool all) noexcept;

  std::string address_;
};

}  // namespace bench
