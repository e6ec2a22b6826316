// A disk that records: one file in a FUSE file system. The file's writes and flushes are
// recorded in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "power/image.hpp"

struct fuse;

namespace leat_power {

/// A write, or a flush. After a flush all earlier writes are on the disk.
struct disk_event {
  std::uint64_t at = 0;
  std::string bytes;
  bool is_flush() const { return bytes.empty(); }
};

/// Mounts a FUSE file system with one file, `path()`. A thread answers one request after the other,
/// so a write that begins before a flush ends before the flush. The constructor throws
/// std::system_error on failure.
class recorder {
 public:
  explicit recorder(std::uint64_t size);
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  std::string path() const { return folder_ + "/disk"; }
  /// Begins to record. Returns the current content of the disk.
  image start_recording();
  /// The number of events since start_recording().
  std::size_t position();
  /// Returns the events since start_recording(), and ends the recording.
  std::vector<disk_event> stop_recording();

 private:
  friend struct requests;

  std::string folder_;
  image disk_;
  std::mutex lock_;
  bool recording_ = false;
  std::vector<disk_event> events_;
  struct fuse* fuse_ = nullptr;
  std::thread server_;
};

}  // namespace leat_power
