// Block headers and chunks of a journal, and the search for the next chunk after damage. Called by
// journal_core.cpp, journal_scan.cpp and records.hpp.
#include "journal/frames.hpp"

#include <algorithm>

namespace leat {
inline namespace v0 {
namespace journals {

namespace {

/// Bounds the bytes that a search in one block checksums, so that crafted input cannot make the
/// search quadratic.
constexpr std::size_t most_checksummed = std::size_t{4} << 20;

std::uint32_t header_checksum(const char* bytes, std::uint64_t position) noexcept {
  char number[8];
  store<std::uint64_t>(number, position);
  return ~crc::extend(crc::extend(~std::uint32_t{0}, number, sizeof number), bytes,
                      block_header_size - 4);
}

/// True if a chunk begins at `at`, if `at` is the end of the block or of the file, or if only zeros
/// follow up to that end.
bool is_chunk_boundary(const identity& journal_id, const block& source, std::size_t at) noexcept {
  return chunk_at(journal_id, source, at) || skip_zeros(source.bytes, at) == source.bytes.size();
}

/// Returns the size that the chunk header at `at` claims, or nothing if no chunk can be there.
std::optional<std::size_t> claimed_size(const block& source, std::size_t at) noexcept {
  if (at > source.bytes.size() || source.bytes.size() - at < chunk_header_size) return {};
  const char* const header = source.bytes.data() + at;
  const std::size_t size = load<std::uint16_t>(header + 4);
  const auto type = static_cast<unsigned char>(header[6]);
  if (type < whole || type > mark || size > source.bytes.size() - at - chunk_header_size) return {};
  return size;
}

}  // namespace

std::size_t skip_zeros(std::string_view bytes, std::size_t at) noexcept {
  while (bytes.size() - at >= 8 && load<std::uint64_t>(bytes.data() + at) == 0) at += 8;
  while (at != bytes.size() && bytes[at] == '\0') ++at;
  return at;
}

void put_block_header(char* to, std::uint64_t id, std::uint64_t position) noexcept {
  std::memcpy(to, magic.data(), magic.size());
  store<std::uint64_t>(to + 8, id);
  store<std::uint32_t>(to + 16, version);
  store<std::uint32_t>(to + 20, header_checksum(to, position));
}

std::optional<std::uint64_t> block_header_at(const char* bytes, std::uint64_t position,
                                             bool& other_version) noexcept {
  if (std::memcmp(bytes, magic.data(), magic.size()) != 0 ||
      load<std::uint32_t>(bytes + 20) != header_checksum(bytes, position))
    return {};
  if (load<std::uint32_t>(bytes + 16) == version) return load<std::uint64_t>(bytes + 8);
  other_version = true;
  return {};
}

std::optional<chunk> chunk_at(const identity& journal_id, const block& source,
                              std::size_t at) noexcept {
  const auto size = claimed_size(source, at);
  if (!size) return {};
  const char* const header = source.bytes.data() + at;
  const std::uint32_t sum = checksum_of(journal_id, source.at + at, load<std::uint32_t>(header + 4),
                                        header + chunk_header_size, *size);
  if (load<std::uint32_t>(header) != sum) return {};
  return chunk{at, *size, static_cast<chunk_type>(header[6]), static_cast<std::uint8_t>(header[7])};
}

std::optional<chunk> find_chunk_after_damage(const identity& journal_id, const block& source,
                                             std::size_t at, bool accept_any) noexcept {
  // If the size of the damaged chunk is right, the next chunk is at its end.
  const auto claimed = claimed_size(source, at);
  const std::size_t expected = claimed ? at + chunk_header_size + *claimed : 0;
  std::size_t checksummed = 0;
  for (std::size_t i = at + 1; i < source.bytes.size() && checksummed < most_checksummed; ++i) {
    // No chunk has a header of zeros, so zeros are skipped: a writer may have written many zeros
    // ahead of the records.
    if (source.bytes[i] == '\0') {
      const std::size_t end = skip_zeros(source.bytes, i);
      if (end - i >= chunk_header_size) i = end - chunk_header_size + 1;
    }
    const auto size = claimed_size(source, i);
    if (!size) continue;
    checksummed += *size;
    const auto found = chunk_at(journal_id, source, i);
    if (found &&
        (accept_any || i == expected || is_chunk_boundary(journal_id, source, found->end())))
      return found;
  }
  return {};
}

}  // namespace journals
}  // namespace v0
}  // namespace leat
