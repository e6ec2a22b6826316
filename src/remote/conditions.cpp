// Probes whether a store supports If-None-Match. object_writer.cpp starts the probe.
#include "remote/conditions.hpp"

#include <leat/format.hpp>

#include <mutex>
#include <random>
#include <set>
#include <string>

#include "remote/checksums.hpp"
#include "remote/incident.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct proven_buckets {
  std::mutex lock;
  std::set<std::string> all;
};

/// The set is never destroyed, because streams may be opened at exit.
proven_buckets& proven() {
  static proven_buckets& here = *new proven_buckets;
  return here;
}

bool is_proven(const server& of) {
  if (of.amazon) return true;
  const std::scoped_lock lock(proven().lock);
  return proven().all.contains(of.bucket_key);
}

void note_proven(const server& of) {
  constexpr std::size_t most = 1024;
  const std::scoped_lock lock(proven().lock);
  if (proven().all.size() == most) proven().all.clear();
  proven().all.insert(of.bucket_key);
}

std::string random_name() {
  std::random_device random;
  return leat::format("{:08x}{:08x}", random(), random());
}

/// An error with the same condition and response, and a message that says what could not be tested.
std::error_code untried(const std::error_code& ec) {
  answer of = answer_of(ec);
  std::string text =
      "Whether the store supports If-None-Match, which `exclusive` needs, could not be tested "
      "(if it does, set settings.keeps_conditions)";
  if (of.status == 0) text += ": " + ec.message();
  return incident(static_cast<std::errc>(ec.default_error_condition().value()), std::move(text),
                  std::move(of));
}

}  // namespace

void prove_conditions(client& by, std::error_code& ec) {
  ec.clear();
  if (is_proven(by.where())) return;
  const std::string path = by.where().path + ".leat-probe-" + random_name();
  bool refused = false;
  for (int i = 0; i != 2 && !ec && !refused; ++i) {
    call make;
    make.method = "PUT";
    make.path = path;
    make.needs_etag = true;
    make.checksum = checksum_of({});
    make.headers.emplace_back("if-none-match", "*");
    by.perform(make);
    // The first request may be refused, too, if an attempt made the object but its response was
    // lost.
    refused = make.said.status == 412;
    if (!refused) ec = make.ec;
  }
  call removal;
  removal.method = "DELETE";
  removal.path = path;
  by.perform(removal);
  if (!ec) ec = removal.ec;
  if (!ec && removal.said.status != 204)
    ec = incident(std::errc::io_error,
                  "The store's response does not confirm that the probe is removed",
                  {.status = removal.said.status});
  if (ec)
    ec = untried(ec);
  else if (!refused)
    ec = incident(std::errc::operation_not_supported,
                  "The store ignores If-None-Match, so `exclusive` would not protect an existing "
                  "object");
  else
    note_proven(by.where());
}

void forget_conditions() noexcept {
  const std::scoped_lock lock(proven().lock);
  proven().all.clear();
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
