// Implements slow_link: a network namespace, tc and toxiproxy.
#include "remote/slow_link.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <stdexcept>

namespace leat_test {

namespace {

void configure(const std::vector<std::string>& command) {
  if (run_program(command)) return;
  std::string text;
  for (const std::string& word : command) text += word + " ";
  throw std::runtime_error("this command failed: " + text);
}

/// Limits the rate of packets from and to the port, each direction separately. Other packets of
/// loopback, for example between toxiproxy and the store, have no limit. If tc fails, throws
/// std::runtime_error.
void limit(std::uint16_t port, const std::string& rate) {
  const std::string tc = find_program("tc"), number = std::to_string(port);
  configure({tc, "qdisc", "add", "dev", "lo", "root", "handle", "1:", "htb", "default", "1"});
  for (const char* const class_id : {"1:1", "1:2", "1:3"})
    configure({tc, "class", "add", "dev", "lo", "parent", "1:", "classid", class_id, "htb", "rate",
               "100gbit", "quantum", "200000"});
  for (const auto& [class_id, port_field] : {std::pair{"1:2", "sport"}, {"1:3", "dport"}}) {
    configure({tc, "qdisc", "add", "dev", "lo", "parent", class_id, "tbf", "rate", rate, "burst",
               "256kb", "latency", "200ms"});
    configure({tc, "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", "prio", "1",
               "u32", "match", "ip", port_field, number, "0xffff", "flowid", class_id});
  }
}

}  // namespace

std::string slow_link::missing_requirement() {
  if (!store::is_available()) return "versitygw is missing: run scripts/setup test";
  if (store::is_external()) return "the store is in another network";
  if (!toxiproxy::is_installed()) return "toxiproxy is missing: run scripts/setup test";
  if (find_program("ip").empty() || find_program("tc").empty())
    return "iproute2 is missing: run scripts/setup test";
  if (::geteuid() != 0) return "only root may create a network namespace";
  return {};
}

slow_link::network::network()
    : previous_network_(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
  if (previous_network_ < 0 || ::unshare(CLONE_NEWNET) != 0) {
    ::close(previous_network_);
    throw std::runtime_error("the system does not allow a new network namespace");
  }
}

slow_link::network::~network() {
  ::setns(previous_network_, CLONE_NEWNET);
  ::close(previous_network_);
}

slow_link::slow_link(const speed& limits) {
  configure({find_program("ip"), "link", "set", "lo", "up"});
  store_ = std::make_unique<store>();
  proxy_ = std::make_unique<toxiproxy>(store_->port());
  proxy_->add("latency", R"({"latency": )" + std::to_string(limits.latency) + "}");
  limit(proxy_->port(), limits.rate);
}

slow_link::~slow_link() = default;

}  // namespace leat_test
