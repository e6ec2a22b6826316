// leat::out and C's stdout go to one place: who writes lets the other's bytes go first.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Each side has a function here once it is in use, which hands on what waits for this descriptor.
/// Neither calls it while it holds a lock that the function takes.
struct standard_peers {
  using function = void(int descriptor) noexcept;

  inline static constinit std::atomic<function*> leat{nullptr};
  inline static constinit std::atomic<function*> c{nullptr};

  static void drain(const std::atomic<function*>& peer, int descriptor) noexcept {
    if (function* const hand_on = peer.load(std::memory_order_acquire)) hand_on(descriptor);
  }
};

}  // namespace v0
}  // namespace leat
