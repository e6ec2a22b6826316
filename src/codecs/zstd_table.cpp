// Makes and parses the table of frames. zstd.cpp appends the table to files that it writes;
// codecs.cpp calls read_frame_offsets() when it opens a file.
#include "codecs/zstd_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "codecs/xxh64.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

// All numbers are little-endian. The table has these parts:
//   magic number of a skippable frame, 4 bytes; size of the rest, 4 bytes
//   for each frame: the frame's size, 4 bytes; the content's size, 4 bytes; if checksum_flag is
//   set, a checksum, 4 bytes
//   number of frames, 4 bytes; flags, 1 byte; magic number of a table, 4 bytes
// leat writes the check frame before the table. The table lists the check frame, with a content
// size of 0. The check frame has these parts:
//   magic number of a skippable frame, 4 bytes; the number 16, 4 bytes
//   check_name, 8 bytes; XXH64 of the bytes after this frame, to the end of the file, 8 bytes
constexpr std::uint32_t frame_magic = 0x184D2A5E, check_magic = 0x184D2A5D;
constexpr std::string_view check_name = "leattabl";
constexpr std::size_t check_content_size = 16, check_size = 8 + check_content_size;
constexpr std::uint32_t table_magic = 0x8F92EAB1;
constexpr std::size_t header_size = 8, footer_size = 9;
constexpr unsigned checksum_flag = 0x80, reserved_flags = 0x7c;
/// The format's own limit of the number of frames.
constexpr std::uint32_t most_frames = 0x8000000;
/// Every frame has at least this many bytes.
constexpr std::uint32_t smallest_frame = 8;
/// The table is read in pieces of this size: a multiple of the entries' sizes, 8 and 12 bytes.
constexpr std::size_t piece_size = 96 << 10;

/// Appends the lower 32 bits of `value`, little-endian.
void add_number(std::string& to, std::uint64_t value) {
  for (int shift = 0; shift != 32; shift += 8) to += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t number_at(const char* from) noexcept {
  std::uint32_t value = 0;
  for (int i = 4; i-- != 0;) value = value << 8 | static_cast<unsigned char>(from[i]);
  return value;
}

/// The part of the check frame before the checksum.
std::string check_header() {
  std::string head;
  add_number(head, check_magic);
  add_number(head, check_content_size);
  return head += check_name;
}

/// Reads all of `into`. Returns false on an error, or if the file is too short.
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

std::string make_table(std::span<const zstd_frame> frames) {
  std::string table;
  const std::size_t count = frames.size() + 1, size = count * 8 + footer_size;
  table.reserve(header_size + size);
  add_number(table, frame_magic);
  add_number(table, size);
  for (const zstd_frame& frame : frames) {
    add_number(table, frame.encoded);
    add_number(table, frame.content);
  }
  add_number(table, check_size);
  add_number(table, 0);
  add_number(table, count);
  table += '\0';
  add_number(table, table_magic);

  std::string check = check_header();
  const std::uint64_t sum = xxh64_of(table);
  add_number(check, sum);
  add_number(check, sum >> 32);
  return check + table;
}

frame_offsets read_frame_offsets(device& file, std::uint64_t most_memory, std::error_code& ec) {
  frame_offsets none;
  const std::uint64_t size = file.size(ec);
  if (ec) {  // the size is unknown
    ec.clear();
    return none;
  }
  std::array<char, footer_size> footer;
  if (size < header_size + footer_size || !read_exactly(file, size - footer_size, footer, ec))
    return none;
  const std::uint32_t count = number_at(footer.data());
  const unsigned flags = static_cast<unsigned char>(footer[4]);
  if (number_at(&footer[5]) != table_magic || (flags & reserved_flags) != 0 || count > most_frames)
    return none;
  const bool has_checksums = (flags & checksum_flag) != 0;
  const std::size_t entry_size = has_checksums ? 12 : 8;
  const std::uint64_t entries_size = std::uint64_t{count} * entry_size;
  if (size < header_size + entries_size + footer_size) return none;
  const std::uint64_t begin = size - footer_size - entries_size - header_size;
  if (begin < std::uint64_t{count} * smallest_frame || count == 0) return none;
  std::array<char, check_size + header_size> check_and_header;
  const std::span header = std::span(check_and_header).last(header_size);
  const bool may_have_check = begin >= check_size;
  if (!read_exactly(file, may_have_check ? begin - check_size : begin,
                    may_have_check ? std::span(check_and_header) : header, ec))
    return none;
  if (number_at(header.data()) != frame_magic ||
      number_at(&header[4]) != entries_size + footer_size)
    return none;
  const std::uint64_t entry_memory = 2 * sizeof(std::uint64_t) + (has_checksums ? 4 : 0);
  if (most_memory / entry_memory <= count) return none;

  frame_offsets found;
  found.encoded.reserve(count + std::size_t{1});
  found.content.reserve(count + std::size_t{1});
  if (has_checksums) found.checksums.reserve(count);
  found.encoded.push_back(0);
  found.content.push_back(0);
  xxh64 sum;
  sum.add({header.data(), header.size()});
  std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, entries_size)),
                    '\0');
  for (std::uint64_t at = 0; at != entries_size;) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), entries_size - at));
    if (!read_exactly(file, begin + header_size + at, {piece.data(), n}, ec)) return none;
    sum.add({piece.data(), n});
    for (std::size_t i = 0; i != n; i += entry_size) {
      if (number_at(&piece[i]) < smallest_frame) return none;
      found.encoded.push_back(found.encoded.back() + number_at(&piece[i]));
      found.content.push_back(found.content.back() + number_at(&piece[i + 4]));
      if (has_checksums) found.checksums.push_back(number_at(&piece[i + 8]));
    }
    at += n;
  }
  sum.add({footer.data(), footer.size()});
  if (may_have_check) {
    const std::string_view check(check_and_header.data(), check_size);
    const std::string wanted = check_header();
    if (check.starts_with(wanted) &&
        (number_at(&check[wanted.size()]) != (sum.value() & 0xffffffff) ||
         number_at(&check[wanted.size() + 4]) != sum.value() >> 32)) {
      none.is_damaged = true;
      return none;
    }
  }
  // The frames must fill the file up to the table. Otherwise the table belongs to another file.
  return found.encoded.back() == begin ? found : none;
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
