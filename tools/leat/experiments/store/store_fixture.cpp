// The hooks of the experiments with a store, and their traffic counts.
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

/// Stores the traffic of an untimed repetition, and its price at Amazon; nothing if the repetition
/// was simulated. A repetition without requests by libcurl is a repetition of leat.
void note_traffic(const store_fixture& of, run& this_run) {
  if (this_run.reported_seconds) return;
  if (of.curl) {
    const auto all = of.curl->traffic();
    const auto requests = all.requests - of.curl_traffic_before.requests;
    if (requests != 0) return note(this_run, all.bytes - of.curl_traffic_before.bytes, requests);
  }
  const auto all = leat::remote::traffic();
  note(this_run, all.received - of.traffic_before.received,
       all.requests - of.traffic_before.requests);
}

}  // namespace

void set_shared_members(experiment& made, const std::shared_ptr<store_fixture>& of) {
  made.medium = medium::store;
  made.time_share =
      0.7;  // the four experiments take a minute, including the upload of their objects
  made.cached =
      "The caches of the store and of the network are not controlled. Bytes, requests and their "
      "price "
      "(S3 Standard, out to the internet) are those of the first repetition, which is not timed.";
  made.prepare = [of](const std::filesystem::path&) {
    of->object->fill();
    upload(of->address, *of->object);
    if (!is_interrupted()) of->speed = measure_speed(of->address);
    if (no_curl_reason().empty()) of->curl = std::make_unique<curl_object>(of->address);
  };
  made.before = [of](run& this_run) {
    if (!this_run.is_warm_up) return;
    if (of->curl) of->curl_traffic_before = of->curl->traffic();
    of->traffic_before = leat::remote::traffic();
  };
  made.after = [of](run& this_run) {
    of->close();  // requests are counted when they end
    if (this_run.is_warm_up) note_traffic(*of, this_run);
  };
}

std::vector<finding> common_findings(const store_fixture& of) {
  std::vector<finding> found;
  if (const auto why = no_curl_reason(); !why.empty()) found.push_back({why});
  found.push_back({fmt::format("this store: {}.", text_of(of.speed))});
  return found;
}

}  // namespace bench
