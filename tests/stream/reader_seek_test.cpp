// Readers: the position after a seek, how much is read ahead, release of the descriptor, and files
// that change.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/handles.hpp"
#include "support/platform.hpp"
#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

constexpr std::uint64_t last_offset = std::numeric_limits<std::int64_t>::max();

TEST(reader_seek, inside_the_buffer_makes_no_call) {
  auto script = new_script();
  script->content = numbered_text(8192);
  leat::file_reader in(device_of(script));
  EXPECT_EQ(in.get(), script->content[0]);
  ASSERT_EQ(script->reads.size(), 1u);
  for (const std::uint64_t at : {8191u, 0u, 8192u, 4000u}) {
    in.seek(at);
    EXPECT_EQ(in.tell(), at);
    if (at != 8192) {
      EXPECT_EQ(in.get(), script->content[at]);
    }
  }
  in.seek_by(-4001);
  EXPECT_EQ(in.tell(), 0u);
  in.seek_by(8192);
  EXPECT_EQ(in.tell(), 8192u);
  EXPECT_EQ(script->reads.size(), 1u);
}

TEST(reader_seek, may_go_after_the_end_but_not_before_the_start) {
  for (const reader_kind kind : {reader_kind::memory, reader_kind::memory_device, reader_kind::file,
                                 reader_kind::short_reads}) {
    for (const std::size_t buffer : buffer_sizes) {
      SCOPED_TRACE(testing::Message() << kind << ", buffer " << buffer);
      test_reader r(kind, "0123456789", buffer);
      leat::reader& in = r.get();
      EXPECT_EQ(in.size(), 10u);
      in.skip(3);
      EXPECT_THROW(in.seek_by(-4), leat::io_error);
      std::error_code ec;
      in.seek_by(std::numeric_limits<std::int64_t>::min(), ec);
      EXPECT_EQ(ec, std::errc::invalid_argument);
      EXPECT_EQ(in.tell(), 3u);
      EXPECT_EQ(in.get(), '3');
      for (const std::uint64_t at :
           {std::uint64_t{11}, std::uint64_t{5} << 30, last_offset - 1, last_offset}) {
        in.seek(at);
        EXPECT_EQ(in.tell(), at);
        EXPECT_EQ(in.get(), leat::reader::end_of_file);
        char area[100000];
        EXPECT_EQ(in.read(std::span(area)), 0u);
        EXPECT_EQ(in.skip(5), 0u);
        EXPECT_EQ(in.find("x"), std::nullopt);
        EXPECT_EQ(in.parse<int>(), std::nullopt);
        EXPECT_TRUE(in.lines().begin() == std::default_sentinel);
        EXPECT_EQ(in.tell(), at);
      }
      for (const std::uint64_t at : {last_offset + 1, ~std::uint64_t{0}}) {
        in.seek(at, ec);
        EXPECT_EQ(ec, std::errc::invalid_argument);
        EXPECT_EQ(in.tell(), last_offset);
      }
      in.seek_by(std::numeric_limits<std::int64_t>::max(), ec);
      EXPECT_EQ(ec, std::errc::invalid_argument);
      in.seek_by(-std::numeric_limits<std::int64_t>::max());
      EXPECT_EQ(in.tell(), 0u);
      EXPECT_EQ(in.get(), '0');
      in.close();
    }
  }
}

TEST(reader_seek, reads_beyond_4_gib) {
  const temporary_folder folder;
  constexpr std::uint64_t far = (std::uint64_t{5} << 30) + 123;
  auto out = leat::create(folder / "sparse");
  out.write("head");
  out.seek(far);
  out.write("far 42\nline");
  out.close();
  for (const std::size_t buffer : buffer_sizes) {
    auto in = leat::open(folder / "sparse", {.buffer_size = buffer});
    EXPECT_EQ(in.peek(4), "head");
    EXPECT_EQ(in.skip(far), far);
    EXPECT_EQ(in.find("4"), far + 4);
    EXPECT_EQ(in.parse<int>(), 42);
    EXPECT_EQ(in.tell(), far + 6);
    in.seek_by(-6);
    EXPECT_EQ(in.get(), 'f');
    EXPECT_EQ(in.size(), far + 11);
    EXPECT_EQ(in.skip(~std::uint64_t{0}), 10u);
    in.seek_by(-static_cast<std::int64_t>(far) - 11);
    EXPECT_EQ(in.peek(4), "head");
  }
}

TEST(reader_seek, outside_the_buffer_is_refused_by_pipes) {
  for (const reader_kind kind : {reader_kind::pipe, reader_kind::stream}) {
    test_reader r(kind, "0123456789", 4096);
    leat::reader& in = r.get();
    std::error_code ec = leat::errc::closed;
    in.seek(0, ec);
    EXPECT_FALSE(ec) << "the reader is already at this position";
    in.seek(1, ec);
    EXPECT_EQ(ec, std::errc::invalid_seek);
    EXPECT_EQ(in.peek(10).size(), 10u);
    in.seek(5, ec);
    EXPECT_FALSE(ec);
    EXPECT_EQ(in.get(), '5');
    in.seek_by(-6, ec);
    EXPECT_FALSE(ec);
    EXPECT_EQ(in.get(), '0');
    EXPECT_THROW(in.seek(11), leat::io_error);
    in.size(ec);
    if (kind == reader_kind::pipe) {
      EXPECT_EQ(ec, std::errc::operation_not_supported);
      try {
        static_cast<void>(in.size());
        ADD_FAILURE();
      } catch (const leat::io_error& error) {
        EXPECT_EQ(error.what(), "cannot get the size of '<device>': " + ec.message());
      }
    }
    EXPECT_EQ(in.peek(100), "123456789");
  }
}

#if defined(HAS_POSIX_FILES)
TEST(reader, starts_at_the_offset_of_an_adopted_descriptor_and_releases_the_descriptor) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const int file = ::open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(file, 3, SEEK_SET), 3);
  leat::file_reader in(leat::adopt(file));
  EXPECT_EQ(in.tell(), 3u);
  EXPECT_EQ(in.get(), '3');
  EXPECT_EQ(in.release(), file);
  EXPECT_FALSE(in.is_open());
  EXPECT_EQ(in.tell(), 4u);
  EXPECT_EQ(in.buffered(), "");
  EXPECT_EQ(::lseek(file, 0, SEEK_CUR), 4);
  std::error_code ec;
  EXPECT_EQ(in.release(ec), leat::no_handle);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_THROW(in.release(), leat::io_error);
  ::close(file);
  auto script = new_script();
  script->content = "abc";
  leat::file_reader device(device_of(script));
  EXPECT_EQ(device.get(), 'a');
  EXPECT_EQ(device.release(ec), leat::no_handle);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(device.get(), 'b') << "the failed release() keeps the device";
}

TEST(reader, releases_a_pipe_only_with_an_empty_buffer) {
  pipe_pair pipe;
  leat::file_reader in(leat::borrow(pipe.reader()));
  ASSERT_EQ(::write(pipe.writer(), "abc", 3), 3);
  EXPECT_EQ(in.get(), 'a');
  std::error_code ec;
  EXPECT_EQ(in.release(ec), leat::no_handle);
  EXPECT_EQ(ec, std::errc::invalid_seek);
  EXPECT_THROW(in.release(), leat::io_error);
  EXPECT_EQ(in.get(), 'b') << "the failed release() keeps the stream";
  EXPECT_EQ(in.get(), 'c');
  EXPECT_EQ(in.release(), pipe.reader());
  EXPECT_FALSE(in.is_open());
}
#endif

// How much is read

/// Reads a file of 16 MiB to its end. Expects that each request ends at a multiple of 4096 bytes,
/// that the address and the position of each request are equal modulo 4096, and that each request
/// has at least half of the length of the longest earlier request, or at least 256 KiB. Returns the
/// length of the longest request, in bytes. `system_reads_ahead` is the device's trait
/// `reads_ahead`.
std::size_t read_through(const std::shared_ptr<leat_test::device_script>& script,
                         bool system_reads_ahead) {
  script->traits.reads_ahead = system_reads_ahead;
  script->content = std::string(16 << 20, 'x');
  leat::file_reader in(device_of(script));
  while (in.get() != leat::reader::end_of_file) {
  }
  std::size_t largest = 0;
  for (std::size_t i = 0; i != script->reads.size(); ++i) {
    const auto& read = script->reads[i];
    EXPECT_EQ((read.at + read.requested) % 4096, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.into) % 4096, read.at % 4096);
    EXPECT_GE(read.requested, std::min<std::size_t>(largest / 2, 256 << 10)) << i;
    largest = std::max(largest, read.requested);
  }
  return largest;
}

TEST(read_ahead, grows_to_256_kib_and_is_aligned) {
  auto script = new_script();
  EXPECT_EQ(read_through(script, true), 256u << 10);
  EXPECT_EQ(script->reads[0].requested, 8u << 10);
}

TEST(read_ahead, grows_to_4_mib_if_the_system_does_not_read_ahead) {
  auto script = new_script();
  EXPECT_EQ(read_through(script, false), 4u << 20);
  EXPECT_EQ(script->reads[0].requested, 8u << 10);
}

/// `buffer_size` is 2^50 bytes, more than the memory.
TEST(read_ahead, uses_a_smaller_buffer_if_buffer_size_exceeds_the_memory) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const std::size_t size : {1u, 100u, 4095u, 4096u, 4097u, 8191u, 8192u, 300'000u}) {
    for (const std::size_t start : {std::size_t{0}, size / 2, size - 1}) {
      std::string text(size, 'x');
      write_file(path, text);
      auto in = leat::open(path, {.buffer_size = std::size_t{1} << 50});
      in.seek(start);
      ASSERT_EQ(in.peek(1), "x");
      in.skip(size - start);
      ASSERT_EQ(in.peek(1), "");
      auto more = leat::append(path);
      more.write(std::string(600'000, 'y'));
      more.close();
      ASSERT_EQ(in.peek(500'000), std::string(500'000, 'y'));
      in.skip(600'000);
      ASSERT_EQ(in.peek(1), "");
    }
  }
}

TEST(read_ahead, continues_in_a_file_that_has_grown) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const std::size_t size : {1u, 100u, 4095u, 4096u, 4097u, 8191u, 8192u, 300'000u}) {
    for (const std::size_t buffer_size : {0u, 1u, 5000u, 128u << 10}) {
      for (const std::size_t peeked : {std::size_t{1}, size + 1, 2 * size}) {
        std::string text(size, 'x');
        write_file(path, text);
        auto in = leat::open(path, {.buffer_size = buffer_size});
        ASSERT_EQ(in.peek(1).front(), 'x');
        auto more = leat::append(path);
        more.write(std::string(size + 100, 'y'));
        more.close();
        text += std::string(size + 100, 'y');
        ASSERT_TRUE(in.peek(peeked).starts_with(text.substr(0, peeked)));
        ASSERT_TRUE(in.peek(text.size()) == text);
        in.skip(text.size());
        ASSERT_EQ(in.peek(1), "");
      }
    }
  }
}

/// Reads a short line and a line of 20 MiB. Expects that requests end at multiples of 4096 bytes,
/// and that addresses and positions are equal modulo 4096. Returns the longest request, in bytes.
std::size_t read_long_line(const std::shared_ptr<leat_test::device_script>& script,
                           bool system_reads_ahead) {
  script->traits.reads_ahead = system_reads_ahead;
  script->content = "short\n" + std::string(20 << 20, 'x') + "\n";
  leat::file_reader in(device_of(script));
  std::vector<std::size_t> sizes;
  for (const std::string_view line : in.lines()) sizes.push_back(line.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 20 << 20}));
  std::size_t largest = 0;
  for (const auto& read : script->reads) {
    EXPECT_EQ((read.at + read.requested) % 4096, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.into) % 4096, read.at % 4096);
    largest = std::max(largest, read.requested);
  }
  return largest;
}

TEST(read_ahead, reads_long_lines_in_pieces_of_256_kib) {
  auto script = new_script();
  EXPECT_EQ(read_long_line(script, true), 256u << 10);
  EXPECT_LT(script->reads.size(), 100u);
}

TEST(read_ahead, doubles_in_long_lines_if_the_system_does_not_read_ahead) {
  auto script = new_script();
  EXPECT_GT(read_long_line(script, false), 8u << 20);
  EXPECT_LT(script->reads.size(), 20u);
}

TEST(read_ahead, is_small_again_after_a_seek_outside_the_buffer) {
  auto script = new_script();
  script->content = std::string(4 << 20, 'x');
  leat::file_reader in(device_of(script));
  in.skip(10);
  for (int i = 0; i != 1 << 20; ++i) in.get();
  script->reads.clear();
  in.seek(3000001);
  EXPECT_TRUE(script->reads.empty());
  in.get();
  ASSERT_EQ(script->reads.size(), 1u);
  EXPECT_EQ(script->reads[0].at, 3000001u);
  EXPECT_LE(script->reads[0].requested, 12u << 10);
  in.seek(1);
  in.peek(100);
  EXPECT_LE(script->reads.back().requested, 12u << 10);
}

TEST(read_ahead, reads_through_short_gaps_and_seeks_over_long_ones) {
  auto script = new_script();
  script->content = numbered_text(4 << 20);
  leat::file_reader in(device_of(script));
  for (std::size_t at = 0; at < script->content.size(); at += 1001) {
    ASSERT_EQ(in.get(), script->content[at]);
    in.skip(1000);
  }
  EXPECT_LT(script->reads.size(), 40u);

  in.seek(0);
  script->reads.clear();
  in.skip(3 << 20);
  EXPECT_EQ(in.get(), script->content[3 << 20]);
  EXPECT_EQ(script->reads.size(), 1u);
}

TEST(read_ahead, is_at_most_buffer_size_and_at_least_half) {
  for (const std::size_t size : {1u, 10u, 4096u, 10000u, 65536u}) {
    auto script = new_script();
    script->content = std::string(300000, 'x');
    leat::file_reader in(device_of(script), {.buffer_size = size});
    for (int i = 0; i != 100000; ++i) in.get();
    for (const auto& read : script->reads) {
      EXPECT_LE(read.requested, size);
      EXPECT_GE(read.requested, (size + 1) / 2);
    }
  }
}

TEST(read_ahead, follows_the_option_pattern) {
  auto script = new_script();
  script->content = std::string(1 << 20, 'x');
  leat::file_reader automatic(device_of(script));
  EXPECT_TRUE(script->advice.empty());
  leat::file_reader sequential(device_of(script), {.pattern = leat::pattern::sequential});
  sequential.get();
  EXPECT_EQ(script->reads.back().requested, 256u << 10);
  leat::file_reader random(device_of(script), {.pattern = leat::pattern::random});
  for (int i = 0; i != 100000; ++i) random.get();
  EXPECT_EQ(script->reads.back().requested, 4u << 10);
  EXPECT_EQ(script->advice, (std::vector{leat::pattern::sequential, leat::pattern::random}));
}

TEST(read_ahead, large_reads_go_directly_into_the_memory_of_the_caller) {
  auto script = new_script();
  script->content = numbered_text(1 << 20);
  leat::file_reader in(device_of(script));
  std::string area(500000, ' ');
  EXPECT_EQ(in.peek(10), script->content.substr(0, 10));
  EXPECT_EQ(in.read(std::span(area)), area.size());
  EXPECT_TRUE(area == script->content.substr(0, area.size()));
  ASSERT_EQ(script->reads.size(), 2u);
  EXPECT_EQ(script->reads[1].into, area.data() + 8192);
  EXPECT_EQ(script->reads[1].requested, area.size() - 8192);
  EXPECT_EQ(in.tell(), area.size());
  EXPECT_EQ(in.buffered(), "");
  EXPECT_EQ(in.get(), static_cast<unsigned char>(script->content[500000]));
  in.seek_by(-2);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(script->content[499999]));
  in.read_exactly(std::span(area));
  EXPECT_TRUE(area == script->content.substr(500000, area.size()));
  EXPECT_EQ(in.read(std::span(area)), script->content.size() - 1000000);
  EXPECT_EQ(in.read(std::span(area)), 0u);
}

TEST(read_ahead, grows_to_hold_peeked_bytes) {
  for (const std::size_t buffer : buffer_sizes) {
    auto script = new_script();
    script->content = numbered_text(3 << 20);
    leat::file_reader in(device_of(script), {.buffer_size = buffer});
    for (int i = 0; i != 50; ++i) {
      const std::size_t at = static_cast<std::size_t>(in.tell());
      ASSERT_TRUE(in.peek(10000) == std::string_view(script->content).substr(at, 10000));
      in.skip(7);
    }
    EXPECT_TRUE(in.peek(2 << 20) == std::string_view(script->content).substr(50 * 7, 2 << 20));
    EXPECT_LT(script->reads.size(), 100u);
  }
}

// Files that change

TEST(reader, sees_changes_of_the_file) {
  const temporary_folder folder;
  for (const std::size_t buffer : buffer_sizes) {
    const std::string text = numbered_text(20000);
    write_file(folder / "file", text);
    auto in = leat::open(folder / "file", {.buffer_size = buffer});
    EXPECT_EQ(in.peek(10), text.substr(0, 10));
    EXPECT_EQ(in.skip(20000), 20000u);
    EXPECT_EQ(in.get(), leat::reader::end_of_file);
    auto more = leat::append(folder / "file");
    more.write("more\n5");
    more.close();
    EXPECT_EQ(in.size(), 20006u);
    std::string line;
    EXPECT_TRUE(in.read_line(line));
    EXPECT_EQ(line, "more");
    EXPECT_EQ(in.parse<int>(), 5);
    std::filesystem::resize_file(folder / "file", 100);
    EXPECT_EQ(in.get(), leat::reader::end_of_file);
    in.seek(100000);
    in.seek(90);
    EXPECT_EQ(in.peek(100), text.substr(90, 10));
    EXPECT_EQ(in.skip(1000), 10u);
    in.close();
  }
}

#if defined(HAS_SYSTEM_FILES) && defined(HAS_POSIX_FILES)
TEST(reader, reads_files_that_have_no_size) {
  for (const std::size_t buffer : buffer_sizes) {
    auto in = leat::open("/proc/self/status", {.buffer_size = buffer});
    EXPECT_EQ(in.skip(3), 3u);
    EXPECT_EQ(in.peek(2), "e:");
    EXPECT_TRUE(in.find("Pid:"));
    in.skip(4);
    EXPECT_EQ(in.parse<int>(), ::getpid());
    EXPECT_GT(in.skip(~std::uint64_t{0}), 100u);
  }
}
#endif

}  // namespace
