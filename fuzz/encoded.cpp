// Compressed files: streams and random access files return the content that was written. A damaged
// file gives an error or the right content. A file that is cut between frames may give the content
// of the frames before the cut.
#include <leat/codecs.hpp>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "device.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
using leat::compression;
using leat::codecs::fault;

struct codec_kind {
  compression format;
  const char* suffix;
  int first_level, last_level, last_fast_level;  // levels above `last_fast_level` are slow
};
constexpr std::array kinds{codec_kind{compression::gzip, ".gz", 1, 9, 10},
                           codec_kind{compression::zstd, ".zst", -7, 22, 10},
                           codec_kind{compression::lz4, ".lz4", -64, 12, 13},
                           codec_kind{compression::xz, ".xz", 1, 9, 2}};

constexpr std::size_t frame_size = 1 << 20;  // bytes of content in a frame of a seekable file

/// A compressed file and its content.
struct encoded_file {
  codec_kind codec = kinds[0];
  std::string file;
  std::string content;
  std::vector<std::size_t> ends{0};          ///< ends of members and frames in the file
  std::vector<std::size_t> content_ends{0};  ///< the size of the content up to each of `ends`
  std::vector<std::size_t> empty_frames;     ///< positions of frames without content
  bool has_table = false;                    ///< the file ends with a seek table
  std::size_t frames_end = 0;                ///< end of the seekable member, or 0 if there is none
};

std::string some_content(input& in) {
  if (in.rarely(6)) return {};
  std::string result = in.flag() ? in.bytes(in.boundary_size(in.rarely(20) ? 3'000'000 : 70'000))
                                 : std::string(in.boundary_size(100'000), in.integer<char>());
  if (in.rarely(3) && result.size() < 10'000)
    for (std::size_t n = in.below(20); n != 0; --n) result += result.substr(0, 5'000);
  return result;
}

int some_level(input& in, const codec_kind& codec, std::size_t size) {
  if (in.rarely(3)) return 0;
  const int last = size > 5'000 && !in.rarely(100)
                       ? std::min(codec.last_level, codec.last_fast_level)
                       : codec.last_level;
  if (codec.format == compression::xz && !in.rarely(20)) return 1;  // other levels need much memory
  return codec.first_level +
         static_cast<int>(in.below(static_cast<std::size_t>(last - codec.first_level + 1)));
}

/// Decodes a file by reads of at most `piece` bytes. Returns the content up to the end, or up to an
/// error, which sets `ec`.
std::string decoded(std::string_view file, const leat::decoding_request& request, std::size_t piece,
                    std::error_code& ec) {
  fuzz::disk disk;
  disk.content = file;
  const auto from = leat::codecs::decode(std::make_unique<fuzz::device>(disk), request, ec);
  std::string content, memory(piece, '\0');
  while (from != nullptr && !ec) {
    const std::size_t n = from->read_at(content.size(), memory, ec);
    if (n == 0) break;
    content.append(memory, 0, n);
  }
  return content;
}

/// Encodes one member or frame by a stream. The stream's device takes parts of writes, is
/// interrupted, and may fail. Returns an empty string if a call of the device has failed.
std::string member_by_stream(input& in, encoded_file& result, const leat::encoding_request& request,
                             std::string_view content) {
  fuzz::disk disk = fuzz::disk::from_input(in, in.rarely(4));
  std::error_code ec;
  auto to = leat::codecs::encode(std::make_unique<fuzz::device>(disk), request, ec);
  expect(!ec && to != nullptr, "encode() fails");
  leat::file_writer out(std::move(to),
                        {.buffer_size = in.boundary_size(100'000), .background = in.rarely(16)});
  for (std::string_view rest = content; !rest.empty();) {
    const auto part =
        rest.substr(0, in.rarely(5) ? rest.size() : in.boundary_size(rest.size()) + 1);
    step("write {}", part.size());
    out.write(part);
    rest.remove_prefix(part.size());
    if (!in.rarely(5) || result.codec.format == compression::xz) continue;
    in.flag() ? out.sync(ec) : out.flush(ec);
    step("sync or flush: {}", ec.message());
    if (ec || !in.flag()) continue;
    out.sync(ec);
    if (ec || disk.content.empty()) continue;
    const auto got = decoded(disk.content, {.format = request.format, .limit = ~0ULL}, 4096, ec);
    expect_text(got, content.substr(0, content.size() - rest.size()), "the content after sync()");
    expect(!ec || ec == fault::truncated,
           "the error after the last bytes of an open file is not `truncated`");
    ec.clear();
  }
  out.close(ec);
  expect(!ec || disk.faults != 0, "close() fails without a fault");
  if (!ec && disk.faults == 0) return disk.content;
  if (!ec) {  // a failed write was repeated and succeeded
    const auto got = decoded(disk.content, {.format = request.format, .limit = ~0ULL}, 4096, ec);
    expect_text(got, content, "the content after a repeated write");
    expect(!ec, "decoding fails after a repeated write");
  }
  return {};
}

/// Encodes `content` to the file at `path`, after the members that the file has, and stores the
/// file's bytes in `result`.
void append_to_file(input& in, encoded_file& result, const std::string& path,
                    const leat::encoding_request& request, std::string_view content) {
  const auto requested_format = in.flag() ? compression::automatic : request.format;
  std::error_code ec;
  step("{} {} bytes by a file", result.file.empty() ? "create" : "append", content.size());
  leat::file_writer out = result.file.empty()
                              ? (in.flag() ? leat::create(path,
                                                          {.buffer_size = in.boundary_size(),
                                                           .compression = requested_format,
                                                           .level = request.level,
                                                           .codec_threads = request.threads,
                                                           .seekable = request.seekable},
                                                          ec)
                                           : leat::replace(path,
                                                           {.compression = requested_format,
                                                            .level = request.level,
                                                            .codec_threads = request.threads,
                                                            .seekable = request.seekable},
                                                           ec))
                              : leat::append(path,
                                             {.buffer_size = in.boundary_size(),
                                              .background = in.rarely(8),
                                              .compression = requested_format,
                                              .level = request.level,
                                              .codec_threads = request.threads},
                                             ec);
  expect(!ec, "opening a file to write fails");
  out.write(content);
  out.close();
  result.file = leat::read_file(path);
}

std::string frame_without_content(input& in) {
  const std::string bytes = in.bytes(in.boundary_size(5'000));
  std::string result{static_cast<char>(0x50 + in.below(16)), '\x2a', '\x4d', '\x18'};
  for (unsigned shift = 0; shift != 32; shift += 8)
    result += static_cast<char>(bytes.size() >> shift & 0xff);
  return result + bytes;
}

/// Makes a file of up to three members. After a member there may be zeros (gzip, xz) or a frame
/// without content (zstd, lz4).
encoded_file make(input& in) {
  encoded_file result;
  result.codec = in.one_of(kinds);
  if (!leat::codecs::has(result.codec.format)) return result;
  const std::string path = fuzz::scratch() + "encoded" + result.codec.suffix;
  const auto format = result.codec.format;
  const bool by_file = in.rarely(4);
  if (by_file) leat::write_file(path, "");
  for (std::size_t n = 1 + in.below(3); n != 0; --n) {
    const std::string content = some_content(in);
    const leat::encoding_request request{
        .format = format,
        .level = some_level(in, result.codec, content.size()),
        .threads = in.rarely(16) ? static_cast<unsigned>(in.below(4)) : 0,
        .seekable = format == compression::zstd && result.file.empty() && in.rarely(3)};
    step("{} level {} threads {} seekable {}: {} bytes", result.codec.suffix, request.level,
         request.threads, request.seekable, content.size());
    const std::string before = result.file;
    if (by_file) {
      append_to_file(in, result, path, request, content);
    } else {
      result.file += member_by_stream(in, result, request, content);
    }
    if (result.file == before) continue;
    result.content += content;
    result.has_table = request.seekable;
    if (request.seekable) result.frames_end = result.file.size();
    result.ends.push_back(result.file.size());
    result.content_ends.push_back(result.content.size());
    if (by_file || !in.rarely(4)) continue;
    if (format == compression::gzip || format == compression::xz) {
      result.file.append(4 * in.below(5'000), '\0');
    } else {
      result.has_table = false;
      result.empty_frames.push_back(result.file.size());
      result.file += frame_without_content(in);
    }
    result.ends.push_back(result.file.size());
    result.content_ends.push_back(result.content.size());
  }
  return result;
}

leat::file_reader reader_of(input& in, const encoded_file& encoded, const std::string& path,
                            fuzz::disk& disk, std::error_code& ec) {
  const auto format = encoded.codec.format;
  if (in.flag()) {
    leat::write_file(path, encoded.file);
    return leat::open(path,
                      {.buffer_size = in.boundary_size(),
                       .compression = in.flag() ? compression::automatic : format,
                       .background = in.rarely(8)},
                      ec);
  }
  disk = fuzz::disk::from_input(in, false);
  disk.content = encoded.file;
  disk.traits.positional = !in.rarely(4);
  auto decoding = leat::codecs::decode(std::make_unique<fuzz::device>(disk),
                                       {.format = format, .limit = ~0ULL}, ec);
  return leat::file_reader(std::move(decoding), {.buffer_size = in.boundary_size()});
}

/// Reads from and seeks to any position, and compares the content.
void read_anywhere(input& in, const encoded_file& encoded, const std::string& path) {
  fuzz::disk disk;
  std::error_code ec;
  leat::file_reader reader = reader_of(in, encoded, path, disk, ec);
  expect(!ec, "opening a file to read fails");
  std::string memory;
  for (std::size_t at = 0, calls = 0; calls != 8; ++calls) {
    if (in.rarely(3)) {
      const std::size_t to = in.rarely(4) ? encoded.content.size() + in.boundary_size()
                                          : in.below(encoded.content.size() + 1);
      step("seek {}", to);
      reader.seek(to, ec);
      expect(!ec || !disk.traits.positional, "seek() of a positional device fails");
      if (!ec) at = to;
    } else if (in.rarely(8)) {
      step("skip");
      at += reader.skip(in.boundary_size());
    } else {
      memory.assign(in.boundary_size(), '\0');
      step("read {} at {}", memory.size(), at);
      const std::size_t n = reader.read(std::span(memory), ec);
      expect(!ec, "read() fails");
      const auto wanted = at < encoded.content.size()
                              ? std::string_view(encoded.content).substr(at, memory.size())
                              : std::string_view();
      expect_text(std::string_view(memory).substr(0, n), wanted, "read()");
      at += n;
    }
    expect_equal(reader.tell(), at, "tell()");
  }
  if (in.flag()) {
    leat::file_reader moved = std::move(reader);
    reader = std::move(moved);
  }
  const std::size_t at = std::min<std::size_t>(reader.tell(), encoded.content.size());
  expect_text(reader.read_all(ec), std::string_view(encoded.content).substr(at), "read_all()");
  expect(!ec, "read_all() fails");
  reader.close();
}

void read_as_file(input& in, const encoded_file& encoded, const std::string& path) {
  leat::write_file(path, encoded.file);
  std::error_code ec;
  step("read as a random access file");
  const bool enough = in.flag();
  const std::uint64_t memory = std::uint64_t{1} << (enough ? 27 : in.below(28));
  const auto file =
      leat::file::open(path, leat::mode::read,
                       {.compression = in.flag() ? compression::automatic : encoded.codec.format,
                        .codec_memory = memory},
                       ec);
  if (ec && !enough)
    return expect(ec == std::errc::operation_not_supported,
                  "the error for too little memory is not operation_not_supported");
  if (!encoded.has_table || encoded.ends.size() != 2) {
    expect(!file.is_open() || encoded.has_table, "a file without a seek table can be opened");
    return;
  }
  expect(!ec, "a file with a seek table can't be opened");
  expect_equal(file.size(), encoded.content.size(), "size()");
  for (int i = 0; i != 4; ++i) {
    const std::size_t at = in.below(encoded.content.size() + 1);
    std::string bytes(in.boundary_size(encoded.content.size() - at), '\0');
    file.read_at(at, std::span<char>(bytes), ec);
    if (ec && !enough)
      return expect(ec == std::errc::operation_not_supported,
                    "the error for too little memory is not operation_not_supported");
    expect(!ec, "read_at() fails");
    expect_text(bytes, std::string_view(encoded.content).substr(at, bytes.size()), "read_at()");
  }
}

void read_limited(input& in, const encoded_file& encoded) {
  const std::uint64_t limit =
      in.rarely(3) ? encoded.content.size() : in.below(encoded.content.size() + 1);
  std::error_code ec;
  std::string got;
  if (in.flag()) {
    static const std::string path = fuzz::scratch() + "limited";
    leat::write_file(path, encoded.file);
    got = leat::open(path, {.compression = encoded.codec.format, .limit = limit}).read_all(ec);
  } else {
    got = decoded(encoded.file, {.format = encoded.codec.format, .limit = limit},
                  in.boundary_size(300'000) + 1, ec);
  }
  expect_text(got, std::string_view(encoded.content).substr(0, limit),
              "the content up to the limit");
  expect_equal(ec == fault::too_long, limit < encoded.content.size(),
               "whether the error is too_long");
  expect(!ec == (limit >= encoded.content.size()),
         "an error within the limit, or success beyond the limit");
}

/// Decodes with a random memory limit. If the limit is too small, the error is `unsupported`.
void read_with_memory(input& in, const encoded_file& encoded) {
  const std::uint64_t memory = std::uint64_t{1} << in.below(28);
  step("with {} bytes of memory", memory);
  std::error_code ec;
  const auto got = decoded(
      encoded.file, {.format = encoded.codec.format, .limit = ~0ULL, .memory = memory}, 4096, ec);
  if (ec)
    expect(ec == fault::unsupported && ec == std::errc::operation_not_supported,
           "the error for too little memory is not operation_not_supported");
  else
    expect_text(got, encoded.content, "the content with enough memory");
}

bool is_fault(const std::error_code& ec) {
  return ec == fault::damaged || ec == fault::truncated || ec == fault::wrong_checksum ||
         ec == fault::trailing_bytes || ec == fault::other_format || ec == fault::unsupported ||
         ec == fault::too_long;
}

/// Damages the file. Expects an error with a position, or the right content.
void read_damaged(input& in, const encoded_file& encoded) {
  std::string file = encoded.file;
  std::string_view wanted = encoded.content;
  const std::size_t at = in.below(file.size());
  // The start of a frame without content is not damaged: with a changed size, the frame could
  // extend over the next frames.
  for (const std::size_t frame : encoded.empty_frames)
    if (at + 101 >= frame && at < frame + 8) return;
  const std::size_t damage = in.below(4);
  if (damage == 0) {
    file.resize(at);
    // After a cut between members, a reader can't know that more members followed.
    const auto i = static_cast<std::size_t>(std::ranges::upper_bound(encoded.ends, at) -
                                            encoded.ends.begin()) -
                   1;
    if (encoded.ends[i] == at || file[encoded.ends[i]] == '\0')
      wanted = wanted.substr(0, encoded.content_ends[i]);
    step("cut at {}", at);
  } else if (damage == 1) {
    file[at] = static_cast<char>(file[at] ^ 1 << in.below(8));
    step("a bit of byte {}", at);
  } else if (damage == 2) {
    file[at] = in.integer<char>();
    step("byte {} is {}", at, +file[at]);
  } else {
    const std::string other = in.bytes(1 + in.boundary_size(100));
    file.replace(at, in.flag() ? 0 : other.size(), other);
    step("{} bytes at {}", other.size(), at);
  }
  std::error_code ec;
  const std::uint64_t limit = encoded.content.size() + 100'000;
  const auto got =
      decoded(file, {.format = encoded.codec.format, .limit = limit}, 1 + in.boundary_size(), ec);
  if (!ec && damage == 0 && at < encoded.frames_end)
    return expect(wanted.starts_with(got) &&
                      (got.size() % frame_size == 0 || got.size() == encoded.content_ends[1]),
                  "the content before a cut between frames");
  if (!ec) return expect_text(got, wanted, "the content of a damaged file without an error");
  expect(is_fault(ec), "the error is not a codec's fault");
  const auto found = leat::codecs::finding_of(ec);
  expect(found.what != fault::none && ec == found.what, "finding_of()");
  expect(found.at <= file.size(),
         fmt::format("the fault is at {} of {} bytes: {}", found.at, file.size(), ec.message()));
  expect(ec.message().find("zstd") + ec.message().find("gzip") + ec.message().find("xz") +
                 ec.message().find("lz4") !=
             4 * std::string::npos,
         "message() names no format");
  expect(got.size() <= limit, "more bytes than the limit");
  if (damage == 0) expect(wanted.starts_with(got), "the content is not from before the cut");
}

void expect_unknown_level_refused(input& in, const codec_kind& codec) {
  const int level = in.flag() ? codec.last_level + 1 + in.integer<std::uint8_t>()
                              : codec.first_level - 1 - in.integer<std::uint8_t>();
  if (level == 0) return;
  fuzz::disk disk;
  std::error_code ec;
  expect(leat::codecs::encode(std::make_unique<fuzz::device>(disk),
                              {.format = codec.format, .level = level}, ec) == nullptr,
         "encode() accepts an unknown level");
  expect(ec == std::errc::invalid_argument,
         "the error for an unknown level is not invalid_argument");
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  const encoded_file encoded = make(in);
  static const std::string path = fuzz::scratch() + "decoded";
  if (leat::codecs::has(encoded.codec.format) && in.rarely(8))
    expect_unknown_level_refused(in, encoded.codec);
  if (encoded.file.empty()) return;
  for (int i = 0; i != 3; ++i) {
    constexpr void (*trials[])(input&, const encoded_file&) = {
        [](input& i, const encoded_file& f) { read_anywhere(i, f, path); },
        [](input& i, const encoded_file& f) { read_as_file(i, f, path); },
        read_limited,
        read_with_memory,
        read_damaged,
        read_damaged};
    in.one_of(trials)(in, encoded);
  }
}

const fuzz::driver self("encoded", drive);

}  // namespace
