// leat_device: the devices of leat.h. The files of src/c that open devices, readers, writers and
// random access use this struct.
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

/// A device with several owners: handles (leat_device), streams, and other devices.
struct shared_device {
  std::shared_ptr<void> fault_plan;  // kept for `target`, which refers to the plan; null: no plan
  std::unique_ptr<device> target;
  simulated_device* simulated = nullptr;  // `target` if it is simulated, else null
  bool closed = false;
};

/// Makes a device that forwards to a shared device. After any owner has closed the shared device,
/// hints have no effect, and these calls fail (EBADF): transfers of bytes, queries and changes of
/// the size, and sync().
std::unique_ptr<device> make_device_view(const leat_device& shared);

}  // namespace c
}  // namespace v0
}  // namespace leat

struct leat_device {
  std::shared_ptr<leat::c::shared_device> state;
};
