// A disk that records: one file in a FUSE file system, whose writes and flushes are kept in order.
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

/// A write, or a flush: all writes before it are on the disk then.
struct disk_event {
  std::uint64_t at = 0;
  std::string bytes;
  bool is_flush() const { return bytes.empty(); }
};

/// Mounts a FUSE file system with one file, `path()`. A thread answers its requests one after the
/// other. So a write that comes before a flush has also ended before it.
class recorder {
 public:
  explicit recorder(std::uint64_t size);
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  std::string path() const { return folder_ + "/disk"; }
  /// Begins to record. Returns what the disk has now.
  image begin();
  /// The number of events so far.
  std::size_t position();
  /// What was recorded since begin(). Ends the record.
  std::vector<disk_event> take();

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
