// Compressed bytes may arrive in any pieces: a block of input, or a pipe's content, may end between
// any two bytes of headers, contents and trailers.
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/tools.hpp"

namespace {

using codecs_test::log_lines, codecs_test::little_endian, codecs_test::tool, codecs_test::tools;
using leat::compression;
using leat::codecs::fault;
using namespace std::string_literals;
using namespace std::string_view_literals;

/// A pipe that delivers two pieces, or each byte alone.
class pieces_device final : public leat::device {
 public:
  static constexpr std::size_t each_byte = ~std::size_t{0};

  /// If `delivered` is not null, `*delivered` is always the count of bytes that were read.
  pieces_device(std::string_view bytes, std::size_t split, std::size_t* delivered = nullptr)
      : bytes_(bytes), split_(split), delivered_(delivered) {}

  leat::device_traits traits() const noexcept override { return {.positional = false}; }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override {
    ec.clear();
    std::size_t n = std::min(into.size(), bytes_.size() - next_);
    if (split_ == each_byte)
      n = std::min<std::size_t>(n, 1);
    else if (next_ < split_)
      n = std::min(n, split_ - next_);
    const std::size_t from = std::exchange(next_, next_ + n);
    if (delivered_ != nullptr) *delivered_ = next_;
    return bytes_.copy(into.data(), n, from);
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::string_view bytes_;
  std::size_t split_, next_ = 0;
  std::size_t* delivered_;
};

std::string decoded(std::string_view file, compression format, std::size_t split,
                    std::error_code& ec) {
  auto decoder = leat::codecs::decode(std::make_unique<pieces_device>(file, split),
                                      {.format = format, .limit = ~std::uint64_t{0}}, ec);
  if (decoder == nullptr) return {};
  std::string content;
  std::array<char, 4096> some;
  while (const std::size_t n = decoder->read_at(content.size(), some, ec))
    content.append(some.data(), n);
  return content;
}

// Functions that make gzip members of stored blocks, without compression

std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char one : bytes) {
    crc ^= static_cast<unsigned char>(one);
    for (int i = 0; i != 8; ++i) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
  }
  return ~crc;
}

constexpr unsigned check_flag = 2, extra_flag = 4, name_flag = 8, comment_flag = 16;

/// Returns a gzip header as in RFC 1952, section 2.3.
std::string header(unsigned flags, std::string_view extra = "EX\4\0four"sv,
                   std::string_view name = "a name", std::string_view comment = "a comment") {
  std::string result =
      "\x1f\x8b\x08" + little_endian(flags, 1) + little_endian(0x12345678, 4) + "\2\3";
  if ((flags & extra_flag) != 0) result += little_endian(extra.size(), 2) + std::string(extra);
  if ((flags & name_flag) != 0) result += std::string(name) + '\0';
  if ((flags & comment_flag) != 0) result += std::string(comment) + '\0';
  if ((flags & check_flag) != 0) result += little_endian(crc_of(result) & 0xffff, 2);
  return result;
}

std::string member(const std::string& head, std::string_view content) {
  std::string result = head;
  for (std::string_view rest = content;;) {
    const std::string_view block = rest.substr(0, 65'535);
    rest.remove_prefix(block.size());
    result += little_endian(rest.empty() ? 1 : 0, 1) + little_endian(block.size(), 2) +
              little_endian(~block.size(), 2);
    result += block;
    if (rest.empty()) break;
  }
  return result + little_endian(crc_of(content), 4) + little_endian(content.size(), 4);
}

TEST(pieces, bytes_of_a_frame_are_returned_before_the_next_frame_arrives_in_a_pipe) {
  const std::string first = member(header(0), "first"), file = first + member(header(0), "second");
  for (const std::size_t split : {first.size(), first.size() + 1}) {
    std::size_t delivered = 0;
    std::error_code ec;
    auto decoder =
        leat::codecs::decode(std::make_unique<pieces_device>(file, split, &delivered),
                             {.format = compression::gzip, .limit = ~std::uint64_t{0}}, ec);
    ASSERT_FALSE(ec) << ec.message();
    std::array<char, 100> some;
    std::size_t n = decoder->read_at(0, some, ec);
    EXPECT_EQ(std::string_view(some.data(), n), "first");
    EXPECT_EQ(delivered, split);
    n = decoder->read_at(n, some, ec);
    EXPECT_EQ(std::string_view(some.data(), n), "second");
    EXPECT_EQ(decoder->read_at(11, some, ec), 0u);
    EXPECT_FALSE(ec) << ec.message();
  }
}

class gzip_members : public testing::Test {
 protected:
  void SetUp() override {
    if (!leat::codecs::has(compression::gzip)) GTEST_SKIP() << "gzip is not available";
  }
};

TEST_F(gzip_members, with_any_optional_header_fields_are_decoded_from_pieces_of_any_size) {
  for (unsigned flags = 0; flags != 32; ++flags) {
    const std::string file = member(header(flags), "one, ") + member(header(flags), "two");
    for (std::size_t split = 0; split <= file.size(); ++split) {
      std::error_code ec;
      ASSERT_EQ(decoded(file, compression::gzip, split, ec), "one, two") << flags << ' ' << split;
      ASSERT_FALSE(ec) << flags << ' ' << split << ' ' << ec.message();
    }
    std::error_code ec;
    EXPECT_EQ(decoded(file, compression::gzip, pieces_device::each_byte, ec), "one, two") << flags;
    EXPECT_FALSE(ec) << flags << ' ' << ec.message();
  }
}

/// leat reads 16 KiB as the first block of a file, and 32 KiB as the next block.
TEST_F(gzip_members, are_decoded_across_the_end_of_a_block_at_any_byte) {
  const leat_test::temporary_folder folder;
  constexpr unsigned all = check_flag | extra_flag | name_flag | comment_flag;
  const std::string second = member(header(all), "the second");
  const std::size_t overhead = member(header(0), "").size();
  for (const std::size_t block : {16U << 10, 48U << 10}) {
    for (std::size_t before = 0; before <= second.size(); ++before) {
      const std::string content(block - before - overhead, 'a');
      leat_test::write_file(folder / "file", member(header(0), content) + second);
      std::error_code ec;
      auto in = leat::open(folder / "file", {.compression = compression::automatic});
      EXPECT_TRUE(in.read_all(ec) == content + "the second") << before;
      EXPECT_FALSE(ec) << before << ' ' << ec.message();
    }
  }
}

TEST_F(gzip_members, are_decoded_if_their_headers_are_larger_than_blocks) {
  const std::string text(300'000, 'n'), extra(65'535, '\0');
  for (const unsigned flags : {check_flag | extra_flag | name_flag | comment_flag, extra_flag,
                               name_flag, comment_flag, extra_flag | check_flag}) {
    const std::string file = member(header(flags, extra, text, text), "content") +
                             member(header(flags, "", "", ""), " and more");
    for (const std::size_t split : {0U, 11U, 12U, 13U, 16'384U, 65'547U, 65'548U, 65'549U}) {
      std::error_code ec;
      EXPECT_EQ(decoded(file, compression::gzip, split, ec), "content and more") << flags;
      EXPECT_FALSE(ec) << flags << ' ' << split << ' ' << ec.message();
    }
  }
}

TEST_F(gzip_members, with_a_wrong_header_are_refused) {
  const auto fault_of = [](const std::string& head) {
    std::error_code ec;
    EXPECT_EQ(decoded(member(head, "content"), compression::gzip, 0, ec), "");
    return ec;
  };
  constexpr unsigned all = check_flag | extra_flag | name_flag | comment_flag;
  std::string wrong = header(all);
  wrong[wrong.size() - 2] ^= 1;
  EXPECT_EQ(fault_of(wrong), fault::wrong_checksum);
  wrong = header(check_flag);
  wrong[4] ^= 1;  // the time is protected only by the checksum
  EXPECT_EQ(fault_of(wrong), fault::wrong_checksum);
  for (const unsigned flag : {0x20U, 0x40U, 0x80U}) {
    EXPECT_EQ(fault_of(header(flag)), fault::damaged) << flag;
    EXPECT_EQ(fault_of(header(flag | all)), fault::damaged) << flag;
  }
  wrong = header(0);
  wrong[2] = 7;
  EXPECT_EQ(fault_of(wrong), fault::damaged);
  // If a header has a checksum, a change of any bit is noticed.
  const std::string sound = member(header(all), "content");
  for (std::size_t i = 0; i != header(all).size(); ++i) {
    for (int bit = 0; bit != 8; ++bit) {
      std::string broken = sound;
      broken[i] ^= static_cast<char>(1 << bit);
      std::error_code ec;
      decoded(broken, compression::gzip, 0, ec);
      EXPECT_TRUE(ec) << i << ' ' << bit;
    }
  }
}

TEST_F(gzip_members, that_end_inside_the_header_are_reported_as_truncated) {
  constexpr unsigned all = check_flag | extra_flag | name_flag | comment_flag;
  const std::string first = member(header(0), "first"), second = header(all);
  for (std::size_t size = 1; size <= second.size(); ++size) {
    std::error_code ec;
    EXPECT_EQ(decoded(first + second.substr(0, size), compression::gzip, 5, ec), "first") << size;
    EXPECT_EQ(ec, fault::truncated) << size;
    EXPECT_EQ(leat::codecs::finding_of(ec).at, first.size() + size);
  }
}

/// gzip(1) only warns about trailing bytes other than zeros. leat delivers the content, and then
/// reports an error.
TEST_F(gzip_members, may_be_followed_by_zeros_only) {
  const std::string one = member(header(name_flag), "one");
  for (std::size_t split = 0; split <= one.size() + 9; ++split) {
    std::error_code ec;
    EXPECT_EQ(decoded(one + std::string(9, '\0'), compression::gzip, split, ec), "one");
    EXPECT_FALSE(ec) << split << ' ' << ec.message();
    EXPECT_EQ(decoded(one + std::string(9, '\0') + one, compression::gzip, split, ec), "oneone");
    EXPECT_FALSE(ec) << split << ' ' << ec.message();
    EXPECT_EQ(decoded(one + "\0\0garbage"s, compression::gzip, split, ec), "one");
    EXPECT_EQ(ec, fault::trailing_bytes) << split;
  }
}

/// Files of two members, made by the command of each format.
class pieces : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << GetParam().name << " is not available";
  }
};

TEST_P(pieces, a_file_is_decoded_from_two_pieces_cut_at_any_byte) {
#if defined(HAS_SHELL)
  const auto variants = [](compression format) -> std::vector<std::string> {
    switch (format) {
      case compression::gzip:
        return {"", " -1", " -n"};
      case compression::zstd:
        return {"", " -19", " --no-check", " --long=18", " --stream-size=70"};
      case compression::lz4:
        return {"", " -9 -BX", " -BD", " --no-frame-crc", " --content-size"};
      default:
        return {"", " --check=none", " --check=sha256", " --block-size=32", " --x86 --lzma2"};
    }
  };
  const std::vector<std::string> all = variants(GetParam().format);
#else
  const std::vector<std::string> all{""};
#endif
  const std::string content = log_lines(70);
  for (const std::string& variant : all) {
    std::string one = codecs_test::output_of_command(GetParam().encode + variant, content);
    std::string file = one + one;
    // Adds skippable bytes, which the format allows around members.
    if (GetParam().format == compression::zstd || GetParam().format == compression::lz4)
      file = "\x5a\x2a\x4d\x18\3\0\0\0abc"s + one + "\x51\x2a\x4d\x18\0\0\0\0"s + one;
    else
      file = one + std::string(4, '\0') + one + std::string(4, '\0');
    for (std::size_t split = 0; split <= file.size(); ++split) {
      std::error_code ec;
      ASSERT_EQ(decoded(file, GetParam().format, split, ec), content + content) << variant << split;
      ASSERT_FALSE(ec) << variant << ' ' << split << ' ' << ec.message();
    }
    std::error_code ec;
    EXPECT_EQ(decoded(file, GetParam().format, pieces_device::each_byte, ec), content + content);
    EXPECT_FALSE(ec) << variant << ' ' << ec.message();
  }
}

INSTANTIATE_TEST_SUITE_P(formats, pieces, testing::ValuesIn(tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
