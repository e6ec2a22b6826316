// Seekable zstd files: positions, ranges, records, threads, damaged files and tables, and memory
// limits.
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/scheme.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#  include <sys/resource.h>
#endif

#include "codecs/tools.hpp"
#include "codecs/xxh64.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using codecs_test::output_of_command, codecs_test::log_lines, codecs_test::little_endian,
    codecs_test::tools;
using leat::compression;
using leat::codecs::fault;
using leat_test::read_all;
using leat_test::temporary_folder;
using leat_test::write_file;

/// A device that only one thread may use at a time, like an object in object storage.
class one_thread_device final : public leat::device {
 public:
  inline static std::string bytes;

  static std::unique_ptr<device> open(const leat::address_request& /*request*/,
                                      std::error_code& ec) noexcept {
    ec.clear();
    return std::make_unique<one_thread_device>();
  }

  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    EXPECT_FALSE(is_reading_.exchange(true)) << "two threads at once";
    ec.clear();
    const std::size_t n = at < bytes.size() ? bytes.copy(into.data(), into.size(), at) : 0;
    is_reading_ = false;
    return n;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return bytes.size();
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::atomic<bool> is_reading_{false};
};

class seekable : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available(tools()[1])) GTEST_SKIP() << "zstd is not available";
  }
  void write_seekable(std::string_view content) const {
    auto out = leat::create(path_, {.compression = compression::automatic, .seekable = true});
    // Writes pieces of many sizes.
    for (std::size_t at = 0, n = 1; at < content.size(); at += n, n = n * 3 + 7)
      out.write(content.substr(at, n));
    out.close();
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file.zst";
};

TEST_F(seekable, files_are_decoded_by_the_command_zstd) {
  for (const std::size_t size : {0U, 1U, 1U << 20, (1U << 20) + 1, 2U << 20, 3'333'333U}) {
    const std::string content = log_lines(size);
    write_seekable(content);
    EXPECT_TRUE(output_of_command("zstd -qdc", read_all(path_)) == content) << size;
    EXPECT_TRUE(leat::open(path_, {.compression = compression::zstd}).read_all() == content);
    const auto file = leat::file::open(path_, leat::mode::read, {.compression = compression::zstd});
    EXPECT_EQ(file.size(), size);
  }
}

TEST_F(seekable, a_seek_goes_to_a_position_of_the_content) {
  const std::string content = log_lines(5'000'000);
  write_seekable(content);
  for (const bool background : {false, true}) {
    auto in = leat::open(path_, {.compression = compression::automatic, .background = background});
    EXPECT_EQ(in.size(), content.size());
    std::mt19937 random(3);
    for (int i = 0; i != 50; ++i) {
      const std::size_t at = random() % content.size();
      in.seek(at);
      std::string some(1000, '\0');
      some.resize(in.read(std::span(some)));
      EXPECT_EQ(some, content.substr(at, 1000)) << at;
    }
    in.seek(content.size() + 10);
    EXPECT_EQ(in.read_all(), "");
  }
  // Reading backwards needs the size.
  auto in = leat::open(path_, {.compression = compression::automatic});
  for (auto line : in.lines_backwards()) {
    EXPECT_TRUE(content.ends_with(line));
    break;
  }
}

TEST_F(seekable, ranges_of_the_content_are_read) {
  const std::string content = log_lines(4'500'000);
  write_seekable(content);
  const auto file = leat::file::open(path_, leat::mode::read, {.compression = compression::zstd});
  std::mt19937 random(5);
  std::vector<leat::byte_range> ranges;
  std::string expected;
  for (int i = 0; i != 2000; ++i) {
    const std::size_t at = random() % (content.size() - 3000), n = random() % 3000;
    ranges.push_back({at, n});
    expected += content.substr(at, n);
  }
  std::string got(expected.size(), '\0');
  file.read_ranges(ranges, std::span(got));
  EXPECT_TRUE(got == expected);
  std::error_code ec;
  char byte;
  file.read_at(content.size(), std::span(&byte, 1), ec);
  EXPECT_EQ(ec, leat::errc::ended_early);
}

TEST_F(seekable, one_file_can_be_read_by_several_threads) {
  const std::string content = log_lines(3'000'000);
  write_seekable(content);
  ASSERT_TRUE(leat::register_scheme("alone", one_thread_device::open));
  one_thread_device::bytes = read_all(path_);
  for (const std::string& path : {path_, std::string("alone://file")}) {
    const auto file = leat::file::open(path, leat::mode::read, {.compression = compression::zstd});
    std::vector<std::thread> threads;
    for (unsigned t = 0; t != 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int i = 0; i != 100; ++i) {
          std::string some(100, '\0');
          const std::size_t at = random() % (content.size() - some.size());
          file.read_at(at, std::span(some));
          EXPECT_EQ(some, content.substr(at, some.size()));
        }
      });
    }
    for (auto& one : threads) one.join();
  }
}

TEST_F(seekable, records_of_the_content_are_read) {
  std::vector<std::uint32_t> numbers(700'000);
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i * 3);
  write_seekable({reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  const auto records = leat::records<std::uint32_t>::open(
      path_, leat::mode::read, {.access = {.compression = compression::zstd}});
  EXPECT_EQ(records.size(), numbers.size());
  std::mt19937 random(1);
  std::vector<std::uint64_t> positions(5000);
  for (auto& one : positions) one = random() % numbers.size();
  const auto got = records.gather(positions);
  for (std::size_t i = 0; i != positions.size(); ++i) EXPECT_EQ(got[i], positions[i] * 3);
}

TEST_F(seekable, random_access_to_zstd_without_a_seek_table_is_refused) {
  write_file(path_, output_of_command("zstd -qc", "text"));
  std::error_code ec;
  auto file =
      leat::file::open(path_, leat::mode::read, {.compression = compression::automatic}, ec);
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(ec, fault::unsupported) << ec.message();
  write_file(path_, "plain");
  file = leat::file::open(path_, leat::mode::read, {.compression = compression::automatic}, ec);
  EXPECT_EQ(file.size(), 5U);
  file = leat::file::open(path_, leat::mode::update, {.compression = compression::zstd}, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

TEST_F(seekable, damaged_content_is_reported_or_returned_unchanged) {
  const std::string content = log_lines(2'500'000);
  write_seekable(content);
  const std::string sound = read_all(path_);
  std::mt19937 random(11);
  for (int i = 0; i != 60; ++i) {
    std::string broken = sound;
    broken[random() % (sound.size() - 100)] ^= static_cast<char>(1 << (random() % 8));
    write_file(path_, broken);
    std::error_code ec;
    const auto file =
        leat::file::open(path_, leat::mode::read, {.compression = compression::zstd}, ec);
    if (ec) continue;
    std::string got(content.size(), '\0');
    file.read_at(0, std::span(got), ec);
    EXPECT_TRUE(ec || got == content) << i;
  }
  // If a size in the table is wrong, a stream delivers all content before the error.
  std::string broken = sound;
  broken[broken.size() - 9 - 4 * 8 + 4] ^= 1;
  write_file(path_, broken);
  std::error_code ec;
  auto in = leat::open(path_, {.compression = compression::zstd});
  EXPECT_TRUE(in.read_all(ec) == content);
  EXPECT_EQ(ec, fault::damaged);
  EXPECT_TRUE(
      ec.message().starts_with("The zstd data is damaged (the table of frames is wrong), at "))
      << ec.message();
  EXPECT_FALSE(
      leat::file::open(path_, leat::mode::read, {.compression = compression::zstd}, ec).is_open());
  EXPECT_EQ(ec, fault::damaged) << ec.message();
}

/// Checks that each read at a position gives the right bytes or an error.
void expect_right_positions(const std::string& path, std::string_view content,
                            const std::string& description) {
  std::error_code ec;
  const auto file =
      leat::file::open(path, leat::mode::read, {.compression = compression::zstd}, ec);
  if (ec) return;
  EXPECT_EQ(file.size(), content.size()) << description;
  for (const std::size_t at : {std::size_t{0}, content.size() / 3, content.size() - 100}) {
    std::string got(100, '\0');
    file.read_at(at, std::span(got), ec);
    EXPECT_TRUE(ec || got == content.substr(at, 100)) << description << ", at " << at;
  }
}

TEST_F(seekable, no_bit_of_the_table_changes_unnoticed) {
  // The content repeats after 1009 bytes, which divides no power of two: a position with one wrong
  // bit has other bytes.
  std::string content;
  while (content.size() < 2'500'000) content += log_lines(1009);
  write_seekable(content);
  const std::string sound = read_all(path_);
  constexpr std::size_t table = 24 + 8 + 4 * 8 + 9;  // includes the frame with the table's checksum
  for (std::size_t i = sound.size() - table; i != sound.size(); ++i) {
    for (int bit = 0; bit != 8; ++bit) {
      std::string broken = sound;
      broken[i] ^= static_cast<char>(1 << bit);
      write_file(path_, broken);
      const std::string description = std::to_string(i) + ", bit " + std::to_string(bit);
      expect_right_positions(path_, content, description);
      auto in = leat::open(path_, {.compression = compression::zstd});
      for (const std::size_t at : {content.size() - 100, content.size() / 2, std::size_t{0}}) {
        std::error_code ec;
        in.seek(at, ec);
        std::string got(100, '\0');
        got.resize(ec ? 0 : in.read(std::span(got), ec));
        EXPECT_TRUE(ec || got == content.substr(at, 100))
            << description << ", by a stream, at " << at;
      }
    }
  }
}

TEST_F(seekable, no_bit_of_a_file_changes_unnoticed) {
  const std::string content = log_lines(300);
  write_seekable(content);
  const std::string sound = read_all(path_);
  for (std::size_t i = 0; i != sound.size(); ++i) {
    for (int bit = 0; bit != 8; ++bit) {
      std::string broken = sound;
      broken[i] ^= static_cast<char>(1 << bit);
      write_file(path_, broken);
      const std::string description = std::to_string(i) + ", bit " + std::to_string(bit);
      expect_right_positions(path_, content, description);
      // A stream delivers bytes before it has reached the checksum of their frame.
      std::error_code ec;
      const std::string got = leat::open(path_, {.compression = compression::zstd}).read_all(ec);
      EXPECT_TRUE(ec || got == content) << description;
    }
  }
}

/// A table as other programs write it.
std::string table_of(const std::vector<std::string>& entries, unsigned flags) {
  std::string all;
  for (const auto& one : entries) all += one;
  return little_endian(0x184D2A5E) + little_endian(all.size() + 9) + all +
         little_endian(entries.size()) + little_endian(flags, 1) + little_endian(0x8F92EAB1);
}

/// Other programs may put the checksums of frames only into the table.
TEST_F(seekable, checksums_in_the_table_are_verified) {
  const std::string text = "Nobody inspects the spammish repetition";
  // XXH64 of each content, by the reference implementation.
  const std::vector<std::pair<std::string, std::uint64_t>> contents{
      {text, 0xFBCEA83C8A378BF1}, {"abc", 0x44BC2CF5AD770999}, {"a", 0xD24EC4F1A98C6E5B}};
  std::string frames, content;
  std::vector<std::string> entries;
  for (const auto& [bytes, sum] : contents) {
    const std::string one = output_of_command("zstd -qc --no-check", bytes);
    frames += one;
    content += bytes;
    entries.push_back(little_endian(one.size()) + little_endian(bytes.size()) + little_endian(sum));
  }
  const auto all_of = [&](std::error_code& ec) {
    const auto file =
        leat::file::open(path_, leat::mode::read, {.compression = compression::zstd}, ec);
    std::string got(content.size(), '\0');
    if (!ec) file.read_at(0, std::span(got), ec);
    return got;
  };
  std::error_code ec;
  write_file(path_, frames + table_of(entries, 0x80));
  EXPECT_EQ(all_of(ec), content) << ec.message();
  EXPECT_EQ(leat::open(path_, {.compression = compression::zstd}).read_all(), content);
  auto in = leat::open(path_, {.compression = compression::zstd});
  in.seek(text.size() + 1);
  EXPECT_EQ(in.read_all(), "bca");
  for (std::size_t i = 0; i != entries.size(); ++i) {
    auto wrong = entries;
    wrong[i].back() ^= 1;
    write_file(path_, frames + table_of(wrong, 0x80));
    all_of(ec);
    EXPECT_EQ(ec, fault::wrong_checksum) << i;
    auto all = leat::open(path_, {.compression = compression::zstd});
    EXPECT_TRUE(content.starts_with(all.read_all(ec)));
    EXPECT_EQ(ec, fault::wrong_checksum) << i;
  }
}

/// The checksum of a zstd frame is the lower half of XXH64.
TEST_F(seekable, checksums_are_the_same_as_in_frames_of_the_command_zstd) {
  const std::string bytes = codecs_test::random_bytes(3000);
  for (const std::size_t size : {1U, 3U, 4U, 7U, 8U, 31U, 32U, 33U, 63U, 64U, 95U, 2999U, 3000U}) {
    const std::string_view content(bytes.data(), size);
    const std::string frame = output_of_command("zstd -qc", content);
    leat::codecs::xxh64 pieces;
    for (std::size_t at = 0; at < size; at += 29) pieces.add(content.substr(at, 29));
    EXPECT_EQ(pieces.value(), leat::codecs::xxh64_of(content)) << size;
    EXPECT_TRUE(frame.ends_with(little_endian(pieces.value() & 0xffffffff))) << size;
  }
}

/// A zstd frame of few bytes. The frame's content is `size` times the byte 'a'.
std::string large_frame(std::size_t size) {
  constexpr std::size_t block = 128 << 10;
  std::string frame = "\x28\xb5\x2f\xfd" + little_endian(0xa0, 1) + little_endian(size);
  for (std::size_t at = 0; at < size; at += block) {
    const std::size_t n = std::min(block, size - at);
    frame += little_endian((at + n == size ? 1U : 0U) | 1U << 1 | n << 3, 3) + 'a';
  }
  return frame;
}

#if defined(__linux__)
/// The largest memory use of the process so far, in MiB.
std::size_t peak_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss) >> 10;
}
#endif

/// A former bug: sixteen frames of 64 MiB, compressed to 83 KB, took 1 GiB of memory.
TEST_F(seekable, large_frames_take_no_more_memory_than_allowed) {
  constexpr std::size_t size = std::size_t{60} << 20;
  std::string frames;
  std::vector<std::string> entries;
  for (int i = 0; i != 5; ++i) {
    const std::string one = large_frame(size);
    frames += one;
    entries.push_back(little_endian(one.size()) + little_endian(size));
  }
  write_file(path_, frames + table_of(entries, 0));
  const auto read_each = [&] {
    const auto file = leat::file::open(path_, leat::mode::read, {.compression = compression::zstd});
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != entries.size(); ++i) {
      threads.emplace_back([&, i] {
        char byte = 0;
        file.read_at(i * size + i, std::span(&byte, 1));
        EXPECT_EQ(byte, 'a');
      });
    }
    for (auto& one : threads) one.join();
  };
#if defined(__linux__)
  // In a process of its own, because earlier tests may have used more memory.
  const auto child = leat_test::run_in_child([&] {
    const std::size_t before = peak_memory();
    read_each();
    leat_test::require(peak_memory() <= before + 140 * (leat_test::sanitized ? 3 : 1));
  });
  EXPECT_TRUE(leat_test::succeeded(child));
#endif
  read_each();
  std::error_code ec;
  char byte = 0;
  const auto less = leat::file::open(
      path_, leat::mode::read,
      {.compression = compression::zstd, .codec_memory = std::uint64_t{50} << 20}, ec);
  ASSERT_FALSE(ec);
  less.read_at(0, std::span(&byte, 1), ec);
  EXPECT_EQ(ec, fault::unsupported) << ec.message();
  // The table alone needs more than these 80 bytes.
  const auto least = leat::file::open(path_, leat::mode::read,
                                      {.compression = compression::zstd, .codec_memory = 80}, ec);
  EXPECT_EQ(ec, fault::unsupported) << ec.message();
}

/// The tables have counts, sizes or flags that are not valid for this file.
TEST_F(seekable, tables_that_do_not_fit_the_file_are_ignored) {
  const std::string one = output_of_command("zstd -qc", "content");
  const std::string entry = little_endian(one.size()) + little_endian(7);
  for (const std::string& table : {
           table_of({}, 0),
           table_of({little_endian(0) + little_endian(0), entry}, 0),
           table_of({little_endian(0xffffffff) + little_endian(7),
                     little_endian(one.size() + 1) + little_endian(0)},
                    0),
           table_of({entry, entry}, 0),
           table_of({entry}, 0x7c),
           little_endian(0x184D2A5E) + little_endian(17) + entry + little_endian(0xffffffff) +
               little_endian(0, 1) + little_endian(0x8F92EAB1),
           little_endian(0x184D2A5E) + little_endian(17) + entry + little_endian(0x8000000) +
               little_endian(0, 1) + little_endian(0x8F92EAB1),
       }) {
    write_file(path_, one + table);
    EXPECT_EQ(leat::open(path_, {.compression = compression::zstd}).read_all(), "content");
    std::error_code ec;
    EXPECT_FALSE(leat::file::open(path_, leat::mode::read, {.compression = compression::zstd}, ec)
                     .is_open());
    EXPECT_EQ(ec, fault::unsupported) << ec.message();
  }
}

TEST_F(seekable, an_append_ends_the_random_access) {
  write_seekable("one\n");
  leat::append(path_, {.compression = compression::zstd}).write("two\n");
  EXPECT_EQ(leat::open(path_, {.compression = compression::zstd}).read_all(), "one\ntwo\n");
  std::error_code ec;
  EXPECT_FALSE(
      leat::file::open(path_, leat::mode::read, {.compression = compression::zstd}, ec).is_open());
}

}  // namespace
