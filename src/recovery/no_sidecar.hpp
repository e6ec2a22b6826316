// Stubs for systems without sidecars. One source file for each system includes this header.
#pragma once

#include "recovery/sidecar.hpp"

namespace leat {
inline namespace v0 {

// Only Linux has sidecars. On other systems each call writes its bytes. open() returns null, so no
// function of a sidecar object can be called.

std::unique_ptr<sidecar> sidecar::open(const opened_path&, const device&, writer) noexcept {
  return nullptr;
}
sidecar::~sidecar() = default;
void sidecar::restart_at(std::uint64_t, std::size_t) noexcept {}
sidecar::shared_call::shared_call(sidecar*, std::string_view bytes) noexcept
    : sidecar_(nullptr), size_(bytes.size()) {}
sidecar::shared_call::~shared_call() = default;
void sidecar::after_fork_in_child() noexcept {}
bool sidecar::was_removed() const noexcept { return false; }
std::uint64_t sidecar::size() const noexcept { return 0; }
bool sidecar::open_thread_buffers(thread_buffer_gate&, std::uint64_t, std::int64_t) noexcept {
  return false;
}
void sidecar::close_thread_buffers() noexcept {}
bool sidecar::begin_moving() noexcept { return false; }
std::size_t sidecar::withdraw(std::error_code&) noexcept { return 0; }

std::size_t merge_thread_buffers(const char*, std::uint64_t, char*) noexcept { return 0; }
stamp_clock best_stamp_clock() noexcept { return stamp_clock::none; }
void thread_buffer_gate::open(char*, const std::atomic<std::uint32_t>&, stamp_clock, std::size_t,
                              std::int64_t) noexcept {}
std::uint64_t thread_buffer_gate::close() noexcept { return 0; }
std::uint64_t thread_buffer_gate::accepted_bytes() const noexcept { return 0; }
bool thread_buffer_gate::is_possible() noexcept { return false; }
thread_buffer_gate::result thread_buffer_gate::put(unsigned, std::string_view) noexcept {
  return result::closed;
}
void thread_buffer_gate::after_fork_in_child() noexcept {}

sidecar_view::~sidecar_view() = default;
void sidecar_view::find(const opened_path&, const device&, std::error_code& ec) noexcept {
  ec.clear();
}
std::size_t sidecar_view::read(std::uint64_t, std::span<char>) const noexcept { return 0; }
std::uint64_t sidecar_view::end(std::uint64_t size) const noexcept { return size; }

std::uint64_t recover_sidecar(const opened_path&, native_handle_type, recovery_mode,
                              std::error_code& ec) noexcept {
  ec.clear();
  return 0;
}

}  // namespace v0
}  // namespace leat
