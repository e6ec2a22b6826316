// The hooks of the experiments with a store: upload, measurement of the store, and counts of
// traffic. The experiments in this folder call these functions.
#include "experiments/store/store_fixture.hpp"

#include <fmt/format.h>
#include <leat/remote.hpp>
#include <leat/simulated.hpp>

#include <memory>

#include "measuring/interrupt.hpp"

namespace bench {

namespace {

void note(run& this_run, std::uint64_t bytes, std::uint64_t requests) {
  const auto prices = leat::model_of(leat::simulated_disk::s3).read;
  this_run.bytes_read = bytes;
  this_run.requests = requests;
  this_run.dollars = static_cast<double>(requests) * prices.dollars_per_request +
                     static_cast<double>(bytes) / 1e9 * prices.dollars_per_gigabyte;
}

/// Stores the traffic of an untimed repetition, and its price at Amazon. If the repetition was
/// simulated, stores nothing. A repetition without requests by libcurl is a repetition of leat.
void note_traffic(const store_fixture& fixture, run& this_run) {
  if (this_run.reported_seconds) return;
  if (fixture.curl) {
    const auto all = fixture.curl->traffic();
    const auto requests = all.requests - fixture.curl_traffic_before.requests;
    if (requests != 0)
      return note(this_run, all.bytes - fixture.curl_traffic_before.bytes, requests);
  }
  const auto all = leat::remote::traffic();
  note(this_run, all.received - fixture.traffic_before.received,
       all.requests - fixture.traffic_before.requests);
}

}  // namespace

void set_shared_members(experiment& made, const std::shared_ptr<store_fixture>& fixture) {
  made.medium = medium::store;
  made.time_share =
      0.7;  // the four experiments take a minute, including the upload of their objects
  made.cached =
      "The caches of the store and of the network are not controlled. Bytes, requests and their "
      "price "
      "(S3 Standard, out to the internet) are those of the first repetition, which is not timed.";
  made.prepare = [fixture](const std::filesystem::path&) {
    fixture->object->fill();
    upload(fixture->address, *fixture->object);
    if (!is_interrupted()) fixture->speed = measure_speed(fixture->address);
    if (no_curl_reason().empty()) fixture->curl = std::make_unique<curl_object>(fixture->address);
  };
  made.before = [fixture](run& this_run) {
    if (!this_run.is_warm_up) return;
    if (fixture->curl) fixture->curl_traffic_before = fixture->curl->traffic();
    fixture->traffic_before = leat::remote::traffic();
  };
  made.after = [fixture](run& this_run) {
    fixture->close();  // requests are counted when they end
    if (this_run.is_warm_up) note_traffic(*fixture, this_run);
  };
}

std::vector<finding> common_findings(const store_fixture& fixture) {
  std::vector<finding> found;
  if (const auto why = no_curl_reason(); !why.empty()) found.push_back({why});
  found.push_back({fmt::format("this store: {}.", text_of(fixture.speed))});
  return found;
}

}  // namespace bench
