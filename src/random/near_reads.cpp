// Single reads through a mapping, and the proof that the file has the bytes.
#include "random/near_reads.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

thread_local constinit near_reads::trace near_reads::traces[trace_count]{};
constinit std::atomic<std::uint64_t> near_reads::last_id{0};

namespace {

/// The proof gives up after this many zeros: a read takes as long as their comparison.
constexpr std::size_t longest_proof = 1024;

/// True if one of the bytes is not zero. Other threads and programs may be changing them.
__attribute__((no_sanitize("thread"))) bool has_nonzero(const char* at, const char* end) noexcept {
  for (; at != end && reinterpret_cast<std::uintptr_t>(at) % sizeof(std::uint64_t) != 0; ++at)
    if (*static_cast<const volatile char*>(at) != 0) return true;
  for (; end - at >= std::ptrdiff_t{sizeof(std::uint64_t)}; at += sizeof(std::uint64_t))
    if (*reinterpret_cast<const volatile std::uint64_t*>(at) != 0) return true;
  return false;
}

}  // namespace

bool near_reads::copy_mapped(device& file, const mapping* mapped, std::uint64_t at,
                             std::span<char> into) noexcept {
  if (mapped == nullptr) {
    if (is_unmappable_.load(std::memory_order_relaxed)) return false;
    mapped = map(file);
    if (mapped == nullptr) return false;
  }
  const std::string_view bytes = mapped->view();
  const std::size_t n = into.size();
  if (n == 0 || at >= bytes.size() || n > bytes.size() - at || n > page_size - at % page_size ||
      !mappings_are_guarded())
    return false;
  const char* const from = bytes.data() + at;
  std::memcpy(into.data(), from, n);
  // The proof must look at the bytes after the copy: the page may change between.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_acquire);
  const char* const page_end = from + (page_size - at % page_size);
  const char* const last = from + n - 1;
  return has_nonzero(last,
                     last + std::min(static_cast<std::size_t>(page_end - last), longest_proof));
}

const mapping* near_reads::map(device& file) noexcept {
  const std::lock_guard guard(lock_);
  if (mapping_) return &mapping_;
  if (is_unmappable_.load(std::memory_order_relaxed)) return nullptr;
  std::error_code ec;
  const native_handle_type handle = file.native_handle();
  const std::uint64_t size =
      handle != no_handle && reads_as_mapped(handle) ? file.size(ec) : std::uint64_t{0};
  if (!ec && size <= std::numeric_limits<std::size_t>::max() / 4)
    mapping_ = mapping(handle, static_cast<std::size_t>(size));
  if (!mapping_) {
    forbid();
    return nullptr;
  }
  mapped_.store(&mapping_, std::memory_order_release);
  return &mapping_;
}

void near_reads::close() noexcept {
  forbid();
  mapped_.store(nullptr, std::memory_order_relaxed);
  mapping_ = mapping();
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
