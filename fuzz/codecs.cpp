// Random bytes are read as a compressed file: a reader gets bytes, then the end or an error, and
// never more bytes than the limit. Small reads give the same result as large reads, except that
// small reads of a damaged xz file may return fewer bytes.
#include <leat/codecs.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "fuzz.hpp"

namespace {

constexpr std::uint64_t limit = 1 << 20;

/// Decodes a file by reads of at most `piece` bytes. Returns the content up to the end, or up to an
/// error, which sets `ec`.
std::string decoded(std::string_view file, leat::compression format, std::size_t piece,
                    std::error_code& ec) {
  leat::volatile_file disk{std::string(file)};
  auto device = leat::codecs::decode(
      disk.open(), {.format = format, .limit = limit, .or_lz4 = format == leat::compression::zstd},
      ec);
  if (ec) return {};
  std::string content, memory(piece, '\0');
  for (;;) {
    const std::size_t n = device->read_at(content.size(), memory, ec);
    if (n == 0) return content;
    content.append(memory, 0, n);
  }
}

void drive(fuzz::input& in) {
  const std::string input = in.rest();
  if (input.size() < 2) return;
  const auto choice = static_cast<unsigned char>(input[0]);
  constexpr std::array formats{leat::compression::gzip, leat::compression::zstd,
                               leat::compression::lz4, leat::compression::xz};
  const leat::compression format = formats[choice % formats.size()];
  if (!leat::codecs::has(format)) return;
  const std::string_view file = std::string_view(input).substr(1);
  std::error_code whole_error, pieces_error, random_error;
  const std::string content = decoded(file, format, 1 << 18, whole_error);
  fuzz::expect(content.size() <= limit, "more bytes than the limit");
  const std::string piecewise_content = decoded(file, format, 1 + choice % 61, pieces_error);
  // liblzma checks the size of a chunk at the end of each call, so small reads notice damage
  // sooner.
  if (format == leat::compression::xz && whole_error)
    fuzz::expect(content.starts_with(piecewise_content), "small reads of xz return other bytes");
  else
    fuzz::expect(piecewise_content == content, "small reads return other bytes");
  fuzz::expect_equal(!pieces_error, !whole_error, "success of small reads");
  // Random access, by a table of frames from an untrusted file, must not crash.
  leat::volatile_file disk{std::string(file)};
  auto decoder = leat::codecs::decode(
      disk.open(), {.format = format, .limit = limit, .random = true}, random_error);
  if (decoder == nullptr) return;
  std::array<char, 100> buffer;
  const std::uint64_t end = decoder->size(random_error);
  for (const std::uint64_t at : {std::uint64_t{0}, end / 2, end - 1, end})
    decoder->read_at(at, buffer, random_error);
}

const fuzz::driver self("codecs", drive);

}  // namespace
