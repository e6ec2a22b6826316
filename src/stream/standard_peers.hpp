// leat::out and C's stdout go to one place: who writes lets the other's bytes go first.
#pragma once

#include <leat/device.hpp>

#include <atomic>

namespace leat {
inline namespace v0 {

/// Each side has a function here once it is in use, which hands on what waits for this descriptor.
/// Neither calls it while it holds a lock that the function takes.
struct standard_peers {
  using function = void(native_handle_type) noexcept;

  inline static constinit std::atomic<function*> leat{nullptr};
  inline static constinit std::atomic<function*> c{nullptr};

  static void drain(const std::atomic<function*>& peer, native_handle_type handle) noexcept {
    if (function* const hand_on = peer.load(std::memory_order_acquire)) hand_on(handle);
  }
};

}  // namespace v0
}  // namespace leat
