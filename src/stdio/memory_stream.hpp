// Memory as a FILE. The memory itself is the stream's buffer: no bytes are copied twice. open.cpp
// makes these streams.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "stdio/file.hpp"
#include "stdio/mode.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// The base of the memory streams: a cursor in memory that holds all bytes.
class memory_stream : public stream {
 public:
  bool begin_reading(leat_file& f) noexcept override;
  bool fill(leat_file& f) noexcept override;
  std::size_t read(leat_file& f, char* to, std::size_t n) noexcept override;
  std::size_t write(leat_file& f, const char* from, std::size_t n) noexcept override;
  bool flush(leat_file& f) noexcept override;
  bool seek(leat_file& f, std::int64_t target) noexcept override;
  std::int64_t end(leat_file& f) noexcept override;
  std::int64_t tell(leat_file& f) noexcept override;
  std::size_t pending(const leat_file& f) const noexcept override {
    return state_ == state::writing ? cursor(f) - std::min(at_, cursor(f)) : 0;
  }
  void remove_pending(leat_file& f, std::size_t n) noexcept override;
  bool appends() const noexcept override { return appends_; }
  void purge(leat_file& f) noexcept override { end_state(f); }
  bool close(leat_file& f) noexcept override;

 protected:
  /// Positions count units of `unit` bytes: a wide stream's unit is sizeof(wchar_t).
  explicit memory_stream(std::size_t unit) noexcept : unit_(unit) {}

  /// Makes the memory large enough for `end` bytes. Returns false (errno) if there is not enough
  /// memory.
  virtual bool reserve(std::size_t end) noexcept = 0;
  /// Puts a NUL after the bytes. If the memory of a fixed_stream is full, a stream that only
  /// writes replaces the last byte by the NUL, and another stream writes no NUL. A growing_stream
  /// also stores the address and the size. Called when the bytes may have changed, or when the
  /// program may read the bytes.
  virtual void terminate() noexcept = 0;

  void end_state(leat_file& f) noexcept;

  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;  // bytes that can be read
  // If the state is idle, the cursor. Otherwise the cursor at the start of the state or, while
  // writing, at the last flush.
  std::size_t at_ = 0;
  bool appends_ = false;

 private:
  std::size_t cursor(const leat_file& f) const noexcept;

  std::size_t unit_;
};

/// fmemopen.
class fixed_stream final : public memory_stream {
 public:
  /// If `memory` is null, the stream allocates its memory. has_memory() is false if the allocation
  /// failed.
  fixed_stream(char* memory, std::size_t size, const open_mode& mode) noexcept;

  bool has_memory() const noexcept { return memory_ != nullptr; }

 private:
  bool reserve(std::size_t end) noexcept override;
  void terminate() noexcept override;

  std::unique_ptr<char[]> own_;
  bool writes_only_;
  std::size_t terminated_size_ = 0;  // a NUL is needed only if size_ > terminated_size_
};

/// open_memstream and open_wmemstream: memory of malloc, which the program frees. The constructor,
/// each flush, each seek and the close store the address, and the size in characters, in the
/// program's variables.
template <class Char>
class growing_stream final : public memory_stream {
 public:
  /// The variables must outlive the stream. If there is no memory, has_memory() is false, and the
  /// variables are unchanged.
  growing_stream(Char** where, std::size_t* size) noexcept;

  bool has_memory() const noexcept { return memory_ != nullptr; }
  bool stores_wide() const noexcept override { return sizeof(Char) != 1; }
  bool close(leat_file& f) noexcept override;

 private:
  /// The size reported to the program, in bytes. POSIX: the smaller of the text's size and the
  /// position.
  std::size_t visible_size() const noexcept { return std::min(at_, size_); }
  bool reserve(std::size_t end) noexcept override;
  void terminate() noexcept override;

  Char** where_;
  std::size_t* reported_size_;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
