// Direct I/O: alignment, concurrent requests, ends of files, failures.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "device/direct/aligned_disk.hpp"
#include "opening/open.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

std::string read_to_end(leat::reader& from) {
  std::string text;
  for (auto w = from.window(); !w.empty(); w = from.window()) {
    text.append(w);
    from.skip(w.size());
  }
  return text;
}

class direct : public testing::TestWithParam<std::size_t> {};

TEST_P(direct, transfers_files_of_any_size_in_aligned_blocks) {
  disk_state disk;
  disk.content = numbered_text(GetParam());
  leat::file_reader file(direct_device_over(disk));
  EXPECT_TRUE(read_to_end(file) == disk.content);
  file.close();
  disk_state other;
  leat::file_writer out(direct_device_over(other));
  out.write(disk.content);
  out.close();
  EXPECT_TRUE(other.content == disk.content);
}

INSTANTIATE_TEST_SUITE_P(sizes, direct,
                         testing::Values(0, 1, page - 1, page, page + 1, 8192, 100'000, 1 << 20,
                                         (1 << 20) + 1, 7'000'000));

TEST(direct, keeps_two_requests_in_flight) {
  disk_state disk;
  disk.content = numbered_text(6 << 20);
  leat::file_reader file(direct_device_over(disk));
  file.seek(16 << 10);
  EXPECT_EQ(file.peek(1).size(), 1u);  // one request: nothing is read ahead yet
  disk.awaited_in_flight = 2;
  EXPECT_TRUE(read_to_end(file) == std::string_view(disk.content).substr(16 << 10));
  file.close();
  EXPECT_GE(disk.max_in_flight, 2);
}

TEST(direct, a_find_with_an_early_occurrence_makes_one_read) {
  disk_state disk;
  disk.content = numbered_text(6 << 20);
  leat::file_reader file(direct_device_over(disk));
  EXPECT_TRUE(file.find("100"));
  EXPECT_EQ(disk.read_calls, 1);
}

TEST(direct, seeks_to_any_position) {
  disk_state disk;
  disk.content = numbered_text(5'000'000);
  leat::file_reader file(direct_device_over(disk));
  std::mt19937 random(3);
  for (int i = 0; i != rounds(300); ++i) {
    const std::size_t at = random() % (disk.content.size() + 5000);
    std::string into(random() % 3 == 0 ? random() % 2'000'000 : random() % 5000, '?');
    file.seek(at);
    const std::size_t n = file.read(std::span(into));
    const auto expected = at < disk.content.size()
                              ? std::string_view(disk.content).substr(at, into.size())
                              : std::string_view{};
    ASSERT_EQ(n, expected.size());
    ASSERT_TRUE(std::string_view(into).substr(0, n) == expected) << at;
  }
}

TEST(direct, reads_bytes_that_are_appended_later) {
  disk_state disk;
  disk.content = numbered_text(3'000'001);
  leat::file_reader file(direct_device_over(disk));
  EXPECT_TRUE(read_to_end(file) == disk.content);
  disk.change([&] { disk.content += "more"; });
  EXPECT_EQ(read_to_end(file), "more");
}

TEST(direct, reads_all_of_a_file_that_grows_by_many_chunks) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 20}) {
    disk_state disk;
    disk.content = numbered_text(7 << 20);
    const std::string all = disk.content;
    disk.content.resize(size);
    leat::file_reader file(direct_device_over(disk));
    EXPECT_TRUE(read_to_end(file) == std::string_view(all).substr(0, size));
    EXPECT_EQ(file.get(), leat::reader::end_of_file);
    disk.change([&] { disk.content = all; });
    EXPECT_TRUE(read_to_end(file) == std::string_view(all).substr(size)) << size;
  }
}

TEST(direct, reads_new_bytes_after_a_seek_back) {
  disk_state disk;
  disk.content = std::string(6 << 20, 'a');
  leat::file_reader file(direct_device_over(disk));
  std::string into(20'000, '?');
  file.read_exactly(std::span(into).first(10'000));
  file.read_exactly(std::span(into));  // starts the read-ahead
  const std::string other(disk.content.size(), 'b');
  disk.change([&] { disk.content = other; });
  file.seek(1 << 20);  // drops the buffered bytes
  EXPECT_EQ(file.peek(1).size(), 1u);
  file.seek(0);
  EXPECT_TRUE(read_to_end(file) == other);
}

TEST(direct, returns_bytes_before_a_failure_and_continues_after_it) {
  disk_state disk;
  disk.content = numbered_text(4'000'000);
  disk.reads_fail_from = 3 << 20;
  leat::file_reader file(direct_device_over(disk));
  std::string into(disk.content.size(), '?');
  EXPECT_EQ(file.read(std::span(into)), std::size_t{3 << 20});
  std::error_code ec;
  EXPECT_EQ(file.read(std::span(into), ec), 0u);
  EXPECT_EQ(ec, std::errc::io_error);
  disk.change([&] { disk.reads_fail_from = ~std::uint64_t{0}; });
  EXPECT_TRUE(read_to_end(file) == std::string_view(disk.content).substr(3 << 20));
}

TEST(direct, a_short_read_is_not_the_end) {
  disk_state disk;
  disk.content = numbered_text(10'000);
  disk.short_reads = 1;
  std::string into(100, '?');
  std::error_code ec;
  EXPECT_EQ(direct_device_over(disk)->read_at(5000, into, ec), 100U);
  EXPECT_FALSE(ec);
  EXPECT_EQ(into, disk.content.substr(5000, 100));
}

TEST(direct, may_write_only_the_first_of_many_pieces_in_one_call) {
  disk_state disk;
  const std::string_view pieces[]{"a", "", "b", "c", "d"};
  std::error_code ec;
  EXPECT_EQ(direct_device_over(disk)->write_at(0, pieces, ec), 1U);
  EXPECT_FALSE(ec);
  EXPECT_EQ(disk.content, "a");
}

TEST(direct, writes_all_changes_of_one_block_whatever_their_order) {
  disk_state disk;
  disk.content = numbered_text(3 * page);
  std::string expected = disk.content;
  std::array<leat::write_request, 3> writes{
      {{page + 10, "one", 0, {}}, {5, "two", 0, {}}, {page + 20, "three", 0, {}}}};
  for (const auto& one : writes)
    expected.replace(static_cast<std::size_t>(one.at), one.bytes.size(), one.bytes);
  direct_device_over(disk)->write_many(writes);
  for (const auto& one : writes) EXPECT_EQ(one.done, one.bytes.size());
  EXPECT_TRUE(disk.content == expected);
}

TEST(direct, closing_waits_for_the_requests) {
  for (int i = 0; i != rounds(20); ++i) {
    disk_state disk;
    disk.content = numbered_text(6 << 20);
    leat::file_reader file(direct_device_over(disk));
    file.skip(8192);
    std::string into(300'000, '?');
    file.read(std::span(into));
    file.close();
    // The counter is read without the lock: waiting for the lock would also wait for a read.
    EXPECT_EQ(disk.in_flight, 0);
  }
}

#if defined(HAS_FORK)
TEST(direct, a_forked_child_continues_to_read_independently) {
  if (emulated) GTEST_SKIP() << "qemu does not support new threads in a forked child";
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads after a fork";
  disk_state disk;
  disk.content = numbered_text(6 << 20);
  leat::file_reader file(direct_device_over(disk));
  std::string into(2 << 20, '?');
  for (int i = 0; i != 2; ++i) file.read(std::span(into));
  disk.lock.lock();  // so that no other thread holds the lock at the fork
  EXPECT_TRUE(succeeded(run_in_child([&] {
    disk.lock.unlock();
    require(read_to_end(file) == std::string_view(disk.content).substr(4 << 20));
    file.close();
  })));
  disk.lock.unlock();
  EXPECT_TRUE(read_to_end(file) == std::string_view(disk.content).substr(4 << 20));
}
#endif

TEST(direct, reads_real_files) {
  const temporary_folder folder;
  const std::string text = numbered_text(5'000'003);
  write_file(folder / "file", text);
  std::error_code ec;
  auto file = leat::open(folder / "file", {.caching = leat::caching::direct}, ec);
  if (ec == std::errc::operation_not_supported) GTEST_SKIP() << "this file system has no O_DIRECT";
  ASSERT_FALSE(ec) << ec.message();
  EXPECT_TRUE(read_to_end(file) == text);
  file.seek(1'234'567);
  EXPECT_EQ(file.peek(20), std::string_view(text).substr(1'234'567, 20));
}

#if defined(HAS_SYSTEM_FILES)
TEST(direct, is_refused_if_the_file_does_not_support_it) {
  std::error_code ec;
  EXPECT_FALSE(leat::open("/proc/self/status", {.caching = leat::caching::direct}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_FALSE(leat::open("/dev/null", {.caching = leat::caching::direct}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}
#endif

}  // namespace
