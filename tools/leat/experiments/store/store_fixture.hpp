// Shared by the experiments with a store: the object, its readers with leat and with libcurl, and
// the counts of traffic.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/remote.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/store/curl.hpp"
#include "experiments/store/objects.hpp"
#include "measuring/experiment.hpp"

namespace bench {

struct store_fixture {
  virtual ~store_fixture() = default;

  std::string address;
  std::shared_ptr<content> object;
  store_speed speed;
  std::unique_ptr<curl_object> curl;  // null: libcurl cannot be measured
  std::vector<char> memory;           // for the peers
  leat::file_reader reader;           // opened by this repetition; closed before bytes are counted
  leat::remote::traffic_count traffic_before;      // before the untimed repetition
  curl_object::traffic_count curl_traffic_before;  // libcurl's, before this repetition

  /// Closes what a repetition has opened.
  virtual void close() {
    if (reader.is_open()) reader.close();
  }
};

/// Sets the members that the experiments share: the medium, the share of the time, the text about
/// caches, and the hooks that upload the object and count the traffic.
void set_shared_members(experiment& made, const std::shared_ptr<store_fixture>& fixture);

/// Returns the findings of every experiment with a store: the speed of the store, and if libcurl is
/// not measured, the reason.
std::vector<finding> common_findings(const store_fixture& fixture);

}  // namespace bench
