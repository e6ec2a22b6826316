// The models of simulated disks, with the source of each figure. Programs call model_of().
#include <leat/simulated.hpp>

#include <algorithm>
#include <chrono>

namespace leat {
inline namespace v0 {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr std::uint64_t megabyte = 1'000'000, gigabyte = 1'000'000'000;

/// Approximate time of one system call. Measured: a `pread` of cached bytes takes 220 to 290 ns.
constexpr nanoseconds system_call = 250ns;

/// Flash as data sheets describe it: the number of requests of 4 KiB in a second, one at a time
/// (`iops_single`) and many at a time (`iops`), and the bytes in a second (`rate`).
constexpr simulated_service flash(std::int64_t iops_single, std::int64_t iops, std::uint64_t rate) {
  const nanoseconds interval = nanoseconds(1s) / iops;
  const auto transfer_time = nanoseconds(static_cast<std::int64_t>(4096 * gigabyte / rate));
  return {
      .latency = nanoseconds(1s) / iops_single - std::max(interval, transfer_time) - system_call,
      .interval = interval,
      .rate = rate};
}

/// Hitachi Deskstar 7K500 (2005), the generation of the published experiments. From the drive's
/// specification: 500 GB; 7200 rpm; average read seek 8.5 ms; sustained rates 64.8 MB/s in zone 0
/// and 31.0 MB/s in zone 29. The rate within a track of zone 0 is 76.3 MB/s, so the switch to the
/// next track takes 8.33 ms × (76.3 / 64.8 - 1) = 1.48 ms. 4096 random reads take 55.5 s, which
/// includes 5 % of tolerance: 13.55 ms for each read. Without the 5 %, a seek (8.5 ms) and half a
/// rotation (4.17 ms), 0.2 ms are left for the command. SATA: 300 MB/s, a queue of 32 requests. Two
/// figures are not in the tables at hand. The full stroke, 14.7 ms, is taken from the Deskstar
/// 60GXP, whose average seek is the same. Writes seek 1 ms longer than reads, as in both the 60GXP
/// and the 7K1000.C. Assumed: the drive reads ahead up to 2 MB, in its buffer of 16 MB.
simulated_model hdd() noexcept {
  simulated_model model;
  model.read = {.latency = 200us, .rate = 300 * megabyte};
  model.write = {.latency = 1200us, .rate = 300 * megabyte};
  model.submit = system_call;
  const nanoseconds rotation = nanoseconds(60s) / 7200;
  model.sync = rotation;  // assumed: one write of the file system's journal
  model.platter = {.capacity = 500 * gigabyte,
                   .rotation = rotation,
                   .track_switch = 1480us,
                   .average_seek = 8500us,
                   .full_stroke = 14700us,
                   .outer_rate = 64'800'000,
                   .inner_rate = 31 * megabyte,
                   .read_ahead = 2 * megabyte,
                   .queue = 32};
  return model;
}

/// Samsung 870 EVO (2021), data sheet: reads at 560 MB/s, writes at 530 MB/s. Random requests of 4
/// KiB in a second: one at a time 13,000 reads and 36,000 writes, with 32 at a time 98,000 reads
/// and 88,000 writes. A controller of 8 channels. Assumed: a flush takes 1 ms, as on drives without
/// protection against power loss.
simulated_model ssd() noexcept {
  return {.read = flash(13'000, 98'000, 560 * megabyte),
          .write = flash(36'000, 88'000, 530 * megabyte),
          .channels = 8,
          .submit = system_call,
          .sync = 1ms};
}

/// Samsung 980 PRO of 1 TB (2020), data sheet: reads at 7000 MB/s, writes at 5000 MB/s. Random
/// requests of 4 KiB in a second: one at a time 22,000 reads and 60,000 writes, with many at a time
/// 1,000,000 reads or writes. 64 channels make 1,000,000 requests possible. Assumed: a flush takes
/// 1 ms, as above.
simulated_model nvme() noexcept {
  return {.read = flash(22'000, 1'000'000, 7 * gigabyte),
          .write = flash(60'000, 1'000'000, 5 * gigabyte),
          .channels = 64,
          .submit = system_call,
          .sync = 1ms};
}

/// Ethernet of 1 Gbit/s carries 1448 bytes of content in each frame of 1538 bytes: 117.7 MB/s.
/// Linux requests 64 slots in a session of NFS 4.1 (max_session_slots). Assumed: 0.5 ms for the
/// round trip and the server's own work, and 1 ms for the COMMIT of a sync.
simulated_model nfs() noexcept {
  const simulated_service both{.latency = 500us, .rate = 117'700'000};
  return {.read = both, .write = both, .channels = 64, .submit = system_call, .sync = 1ms};
}

/// Amazon's "Best practices design patterns: optimizing Amazon S3 performance" (as of 2024): 100 to
/// 200 ms until the first byte, 85 to 90 MB/s for each request, at least 5500 reads and 3500 writes
/// in a second for one prefix. Assumed: 128 connections from a machine with 10 Gbit/s. A write is a
/// PUT, which is durable when the PUT ends.
///
/// Prices are a snapshot: S3 Standard, us-east-1, as listed in 2024. $0.0004 for 1000 GETs, $0.005
/// for 1000 PUTs, and $0.09 for each GB out to the internet. For traffic within the region, which
/// is free, set dollars_per_gigabyte to 0.
simulated_model s3() noexcept {
  return {.read = {.latency = 100ms,
                   .interval = nanoseconds(1s) / 5500,
                   .rate = 1250 * megabyte,
                   .stream_rate = 85 * megabyte,
                   .dollars_per_request = 0.0004 / 1000,
                   .dollars_per_gigabyte = 0.09},
          .write = {.latency = 100ms,
                    .interval = nanoseconds(1s) / 3500,
                    .rate = 1250 * megabyte,
                    .stream_rate = 85 * megabyte,
                    .dollars_per_request = 0.005 / 1000},
          .channels = 128,
          .submit = system_call};
}

}  // namespace

simulated_model model_of(simulated_disk disk) noexcept {
  switch (disk) {
    case simulated_disk::hdd:
      return hdd();
    case simulated_disk::ssd:
      return ssd();
    case simulated_disk::nvme:
      return nvme();
    case simulated_disk::nfs:
      return nfs();
    case simulated_disk::s3:
      return s3();
  }
  return {};
}

}  // namespace v0
}  // namespace leat
