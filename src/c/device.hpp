// Devices of leat.h.
#pragma once

#include <leat/c/device.h>
#include <leat/c/simulated.h>
#include <leat/c/testing.h>
#include <leat/simulated.hpp>
#include <leat/testing.hpp>

#include <memory>
#include <utility>

namespace leat {
inline namespace v0 {
namespace c {

/// A device that handles, streams and other devices share.
struct shared_device {
  std::shared_ptr<void> needs;  // by `on`: a plan of faults
  std::unique_ptr<device> on;
  simulated_device* simulated = nullptr;  // `on`, if it is one
  bool closed = false;
};

/// Such a device for one of those that share it. Once one of them has closed it, it fails.
std::unique_ptr<device> view_of(const leat_device& shared);

}  // namespace c
}  // namespace v0
}  // namespace leat

struct leat_device {
  std::shared_ptr<leat::c::shared_device> state;
};
