// What the experiments with a store have in common: one object, libcurl beside leat, and the count
// of what was fetched.
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

struct stage {
  virtual ~stage() = default;

  std::string address;
  std::shared_ptr<content> object;
  store_speed speed;
  std::unique_ptr<curl_object> curl;  // null: it can't be measured
  std::vector<char> memory;           // of the peers
  leat::file_reader open;             // by this repetition: it is closed when the bytes are counted
  leat::remote::traffic_count before;  // this repetition
  curl_object::count before_curl;

  /// Closes what a repetition has opened.
  virtual void close() {
    if (open.is_open()) open.close();
  }
};

/// Fills in what is the same for all: the medium, and the hooks before and after the work.
void set_stage(experiment& made, const std::shared_ptr<stage>& of);

/// How fast the store is; why libcurl is not measured, if it is not.
std::vector<finding> usual_findings(const stage& of);

}  // namespace bench
