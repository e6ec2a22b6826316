// A search in a stream finds occurrences across the ends of buffers, and reads no further than the
// buffer with the occurrence.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "search/every_kernel.hpp"
#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using positions = std::vector<std::uint64_t>;

TEST(find, finds_needles_across_every_end_of_a_buffer) {
  for (const std::size_t buffer : {1u, 2u, 7u, 16u, 4096u, 8192u}) {
    for (const std::size_t size : {1u, 2u, 3u, 8u, 17u, 40u}) {
      const std::string needle = std::string(size - 1, 'a') + "b";
      for (std::size_t at = buffer < 50 ? 0 : buffer - size - 1; at != buffer + 2; ++at) {
        std::string text(at, '.');
        text.append(needle).append("...");
        test_reader r(reader_kind::memory_device, text, buffer);
        ASSERT_EQ(r.get().find(needle), at) << "buffer " << buffer << ", size " << size;
        ASSERT_EQ(r.get().tell(), at);
        ASSERT_EQ(r.get().find(needle), at) << "the reader is at the needle";
        ASSERT_EQ(r.get().get(), needle[0]);
        ASSERT_EQ(r.get().find(needle), std::nullopt);
        ASSERT_EQ(r.get().tell(), text.size());
      }
    }
  }
}

TEST(find, finds_no_needle_longer_than_the_text) {
  for (const reader_kind kind : reader_kinds) {
    for (const std::size_t buffer : buffer_sizes) {
      test_reader r(kind, std::string(100, 'a'), buffer);
      EXPECT_EQ(r.get().find(std::string(101, 'a')), std::nullopt);
      EXPECT_EQ(r.get().tell(), 100u);
    }
  }
}

TEST(find, reads_no_further_than_the_buffer_with_the_occurrence) {
  auto script = new_script();
  script->content = std::string(20000, '.') + "needle" + std::string(1 << 20, '.');
  leat::file_reader in(device_of(script));
  EXPECT_EQ(in.find("needle"), 20000u);
  const auto last = script->reads.back();
  EXPECT_LE(last.at, 20005u);
  const std::size_t reads = script->reads.size();
  EXPECT_EQ(in.find("needle"), 20000u);
  EXPECT_EQ(in.peek(6), "needle");
  EXPECT_EQ(script->reads.size(), reads);
}

TEST(find, in_a_pipe_does_not_wait_for_bytes_after_the_occurrence) {
  pipe_pair pipe;
  leat::file_reader in(leat::borrow(pipe.reader()));
  ASSERT_EQ(write_once(pipe.writer(), "..needle"), 8);
  EXPECT_EQ(in.find("needle"), 2u);
  ASSERT_EQ(write_once(pipe.writer(), "7\nline\n5x"), 9);
  in.skip(6);
  EXPECT_EQ(in.parse<int>(), 7);
  EXPECT_EQ(in.get(), '\n');
  std::string line;
  EXPECT_TRUE(in.read_line(line));
  EXPECT_EQ(line, "line");
  EXPECT_EQ(in.parse<int>(), 5)
      << "an integer ends before a letter, whatever comes after the letter";
  EXPECT_EQ(in.buffered(), "x");
}

class find_all_of_kernels : public leat::test::every_kernel {};
LEAT_TEST_EVERY_KERNEL(find_all_of_kernels);

// Occurrences of a byte that is frequent are marked ahead.
TEST_P(find_all_of_kernels, finds_frequent_and_rare_bytes) {
  std::mt19937 random(11);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int i = 0; i != 200; ++i) {
    std::string text;
    while (text.size() < 5000) {
      const std::size_t most = std::size_t{1} << below(11);
      for (auto count = below(40); count != 0; --count)
        text += std::string(below(most), '.') + std::string(1 + below(8) / 7, ';');
    }
    for (const std::size_t buffer : {1u, 7u, 64u, 4096u, 65536u}) {
      test_reader r(reader_kind::memory_device, text, buffer);
      leat::reader& in = r.get();
      std::size_t expected = text.find(';');
      for (const std::uint64_t at : in.find_all(";")) {
        ASSERT_EQ(at, expected) << "buffer " << buffer;
        ASSERT_EQ(in.tell(), at);
        ASSERT_EQ(in.window().front(), ';');
        // Sometimes the program reads on, or goes back. A byte that was found is not found again.
        std::size_t position = expected + 1;
        if (below(8) == 0) {
          position += std::min<std::size_t>(below(30), text.size() - position);
          in.seek(position);
        } else if (below(8) == 0) {
          in.seek(below(expected + 1));
        }
        expected = text.find(';', position);
      }
      ASSERT_EQ(expected, std::string::npos);
      ASSERT_EQ(in.tell(), text.size());
    }
  }
}

TEST(find, a_moved_range_continues_at_the_next_occurrence) {
  const std::string text = "a;b;;c;d";
  leat::memory_reader in(text), other(text);
  positions got;
  auto all = in.find_all(";");
  for (const std::uint64_t at : all) {
    got.push_back(at);
    if (got.size() == 3) break;
  }
  auto moved = std::move(all);
  moved = other.find_all(";");
  for (const std::uint64_t at : moved) got.push_back(at);
  for (const std::uint64_t at : leat::memory_reader(text).find_all(";")) got.push_back(at);
  EXPECT_EQ(got, (positions{1, 3, 4, 1, 3, 4, 6, 1, 3, 4, 6}));
}

TEST(find, with_a_moved_from_finder_finds_an_empty_needle) {
  leat::memory_reader in(std::string_view("abab"));
  leat::finder needle("b");
  leat::finder taken = std::move(needle);
  EXPECT_EQ(in.find(needle), 0u);
  EXPECT_EQ(in.find(taken), 1u);
}

TEST(find, reports_a_failed_read_and_can_be_repeated) {
  for (const std::size_t buffer : buffer_sizes) {
    for (std::uint64_t limit = 0; limit != 30; ++limit) {
      SCOPED_TRACE(testing::Message() << "buffer " << buffer << ", limit " << limit);
      auto script = new_script();
      script->content = "..needle...........needle....";
      script->read_limit = limit;
      leat::file_reader in(device_of(script), {.buffer_size = buffer});
      positions got;
      std::error_code ec;
      for (const std::uint64_t at : in.find_all("needle", ec)) got.push_back(at);
      EXPECT_EQ(ec, std::errc::io_error);
      EXPECT_EQ(got.size(), limit < 8 ? 0u : limit < 25 ? 1u : 2u);
      EXPECT_LE(in.tell(), limit);
      EXPECT_THROW(in.find("needle"), leat::io_error);
      if (limit < 19) {
        script->read_limit = 100;
        EXPECT_EQ(in.find("needle", ec), limit < 8 ? 2u : 19u);
        EXPECT_FALSE(ec);
      }
      in.close();
    }
  }
}

}  // namespace
