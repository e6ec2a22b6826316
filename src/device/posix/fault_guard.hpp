// The guard of mappings: a handler of SIGBUS, and the ranges of memory in which the handler puts
// pages of zeros in place of pages that can't be read. mapping.cpp calls these functions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {

/// The description of one mapping. The handler may read the description at any moment, so the
/// description is never freed. While `begin`, `end`, `file`, `offset` and `writes` change,
/// `version` is odd. Afterwards `version` has a new even value. Example: 4, 5 during a change, 6.
struct guarded_range {
  static constexpr std::size_t no_offset = ~std::size_t{0};

  std::atomic<bool> in_use{false};
  std::atomic<unsigned> version{0};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<int> file{-1};
  std::atomic<std::uint64_t> offset{0};  // the position of `begin` in the file
  std::atomic<bool> writes{false};       // the pages of zeros must be writable
  // The findings of the handler, as offsets from `begin`.
  std::atomic<std::size_t> shrunk_to{no_offset};  // the file ended here
  // The first page that is in the file but can't be read (or written, if `writes`).
  std::atomic<std::size_t> unreadable{no_offset};
};

/// Installs the handler. Returns false if nothing may be mapped: use_mappings(false) forbids
/// mappings, or the handler could not be installed.
bool install_guard() noexcept;

/// Guards whole pages. The pages must stay mapped and `file` must stay open until unguard_range().
/// Returns null if there is no memory for the description.
guarded_range* guard_range(std::uintptr_t begin, std::uintptr_t end, int file, std::uint64_t offset,
                           bool writes) noexcept;
/// Ends the guarding. Must be called before the pages are unmapped.
void unguard_range(guarded_range& range) noexcept;

}  // namespace v0
}  // namespace leat
