// Memory-mapped files on Windows, and the guard that keeps a failing disk from ending the program.
// Sources and random access use mappings.
//
// On Windows a mapped file can't become shorter, except by changes on another machine. But if the
// disk is taken away or the network is down, the system can't read a page, and raises
// EXCEPTION_IN_PAGE_ERROR. Windows can't replace a single page of a mapping. So the handler
// replaces the whole mapping by zeros, and the stream reports all bytes from the mapping's start on
// as missing.
#include <windows.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include "device/mapping.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

/// The description of one mapping. The handler may read the description at any moment, so
/// descriptions are never freed.
struct guarded_range {
  enum state : int { free, mapped, repairing, lost };

  std::atomic<bool> in_use{false};
  std::atomic<int> state{free};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> size{0};
  std::atomic<HANDLE> file{nullptr};
};

namespace {

struct range_block {
  std::array<guarded_range, 32> slots;
  range_block* older = nullptr;
};

constinit std::atomic<range_block*> range_blocks{nullptr};
constinit std::atomic<bool> mappings_allowed{true};
constinit std::atomic<void*> handler{nullptr};

guarded_range* range_of(std::uintptr_t address) noexcept {
  for (range_block* block = range_blocks.load(std::memory_order_acquire); block != nullptr;
       block = block->older)
    for (auto& range : block->slots) {
      const std::uintptr_t begin = range.begin.load(std::memory_order_acquire);
      if (range.state.load(std::memory_order_acquire) != guarded_range::free && address >= begin &&
          address - begin < range.size.load(std::memory_order_acquire))
        return &range;
    }
  return nullptr;
}

/// Replaces the mapping by zeros. Returns false if another thread has got the addresses meanwhile,
/// or if there is no memory: then the program can't go on.
bool fill_with_zeros(guarded_range& range) noexcept {
  auto* const memory = reinterpret_cast<void*>(range.begin.load());
  return ::UnmapViewOfFile(memory) != 0 &&
         ::VirtualAlloc(memory, range.size.load(), MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) ==
             memory;
}

LONG CALLBACK on_fault(EXCEPTION_POINTERS* what) {
  const EXCEPTION_RECORD& record = *what->ExceptionRecord;
  const bool failed = record.ExceptionCode == static_cast<DWORD>(EXCEPTION_IN_PAGE_ERROR);
  // A thread gets this exception if it touches a range that another thread is replacing.
  const bool missed = record.ExceptionCode == static_cast<DWORD>(EXCEPTION_ACCESS_VIOLATION);
  if ((!failed && !missed) || record.NumberParameters < 2) return EXCEPTION_CONTINUE_SEARCH;
  guarded_range* const range = range_of(record.ExceptionInformation[1]);
  if (range == nullptr) return EXCEPTION_CONTINUE_SEARCH;
  int expected = guarded_range::mapped;
  if (failed && range->state.compare_exchange_strong(expected, guarded_range::repairing)) {
    if (!fill_with_zeros(*range)) return EXCEPTION_CONTINUE_SEARCH;
    range->state.store(guarded_range::lost);
    return EXCEPTION_CONTINUE_EXECUTION;
  }
  // The mapping is intact, so the exception is an error of the program.
  if (missed && range->state.load() == guarded_range::mapped) return EXCEPTION_CONTINUE_SEARCH;
  while (range->state.load() == guarded_range::repairing) ::Sleep(0);
  return EXCEPTION_CONTINUE_EXECUTION;
}

/// Installs the handler. Returns false if nothing may be mapped: use_mappings(false) forbids
/// mappings, or the system refuses the handler. If two threads call install_guard() at the same
/// time, one thread removes its handler again.
bool install_guard() noexcept {
  if (!mappings_allowed.load()) return false;
  if (handler.load() != nullptr) return true;
  void* const ours = ::AddVectoredExceptionHandler(1, on_fault);
  if (ours == nullptr) return false;
  void* expected = nullptr;
  if (!handler.compare_exchange_strong(expected, ours)) ::RemoveVectoredExceptionHandler(ours);
  return true;
}

guarded_range* acquire_range() noexcept {
  for (range_block* block = range_blocks.load(std::memory_order_acquire); block != nullptr;
       block = block->older)
    for (auto& range : block->slots)
      if (!range.in_use.exchange(true, std::memory_order_acq_rel)) return &range;
  auto* block = new (std::nothrow) range_block;
  if (block == nullptr) return nullptr;
  block->slots.front().in_use = true;
  block->older = range_blocks.load();
  while (!range_blocks.compare_exchange_weak(block->older, block)) {
  }
  return &block->slots.front();
}

void* map(HANDLE file, std::size_t size, bool writes) noexcept {
  const HANDLE section = ::CreateFileMappingW(
      file, nullptr, writes ? PAGE_READWRITE : PAGE_READONLY,
      static_cast<DWORD>(std::uint64_t{size} >> 32), static_cast<DWORD>(size), nullptr);
  if (section == nullptr) return nullptr;
  void* const memory =
      ::MapViewOfFile(section, writes ? FILE_MAP_READ | FILE_MAP_WRITE : FILE_MAP_READ, 0, 0, size);
  ::CloseHandle(section);
  return memory;
}

}  // namespace

bool is_guarded_here() noexcept { return false; }
bool is_guard_installed() noexcept { return false; }
bool is_cached(const device&, std::uint64_t, std::size_t) noexcept { return false; }

mapping::mapping(native_handle_type file, std::size_t size, access what,
                 std::uint64_t offset) noexcept {
  std::error_code ec;
  // A mapping larger than the file would fail, or make the file grow.
  if (size == 0 || offset != 0 || size_of(file, ec) < size || ec || !install_guard()) return;
  guarded_range* const range = acquire_range();
  if (range == nullptr) return;
  void* const memory = map(file, size, what == access::write);
  if (memory == nullptr) {
    range->in_use.store(false, std::memory_order_release);
    return;
  }
  range->begin.store(reinterpret_cast<std::uintptr_t>(memory));
  range->size.store(size);
  range->file.store(file);
  range->state.store(guarded_range::mapped, std::memory_order_release);
  range_ = range;
  view_ = {static_cast<const char*>(memory), size};
}

mapping::~mapping() {
  if (range_ == nullptr) return;
  const bool lost = range_->state.exchange(guarded_range::free) == guarded_range::lost;
  if (lost)
    ::VirtualFree(data(), 0, MEM_RELEASE);
  else
    ::UnmapViewOfFile(data());
  range_->in_use.store(false, std::memory_order_release);
}

/// Does nothing: Windows has no hint for the order in which mapped memory will be read.
void mapping::advise(pattern) noexcept {}

failure mapping::access_failure() const noexcept {
  if (range_ == nullptr || range_->state.load() != guarded_range::lost) return {};
  return {std::make_error_code(std::errc::io_error), "read", 0};
}

failure mapping::find_failure() const noexcept {
  if (range_ == nullptr) return {};
  const failure known = access_failure();
  std::error_code ec;
  const std::uint64_t size = size_of(range_->file.load(), ec);
  if (known || ec || size >= view_.size()) return known;
  return {errc::file_shrank, "read", size};
}

bool use_mappings(bool on) noexcept {
  const bool before = mappings_allowed.exchange(on);
  if (!on)
    if (void* const ours = handler.exchange(nullptr); ours != nullptr)
      ::RemoveVectoredExceptionHandler(ours);
  return before;
}

}  // namespace v0
}  // namespace leat
