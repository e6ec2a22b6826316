// Memory as a FILE. The memory is the window: there is no second buffer in front of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "stdio/file.hpp"
#include "stdio/mode.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// What the memory streams share: a cursor in memory that holds all bytes.
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
  bool appends() const noexcept override { return appends_; }
  void purge(leat_file& f) noexcept override { settle(f); }
  bool close(leat_file& f) noexcept override;

 protected:
  /// One position is `unit` bytes.
  explicit memory_stream(std::size_t unit) noexcept : unit_(unit) {}

  /// Makes the memory large enough for `end` bytes; false (errno) if that is not possible.
  virtual bool reserve(std::size_t end) noexcept = 0;
  /// Called when the bytes have changed, or the program may look at them: puts a NUL behind them.
  virtual void terminate() noexcept = 0;

  void settle(leat_file& f) noexcept;

  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;  // bytes that can be read
  std::size_t at_ = 0;    // the cursor, while there is no window
  bool appends_ = false;

 private:
  std::size_t cursor(const leat_file& f) const noexcept;

  std::size_t unit_;
};

/// fmemopen.
class fixed_stream final : public memory_stream {
 public:
  /// If `memory` is null the stream allocates it; memory() is null if that fails.
  fixed_stream(char* memory, std::size_t size, const open_mode& mode) noexcept;

  bool has_memory() const noexcept { return memory_ != nullptr; }

 private:
  bool reserve(std::size_t end) noexcept override;
  void terminate() noexcept override;

  std::unique_ptr<char[]> own_;
  bool writes_only_;
  std::size_t terminated_ = 0;  // no NUL is needed up to this size
};

/// open_memstream and open_wmemstream: memory of malloc. Each flush and the close store its
/// address, and its size in characters, in the program's variables.
template <class Char>
class growing_stream final : public memory_stream {
 public:
  growing_stream(Char** where, std::size_t* size) noexcept;

  bool has_memory() const noexcept { return memory_ != nullptr; }
  bool stores_wide() const noexcept override { return sizeof(Char) != 1; }
  bool close(leat_file& f) noexcept override;

 private:
  /// The size for the program, in bytes: POSIX says the smaller of the text and the position.
  std::size_t told() const noexcept { return std::min(at_, size_); }
  bool reserve(std::size_t end) noexcept override;
  void terminate() noexcept override;

  Char** where_;
  std::size_t* told_size_;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
