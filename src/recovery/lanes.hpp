// Lanes: where threads that share a stream put their calls without waiting for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>

#include "base/thread_number.hpp"

namespace leat {
inline namespace v0 {

/// One thread's piece of a sidecar, as it is in the file, or of memory: this head, and calls one
/// behind the other. Each call is its stamp, its size and its bytes, in a multiple of 8 bytes.
///
/// A stamp is a time of a clock that all processors share. So calls of all lanes have one order,
/// and a call that began after another one had returned comes behind it.
struct alignas(64) lane {
  static constexpr std::size_t count = thread_number::most + 1;  // the first one is for all others
  // Smaller ones would be full so often that one call of a thousand waits for that.
  static constexpr std::size_t size = 128 << 10;
  static constexpr std::size_t room = size - 64;
  static constexpr std::size_t head = 16;  // of a call
  static constexpr std::uint64_t no_call = 0, unknown_stamp = 1;
  static constexpr std::uint64_t all_times = (std::numeric_limits<std::uint64_t>::max)();

  /// The call that is being put: who looks from outside can't know its bytes yet, but when it
  /// began.
  std::atomic<std::uint64_t> begun;
  std::atomic<std::uint32_t> used;  // bytes of whole calls

  static constexpr std::size_t size_of(std::size_t bytes) noexcept {
    return (head + bytes + 7) / 8 * 8;
  }
};

/// The clock of stamps. Its values are above lane::unknown_stamp.
enum class lane_clock : std::uint32_t { none, processor, monotonic };

inline constexpr std::size_t lanes_size = lane::count * lane::size;

/// Puts the calls of all lanes that are older than `before` one behind the other, into `lanes_size`
/// bytes. Returns how many. What is no call ends its lane.
std::size_t merge_lanes(const char* lanes, std::uint64_t before, char* into) noexcept;
/// The time now, as stamps have it.
std::uint64_t lane_time(lane_clock clock) noexcept;
/// All calls that are older than this are in the lanes, and no older one will come. It is the time
/// now, but for a call that is being put. 0: that can't be told now.
std::uint64_t settled_before(const char* lanes, lane_clock clock) noexcept;

/// The way of threads into the lanes of their stream. Who has the lock of the
/// stream opens and closes it. It lives as long as the stream that threads share.
class lane_gate {
 public:
  enum class result {
    taken,   ///< the lanes have the bytes
    closed,  ///< none was taken: this call needs the stream's lock
    full,    ///< as `closed`; who has the lock moves the lanes' bytes
    shared,  ///< taken, but others write to the file: the lanes must be closed at once
  };

  /// Takes the bytes of one call, on any thread.
  result put(std::string_view bytes) noexcept {
    const unsigned number = thread_number::mine();
    return number != 0 ? put(number, bytes) : result::closed;
  }
  /// The same for the thread that has the stream's lock.
  result put_locked(std::string_view bytes) noexcept { return put(thread_number::mine(), bytes); }

  /// False if the system can't tell other threads to look at once: then it never opens.
  /// The first call takes up to 27 ms where there are threads already, otherwise some microseconds.
  static bool is_possible() noexcept;
  /// Opens it. Each lane may take `room` bytes. `late_at` is the second of the file clock from
  /// which on each call needs the lock.
  void open(char* lanes, const std::atomic<std::uint32_t>& shared, lane_clock clock,
            std::size_t room, std::int64_t late_at) noexcept;
  /// Afterwards no thread is inside. Returns how many bytes were taken since it was opened.
  std::uint64_t close() noexcept;
  bool is_open() const noexcept { return lanes_.load(std::memory_order_relaxed) != nullptr; }
  /// How many bytes were taken since it was opened, by calls that have returned.
  std::uint64_t taken() const noexcept;
  /// Called in a forked child, where the other threads are not.
  void after_fork_in_child() noexcept;

  static constexpr std::int64_t never_late = (std::numeric_limits<std::int64_t>::max)();

 private:
  /// Each thread stores to its own, so that they don't wait for each other's processors.
  struct alignas(64) door {
    std::atomic<bool> inside{false};
    std::atomic<std::uint64_t> taken{0};
  };

  result put(unsigned number, std::string_view bytes) noexcept;

  std::array<door, lane::count> doors_{};
  alignas(64) std::atomic<char*> lanes_{nullptr};  // null: it is closed
  // These change only while it is closed. Linux alone uses them.
  [[maybe_unused]] const std::atomic<std::uint32_t>* shared_ = nullptr;
  [[maybe_unused]] lane_clock clock_ = lane_clock::none;
  [[maybe_unused]] std::size_t room_ = 0;
  [[maybe_unused]] std::int64_t late_at_ = never_late;
};

/// Lanes that are in no file, and memory for what they hold together.
struct lane_memory {
  static inline const std::atomic<std::uint32_t> not_shared{0};

  void clear() noexcept {
    for (std::size_t i = 0; i != lane::count; ++i) new (lanes + i * lane::size) lane{};
  }

  alignas(lane) char lanes[lanes_size];
  char merged[lanes_size];
};

/// The clock that stamps of this process come from. `none`: it has none that all processors share.
lane_clock best_lane_clock() noexcept;

}  // namespace v0
}  // namespace leat
