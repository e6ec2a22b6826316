// Reads a file ahead of a program that reads the file from front to back. direct.cpp uses this
// class.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>

#include "device/direct/blocks.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

/// Threads that read the next chunks of a file. Only one thread at a time may call read()
/// and drop().
class read_ahead {
 public:
  /// If no thread can be started, throws std::system_error. Throws std::bad_alloc.
  explicit read_ahead(device& disk);
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;
  ~read_ahead() { stop(); }

  /// False in a forked child, because the child does not have the threads. In the child the object
  /// can be neither used nor destroyed.
  bool is_alive() const noexcept { return process_ == this_process(); }

  /// Waits for the chunk that contains the position `at`, and copies bytes from the chunk. Returns
  /// the number of bytes, at most up to the chunk's end. A result of 0 without an error means that
  /// the file ended at `at` or before `at` when the chunk was read. The chunk may have been read
  /// long ago.
  std::size_t read(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept;

  /// Drops all chunks, because the file may have changed since the chunks were read.
  void drop() noexcept;

 private:
  /// 1 MiB, because reading 1 MiB takes much longer than starting the request.
  static constexpr std::size_t chunk_size = 1 << 20;
  static constexpr std::size_t chunk_count = 4;  // one chunk in use, three chunks read ahead
  static constexpr std::size_t thread_count = 2;
  /// The number of a chunk that was dropped while a thread was reading it.
  static constexpr std::uint64_t no_number = (std::numeric_limits<std::uint64_t>::max)();

  enum class stage { unused, wanted, reading, ready };
  struct chunk {
    std::uint64_t number = 0;  // the chunk's position in the file, in units of chunk_size
    stage state = stage::unused;
    std::size_t size = 0;  // number of bytes that were read
    std::error_code ec;    // the error that followed these bytes
    aligned_memory memory;
  };

  chunk* find(std::uint64_t number) noexcept;
  chunk* next_wanted() noexcept;
  void request_chunks(std::uint64_t first) noexcept;
  void run() noexcept;
  void fill(chunk& one, std::uint64_t number) noexcept;
  void stop() noexcept;

  device* disk_;
  process_id process_;
  std::mutex lock_;
  std::condition_variable work_ready_, chunk_ready_;
  std::array<chunk, chunk_count> chunks_;
  std::array<std::thread, thread_count> threads_;
  bool stopping_ = false;
};

}  // namespace v0
}  // namespace leat
