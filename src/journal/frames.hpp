// How records lie in a journal, to the bit: docs/journals.md.
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
/// At the start of each block. The first block begins with two of them.
inline constexpr std::size_t block_header = 24;
inline constexpr std::size_t chunk_header = 8;
inline constexpr std::string_view magic{"leat\r\n\x1a\n", 8};
inline constexpr std::uint32_t version = 1;

/// What a chunk is of its record. A mark is of none: it stands behind a record that has damage
/// before it, so that this record stays to be found if what follows is torn.
enum chunk_type : std::uint8_t { whole = 1, first = 2, middle = 3, last = 4, mark = 5 };

/// Which journal it is. Each checksum begins with it, so that no other journal's chunks count.
struct identity {
  std::uint64_t id = 0;
  std::uint32_t state = 0;  // of a checksum over the id
  const crc::way* sums = &crc::by_tables;

  identity() = default;
  explicit identity(std::uint64_t of) noexcept : id(of), sums(&crc::quickest()) {
    const little<std::uint64_t> bytes = of;
    state = sums->extend(~std::uint32_t{0}, reinterpret_cast<const char*>(&bytes), sizeof bytes);
  }
};

/// Where a block's chunks begin, in bytes from its start.
constexpr std::size_t first_chunk(std::uint64_t block_at) noexcept {
  return block_at == 0 ? 2 * block_header : block_header;
}
constexpr std::uint64_t block_of(std::uint64_t position) noexcept {
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

/// The checksum of a chunk at `position` of the file, of the second half of its header and of its n
/// bytes. It begins with the id and the position, both halves of it, so that a chunk counts in its
/// place only.
inline std::uint32_t sum_of(const identity& who, std::uint64_t position, std::uint32_t header,
                            const char* bytes, std::size_t n) noexcept {
  const auto low = static_cast<std::uint32_t>(position);
  const auto high = static_cast<std::uint32_t>(position >> 32);
  return ~who.sums->extend_from(who.state ^ low ^ high, header, bytes, n);
}

/// Makes the header of a chunk of these bytes, which belong behind it.
inline void seal(const identity& who, std::uint64_t position, char* chunk, std::string_view bytes,
                 chunk_type type, std::uint8_t kind) noexcept {
  const std::uint32_t header = static_cast<std::uint32_t>(bytes.size()) |
                               std::uint32_t{type} << 16 | std::uint32_t{kind} << 24;
  store<std::uint32_t>(chunk + 4, header);
  store<std::uint32_t>(chunk, sum_of(who, position, header, bytes.data(), bytes.size()));
}

/// Where the zeros end that begin at `at`: there, if no zero is there.
std::size_t skip_zeros(std::string_view bytes, std::size_t at) noexcept;

/// Makes a header of a block, which begins at `position`.
void put_block_header(char* to, std::uint64_t id, std::uint64_t position) noexcept;
/// The id in such a header; nothing if it is none. `later`: it is of a version that nobody here
/// knows.
std::optional<std::uint64_t> block_header_at(const char* bytes, std::uint64_t position,
                                             bool& later) noexcept;

/// A part of a record, in one block.
struct chunk {
  std::size_t at = 0;  // from the start of the block
  std::size_t size = 0;
  chunk_type type = whole;
  std::uint8_t kind = 0;

  std::size_t begin() const noexcept { return at + chunk_header; }
  std::size_t end() const noexcept { return begin() + size; }
  /// What is before it is no torn tail.
  bool ends_record() const noexcept { return type == whole || type == last || type == mark; }
  bool begins_record() const noexcept { return type == whole || type == first; }
};

/// A block of a file, or what the file has of it.
struct block {
  std::uint64_t at = 0;
  std::string_view bytes;

  bool is_whole() const noexcept { return bytes.size() == block_size; }
};

/// The chunk there, if it is one and as it was written.
std::optional<chunk> chunk_at(const identity& who, const block& in, std::size_t at) noexcept;
/// The first chunk behind the damage that begins at `at`. A place where none is expected has to be
/// followed by another chunk, or by the end: bytes by chance look like a chunk too often otherwise.
/// `careful`: such bytes count, too, because nobody reads them, but what is there may be cut.
std::optional<chunk> search(const identity& who, const block& in, std::size_t at,
                            bool careful = false) noexcept;
/// The next chunk from `at` on, over damage or not.
inline std::optional<chunk> next_chunk(const identity& who, const block& in, std::size_t at,
                                       bool careful = false) noexcept {
  const auto here = chunk_at(who, in, at);
  return here ? here : search(who, in, at, careful);
}

}  // namespace journals
}  // namespace v0
}  // namespace leat
