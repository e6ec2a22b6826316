// The head and the platter of a hard disk: computes the time from one position to another.
// queue.cpp uses this class.
#pragma once

#include <leat/simulated.hpp>

#include <array>
#include <chrono>
#include <cstdint>

namespace leat {
inline namespace v0 {

/// The disk's angle depends only on the clock. Each track starts later than the previous track by
/// the time of a switch. So the head meets the start of the next track when the head has switched,
/// and a long read never waits. Therefore one number says where a byte is: the time at which a head
/// that starts at the first byte at time 0 reaches the byte. For example, with a rotation of 8.33
/// ms and a switch of 1.48 ms, track 10 begins at 98.1 ms. This time modulo the rotation is the
/// byte's angle. All times are integers, so that they are the same on every machine.
class platter {
 public:
  using time = std::chrono::nanoseconds;

  explicit platter(const simulated_platter& disk) noexcept;

  /// The position of a request's bytes on the disk.
  struct extent {
    std::uint64_t at = 0, stop = 0;
    std::uint64_t first_track = 0, last_track = 0;
    time begin{}, end{};  ///< the start of the first byte and the end of the last byte, as times
    bool write = false;
  };

  /// The times at which a request would be served.
  struct visit {
    time start{};   ///< the time at which the request's first byte is under the head
    time done{};    ///< the time at which the request's last byte has passed the head
    time origin{};  ///< the time at which the first byte of the disk would have been under the head
    bool cached = false;  ///< true: the bytes are read ahead, and the head does not move
  };

  /// Computes the position of `size` bytes, at least 1, from the byte `at` on. A start after the
  /// end of the disk wraps around. A size larger than the disk counts as the size of the disk. The
  /// last byte may be after the end of the disk.
  extent locate(std::uint64_t at, std::uint64_t size, bool write) const noexcept;
  /// Computes how a request that begins at `now` would be served. The head starts to move when the
  /// time `command` has passed. Bytes that the drive reads ahead, or joins to the last write, need
  /// no time for a command.
  visit plan(const extent& to, time now, time command) const noexcept;
  /// Moves the head and changes the cache as this visit does.
  void serve(const extent& to, const visit& planned) noexcept;

  /// The time in which the head moves by this many tracks.
  time seek(std::uint64_t tracks) const noexcept;
  /// The number of tracks of the disk.
  std::uint64_t tracks() const noexcept { return tracks_; }

 private:
  static constexpr std::size_t zone_count = 30;  // as in the data sheet of the Deskstar 7K500

  struct zone {
    std::uint64_t at, track, track_bytes;
  };

  const zone& zone_of(std::uint64_t at) const noexcept;

  simulated_platter disk_;
  std::array<zone, zone_count> zones_;
  std::uint64_t tracks_;

  std::uint64_t head_ = 0;  // the track of the head
  // The last request. The drive reads on after the last request. The drive's cache joins a write to
  // the last write if the write begins where the last write ended.
  bool has_last_ = false, last_is_write_ = false;
  std::uint64_t last_end_ = 0;  // the byte after the last request
  time last_origin_{};          // as in visit
  time read_ahead_done_{};      // the time at which the read-ahead ends
};

}  // namespace v0
}  // namespace leat
