// The format of the records of a journal (a write-ahead log), byte for byte; docs/journals.md
// describes the format. The readers and writers of journals use these functions.
#pragma once

#include <leat/endian.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/crc32c.hpp"

namespace leat {
inline namespace v0 {
namespace journals {

inline constexpr std::size_t block_size = 32 << 10;
/// The size of the header at the start of each block. The first block begins with two headers.
inline constexpr std::size_t block_header_size = 24;
inline constexpr std::size_t chunk_header_size = 8;
inline constexpr std::string_view magic{"leat\r\n\x1a\n", 8};
inline constexpr std::uint32_t version = 1;

/// The part of a record that a chunk holds. A mark holds no part of a record. A mark follows a
/// record that comes after damage: if the bytes after the mark are torn, the record is still found.
enum chunk_type : std::uint8_t { whole = 1, first = 2, middle = 3, last = 4, mark = 5 };

/// The identity of a journal. Each checksum begins with the identity, so that chunks of other
/// journals are invalid.
struct identity {
  std::uint64_t id = 0;
  std::uint32_t state = 0;  // the state of a checksum over the id
  const crc::implementation* checksum = &crc::by_tables;

  identity() = default;
  explicit identity(std::uint64_t number) noexcept : id(number), checksum(&crc::fastest()) {
    const little<std::uint64_t> bytes = number;
    state =
        checksum->extend(~std::uint32_t{0}, reinterpret_cast<const char*>(&bytes), sizeof bytes);
  }
};

/// Offset of a block's first chunk from the start of the block.
constexpr std::size_t first_chunk_offset(std::uint64_t block_at) noexcept {
  return block_at == 0 ? 2 * block_header_size : block_header_size;
}
constexpr std::uint64_t block_start(std::uint64_t position) noexcept {
  return position - position % block_size;
}

template <class T>
void store(char* to, T value) noexcept {
  const little<T> bytes = value;
  std::memcpy(to, &bytes, sizeof bytes);
}
template <class T>
T load(const char* from) noexcept {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof bytes);
  return std::bit_cast<little<T>>(bytes);
}

/// Returns the state with which the checksum of a chunk at `position` in the file begins.
inline std::uint32_t first_state(const identity& journal_id, std::uint64_t position) noexcept {
  return journal_id.state ^ static_cast<std::uint32_t>(position) ^
         static_cast<std::uint32_t>(position >> 32);
}

/// Returns the checksum of a chunk at `position` in the file: of `header`, the second half of the
/// chunk's header, and of the chunk's n bytes. The checksum begins with the id and both halves of
/// the position, so that a chunk is valid only at its own position.
inline std::uint32_t checksum_of(const identity& journal_id, std::uint64_t position,
                                 std::uint32_t header, const char* bytes, std::size_t n) noexcept {
  return ~journal_id.checksum->extend_from(first_state(journal_id, position), header, bytes, n);
}

/// Writes the header of a chunk of `bytes` to `chunk`. The caller copies the bytes after the
/// header.
inline void put_chunk_header(const identity& journal_id, std::uint64_t position, char* chunk,
                             std::string_view bytes, chunk_type type, std::uint8_t kind) noexcept {
  const std::uint32_t header = static_cast<std::uint32_t>(bytes.size()) |
                               std::uint32_t{type} << 16 | std::uint32_t{kind} << 24;
  store<std::uint32_t>(chunk + 4, header);
  store<std::uint32_t>(chunk,
                       checksum_of(journal_id, position, header, bytes.data(), bytes.size()));
}

/// Returns the end of the zeros that begin at `at`. If the byte at `at` is not zero, returns `at`.
std::size_t skip_zeros(std::string_view bytes, std::size_t at) noexcept;

/// Writes the block header that belongs at `position` to `to`.
void put_block_header(char* to, std::uint64_t id, std::uint64_t position) noexcept;
/// Returns the id in a block header, or nothing if the bytes are not a valid header of this
/// version. If the header is valid but has another version, sets `other_version`.
std::optional<std::uint64_t> block_header_at(const char* bytes, std::uint64_t position,
                                             bool& other_version) noexcept;

/// A part of a record, in one block.
struct chunk {
  std::size_t at = 0;  // offset from the start of the block
  std::size_t size = 0;
  chunk_type type = whole;
  std::uint8_t kind = 0;

  std::size_t begin() const noexcept { return at + chunk_header_size; }
  std::size_t end() const noexcept { return begin() + size; }
  /// True if a record ends with this chunk, or if the chunk is a mark. Then the bytes up to the
  /// chunk's end are not a torn tail.
  bool ends_record() const noexcept { return type == whole || type == last || type == mark; }
  bool begins_record() const noexcept { return type == whole || type == first; }
};

/// A block of a file, or the part of the block that the file has.
struct block {
  std::uint64_t at = 0;  // offset from the start of the file
  std::string_view bytes;

  bool is_whole() const noexcept { return bytes.size() == block_size; }
};

/// Returns the chunk at `at`, or nothing if no intact chunk is at `at`.
std::optional<chunk> chunk_at(const identity& journal_id, const block& source,
                              std::size_t at) noexcept;
/// Returns the first chunk after the damage that begins at `at`, or nothing if there is no such
/// chunk. At a position where no chunk is expected, a chunk counts only if another chunk, the end,
/// or zeros up to the end follow the chunk: otherwise random bytes look like a chunk too often. If
/// `accept_any` is true, a chunk counts whatever follows the chunk. `accept_any` is for a caller
/// that only decides which bytes to cut.
std::optional<chunk> find_chunk_after_damage(const identity& journal_id, const block& source,
                                             std::size_t at, bool accept_any = false) noexcept;
/// Returns the first chunk that begins at or after `at`, with or without damage before the chunk.
inline std::optional<chunk> next_chunk(const identity& journal_id, const block& source,
                                       std::size_t at, bool accept_any = false) noexcept {
  const auto exact = chunk_at(journal_id, source, at);
  return exact ? exact : find_chunk_after_damage(journal_id, source, at, accept_any);
}

}  // namespace journals
}  // namespace v0
}  // namespace leat
