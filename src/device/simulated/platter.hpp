// A hard disk's head and platter: how long it takes from one place to another.
#pragma once

#include <leat/simulated.hpp>

#include <array>
#include <chrono>
#include <cstdint>

namespace leat {
inline namespace v0 {

/// The disk turns with the clock, and each track starts so much later than the one before that a
/// head which has switched over meets its start: a long read never waits. So one number says where
/// a byte is: the time at which a head that had started with the first byte at 0 would meet it.
/// Modulo the rotation that is its angle. All times are integers, for they must be the same
/// everywhere.
class platter {
 public:
  using time = std::chrono::nanoseconds;

  explicit platter(const simulated_platter& disk) noexcept;

  /// A request's bytes, on the disk.
  struct extent {
    std::uint64_t at = 0, stop = 0;
    std::uint64_t first_track = 0, last_track = 0;
    time begin{}, end{};  ///< on the spiral
    bool write = false;
  };

  /// When a request would be served.
  struct visit {
    time start{};   ///< its first byte is under the head
    time done{};    ///< its last one was
    time origin{};  ///< when the first byte of the disk would have been
    bool cached = false;
  };

  /// Of at least one byte. A file larger than the disk begins again at its start.
  extent locate(std::uint64_t at, std::uint64_t size, bool write) const noexcept;
  /// How it would go if it began now. The command takes its time before the head sets out; what the
  /// head passes anyway comes without.
  visit plan(const extent& to, time now, time command) const noexcept;
  /// Does it.
  void serve(const extent& to, const visit& how) noexcept;

  time seek(std::uint64_t tracks) const noexcept;
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

  std::uint64_t head_ = 0;  // its track
  // The last request, which the drive reads on from; writes that follow one another are joined in
  // its cache in the same manner.
  bool streams_ = false, writes_ = false;
  std::uint64_t next_ = 0;  // the byte after it
  time origin_{};           // as in visit
  time full_{};             // when the drive will have read ahead all that it may
};

}  // namespace v0
}  // namespace leat
