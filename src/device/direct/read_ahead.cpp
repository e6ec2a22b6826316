// The threads that read chunks, and the planning of the next chunks. direct.cpp uses read_ahead.
#include "device/direct/read_ahead.hpp"

#include <algorithm>
#include <cstring>

#include "base/no_cancel.hpp"
#include "base/service_thread.hpp"

namespace leat {
inline namespace v0 {

read_ahead::read_ahead(device& disk) : disk_(&disk), process_(this_process()) {
  for (auto& one : chunks_) one.memory = allocate_aligned(chunk_size);
  try {
    for (auto& one : threads_) one = start_service_thread([this] { run(); });
  } catch (...) {
    stop();
    throw;
  }
}

std::size_t read_ahead::read(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept {
  const no_cancel no_cancellation;
  const std::uint64_t number = at / chunk_size;
  std::unique_lock guard(lock_);
  request_chunks(number);
  chunk* found = nullptr;
  chunk_ready_.wait(guard, [&] {
    if (found == nullptr) found = find(number);
    if (found == nullptr) request_chunks(number);  // now a chunk of another position may be free
    return found != nullptr && found->state == stage::ready;
  });
  const auto from = std::min(static_cast<std::size_t>(at % chunk_size), found->size);
  const std::size_t n = std::min(into.size(), found->size - from);
  ec = n == 0 ? found->ec : std::error_code{};
  // The next call reads the chunk again: the file may have grown, or the failure may be over.
  if (n == 0) found->state = stage::unused;
  guard.unlock();
  if (n != 0) std::memcpy(into.data(), found->memory.get() + from, n);
  return n;
}

void read_ahead::drop() noexcept {
  const no_cancel no_cancellation;
  const std::lock_guard guard(lock_);
  for (auto& one : chunks_) {
    if (one.state == stage::reading)
      one.number = no_number;
    else
      one.state = stage::unused;
  }
}

read_ahead::chunk* read_ahead::find(std::uint64_t number) noexcept {
  const auto has_number = [&](const chunk& one) {
    return one.state != stage::unused && one.number == number;
  };
  const auto found = std::ranges::find_if(chunks_, has_number);
  return found == chunks_.end() ? nullptr : &*found;
}

/// Requests the chunk_count chunks from number `first` on. The chunks go into the memory of chunks
/// that are not needed any more. If no such memory is left, requests fewer chunks. Called with the
/// lock held.
void read_ahead::request_chunks(std::uint64_t first) noexcept {
  for (std::uint64_t number = first; number != first + chunk_count; ++number) {
    if (find(number) != nullptr) continue;
    const auto is_free = [&](const chunk& one) {
      return one.state != stage::reading && (one.state == stage::unused || one.number < first ||
                                             one.number >= first + chunk_count);
    };
    const auto spare = std::ranges::find_if(chunks_, is_free);
    if (spare == chunks_.end()) break;
    spare->number = number;
    spare->state = stage::wanted;
    work_ready_.notify_one();
  }
}

read_ahead::chunk* read_ahead::next_wanted() noexcept {
  chunk* next = nullptr;
  for (auto& one : chunks_)
    if (one.state == stage::wanted && (next == nullptr || one.number < next->number)) next = &one;
  return next;
}

/// Runs in each thread: reads the requested chunks until stop().
void read_ahead::run() noexcept {
  std::unique_lock guard(lock_);
  for (;;) {
    chunk* mine = nullptr;
    work_ready_.wait(guard, [&] { return stopping_ || (mine = next_wanted()) != nullptr; });
    if (stopping_) return;
    mine->state = stage::reading;
    const std::uint64_t number = mine->number;  // drop() may change mine->number during the read
    guard.unlock();
    fill(*mine, number);
    guard.lock();
    mine->state = stage::ready;
    chunk_ready_.notify_one();
  }
}

void read_ahead::fill(chunk& one, std::uint64_t number) noexcept {
  read_request whole{number * chunk_size, {one.memory.get(), chunk_size}, 0, {}};
  transfer(*disk_, whole);
  one.size = whole.done;
  one.ec = whole.ec;
}

void read_ahead::stop() noexcept {
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
  }
  work_ready_.notify_all();
  for (auto& one : threads_)
    if (one.joinable()) join(one);
}

}  // namespace v0
}  // namespace leat
