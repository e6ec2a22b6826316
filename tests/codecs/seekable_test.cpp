#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "codecs/tools.hpp"

namespace {

using codecs_test::filtered, codecs_test::log_lines, codecs_test::tools;
using leat::compression;
using leat::codecs::fault;
using leat_test::read_all;
using leat_test::temporary_folder;
using leat_test::write_file;

class seekable : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_here(tools()[1])) GTEST_SKIP() << "zstd is not here";
  }
  void make(std::string_view content) const {
    auto out = leat::create(path_, {.compression = compression::automatic, .seekable = true});
    // Pieces that end anywhere.
    for (std::size_t at = 0, n = 1; at < content.size(); at += n, n = n * 3 + 7)
      out.write(content.substr(at, n));
    out.close();
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file.zst";
};

TEST_F(seekable, is_read_by_the_command) {
  for (const std::size_t size : {0U, 1U, 1U << 20, (1U << 20) + 1, 2U << 20, 3'333'333U}) {
    const std::string content = log_lines(size);
    make(content);
    EXPECT_TRUE(filtered("zstd -qdc", read_all(path_)) == content) << size;
    EXPECT_TRUE(leat::open(path_, {.compression = compression::zstd}).read_all() == content);
    const auto file = leat::file::open(path_, leat::mode::read, {.compression = compression::zstd});
    EXPECT_EQ(file.size(), size);
  }
}

TEST_F(seekable, has_real_positions) {
  const std::string content = log_lines(5'000'000);
  make(content);
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
  // Backwards needs the size.
  auto in = leat::open(path_, {.compression = compression::automatic});
  for (auto line : in.lines_backwards()) {
    EXPECT_TRUE(content.ends_with(line));
    break;
  }
}

TEST_F(seekable, is_a_file_of_ranges) {
  const std::string content = log_lines(4'500'000);
  make(content);
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

TEST_F(seekable, is_read_by_threads) {
  const std::string content = log_lines(3'000'000);
  make(content);
  const auto file = leat::file::open(path_, leat::mode::read, {.compression = compression::zstd});
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

TEST_F(seekable, has_records) {
  std::vector<std::uint32_t> numbers(700'000);
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i * 3);
  make({reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  const auto records = leat::records<std::uint32_t>::open(
      path_, leat::mode::read, {.access = {.compression = compression::zstd}});
  EXPECT_EQ(records.size(), numbers.size());
  std::mt19937 random(1);
  std::vector<std::uint64_t> places(5000);
  for (auto& one : places) one = random() % numbers.size();
  const auto got = records.gather(places);
  for (std::size_t i = 0; i != places.size(); ++i) EXPECT_EQ(got[i], places[i] * 3);
}

TEST_F(seekable, is_needed_for_positions) {
  write_file(path_, filtered("zstd -qc", "text"));
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

TEST_F(seekable, that_is_damaged_is_told) {
  const std::string content = log_lines(2'500'000);
  make(content);
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
  // A table that tells of other contents.
  std::string broken = sound;
  broken[broken.size() - 9 - 3 * 8 + 4] ^= 1;
  write_file(path_, broken);
  std::error_code ec;
  auto in = leat::open(path_, {.compression = compression::zstd});
  EXPECT_TRUE(content.starts_with(in.read_all(ec)));
  EXPECT_EQ(ec, fault::damaged) << ec.message();
}

TEST_F(seekable, goes_on_when_it_is_appended_to) {
  make("one\n");
  leat::append(path_, {.compression = compression::zstd}).write("two\n");
  EXPECT_EQ(leat::open(path_, {.compression = compression::zstd}).read_all(), "one\ntwo\n");
  std::error_code ec;
  EXPECT_FALSE(
      leat::file::open(path_, leat::mode::read, {.compression = compression::zstd}, ec).is_open());
}

}  // namespace
