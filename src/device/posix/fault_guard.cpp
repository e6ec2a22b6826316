// The guard of mappings: its handler of SIGBUS, and the lists of ranges that the handler reads.
// mapping.cpp calls the functions of fault_guard.hpp. Streams and random access call the functions
// of mapping.hpp.
#include "device/posix/fault_guard.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#  include <sys/syscall.h>
#endif

#include <array>
#include <cerrno>
#include <new>

#include "device/mapping.hpp"
#include "device/posix/system.hpp"

#if defined(__linux__)
// Older C libraries have these functions in a separate library, which static programs do not load.
#  pragma weak dladdr
#  pragma weak dlclose
#  pragma weak dlopen
#endif

namespace leat {
inline namespace v0 {

namespace {

// The handler may interrupt any code on any thread. So all data that the handler reads is
// lock-free, and is never freed or destroyed.
static_assert(std::atomic<std::size_t>::is_always_lock_free &&
              std::atomic<void*>::is_always_lock_free);

struct range_block {
  std::array<guarded_range, 32> slots;
  range_block* older = nullptr;
};

/// The action for SIGBUS before the guard was installed.
struct former_action {
  struct sigaction action;
  const former_action* older;
};

constinit std::atomic<range_block*> range_blocks{nullptr};
constinit std::atomic<const former_action*> former_actions{nullptr};
constinit std::atomic<bool> mappings_allowed{true};
constinit std::atomic<bool> handler_installed{false};

void store_minimum(std::atomic<std::size_t>& to, std::size_t value) noexcept {
  std::size_t before = to.load();
  while (value < before && !to.compare_exchange_weak(before, value)) {
  }
}

/// Replaces pages by zeros. Another thread that reads the pages meanwhile gets the zeros, or faults
/// and calls this function, too. Returns false if the system refuses.
bool fill_with_zeros(char* begin, std::size_t size, bool writes) noexcept {
  const int access = writes ? PROT_READ | PROT_WRITE : PROT_READ;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#if defined(__linux__)
  // Calls the system directly, because sanitizers and profilers replace mmap with functions that a
  // signal handler must not call. GCC 14's thread sanitizer treats mmap as a write to the whole
  // range.
  return ::syscall(SYS_mmap, begin, size, long{access}, long{flags}, -1L, 0L) != -1;
#else
  return ::mmap(begin, size, access, flags, -1, 0) != MAP_FAILED;
#endif
}

/// True if the page can be read now, or written if `writes` is true: the file has grown again, or
/// the disk has space again. False on systems without MADV_POPULATE_READ.
bool is_usable([[maybe_unused]] char* page, [[maybe_unused]] bool writes) noexcept {
#if defined(MADV_POPULATE_READ)
  return ::madvise(page, page_size(), writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0;
#else
  return false;
#endif
}

/// Repairs a fault in this range. Returns false if the fault is elsewhere, if the range is being
/// changed, or if the system refuses.
bool repair(guarded_range& range, char* fault) noexcept {
  // While a thread handles a fault in a range, the range does not change. A range that changes
  // belongs to another thread.
  const unsigned version = range.version.load(std::memory_order_acquire);
  const std::uintptr_t begin = range.begin.load(std::memory_order_acquire);
  const std::uintptr_t end = range.end.load(std::memory_order_acquire);
  const int file = range.file.load(std::memory_order_acquire);
  const std::uint64_t start = range.offset.load(std::memory_order_acquire);
  const bool writes = range.writes.load(std::memory_order_acquire);
  if (version % 2 != 0 || range.version.load(std::memory_order_relaxed) != version) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(fault);
  if (address < begin || address >= end) return false;

  const std::size_t offset = address - begin;
  const std::size_t page = offset - offset % page_size();
  char* const memory = fault - offset;
  struct stat status{};
  const std::uint64_t file_size =
      get_status(file, status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  const auto size = static_cast<std::size_t>(file_size > start ? file_size - start : 0);
  if (size <= page) {
    store_minimum(range.shrunk_to, size);
    const std::size_t kept = (size + page_size() - 1) / page_size() * page_size();
    return fill_with_zeros(memory + kept, end - begin - kept, writes);
  }
  // If the disk is full, a page may be readable and not writable. Zeros replace such a page, too.
  if (is_usable(memory + page, writes)) return true;
  store_minimum(range.unreadable, page);
  return fill_with_zeros(memory + page, page_size(), writes);
}

/// Handles the signal as the signal would have been handled without the guard.
void call_former_handler(int number, siginfo_t* info, void* context) noexcept {
  const struct sigaction& action = former_actions.load(std::memory_order_acquire)->action;
  const bool sent = info->si_code <= 0;  // by kill() for example, not by a fault
  if (action.sa_handler == SIG_IGN && sent) return;
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN ||
      (static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_RESETHAND)) != 0) {
    // The fault comes again when the handler returns. If the program then ignored SIGBUS, some
    // systems would repeat the fault forever instead of ending the program.
    struct sigaction again = action;
    if (again.sa_handler == SIG_IGN) again.sa_handler = SIG_DFL;
    ::sigaction(number, &again, nullptr);
    if (sent) ::raise(number);
  } else if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
}

void on_fault(int number, siginfo_t* info, void* context) noexcept {
  const int error = errno;
  bool repaired = false;
  if (info->si_code == BUS_ADRERR) {
    auto* const fault = static_cast<char*>(info->si_addr);
    for (range_block* block = range_blocks.load(std::memory_order_acquire);
         block != nullptr && !repaired; block = block->older) {
      for (auto& range : block->slots) {
        repaired = repair(range, fault);
        if (repaired) break;
      }
    }
  }
  errno = error;
  if (!repaired) call_former_handler(number, info, context);
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault;
}

bool is_same(const struct sigaction& a, const struct sigaction& b) noexcept {
  // Calls sigismember without "::", because macOS has a macro of this name.
  for (int signal = 1; signal != NSIG; ++signal)
    if (sigismember(&a.sa_mask, signal) != sigismember(&b.sa_mask, signal)) return false;
  return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags;
}

/// The library of the former handler, as returned by dlopen. Null: no library is held.
constinit std::atomic<void*> held_library{nullptr};

/// Keeps the library of the former handler loaded until uninstall(), because the handler may be
/// called later. For example, another plugin may have a leat of its own.
void hold_library([[maybe_unused]] const struct sigaction& handler) noexcept {
#if defined(__linux__)
  if (handler.sa_handler == SIG_DFL || handler.sa_handler == SIG_IGN || held_library.load()) return;
  Dl_info found{};
  if (dladdr == nullptr || dlopen == nullptr ||
      ::dladdr(reinterpret_cast<void*>(handler.sa_handler), &found) == 0)
    return;
  // The program itself is not found by its name, and stays loaded anyway.
  void* const held = ::dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* nothing = nullptr;
  if (held != nullptr && !held_library.compare_exchange_strong(nothing, held) && dlclose != nullptr)
    ::dlclose(held);  // another thread installs the handler, too, and holds the library
#endif
}

void release_library() noexcept {
#if defined(__linux__)
  if (void* const held = held_library.exchange(nullptr); held != nullptr && dlclose != nullptr)
    ::dlclose(held);
#endif
}

/// Installs the handler. Returns false if the system refuses, or if there is no memory. Two threads
/// may call install() at the same time: both threads find the same former action.
bool install() noexcept {
  struct sigaction now{};
  if (::sigaction(SIGBUS, nullptr, &now) != 0) return false;
  if (is_ours(now)) return true;
  const former_action* before = former_actions.load();
  while (before == nullptr || !is_same(before->action, now)) {
    const auto* const found = new (std::nothrow) former_action{now, before};
    if (found == nullptr) return false;
    if (former_actions.compare_exchange_strong(before, found)) break;
    delete found;  // the other thread was first
  }
  hold_library(now);
  struct sigaction ours{};
  ours.sa_sigaction = on_fault;
  ours.sa_mask = now.sa_mask;  // leat's handler may call the former handler
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (now.sa_flags & (SA_NODEFER | SA_RESTART));
  return ::sigaction(SIGBUS, &ours, nullptr) == 0;
}

void set(guarded_range& range, std::uintptr_t begin, std::uintptr_t end, int file,
         std::uint64_t offset, bool writes) noexcept {
  range.version.fetch_add(1, std::memory_order_acq_rel);
  range.begin.store(begin, std::memory_order_release);
  range.end.store(end, std::memory_order_release);
  range.file.store(file, std::memory_order_release);
  range.offset.store(offset, std::memory_order_release);
  range.writes.store(writes, std::memory_order_release);
  range.version.fetch_add(1, std::memory_order_release);
}

guarded_range* acquire_range() noexcept {
  for (range_block* block = range_blocks.load(std::memory_order_acquire); block != nullptr;
       block = block->older) {
    for (auto& range : block->slots) {
      if (!range.in_use.exchange(true, std::memory_order_acq_rel)) return &range;
    }
  }
  auto* block = new (std::nothrow) range_block;
  if (block == nullptr) return nullptr;
  block->slots.front().in_use = true;
  block->older = range_blocks.load();
  while (!range_blocks.compare_exchange_weak(block->older, block)) {
  }
  return &block->slots.front();
}

}  // namespace

bool install_guard() noexcept {
  if (!mappings_allowed.load()) return false;
  if (handler_installed.load()) return true;
  if (!install()) return false;
  handler_installed.store(true);
  return true;
}

guarded_range* guard_range(std::uintptr_t begin, std::uintptr_t end, int file, std::uint64_t offset,
                           bool writes) noexcept {
  guarded_range* const range = acquire_range();
  if (range == nullptr) return nullptr;
  range->shrunk_to = guarded_range::no_offset;
  range->unreadable = guarded_range::no_offset;
  set(*range, begin, end, file, offset, writes);
  return range;
}

void unguard_range(guarded_range& range) noexcept {
  set(range, 0, 0, -1, 0, false);
  range.in_use.store(false, std::memory_order_release);
}

namespace {

/// Restores the former handler of SIGBUS.
void uninstall() noexcept {
  struct sigaction now{};
  // A handler that was installed over leat's handler may call leat's handler. Then leat's handler
  // stays installed, and is not installed a second time.
  if (::sigaction(SIGBUS, nullptr, &now) != 0 || !is_ours(now) ||
      ::sigaction(SIGBUS, &former_actions.load()->action, nullptr) != 0)
    return;
  handler_installed.store(false);
  release_library();
}

/// Restores the former handler when the library is unloaded, or when the program ends. If other
/// threads still use mappings then, the handler stays.
[[gnu::destructor(101)]] void uninstall_if_unused() {
  if (!handler_installed.load()) return;
  for (const range_block* block = range_blocks.load(); block != nullptr; block = block->older) {
    for (const auto& range : block->slots)
      if (range.in_use.load()) return;
  }
  uninstall();
}

}  // namespace

bool is_guarded_here() noexcept {
  sigset_t blocked;
  struct sigaction now{};
  return mappings_allowed.load() && install_guard() &&
         ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 &&
         sigismember(&blocked, SIGBUS) == 0 && ::sigaction(SIGBUS, nullptr, &now) == 0 &&
         is_ours(now);
}

bool is_guard_installed() noexcept {
  return mappings_allowed.load(std::memory_order_relaxed) &&
         handler_installed.load(std::memory_order_relaxed);
}

bool use_mappings(bool on) noexcept {
  const bool before = mappings_allowed.exchange(on);
  if (!on && handler_installed.load()) uninstall();
  return before;
}

}  // namespace v0
}  // namespace leat
