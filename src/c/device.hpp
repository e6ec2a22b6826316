// leat_device: the devices of leat.h.
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

/// A device that handles, streams and other devices share ownership of.
struct shared_device {
  std::shared_ptr<void> needs;  // an object that `on` refers to: a fault plan
  std::unique_ptr<device> on;
  simulated_device* simulated = nullptr;  // `on`, if it is simulated
  bool closed = false;
};

/// Makes a device that forwards to a shared device. Its calls fail once any user has closed the
/// shared device.
std::unique_ptr<device> view_of(const leat_device& shared);

}  // namespace c
}  // namespace v0
}  // namespace leat

struct leat_device {
  std::shared_ptr<leat::c::shared_device> state;
};
