// The codecs' options with extreme values, and with values around the limits. Also skippable frames
// of zstd and lz4.
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/tools.hpp"

namespace {

using codecs_test::output_of_command, codecs_test::log_lines, codecs_test::tool, codecs_test::tools;
using leat::compression;
using leat::codecs::fault;
using leat_test::read_all;
using leat_test::temporary_folder;
using leat_test::write_file;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t default_memory = std::uint64_t{128} << 20;

/// Tests for each format.
class codec_options : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << GetParam().name << " is not available";
  }
  compression format() const { return GetParam().format; }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file";
};

/// Reads up to 100,000 bytes of a file by leat_open. Sets `error` to 0, or to the errno of a
/// failure.
std::string read_by_c(const std::string& path, const leat_options& options, int& error) {
  error = 0;
  leat_file* const in = leat_open(path.c_str(), "r", &options);
  if (in == nullptr) {
    error = errno;
    return {};
  }
  std::string got(100'000, '\0');
  got.resize(leat_fread(got.data(), 1, got.size(), in));
  if (leat_ferror(in) != 0) error = errno;
  leat_fclose(in);
  return got;
}

TEST_P(codec_options, a_memory_limit_leads_to_the_whole_content_or_an_error) {
  const std::string content = log_lines(50'000);
  write_file(path_, output_of_command(GetParam().encode, content));
  const bool is_fixed = format() == compression::gzip || format() == compression::lz4;
  for (const std::uint64_t memory : std::initializer_list<std::uint64_t>{
           0, 1, 2, 1023, 1024, 1025, 1 << 20, default_memory - 1, default_memory,
           default_memory + 1, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
           std::uint64_t{1} << 63, largest - 1, largest}) {
    std::error_code ec;
    auto in =
        leat::open(path_, {.compression = compression::automatic, .codec_memory = memory}, ec);
    ASSERT_FALSE(ec) << memory;
    const std::string got = in.read_all(ec);
    EXPECT_TRUE(ec == fault::unsupported || got == content) << memory << ' ' << ec.message();
    EXPECT_FALSE(ec && (is_fixed || memory >= default_memory)) << memory << ' ' << ec.message();

    leat_options options{};
    options.compression = LEAT_COMPRESSION_AUTOMATIC;
    options.codec_memory = memory;
    int error = 0;
    const std::string got_by_c = read_by_c(path_, options, error);
    EXPECT_TRUE(error == ENOTSUP || got_by_c == content) << memory;
    EXPECT_EQ(error != 0, ec && memory != 0) << memory;
  }
}

TEST_P(codec_options, content_is_cut_at_the_limit_and_a_longer_content_is_an_error) {
  const std::string content = log_lines(50'000);
  write_file(path_, output_of_command(GetParam().encode, content));
  for (const std::uint64_t limit :
       std::initializer_list<std::uint64_t>{0, 1, 49'999, 50'000, 50'001, largest - 1, largest}) {
    std::error_code ec;
    auto in = leat::open(path_, {.compression = compression::automatic, .limit = limit});
    EXPECT_EQ(in.read_all(ec), content.substr(0, limit)) << limit;
    EXPECT_EQ(ec == fault::too_long, limit < content.size()) << limit;
    leat_options options{};
    options.compression = LEAT_COMPRESSION_AUTOMATIC;
    options.limit = limit;
    int error = 0;
    const std::uint64_t effective_limit = limit == 0 ? largest : limit;
    EXPECT_EQ(read_by_c(path_, options, error), content.substr(0, effective_limit)) << limit;
    EXPECT_EQ(error, effective_limit < content.size() ? EFBIG : 0) << limit;
  }
}

TEST_P(codec_options, a_seek_to_the_end_or_beyond_fails_or_reads_nothing) {
  write_file(path_, output_of_command(GetParam().encode, "content"));
  for (const std::uint64_t at : std::initializer_list<std::uint64_t>{
           largest, largest - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, 8, 7}) {
    auto in = leat::open(path_, {.compression = compression::automatic});
    std::error_code ec;
    in.seek(at, ec);
    if (!ec) {
      EXPECT_EQ(in.read_all(ec), "") << at;
    }
    in.seek(1);
    EXPECT_EQ(in.read_all(), "ontent") << at;
  }
}

TEST_P(codec_options, levels_out_of_range_are_refused) {
  const std::array<int, 4> lowest{1, -7, -64, 1}, highest{9, 22, 12, 9};
  const auto i = static_cast<std::size_t>(format()) - static_cast<std::size_t>(compression::gzip);
  write_file(path_, "before");
  for (const int level :
       {INT_MIN, INT_MIN + 1, lowest[i] - 1, highest[i] + 1, INT_MAX - 1, INT_MAX}) {
    if (level == 0) continue;
    std::error_code ec;
    EXPECT_FALSE(leat::create(path_, {.compression = format(), .level = level}, ec).is_open());
    EXPECT_EQ(ec, std::errc::invalid_argument) << level;
    EXPECT_EQ(ec.message(), "Invalid argument: level " + std::to_string(level) + ", but " +
                                GetParam().name + " has the levels " + std::to_string(lowest[i]) +
                                " to " + std::to_string(highest[i]));
    EXPECT_EQ(leat::codecs::finding_of(ec).what, fault::none);
    leat_options options{};
    options.compression = static_cast<leat_compression>(format());
    options.level = level;
    EXPECT_EQ(leat_open(path_.c_str(), "w", &options), nullptr);
    EXPECT_EQ(errno, EINVAL) << level;
  }
  EXPECT_EQ(read_all(path_), "before");
  const std::string content = log_lines(5'000);
  for (const int level : {lowest[i], 0, 1}) {
    auto out = leat::create(path_, {.compression = format(), .level = level});
    out.write(content);
    out.close();
    EXPECT_EQ(output_of_command(GetParam().decode, read_all(path_)), content) << level;
  }
}

TEST_P(codec_options, any_number_of_threads_and_any_buffer_size_are_accepted) {
  const std::string content = log_lines(50'000);
  for (const unsigned threads : {0U, 1U, UINT_MAX}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{4097}}) {
      auto out = leat::create(
          path_, {.buffer_size = size, .compression = format(), .codec_threads = threads});
      out.write(content);
      out.close();
      auto in = leat::open(path_, {.buffer_size = size, .compression = format()});
      EXPECT_TRUE(in.read_all() == content) << threads << ' ' << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(formats, codec_options, testing::ValuesIn(tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// A zstd frame with this window descriptor, as made by --long.
std::string frame_with_window(unsigned descriptor) {
  return "\x28\xb5\x2f\xfd\0"s + static_cast<char>(descriptor) + "\x39\0\0content"s;
}

TEST(codec_memory, allows_larger_windows_of_zstd) {
  if (!leat::codecs::has(compression::zstd)) GTEST_SKIP();
  const temporary_folder folder;
  const std::string path = folder / "file.zst";
  const auto read = [&](std::uint64_t memory, std::error_code& ec) {
    auto in = leat::open(path, {.compression = compression::automatic, .codec_memory = memory});
    return in.read_all(ec);
  };
  std::error_code ec;
  write_file(path, frame_with_window(17U << 3));  // 128 MiB
  EXPECT_EQ(read(default_memory, ec), "content") << ec.message();
  EXPECT_EQ(leat::open(path, {.compression = compression::automatic}).read_all(), "content");
  EXPECT_EQ(read(default_memory - 1, ec), "");
  EXPECT_EQ(ec, fault::unsupported);
  write_file(path, frame_with_window(17U << 3 | 1));  // 144 MiB
  EXPECT_EQ(read(default_memory, ec), "");
  EXPECT_EQ(ec, fault::unsupported);
  EXPECT_EQ(read(2 * default_memory, ec), "content") << ec.message();
#if defined(__linux__)  // on Linux, untouched memory costs nothing
  if (sizeof(void*) == 8) {
    constexpr std::uint64_t two_gib = std::uint64_t{2} << 30;
    write_file(path, frame_with_window(21U << 3));  // --long=31
    EXPECT_EQ(read(two_gib - 1, ec), "");
    EXPECT_EQ(ec, fault::unsupported);
    EXPECT_EQ(read(two_gib, ec), "content") << ec.message();
    EXPECT_EQ(read(largest, ec), "content") << ec.message();
    leat_options options{};
    options.compression = LEAT_COMPRESSION_AUTOMATIC;
    int error = 0;
    EXPECT_EQ(read_by_c(path, options, error), "");
    EXPECT_EQ(error, ENOTSUP);
    options.codec_memory = two_gib;
    EXPECT_EQ(read_by_c(path, options, error), "content");
    leat_reader_options as_reader{};
    as_reader.compression = LEAT_COMPRESSION_AUTOMATIC;
    as_reader.codec_memory = two_gib;
    leat_reader* const in = leat_reader_open(path.c_str(), &as_reader);
    char* bytes = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(leat_reader_read_all(in, 0, &bytes, &size), 0);
    EXPECT_EQ(std::string_view(bytes, size), "content");
    std::free(bytes);
    leat_reader_close(in);
  }
#endif
}

TEST(codec_memory, allows_larger_dictionaries_of_xz) {
  if (!is_available(tools()[3])) GTEST_SKIP();
  const temporary_folder folder;
  const std::string path = folder / "file.xz";
#if defined(HAS_SHELL)
  write_file(path, output_of_command("xz -c --lzma2=preset=0,dict=192MiB", "content"));
  std::error_code ec;
  EXPECT_EQ(leat::open(path, {.compression = compression::xz}).read_all(ec), "");
  EXPECT_EQ(ec, fault::unsupported) << ec.message();
  EXPECT_EQ(leat::open(path, {.compression = compression::xz, .codec_memory = 2 * default_memory})
                .read_all(),
            "content");
#endif
}

/// zstd and lz4 have skippable frames, whose bytes are not content.
class skippable_frames : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << GetParam().name << " is not available";
  }
};

std::string skippable_frame(unsigned kind, std::string_view bytes) {
  std::string frame{static_cast<char>(0x50U | kind)};
  frame += "\x2a\x4d\x18"sv;
  return frame.append(codecs_test::little_endian(bytes.size())).append(bytes);
}

TEST_P(skippable_frames, are_skipped_in_files_of_either_format) {
  const temporary_folder folder;
  const std::string path = folder / "file", content = log_lines(300'000);
  const std::string frames = output_of_command(GetParam().encode, content);
  const auto read = [&](bool background, std::error_code& ec) {
    auto in =
        leat::open(path, {.compression = compression::automatic, .background = background}, ec);
    return ec ? std::string() : in.read_all(ec);
  };
  std::error_code ec;
  for (unsigned kind = 0; kind != 16; ++kind) {
    write_file(path, skippable_frame(kind, "") + skippable_frame(15 - kind, "some") + frames);
    EXPECT_TRUE(read(kind % 2 == 0, ec) == content) << kind << ' ' << ec.message();
  }
  std::string many;
  for (int i = 0; i != 3000; ++i) many += skippable_frame(1, "\x28\xb5\x2f\xfd\x04\x22\x4d\x18");
  many += skippable_frame(0, std::string(300'000, 'x'));
  write_file(path, many + frames + many + frames + many);
  EXPECT_TRUE(read(false, ec) == content + content) << ec.message();
  auto in = leat::open(path, {.compression = compression::automatic});
  for (const std::size_t at : {400'000U, 100U, 299'999U, 0U}) {
    in.seek(at);
    EXPECT_EQ(in.get(), static_cast<unsigned char>(content[at % content.size()])) << at;
  }
#if defined(HAS_SHELL)
  FILE* const pipe = ::popen(("cat " + path).c_str(), "r");
  auto piped = leat::open("/dev/fd/" + std::to_string(::fileno(pipe)),
                          {.compression = compression::automatic});
  EXPECT_TRUE(piped.read_all() == content + content);
  ::pclose(pipe);
#endif
  // One file can't have two formats.
  const bool is_lz4 = GetParam().format == compression::lz4;
  write_file(path, many + frames + (is_lz4 ? "\x28\xb5\x2f\xfd"s : "\x04\x22\x4d\x18"s));
  EXPECT_TRUE(read(false, ec) == content);
  EXPECT_EQ(ec, fault::trailing_bytes);
  write_file(path, skippable_frame(3, "x") + "text");
  EXPECT_EQ(read(false, ec), "");
  EXPECT_EQ(ec, fault::trailing_bytes);
  write_file(path, skippable_frame(3, "x"));
  EXPECT_EQ(read(false, ec), "");
  EXPECT_FALSE(ec);
  EXPECT_FALSE(leat::file::open(path, leat::mode::read, {.compression = compression::automatic}, ec)
                   .is_open());
  EXPECT_EQ(ec, fault::unsupported);
}

INSTANTIATE_TEST_SUITE_P(formats, skippable_frames, testing::Values(tools()[1], tools()[2]),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
