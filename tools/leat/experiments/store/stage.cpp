#include "experiments/store/stage.hpp"

#include <fmt/format.h>
#include <leat/simulated.hpp>

#include "measuring/interrupt.hpp"

namespace bench {

namespace {

/// What came in while nobody took the time, and what Amazon would ask for it.
void note_traffic(stage& of, run& now) {
  const auto passed = of.watch->stop();
  of.watch.reset();
  if (!passed || now.simulated) return;
  now.bytes_read = passed->bytes;
  if (is_encrypted()) return;  // the handshake has messages of its own
  now.requests = passed->messages;
  const auto prices = leat::model_of(leat::simulated_disk::s3).read;
  now.dollars = static_cast<double>(passed->messages) * prices.dollars_per_request +
                static_cast<double>(passed->bytes) / 1e9 * prices.dollars_per_gigabyte;
}

}  // namespace

void set_stage(experiment& made, const std::shared_ptr<stage>& of) {
  made.on = medium::store;
  made.share = 0.7;  // the four of them take a minute, with the objects that they write
  made.cached =
      "What the store and the network keep; nothing is asked of them. Bytes, requests and their "
      "price (S3 Standard, out to the internet) are those of the first repetition, which is not "
      "timed.";
  made.prepare = [of](const std::filesystem::path&) {
    of->object->fill();
    upload(of->address, *of->object);
    if (!is_interrupted()) of->speed = measure_speed(of->address);
    if (why_no_curl().empty()) of->curl.emplace(of->address);
  };
  made.before = [of](run& now) {
    if (now.warms_up) of->watch.emplace();
  };
  made.after = [of](run& now) {
    if (of->watch) note_traffic(*of, now);
    of->close();
  };
}

std::vector<finding> usual_findings(const stage& of) {
  std::vector<finding> found;
  if (const auto why = why_no_curl(); !why.empty()) found.push_back({why});
  found.push_back({fmt::format("this store: {}.", text_of(of.speed))});
  return found;
}

}  // namespace bench
