// leat::out and C's stdout write to the same descriptor. Before one writes, the other flushes.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Each side stores a function here when it is first used. The function writes what the side has
/// buffered for this descriptor. A side must not call the other's function while it holds a lock
/// that the function takes.
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
