// A file that several threads read, each its own part.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"

namespace {

using leat_test::temporary_folder;
using leat_test::write_file;

/// The parts of a text. Each but the last one has to end with a line.
std::vector<std::string> parts_of(const std::string& file, std::size_t count,
                                  char delimiter = '\n') {
  std::vector<std::string> all;
  auto parts = leat::split(file, count, {.delimiter = delimiter});
  EXPECT_GE(parts.size(), 1u);
  EXPECT_LE(parts.size(), std::max<std::size_t>(count, 1));
  std::uint64_t at = 0;
  for (auto& part : parts) {
    EXPECT_EQ(part.tell(), at);
    std::string text;
    for (int byte; (byte = part.get()) != EOF;) text += static_cast<char>(byte);
    at += text.size();
    EXPECT_EQ(part.tell(), at);
    EXPECT_EQ(part.size(), at);
    all.push_back(std::move(text));
  }
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    EXPECT_FALSE(all[i].empty());
    EXPECT_EQ(all[i].back(), delimiter);
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::string());
}

TEST(split, parts_meet_at_ends_of_lines) {
  const temporary_folder folder;
  const std::string file = folder / "lines";
  std::mt19937 random(21);
  for (int round = 0; round != 300; ++round) {
    std::string text;
    for (auto lines = random() % 50; lines != 0; --lines)
      text += std::string(random() % (1U << random() % 12), 'x') + '\n';
    if (random() % 2 == 0) text += "no end";
    write_file(file, text);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 100U}) {
      const auto parts = parts_of(file, count);
      EXPECT_EQ(joined(parts), text);
    }
  }
}

TEST(split, parts_have_about_the_same_size) {
  const temporary_folder folder;
  std::string text;
  for (int i = 0; i != 10'000; ++i) text += "1234567\n";
  write_file(folder / "even", text);
  const auto parts = parts_of(folder / "even", 4);
  ASSERT_EQ(parts.size(), 4u);
  for (const auto& part : parts) EXPECT_EQ(part.size(), 20'000u);
}

TEST(split, a_line_longer_than_a_part_stays_whole) {
  const temporary_folder folder;
  const std::string text = "a\n" + std::string(100'000, 'x') + "\nb\n";
  write_file(folder / "long", text);
  const auto parts = parts_of(folder / "long", 8);
  EXPECT_EQ(joined(parts), text);
  EXPECT_LE(parts.size(), 2u);
}

TEST(split, lines_may_end_in_another_byte) {
  const temporary_folder folder;
  write_file(folder / "records", "one;two;three;four");
  EXPECT_EQ(joined(parts_of(folder / "records", 3, ';')), "one;two;three;four");
}

TEST(split, an_empty_file_is_one_part) {
  const temporary_folder folder;
  write_file(folder / "empty", "");
  EXPECT_EQ(parts_of(folder / "empty", 4), std::vector<std::string>{""});
}

TEST(split, what_is_appended_later_belongs_to_no_part) {
  const temporary_folder folder;
  write_file(folder / "grows", "one\ntwo\n");
  auto parts = leat::split(folder / "grows", 2);
  leat::append(folder / "grows").println("three");
  std::size_t lines = 0;
  for (auto& part : parts)
    for ([[maybe_unused]] const auto line : part.lines()) ++lines;
  EXPECT_EQ(lines, 2u);
}

TEST(split, any_number_of_parts_may_be_asked_for) {
  const temporary_folder folder;
  leat::write_file(folder / "f", leat_test::numbered_text(300'000) + '\n');
  for (const std::size_t parts :
       {std::size_t{0}, std::size_t{1}, std::size_t{1'000'000'000},
        std::numeric_limits<std::size_t>::max() / 2, std::numeric_limits<std::size_t>::max()}) {
    std::string all;
    for (auto& part : leat::split(folder / "f", parts)) {
      const std::string bytes = part.read_all();
      EXPECT_EQ(bytes.back(), '\n');
      all += bytes;
    }
    EXPECT_EQ(all, leat::read_file(folder / "f")) << parts;
  }
}

TEST(split, threads_read_all_lines_once) {
  const temporary_folder folder;
  constexpr std::uint64_t count = 200'000;
  {
    auto out = leat::create(folder / "numbers");
    for (std::uint64_t i = 0; i != count; ++i) out.println("{}", i);
    out.close();
  }
  auto parts = leat::split(folder / "numbers", 4);
  ASSERT_EQ(parts.size(), 4u);
  std::vector<std::uint64_t> sums(parts.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != parts.size(); ++i) {
    threads.emplace_back([part = std::move(parts[i]), &sum = sums[i]]() mutable {
      while (const auto number = part.parse<std::uint64_t>()) sum += *number;
    });
  }
  for (auto& one : threads) one.join();
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), count * (count - 1) / 2);
}

TEST(split, what_has_no_positions_is_refused) {
  const temporary_folder folder;
  std::error_code ec;
  EXPECT_TRUE(leat::split(folder / "missing", 2, ec).empty());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_THROW(leat::split(folder / "missing", 2), leat::io_error);
  EXPECT_TRUE(leat::split(folder.path(), 2, ec).empty());
  EXPECT_EQ(ec, std::errc::is_a_directory);
}

#if !defined(_WIN32)
TEST(split, pipes_and_devices_are_refused) {
  const leat_test::pipe_pair pipe;
  std::error_code ec;
  for (const std::string& name :
       {"/dev/fd/" + std::to_string(pipe.reader()), std::string("/dev/null")}) {
    EXPECT_TRUE(leat::split(name, 2, ec).empty());
    EXPECT_EQ(ec, std::errc::invalid_seek) << name;
    EXPECT_THROW(leat::split(name, 2), leat::io_error) << name;
  }
}
#endif

}  // namespace
