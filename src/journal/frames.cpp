// Block headers and chunks of a journal, and the search for the next chunk after damage.
// journal_core.cpp, journal_scan.cpp and records.hpp call these functions.
#include "journal/frames.hpp"

#include <algorithm>

namespace leat {
inline namespace v0 {
namespace journals {

namespace {

std::uint32_t header_checksum(const char* bytes, std::uint64_t position) noexcept {
  char number[8];
  store<std::uint64_t>(number, position);
  return ~crc::extend(crc::extend(~std::uint32_t{0}, number, sizeof number), bytes,
                      block_header_size - 4);
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

/// Returns the chunk at `at`, if the checksum in the chunk's header equals checksum(at, size).
/// Otherwise returns nothing.
template <class Checksum>
std::optional<chunk> chunk_with(const block& source, std::size_t at, Checksum&& checksum) noexcept {
  const auto size = claimed_size(source, at);
  if (!size) return {};
  const char* const header = source.bytes.data() + at;
  if (load<std::uint32_t>(header) != checksum(at, *size)) return {};
  return chunk{at, *size, static_cast<chunk_type>(header[6]), static_cast<std::uint8_t>(header[7])};
}

/// The checksums of the chunks that a block may have from `first` on. The time for a checksum does
/// not depend on the chunk's size, because a search may test 32 Ki chunks of up to 32 KiB each.
class chunk_checksums {
 public:
  chunk_checksums(const identity& journal_id, const block& source, std::size_t first) noexcept
      : journal_id_(journal_id), source_(source), known_(first / step) {
    states_[known_] = 0;
  }

  std::uint32_t operator()(std::size_t at, std::size_t size) noexcept {
    const std::size_t begin = at + chunk_header_size / 2, end = at + chunk_header_size + size;
    const std::uint32_t before = first_state(journal_id_, source_.at + at) ^ state_at(begin);
    return ~(crc::extend_by_zeros(before, end - begin) ^ state_at(end));
  }

 private:
  static constexpr std::size_t step = 64;

  /// Returns the state after the bytes up to offset n. The state is 0 at the first known offset.
  std::uint32_t state_at(std::size_t n) noexcept {
    const char* const bytes = source_.bytes.data();
    for (; known_ < n / step; ++known_)
      states_[known_ + 1] =
          journal_id_.checksum->extend(states_[known_], bytes + known_ * step, step);
    const std::size_t whole = n - n % step;
    return journal_id_.checksum->extend(states_[n / step], bytes + whole, n - whole);
  }

  const identity& journal_id_;
  const block& source_;
  std::size_t known_;                                        // the last index of a known state
  std::array<std::uint32_t, block_size / step + 1> states_;  // [i]: after step * i bytes
};

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
  return chunk_with(source, at, [&](std::size_t, std::size_t size) {
    const char* const header = source.bytes.data() + at;
    return checksum_of(journal_id, source.at + at, load<std::uint32_t>(header + 4),
                       header + chunk_header_size, size);
  });
}

std::optional<chunk> find_chunk_after_damage(const identity& journal_id, const block& source,
                                             std::size_t at, bool accept_any) noexcept {
  // If the size of the damaged chunk is right, the next chunk is at its end.
  const auto claimed = claimed_size(source, at);
  const std::size_t expected = claimed ? at + chunk_header_size + *claimed : 0;
  chunk_checksums checksum(journal_id, source, at);
  // True if a chunk begins at `i`, if the block or the file ends at `i`, or if only zeros follow up
  // to this end.
  const auto is_boundary = [&](std::size_t i) {
    return chunk_with(source, i, checksum) || skip_zeros(source.bytes, i) == source.bytes.size();
  };
  for (std::size_t i = at + 1; i < source.bytes.size(); ++i) {
    // No chunk has a header of zeros, so zeros are skipped. A writer may have written many zeros
    // ahead of the records.
    if (source.bytes[i] == '\0') {
      const std::size_t end = skip_zeros(source.bytes, i);
      if (end - i >= chunk_header_size) i = end - chunk_header_size + 1;
    }
    const auto found = chunk_with(source, i, checksum);
    if (found && (accept_any || i == expected || is_boundary(found->end()))) return found;
  }
  return {};
}

}  // namespace journals
}  // namespace v0
}  // namespace leat
