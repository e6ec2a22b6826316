// Keeps the order of output of leat::out and leat_stdout, and of leat::err and leat_stderr. Both
// sides write to the same descriptors, so one side flushes before the other side writes. The sinks
// of src/stream/standard.cpp and the standard streams of src/stdio use this file.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Each side stores a function here at its first use. The function writes the bytes that the side
/// has buffered for a descriptor. A side must not call the other side's function while it holds a
/// lock that the function takes.
struct standard_peers {
  using function = void(int descriptor) noexcept;

  inline static constinit std::atomic<function*> leat{nullptr};
  inline static constinit std::atomic<function*> c{nullptr};

  /// Makes the side whose function is `peer` write its buffered bytes for the descriptor. Does
  /// nothing before the first use of that side.
  static void drain(const std::atomic<function*>& peer, int descriptor) noexcept {
    if (function* const flush = peer.load(std::memory_order_acquire)) flush(descriptor);
  }
};

}  // namespace v0
}  // namespace leat
