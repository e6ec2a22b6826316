// A private folder for the files of an experiment, removed at the end. The commands bench and tune
// and the charts use the folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace bench {

class scratch_folder {
 public:
  /// Makes a folder leat-bench-… in `dir`. Throws `failure`.
  explicit scratch_folder(const std::filesystem::path& dir);
  scratch_folder(scratch_folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  scratch_folder& operator=(scratch_folder&&) = delete;
  ~scratch_folder();

  const std::filesystem::path& path() const { return path_; }

  /// Returns the number of free bytes for files in the folder. If the system does not report the
  /// free space, returns the largest number.
  std::uint64_t free_space() const noexcept;

  /// Removes all files in the folder. Ignores files that cannot be removed, as the destructor does.
  void clear() noexcept;

 private:
  std::filesystem::path path_;
};

}  // namespace bench
