// The geometry and the seek times of a hard disk. queue.cpp uses the class platter.
#include "device/simulated/platter.hpp"

#include <algorithm>
#include <cmath>

namespace leat {
inline namespace v0 {

namespace {

using rep = platter::time::rep;

/// Returns the square root, rounded down. The last bit of std::sqrt may depend on the processor.
/// The result of square_root() is the same on every processor.
std::uint64_t square_root(std::uint64_t square) noexcept {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

/// Limits times, so that sums don't overflow.
constexpr rep longest = rep{1} << 60;

}  // namespace

platter::platter(const simulated_platter& disk) noexcept : disk_(disk), zones_{} {
  disk_.rotation = std::max(disk_.rotation, time(1));
  disk_.capacity = std::max(disk_.capacity, std::uint64_t{1});
  // A long read reads one track in the time of a rotation plus a switch.
  const auto track_time = static_cast<std::uint64_t>((disk_.rotation + disk_.track_switch).count());
  std::uint64_t sum_of_track_bytes = 0;
  for (std::size_t i = 0; i < zone_count; ++i) {
    const std::uint64_t rate =
        (disk_.outer_rate * (zone_count - 1 - i) + disk_.inner_rate * i) / (zone_count - 1);
    const auto bytes = static_cast<std::uint64_t>(static_cast<unsigned __int128>(rate) *
                                                  track_time / 1'000'000'000);
    zones_[i].track_bytes = std::max(bytes, std::uint64_t{1});
    sum_of_track_bytes += zones_[i].track_bytes;
  }
  const std::uint64_t tracks_of_zone = disk_.capacity / sum_of_track_bytes + 1;
  for (std::size_t i = 1; i < zone_count; ++i) {
    zones_[i].track = zones_[i - 1].track + tracks_of_zone;
    zones_[i].at = zones_[i - 1].at + tracks_of_zone * zones_[i - 1].track_bytes;
  }
  tracks_ = tracks_of_zone * zone_count;
}

platter::time platter::seek(std::uint64_t tracks) const noexcept {
  if (tracks == 0) return time::zero();
  // E. K. Lee, R. H. Katz, "An Analytic Performance Model of Disk Arrays", SIGMETRICS 1993: the
  // root stands for the time in which the head speeds up and slows down, the linear part for the
  // time at full speed. These coefficients give the shortest, the average and the longest seek of
  // the model.
  const rep least = disk_.track_switch.count(), average = disk_.average_seek.count(),
            most = disk_.full_stroke.count();
  const rep root = (15 * average - 10 * least - 5 * most) / 3;
  const rep line = (7 * least - 15 * average + 8 * most) / 3;
  constexpr std::uint64_t one = std::uint64_t{1} << 16;
  const std::uint64_t share = std::min(tracks, tracks_ - 1) - 1;
  const auto square =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(share) * one * one / (tracks_ - 2));
  const rep more = root * static_cast<rep>(square_root(square)) / static_cast<rep>(one) +
                   line * static_cast<rep>(square / one) / static_cast<rep>(one);
  return time(least + std::max(more, rep{0}));
}

const platter::zone& platter::zone_of(std::uint64_t at) const noexcept {
  const auto after = std::upper_bound(zones_.begin() + 1, zones_.end(), at,
                                      [](std::uint64_t a, const zone& z) { return a < z.at; });
  return *(after - 1);
}

platter::extent platter::locate(std::uint64_t at, std::uint64_t size, bool write) const noexcept {
  const auto time_of = [&](std::uint64_t byte, std::uint64_t extra, std::uint64_t& track) {
    const zone& z = zone_of(byte);
    track = z.track + (byte - z.at) / z.track_bytes;
    const std::uint64_t offset = (byte - z.at) % z.track_bytes + extra;
    const unsigned __int128 exact_time =
        static_cast<unsigned __int128>(track) *
            static_cast<std::uint64_t>((disk_.rotation + disk_.track_switch).count()) +
        static_cast<unsigned __int128>(offset) *
            static_cast<std::uint64_t>(disk_.rotation.count()) / z.track_bytes;
    return time(static_cast<rep>(std::min<unsigned __int128>(exact_time, longest)));
  };
  at %= disk_.capacity;
  size = std::min(size, disk_.capacity);
  extent to{.at = at, .stop = at + size, .write = write};
  to.begin = time_of(at, 0, to.first_track);
  // The end of the last byte. If a track ends at the last byte, the switch to the next track is not
  // part of this request.
  to.end = time_of(at + size - 1, 1, to.last_track);
  return to;
}

platter::visit platter::plan(const extent& to, time now, time command) const noexcept {
  const time arrival =
      now + command +
      seek(to.first_track > head_ ? to.first_track - head_ : head_ - to.first_track);
  time wait = (to.begin - arrival) % disk_.rotation;
  if (wait < time::zero()) wait += disk_.rotation;
  visit planned{.start = arrival + wait};
  planned.origin = planned.start - to.begin;
  planned.done = planned.origin + to.end;

  if (!has_last_ || to.write != last_is_write_ || to.at < last_end_ ||
      (to.write && to.at != last_end_))
    return planned;
  if (now <= read_ahead_done_) {
    const time done = std::max(now, last_origin_ + to.end);
    if (done <= planned.done)
      planned = {std::max(now, last_origin_ + to.begin), done, last_origin_};
  } else if (!to.write && to.stop <= last_end_ + disk_.read_ahead) {
    planned = {.start = now, .done = now, .cached = true};
  }
  return planned;
}

void platter::serve(const extent& to, const visit& planned) noexcept {
  if (planned.cached) return;
  head_ = to.last_track;
  has_last_ = true;
  last_is_write_ = to.write;
  last_end_ = to.stop;
  last_origin_ = planned.origin;
  read_ahead_done_ = last_origin_ + locate(last_end_ + disk_.read_ahead, 1, false).begin;
}

}  // namespace v0
}  // namespace leat
