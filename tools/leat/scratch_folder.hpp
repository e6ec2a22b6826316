// A private folder for the files of an experiment, gone at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace bench {

class scratch_folder {
 public:
  /// Makes a folder leat-bench-… in `dir`; throws `failure`.
  explicit scratch_folder(const std::filesystem::path& dir);
  scratch_folder(scratch_folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  scratch_folder& operator=(scratch_folder&&) = delete;
  ~scratch_folder();

  const std::filesystem::path& path() const { return path_; }

  /// Bytes that are free for it; as many as there can be where nobody knows.
  std::uint64_t space() const noexcept;

  /// Removes what lies in the folder.
  void clear() noexcept;

 private:
  std::filesystem::path path_;
};

}  // namespace bench
