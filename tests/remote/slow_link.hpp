// A store at the end of a network link with a known speed and latency.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "remote/store.hpp"
#include "remote/toxiproxy.hpp"

namespace leat_test {

/// While a slow_link exists, the thread that made it and the thread's children are in a network
/// namespace. In this namespace, port() leads to the store with the given speed: `tc` limits the
/// bandwidth of both directions, toxiproxy delays the responses. The namespace ends with its last
/// process.
class slow_link {
 public:
  struct speed {
    std::string rate = "1gbit";  ///< in tc's syntax
    int latency = 30;            ///< milliseconds from a request to its response
  };
  /// If the system does not allow a link, or if a server does not start, throws std::runtime_error.
  explicit slow_link(const speed& limits);
  slow_link() : slow_link(speed()) {}
  ~slow_link();
  slow_link(const slow_link&) = delete;
  slow_link& operator=(const slow_link&) = delete;

  /// Why a link is not possible on this system; empty if a link is possible.
  static std::string missing_requirement();

  /// The store without the link, to prepare objects.
  const store& test_store() const { return *store_; }
  /// The port on which clients reach the store through the link.
  std::uint16_t port() const { return proxy_->port(); }
  leat::remote::settings store_settings() const { return test_store().store_settings(port()); }

 private:
  class network {  // the destructor leaves the namespace, after the servers have ended
   public:
    network();
    ~network();
    network(const network&) = delete;
    network& operator=(const network&) = delete;

   private:
    int previous_network_;
  };

  network network_;
  std::unique_ptr<store> store_;
  std::unique_ptr<toxiproxy> proxy_;
};

}  // namespace leat_test
