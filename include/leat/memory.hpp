// Streams over memory: memory_writer, string_writer and memory_reader. The memory is the buffer of
// the stream.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <concepts>
#include <span>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {

/// Writes into memory of a fixed size that the caller owns. Keeps exactly the bytes that fit.
/// lost() counts the other bytes, and flush and close report the loss (errc::memory_full). Bytes
/// after a loss are lost too, because the memory is full. After a seek backwards, later bytes
/// overwrite the text up to its end. lost() and the error stay until clear(). A seek to a position
/// after the written text fails (invalid_seek). The bytes of the area after the text are
/// unspecified. Nothing is allocated.
class LEAT_API memory_writer final : public detail::sole_writer {
 public:
  /// A writer into `area`, which must outlive the writer.
  explicit memory_writer(std::span<char> area) noexcept;
  explicit memory_writer(std::span<std::byte> area) noexcept;
  memory_writer(memory_writer&& other) noexcept;
  memory_writer& operator=(memory_writer&& other) noexcept;
  ~memory_writer();

  /// The text written so far; valid as long as the area exists.
  std::string_view view() const noexcept;
  /// Clears the text and the count of lost bytes, even if no call has reported the loss, and starts
  /// at the beginning. A closed writer is open again. Unlike after seek(0), view() is then empty,
  /// and print may overwrite bytes after the cursor.
  void clear() noexcept;

 private:
  friend class fixed_sink;
  template <class>
  friend class memory_sink;

  void take_all(memory_writer& other) noexcept;

  char* begin_ = nullptr;
  char* text_end_ = nullptr;  // the end of the written text, also after a seek backwards
  char* limit_ = nullptr;     // the end of the memory
  std::uint64_t lost_ = 0;
  std::uint64_t reported_ = 0;
};

/// Writes into memory that grows as needed. A seek to a position after the written text fails
/// (invalid_seek). If the memory runs out, the rest and all later output are dropped and counted,
/// until clear() or take(). flush and close report the loss (not_enough_memory).
///
/// @par Time
/// Linear in the bytes written: the memory doubles when it is full.
class LEAT_API string_writer final : public detail::sole_writer {
 public:
  /// A writer with an empty text. The first byte allocates memory.
  string_writer() noexcept;
  string_writer(string_writer&& other) noexcept;
  string_writer& operator=(string_writer&& other) noexcept;
  ~string_writer();

  /// The text written so far; valid until the next call that writes. The text may be an argument of
  /// that call: `text.write(text.view())` doubles the text.
  std::string_view view() const noexcept;
  /// Returns a copy of the text and starts at the beginning. A closed writer is open again. Calls
  /// the loss handler for unreported losses. If there is no memory for the copy, throws
  /// std::bad_alloc and changes nothing.
  std::string take();
  /// Clears the text and the count of lost bytes, even if no call has reported the loss. A closed
  /// writer is open again. Keeps the memory.
  void clear() noexcept;

 private:
  friend class growing_sink;
  template <class>
  friend class memory_sink;

  void take_all(string_writer& other) noexcept;

  char* begin_ = nullptr;
  char* text_end_ = nullptr;
  char* limit_ = nullptr;
  std::uint64_t lost_ = 0;
  std::uint64_t reported_ = 0;
};

/// Reads memory that the caller owns. There is no copy, and nothing is allocated.
class LEAT_API memory_reader final : public concrete_reader<memory_reader, 0> {
 public:
  /// A reader of memory that must outlive the reader.
  explicit memory_reader(std::string_view text) noexcept;
  explicit memory_reader(std::span<const std::byte> bytes) noexcept;
  template <std::same_as<std::string> Text>
  explicit memory_reader(Text&&) LEAT_DELETED("a temporary is destroyed before it is read");
  memory_reader(memory_reader&& other) noexcept;
  memory_reader& operator=(memory_reader&& other) noexcept;
  ~memory_reader() = default;

 private:
  friend class memory_source;
  std::string_view text_;
};

}  // namespace v0
}  // namespace leat
