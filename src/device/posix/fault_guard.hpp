// The guard of mappings: a handler for SIGBUS and the ranges of memory that it is to mend.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {

/// A place for one mapping. The handler reads it at any moment, so it is never freed, and its
/// version tells whether what describes it belongs together: odd while they change.
struct guarded_range {
  static constexpr std::size_t nothing = ~std::size_t{0};

  std::atomic<bool> taken{false};
  std::atomic<unsigned> version{0};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<int> file{-1};
  std::atomic<bool> writes{false};  // zeros that come instead can be written to, too
  // What faults have found, as offsets from `begin`.
  std::atomic<std::size_t> shrunk_to{nothing};   // the file ended here
  std::atomic<std::size_t> unreadable{nothing};  // a page that is in the file but can't be read
};

/// Switches the guard on if that is allowed. False: nothing may be mapped.
bool switch_on_guard() noexcept;

/// Guards whole pages from now on; null if there is no memory for it. They stay mapped until they
/// are given up.
guarded_range* guard(std::uintptr_t begin, std::uintptr_t end, int file,
                     bool writes = false) noexcept;
void give_up(guarded_range& range) noexcept;

}  // namespace v0
}  // namespace leat
