#include "codecs/zstd_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

// All numbers are little-endian:
//   mark of a frame without content, 4 bytes, and the size of what follows, 4 bytes
//   for each frame: its size, its content's size, and with the flag a checksum, 4 bytes each
//   number of frames, 4 bytes; flags, 1 byte; mark of a table, 4 bytes
constexpr std::uint32_t frame_mark = 0x184D2A5E;
constexpr std::uint32_t table_mark = 0x8F92EAB1;
constexpr std::size_t head_size = 8, foot_size = 9;
constexpr unsigned checksum_flag = 0x80, reserved_flags = 0x7c;
/// The format's own limit.
constexpr std::uint32_t most_frames = 0x8000000;
/// The table is read in pieces of this size.
constexpr std::size_t piece_size = 96 << 10;

void add_number(std::string& to, std::uint64_t value) {
  for (int shift = 0; shift != 32; shift += 8) to += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t number_at(const char* from) noexcept {
  std::uint32_t value = 0;
  for (int i = 4; i-- != 0;) value = value << 8 | static_cast<unsigned char>(from[i]);
  return value;
}

/// False: an error, or the file ends before.
bool read_exactly(device& file, std::uint64_t at, std::span<char> into, std::error_code& ec) {
  while (!into.empty()) {
    const std::size_t n = file.read_at(at, into, ec);
    if (ec == std::errc::interrupted) continue;
    if (n == 0) return false;
    at += n;
    into = into.subspan(n);
  }
  ec.clear();
  return true;
}

}  // namespace

std::string table_of(std::span<const zstd_frame> frames) {
  std::string table;
  const std::size_t size = frames.size() * 8 + foot_size;
  table.reserve(head_size + size);
  add_number(table, frame_mark);
  add_number(table, size);
  for (const zstd_frame& one : frames) {
    add_number(table, one.encoded);
    add_number(table, one.content);
  }
  add_number(table, frames.size());
  table += '\0';
  add_number(table, table_mark);
  return table;
}

frame_places places_in(device& file, std::error_code& ec) {
  frame_places none;
  const std::uint64_t size = file.size(ec);
  if (ec) {  // a file of which nobody knows the end
    ec.clear();
    return none;
  }
  std::array<char, foot_size> foot;
  if (size < head_size + foot_size || !read_exactly(file, size - foot_size, foot, ec)) return none;
  const std::uint32_t count = number_at(foot.data());
  const unsigned flags = static_cast<unsigned char>(foot[4]);
  if (number_at(&foot[5]) != table_mark || (flags & reserved_flags) != 0 || count > most_frames)
    return none;
  const std::size_t entry = (flags & checksum_flag) != 0 ? 12 : 8;
  const std::uint64_t entries = std::uint64_t{count} * entry;
  if (size < head_size + entries + foot_size) return none;
  const std::uint64_t begin = size - foot_size - entries - head_size;
  std::array<char, head_size> head;
  if (!read_exactly(file, begin, head, ec)) return none;
  if (number_at(head.data()) != frame_mark || number_at(&head[4]) != entries + foot_size)
    return none;

  frame_places found{{0}, {0}};
  std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, entries)), '\0');
  for (std::uint64_t at = 0; at != entries;) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), entries - at));
    if (!read_exactly(file, begin + head_size + at, {piece.data(), n}, ec)) return none;
    for (std::size_t i = 0; i != n; i += entry) {
      found.encoded.push_back(found.encoded.back() + number_at(&piece[i]));
      found.content.push_back(found.content.back() + number_at(&piece[i + 4]));
    }
    at += n;
  }
  // All frames stand before the table, or it belongs to another file.
  return found.encoded.back() == begin && count != 0 ? found : none;
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
