// Reads after a seek, in a file that is in the page cache: the buffer begins before the position.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/page_cache.hpp"
#include "support/platform.hpp"
#include "support/random_engine.hpp"
#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

constexpr std::size_t page_size = 4096;

/// Reads records of 100 bytes, the last one first.
template <class Stream>
void read_backwards(Stream& in, std::string_view content) {
  char record[100];
  for (std::size_t at = content.size() / 100 * 100; at != 0; at -= 100) {
    in.seek(at - 100);
    ASSERT_EQ(in.read(std::span(record)), 100u);
    ASSERT_EQ(std::string_view(record, 100), content.substr(at - 100, 100));
    ASSERT_EQ(in.tell(), at);
  }
}

TEST(read_around, reads_backwards_with_few_reads) {
  for (const leat::pattern pattern : {leat::pattern::automatic, leat::pattern::random}) {
    const auto script = new_cached_script(numbered_text(1 << 20));
    const std::size_t most = pattern == leat::pattern::random ? 300 : 40;
    leat::file_reader in(device_of(script), {.pattern = pattern});
    read_backwards(in, script->content);
    EXPECT_LE(script->reads.size(), most);
    script->reads.clear();
    leat::file_stream both(device_of(script), {.pattern = pattern});
    read_backwards(both, script->content);
    EXPECT_LE(script->reads.size(), most);
  }
}

TEST(read_around, reads_backwards_with_few_reads_in_buffers_of_any_size) {
  for (const std::size_t size : {512u, 10000u, 65536u}) {
    const auto script = new_cached_script(numbered_text(1 << 20));
    leat::file_reader in(device_of(script), {.buffer_size = size});
    read_backwards(in, script->content);
    EXPECT_LE(script->reads.size(), (2 << 20) / std::min<std::size_t>(size, 8192) + 10);
    std::uint64_t bytes = 0;
    for (const auto& read : script->reads) bytes += read.returned;
    EXPECT_LE(bytes, 3u << 20);
  }
}

TEST(read_around, reads_only_the_pages_of_random_records_or_parts_of_these_pages) {
  for (const leat::pattern pattern : {leat::pattern::automatic, leat::pattern::random}) {
    const auto script = new_cached_script(numbered_text(4 << 20));
    const auto read_randomly = [&](auto& in) {
      random_engine random(7);
      char record[16];
      const bool is_automatic = pattern == leat::pattern::automatic;
      const std::size_t unit = is_automatic ? 512 : page_size;
      int small_reads = 0;
      for (int i = 0; i != 1000; ++i) {
        const std::uint64_t at = random.below(script->content.size() - 16);
        script->reads.clear();
        in.seek(at);
        ASSERT_EQ(in.read(std::span(record)), 16u);
        ASSERT_EQ(std::string_view(record, 16), std::string_view(script->content).substr(at, 16));
        if (script->reads.empty()) continue;  // the record was in the buffer
        ASSERT_EQ(script->reads.size(), 1u);
        const auto& read = script->reads[0];
        EXPECT_EQ(read.at % unit, 0u);
        EXPECT_EQ(read.requested % unit, 0u);
        small_reads += read.requested <= 1024;
        EXPECT_LE(read.requested, at % page_size > page_size - 16 ? 4 * page_size : 3 * page_size);
        if (i > 100 && pattern == leat::pattern::random) {
          EXPECT_EQ(read.requested, at % page_size > page_size - 16 ? 2 * page_size : page_size);
        }
      }
      EXPECT_EQ(small_reads > 300, is_automatic) << small_reads;
    };
    leat::file_reader in(device_of(script), {.pattern = pattern});
    read_randomly(in);
    leat::file_stream both(device_of(script), {.pattern = pattern});
    read_randomly(both);
  }
}

TEST(read_around, reads_only_the_pages_of_records_between_long_skips) {
  const auto script = new_cached_script(numbered_text(8 << 20));
  leat::file_reader in(device_of(script));
  char record[24];
  for (std::size_t at = 0; at < script->content.size(); at += 50'000) {
    ASSERT_EQ(in.tell(), at);
    ASSERT_EQ(in.read(std::span(record)), 24u);
    ASSERT_EQ(std::string_view(record, 24), script->content.substr(at, 24));
    in.skip(50'000 - 24);
  }
  std::uint64_t bytes = 0;
  for (const auto& read : script->reads) bytes += read.returned;
  EXPECT_LE(bytes, script->reads.size() * 2 * page_size);
}

/// If the skipped bytes are not in the page cache, the default pattern would read these bytes, too.
TEST(read_around, reads_only_the_pages_of_records_with_pattern_random) {
  const auto script = new_cached_script(numbered_text(4 << 20));
  const auto expect_few_bytes = [&](auto&& in) {
    script->reads.clear();
    char record[24];
    for (std::size_t at = 0; at + 24 < script->content.size(); at += 20'000) {
      ASSERT_EQ(in.read(std::span(record)), 24u);
      ASSERT_EQ(std::string_view(record, 24), script->content.substr(at, 24));
      in.skip(20'000 - 24);
    }
    EXPECT_LE(script->reads.size(), 2 * (script->content.size() / 20'000 + 1));
    for (const auto& read : script->reads) EXPECT_LE(read.requested, 2 * page_size);
  };
  expect_few_bytes(leat::file_reader(device_of(script), {.pattern = leat::pattern::random}));
  expect_few_bytes(leat::file_stream(device_of(script), {.pattern = leat::pattern::random}));
}

#if defined(RWF_NOWAIT)
/// In the page cache, a seek costs less than a copy of more than 6 KiB. If the bytes are on the
/// disk, a skip of up to 32 KiB reads the bytes, because the system reads ahead.
TEST(read_around, skips_more_than_8_kib_in_the_page_cache_without_reading) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const std::string text = numbered_text(8 << 20);
  write_file(path, text);
  if (!is_known_to_be_cached(path)) GTEST_SKIP() << "the file system does not say what is cached";
  const auto bytes_read = [&](auto&& in, std::size_t distance) {
    const std::uint64_t before = io_of_process("rchar");
    char record[24];
    for (std::size_t at = 0; at + distance < text.size(); at += distance) {
      EXPECT_EQ(in.read(std::span(record)), 24u);
      EXPECT_EQ(std::string_view(record, 24), text.substr(at, 24)) << at;
      EXPECT_EQ(in.skip(distance - 24), distance - 24);
    }
    return io_of_process("rchar") - before;
  };
  for (const std::size_t distance : {9'000UL, 12'000UL, 34'000UL}) {
    EXPECT_LT(bytes_read(leat::open(path), distance), 6 * text.size() / 10) << distance;
    EXPECT_LT(bytes_read(leat::update(path), distance), 6 * text.size() / 10) << distance;
  }
  EXPECT_GT(bytes_read(leat::open(path), 4'000), text.size() - (1 << 20));
  EXPECT_GT(bytes_read(leat::open(path, {.pattern = leat::pattern::sequential}), 20'000),
            text.size() - (1 << 20));
}
#endif

TEST(read_around, reads_grow_if_the_program_reads_sequentially_after_a_seek) {
  const auto script = new_cached_script(std::string(4 << 20, 'x'));
  leat::file_reader in(device_of(script));
  in.seek(1000001);
  while (in.get() != leat::reader::end_of_file) {
  }
  EXPECT_EQ(script->reads[0].at, 1000001 / page_size * page_size);
  EXPECT_EQ(script->reads[0].requested, page_size);
  EXPECT_LT(script->reads.size(), 25u);
  EXPECT_EQ(script->reads[script->reads.size() / 2].requested, 256u << 10);
  for (std::size_t i = 1; i != script->reads.size(); ++i) {
    const auto& read = script->reads[i];
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.into) % page_size, read.at % page_size);
  }
}

TEST(read_around, does_not_happen_with_pattern_sequential_or_without_read_ahead) {
  const auto script = new_cached_script(numbered_text(1 << 20));
  const auto expect_position = [&](auto&& in) {
    in.seek(500001);
    in.get();
    EXPECT_EQ(script->reads.back().at, 500001u);
  };
  expect_position(leat::file_reader(device_of(script), {.pattern = leat::pattern::sequential}));
  expect_position(leat::file_stream(device_of(script), {.pattern = leat::pattern::sequential}));
  script->traits.reads_ahead = false;
  expect_position(leat::file_reader(device_of(script)));
  expect_position(leat::file_stream(device_of(script)));
}

// The end, and errors

TEST(read_around, finds_the_end_and_bytes_that_were_appended_later) {
  const auto script = new_cached_script(numbered_text(10000));
  const auto read_at_the_end = [&](auto& in) {
    for (int i = 0; i != 3; ++i) {
      const std::size_t end = script->content.size();
      for (const std::size_t at : {end + 5000, end + 1, end}) {
        in.seek(at);
        EXPECT_EQ(in.get(), leat::reader::end_of_file);
        EXPECT_EQ(in.tell(), at);
      }
      script->content += "more";
      EXPECT_EQ(in.peek(10), "more");
      in.seek(end - 1);
      EXPECT_EQ(in.get(), static_cast<unsigned char>(script->content[end - 1]));
      EXPECT_EQ(in.peek(10), "more");
    }
  };
  leat::file_reader in(device_of(script));
  read_at_the_end(in);
  leat::file_stream both(device_of(script));
  read_at_the_end(both);
}

TEST(read_around, reports_an_error_at_its_position) {
  const auto script = new_cached_script(numbered_text(100000));
  script->read_limit = 50000;
  const auto expect_failure = [&](auto& in) {
    for (const std::uint64_t at : {60000u, 50010u, 50000u, 49990u}) {
      in.seek(at);
      if (at < 50000) {
        EXPECT_EQ(in.peek(20), std::string_view(script->content).substr(at, 10));
        in.skip(10);
      }
      try {
        in.get();
        ADD_FAILURE() << at;
      } catch (const leat::io_error& error) {
        EXPECT_EQ(error.offset(), std::max<std::uint64_t>(at, 50000));
      }
    }
    in.seek(100);
    EXPECT_EQ(in.get(), static_cast<unsigned char>(script->content[100]));
    EXPECT_FALSE(in.leat::reader::error());
  };
  leat::file_reader in(device_of(script));
  expect_failure(in);
  leat::file_stream both(device_of(script));
  expect_failure(both);
}

// Random calls, compared with a string

/// A position that is often near the last one.
std::size_t any_position(random_engine& random, std::size_t last, std::size_t size) {
  switch (random.below(4)) {
    case 0:
      return random.below(size + 3 * page_size);
    case 1:
      return last - std::min<std::size_t>(last, random.below(300));
    case 2:
      return last - std::min<std::size_t>(last, random.below(3 * page_size));
    default:
      return last + random.below(2 * page_size);
  }
}

/// Makes one random call that reads or moves, and compares its result with the content.
template <class Stream>
void read_somehow(Stream& in, random_engine& random, const std::string& content) {
  const auto at = static_cast<std::size_t>(in.tell());
  const std::string_view rest = std::string_view(content).substr(std::min(at, content.size()));
  std::size_t n = random.below(random.below(20) == 0 ? 50000 : 200);
  switch (random.below(6)) {
    case 0: {
      ASSERT_EQ(in.get(),
                rest.empty() ? leat::reader::end_of_file : static_cast<unsigned char>(rest[0]));
      break;
    }
    case 1: {
      std::string into(n, ' ');
      into.resize(in.read(std::span(into)));
      ASSERT_TRUE(into == rest.substr(0, n));
      break;
    }
    case 2:
      ASSERT_TRUE(in.peek(n) == rest.substr(0, n));
      ASSERT_EQ(in.tell(), at);
      break;
    case 3: {
      std::string line;
      ASSERT_EQ(in.read_line(line), !rest.empty());
      ASSERT_TRUE(line == rest.substr(0, rest.find('\n')));
      break;
    }
    default:
      n = any_position(random, at, content.size());
      in.seek(n);
      ASSERT_EQ(in.tell(), n);
  }
}

TEST(read_around, random_calls_return_the_bytes_of_a_string) {
  const temporary_folder folder;
  for (unsigned seed = 0; seed != 60; ++seed) {
    SCOPED_TRACE(seed);
    random_engine random(seed);
    const leat::open_options how{
        .buffer_size = buffer_sizes[seed % std::size(buffer_sizes)],
        .pattern = seed % 3 == 0 ? leat::pattern::random : leat::pattern::automatic};
    const auto script = new_cached_script(numbered_text(1 + random.below(100000)));
    script->random_sizes = seed % 4 == 1;
    script->interrupt_every = seed % 4 == 2 ? 3 : 0;
    leat::file_reader in(device_of(script),
                         {.buffer_size = how.buffer_size, .pattern = how.pattern});
    write_file(folder / "file", script->content);
    leat::file_reader file = leat::open(folder / "file", how);
    for (int i = 0; i != 300 && !HasFatalFailure(); ++i) {
      read_somehow(in, random, script->content);
      read_somehow(file, random, script->content);
    }
  }
}

TEST(read_around, returns_bytes_that_the_program_has_written) {
  const temporary_folder folder;
  for (unsigned seed = 0; seed != 60; ++seed) {
    SCOPED_TRACE(seed);
    random_engine random(seed);
    std::string content = numbered_text(1 + random.below(100000));
    write_file(folder / "file", content);
    {
      auto file = leat::update(folder / "file",
                               {.buffer_size = buffer_sizes[seed % std::size(buffer_sizes)]});
      for (int i = 0; i != 300 && !HasFatalFailure(); ++i) {
        read_somehow(file, random, content);
        if (random.below(3) != 0) continue;
        const auto at = static_cast<std::size_t>(file.tell());
        const std::string bytes = random.text(random.below(100), "abc");
        if (!bytes.empty() && content.size() < at + bytes.size()) content.resize(at + bytes.size());
        content.replace(std::min(at, content.size()), bytes.size(), bytes);
        file.write(bytes);
        ASSERT_EQ(file.tell(), at + bytes.size());
      }
      file.close();
    }
    EXPECT_TRUE(read_all(folder / "file") == content);
  }
}

}  // namespace
