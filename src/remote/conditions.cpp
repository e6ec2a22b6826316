// Probes whether a store supports If-None-Match. object_writer.cpp starts the probe.
#include "remote/conditions.hpp"

#include <leat/format.hpp>

#include <mutex>
#include <random>
#include <set>
#include <string>

#include "remote/checksums.hpp"
#include "remote/errors.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct bucket_set {
  std::mutex lock;
  std::set<std::string> keys;
};

/// The set is never destroyed, because streams may be opened at exit.
bucket_set& proven_buckets() {
  static bucket_set& buckets = *new bucket_set;
  return buckets;
}

bool is_proven(const server& target) {
  if (target.amazon) return true;
  const std::scoped_lock lock(proven_buckets().lock);
  return proven_buckets().keys.contains(target.bucket_id);
}

void note_proven(const server& target) {
  constexpr std::size_t most = 1024;
  const std::scoped_lock lock(proven_buckets().lock);
  if (proven_buckets().keys.size() == most) proven_buckets().keys.clear();
  proven_buckets().keys.insert(target.bucket_id);
}

std::string random_name() {
  std::random_device random;
  return leat::format("{:08x}{:08x}", random(), random());
}

/// An error with the same condition and response, and a message that says what could not be tested.
std::error_code inconclusive_probe(const std::error_code& ec) {
  answer response = answer_of(ec);
  std::string text =
      "Whether the store supports If-None-Match, which `exclusive` needs, could not be tested "
      "(if it does, set settings.keeps_conditions)";
  if (response.status == 0) text += ": " + ec.message();
  return make_error(static_cast<std::errc>(ec.default_error_condition().value()), std::move(text),
                    std::move(response));
}

}  // namespace

void probe_conditions(client& store, std::error_code& ec) {
  ec.clear();
  if (is_proven(store.target())) return;
  const std::string path = store.target().path + ".leat-probe-" + random_name();
  bool refused = false;
  for (int i = 0; i != 2 && !ec && !refused; ++i) {
    call creation;
    creation.method = "PUT";
    creation.path = path;
    creation.needs_etag = true;
    creation.checksum = checksum_of({});
    creation.headers.emplace_back("if-none-match", "*");
    store.perform(creation);
    // The first request may be refused, too, if an attempt made the object but its response was
    // lost.
    refused = creation.response.status == 412;
    if (!refused) ec = creation.ec;
  }
  call removal;
  removal.method = "DELETE";
  removal.path = path;
  store.perform(removal);
  if (!ec) ec = removal.ec;
  if (!ec && removal.response.status != 204)
    ec = make_error(std::errc::io_error,
                    "The store's response does not confirm that the probe is removed",
                    {.status = removal.response.status});
  if (ec)
    ec = inconclusive_probe(ec);
  else if (!refused)
    ec = make_error(std::errc::operation_not_supported,
                    "The store ignores If-None-Match, so `exclusive` would not protect an existing "
                    "object");
  else
    note_proven(store.target());
}

void forget_proven_buckets() noexcept {
  const std::scoped_lock lock(proven_buckets().lock);
  proven_buckets().keys.clear();
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
