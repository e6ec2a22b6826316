// Images of disks in memory, and how the kernel uses them: loop devices and mounts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace leat_power {

/// If `ok` is false, throws std::system_error with errno and `what`.
void require(bool ok, const std::string& what);

/// The content of a disk: a file in memory (memfd), mapped. Pages that were never written take no
/// memory. If the file can't be made or mapped, the constructor throws std::system_error.
class image {
 public:
  explicit image(std::uint64_t size);
  image(const image& other);
  image& operator=(const image&) = delete;
  ~image();

  std::uint64_t size() const { return size_; }
  char* data() { return data_; }
  int descriptor() const { return descriptor_; }
  void write(std::uint64_t at, std::string_view bytes);
  /// Makes the content equal to the content of `other`, which has the same size. Skips pages that
  /// have memory in neither image.
  void restore(const image& other);

 private:
  std::uint64_t size_;
  int descriptor_;
  char* data_;
};

/// A loop device over a file, whose descriptor the caller may close. The loop device ends with the
/// object, or with the program. The constructor throws std::system_error on failure.
class loop_device {
 public:
  explicit loop_device(int backing_file);
  ~loop_device();
  loop_device(const loop_device&) = delete;
  loop_device& operator=(const loop_device&) = delete;

  const std::string& path() const { return path_; }
  /// Drops the kernel's cache of the device, and makes btrfs forget the device. Throws
  /// std::system_error on failure.
  void drop_cache();

 private:
  std::string path_;
  int descriptor_;
};

/// A kind of file system under test.
struct file_system {
  std::string name;    ///< the name for mount(2)
  std::string make;    ///< the command that makes the file system; the device is appended
  std::uint64_t size;  ///< of the disk, in bytes
  std::string mount_options;
};

/// A mounted file system. `is_mounted` is false if the kernel refused to mount.
class mount_guard {
 public:
  mount_guard(const file_system& kind, const std::string& device, const std::string& folder);
  ~mount_guard();
  mount_guard(const mount_guard&) = delete;
  mount_guard& operator=(const mount_guard&) = delete;

  bool is_mounted() const { return mount_errno_ == 0; }
  /// The errno of the mount; 0 if the mount succeeded
  int mount_errno() const { return mount_errno_; }

 private:
  std::string folder_;
  int mount_errno_;
};

}  // namespace leat_power
