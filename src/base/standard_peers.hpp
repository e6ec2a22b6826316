// leat::out and C's stdout write to the same descriptor: each flushes the other one before it
// writes.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Once a side is in use it has a function here, which writes the bytes that wait for a descriptor.
/// No side calls the other's function while it holds a lock that the function takes.
struct standard_peers {
  using function = void(int descriptor) noexcept;

  inline static constinit std::atomic<function*> leat{nullptr};
  inline static constinit std::atomic<function*> c{nullptr};

  static void drain(const std::atomic<function*>& peer, int descriptor) noexcept {
    if (function* const flush = peer.load(std::memory_order_acquire)) flush(descriptor);
  }
};

}  // namespace v0
}  // namespace leat
