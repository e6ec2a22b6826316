// Batches with direct I/O: read_many() and write_many() of direct_device. Also write_at().
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "device/direct/aligned_disk.hpp"
#include "device/direct/direct.hpp"
#include "device/direct/direct_file.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

#if defined(__linux__)
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

constexpr unsigned no_queue = 0;

/// A file with direct I/O. The parameter is the depth of the request queue; 0: no queue.
class direct_batch : public testing::TestWithParam<unsigned> {
 protected:
  /// Opens a device over a new file with this content. If the file system has no direct I/O,
  /// returns null, and the caller skips the test.
  std::unique_ptr<leat::device> open(std::string_view content) {
    write_file(path(), content);
    auto file = open_direct(path());
    if (file == nullptr) return nullptr;
    return std::make_unique<leat::direct_device>(
        std::move(file), leat::direct_device::idle_mode::direct,
        leat::direct_device::read_order::random, GetParam());
  }
  std::string path() const { return folder_ / "file"; }

 private:
  temporary_folder folder_;
};

TEST_P(direct_batch, reads_the_bytes_of_the_file) {
  const std::string text = numbered_text(3'000'123);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::mt19937 random(4);
  for (int round = 0; round != rounds(30); ++round) {
    std::vector<std::string> memory(random() % 300);
    std::vector<leat::read_request> requests;
    const std::size_t most = random() % 10 == 0 ? 2'500'000 : random() % 2 == 0 ? 10 : 9000;
    for (auto& one : memory) {
      one.assign(random() % most, '?');
      requests.push_back({random() % (text.size() + 5000), one, 5, {}});
    }
    if (round % 3 != 0) std::ranges::sort(requests, {}, &leat::read_request::at);
    disk->read_many(requests);
    for (const auto& one : requests) {
      const auto expected = one.at < text.size()
                                ? std::string_view(text).substr(one.at, one.into.size())
                                : std::string_view();
      ASSERT_FALSE(one.ec) << one.ec.message();
      ASSERT_EQ(one.done, expected.size()) << one.at;
      ASSERT_TRUE(std::string_view(one.into.data(), one.done) == expected) << one.at;
      ASSERT_TRUE(std::ranges::all_of(one.into.subspan(one.done), [](char c) { return c == '?'; }));
    }
  }
}

TEST_P(direct_batch, a_read_larger_than_the_memory_of_the_batch_has_all_bytes) {
  const std::string text = numbered_text(20'000'003);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::string into(text.size() + 100, '?');
  leat::read_request whole{0, into, 0, {}};
  disk->read_many({&whole, 1});
  EXPECT_EQ(whole.done, text.size());
  EXPECT_TRUE(std::string_view(into).substr(0, text.size()) == text);
}

TEST_P(direct_batch, positions_far_after_the_end_have_no_bytes_or_are_an_error) {
  const auto disk = open("short");
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  char far[10], near[10];
  std::array<leat::read_request, 3> reads{{{~std::uint64_t{0} - 4, far, 0, {}},
                                           {3, near, 0, {}},
                                           {std::uint64_t{1} << 40, far, 0, {}}}};
  disk->read_many(reads);
  EXPECT_TRUE(reads[0].ec);
  EXPECT_EQ(reads[0].done, 0u);
  EXPECT_EQ(reads[1].done, 2u);
  EXPECT_EQ(reads[2].done, 0u);
  EXPECT_FALSE(reads[2].ec);
  std::array<leat::write_request, 2> writes{
      {{~std::uint64_t{0} - 4, "x", 0, {}}, {5, "er", 0, {}}}};
  disk->write_many(writes);
  EXPECT_EQ(writes[0].ec, std::errc::file_too_large);
  EXPECT_EQ(writes[1].done, 2u);
  EXPECT_EQ(read_all(path()), "shorter");
}

TEST_P(direct_batch, writes_all_bytes) {
  std::string text = numbered_text(2'000'123);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::mt19937 random(5);
  const leat::aligned_memory aligned(
      static_cast<char*>(::operator new(1 << 20, std::align_val_t{page})));
  std::memset(aligned.get(), 'A', 1 << 20);
  for (int round = 0; round != rounds(30); ++round) {
    std::vector<std::string> memory;
    std::vector<leat::write_request> requests;
    const std::size_t most = round % 10 == 0 ? 1'500'000 : round % 2 == 0 ? 10 : 9000;
    const std::size_t gap = round % 3 == 0 ? 3 : 20'000;
    std::size_t at = random() % 5000;
    while (at < text.size() + 10'000 && memory.size() != 400) {
      memory.emplace_back(random() % most, static_cast<char>('a' + random() % 26));
      requests.push_back({at, {}, 9, {}});
      at += memory.back().size() + random() % gap;
    }
    for (std::size_t i = 0; i != memory.size(); ++i) requests[i].bytes = memory[i];
    if (round % 5 == 0)  // whole blocks of aligned memory are not copied
      requests.push_back({at + page - at % page, {aligned.get(), 5 * page + 100}, 0, {}});
    for (const auto& one : requests) {
      const auto from = static_cast<std::size_t>(one.at);
      if (!one.bytes.empty() && text.size() < from + one.bytes.size())
        text.resize(from + one.bytes.size(), '\0');
      if (!one.bytes.empty()) text.replace(from, one.bytes.size(), one.bytes);
    }
    if (round % 4 == 0) std::ranges::shuffle(requests, random);
    disk->write_many(requests);
    for (const auto& one : requests) {
      ASSERT_FALSE(one.ec) << one.ec.message();
      ASSERT_EQ(one.done, one.bytes.size());
    }
    ASSERT_TRUE(read_all(path()) == text) << round;
    if (text.size() > 6'000'000) {
      text.resize(1'000'001);
      std::error_code ec;
      disk->resize(text.size(), ec);
    }
  }
}

TEST_P(direct_batch, a_write_larger_than_the_memory_of_the_batch_writes_all_bytes) {
  const std::string text = numbered_text(20'000'003);
  const auto disk = open("0123456789");
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  leat::write_request whole{3, text, 0, {}};
  disk->write_many({&whole, 1});
  EXPECT_EQ(whole.done, text.size());
  EXPECT_TRUE(read_all(path()) == "012" + text);
}

TEST_P(direct_batch, a_batch_without_requests_does_nothing) {
  const auto disk = open("text");
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  disk->read_many({});
  disk->write_many({});
  leat::read_request none{1, {}, 4, std::make_error_code(std::errc::io_error)};
  disk->read_many({&none, 1});
  EXPECT_EQ(none.done, 0u);
  EXPECT_FALSE(none.ec);
  leat::write_request nothing{100'000, {}, 4, {}};
  disk->write_many({&nothing, 1});
  EXPECT_EQ(read_all(path()), "text");
}

TEST_P(direct_batch, requests_to_a_closed_device_fail) {
  const auto disk = open(numbered_text(10'000));
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::error_code ec;
  disk->close(ec);
  EXPECT_FALSE(ec);
  char into[10];
  std::array<leat::read_request, 2> reads{{{0, into, 0, {}}, {9000, into, 0, {}}}};
  disk->read_many(reads);
  EXPECT_EQ(reads[0].ec, std::errc::bad_file_descriptor);
  EXPECT_EQ(reads[1].ec, std::errc::bad_file_descriptor);
  const std::string bytes(5000, 'x');
  leat::write_request write{100, bytes, 0, {}};
  disk->write_many({&write, 1});
  EXPECT_EQ(write.ec, std::errc::bad_file_descriptor);
  EXPECT_EQ(write.done, 0u);
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST_P(direct_batch, reports_writes_beyond_a_file_size_limit) {
  for (const rlim_t limit : {0u, 100u, 8192u, 10'000u, 12'288u, 1'050'000u}) {
    const auto disk = open(numbered_text(50));
    if (disk == nullptr) GTEST_SKIP() << no_direct;
    const std::string bytes = numbered_text(3'000'000);
    const auto child = run_in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      limit_resource(RLIMIT_FSIZE, limit);
      std::array<leat::write_request, 2> writes{
          {{0, std::string_view(bytes).substr(0, 20), 0, {}}, {60, bytes, 0, {}}}};
      disk->write_many(writes);
      require(writes[0].done == std::min<rlim_t>(limit, 20));
      require(writes[0].ec ==
              (limit >= 20 ? std::error_code() : std::make_error_code(std::errc::file_too_large)));
      require(writes[1].ec == std::errc::file_too_large);
      const auto content = read_all(path());
      require(content.size() == 60 + writes[1].done ||
              (writes[1].done == 0 && content.size() == 50));
      require(writes[1].done <= std::max<rlim_t>(limit, 60) - 60);
      require(content.substr(std::min<std::size_t>(content.size(), 60)) ==
              bytes.substr(0, writes[1].done));
    });
    EXPECT_TRUE(succeeded(child)) << limit;
  }
}
#endif

TEST_P(direct_batch, can_be_shared_by_threads) {
  std::string text(400'000, '.');
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  EXPECT_TRUE(disk->traits().concurrent);
  constexpr std::size_t count = 4;
  const auto work = [&](std::size_t number) {
    const std::string own_bytes(10, static_cast<char>('a' + number));
    for (int round = 0; round != rounds(10); ++round) {
      std::vector<leat::write_request> writes;
      for (std::size_t at = 10 * number; at < text.size(); at += 10 * count)
        writes.push_back({at, own_bytes, 0, {}});
      disk->write_many(writes);
      std::string into(10 * writes.size(), '?');
      std::vector<leat::read_request> reads;
      for (std::size_t i = 0; i != writes.size(); ++i)
        reads.push_back({writes[i].at, std::span(into).subspan(10 * i, 10), 0, {}});
      disk->read_many(reads);
      ASSERT_EQ(into.find_first_not_of(own_bytes[0]), std::string::npos);
      std::error_code ec;
      char one[1];
      ASSERT_EQ(disk->read_at(10 * number, one, ec), 1u);
      ASSERT_EQ(one[0], own_bytes[0]);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != count; ++i) threads.emplace_back(work, i);
  for (auto& one : threads) one.join();
  for (std::size_t at = 0; at != text.size(); ++at)
    text[at] = static_cast<char>('a' + at / 10 % count);
  EXPECT_TRUE(read_all(path()) == text);
}

#if defined(HAS_FORK)
TEST_P(direct_batch, works_in_a_forked_child) {
  const std::string text = numbered_text(100'000);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  const auto reads_the_expected_bytes = [&] {
    std::string one(100, '?'), two(100, '?');
    std::array<leat::read_request, 2> reads{{{50'000, one, 0, {}}, {99'990, two, 0, {}}}};
    disk->read_many(reads);
    return one == text.substr(50'000, 100) && two.substr(0, reads[1].done) == text.substr(99'990);
  };
  EXPECT_TRUE(reads_the_expected_bytes());
  EXPECT_TRUE(succeeded(run_in_child([&] { require(reads_the_expected_bytes()); })));
  EXPECT_TRUE(reads_the_expected_bytes());
}
#endif

#if defined(__linux__)
/// The kernel needs a thread for direct writes of cached blocks. If the kernel can't start a
/// thread, io_uring cancels these writes.
TEST_P(direct_batch, writes_all_bytes_if_the_system_starts_no_thread) {
  const std::string text = numbered_text(1 << 20);
  if (open(text) == nullptr) GTEST_SKIP() << no_direct;
  const auto child = run_in_child([&] {
    const auto disk = open(text);
    if (::getuid() == 0) require(::setuid(12345) == 0);  // the limit does not hold for root
    limit_resource(RLIMIT_NPROC, 0);
    const std::string bytes(100, '!');
    std::vector<leat::write_request> writes;
    for (std::size_t at = 50; at < text.size() - 200; at += 5000)
      writes.push_back({at, bytes, 0, {}});
    disk->write_many(writes);
    for (const auto& one : writes) require(!one.ec && one.done == bytes.size());
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

TEST_P(direct_batch, write_at_accepts_any_offset_and_size) {
  std::string text = numbered_text(100'000);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::mt19937 random(6);
  for (int round = 0; round != rounds(200); ++round) {
    const std::size_t at = random() % 2 == 0 ? random() % 200'000 : random() % 40 * page;
    const std::string one(random() % (round % 20 == 0 ? 5'000'000 : 20'000), 'o');
    const std::string two(random() % 10'000, 't');
    const std::string all = one + two;
    for (std::size_t n = 0; n != all.size();) {
      const std::array<std::string_view, 2> pieces{
          std::string_view(one).substr(std::min(n, one.size())),
          std::string_view(two).substr(n - std::min(n, one.size()))};
      std::error_code ec;
      const std::size_t taken = disk->write_at(at + n, pieces, ec);
      ASSERT_FALSE(ec) << ec.message();
      ASSERT_GT(taken, 0u);
      n += taken;
    }
    if (!all.empty() && text.size() < at + all.size()) text.resize(at + all.size(), '\0');
    if (!all.empty()) text.replace(at, all.size(), all);
    ASSERT_TRUE(read_all(path()) == text);
  }
}

INSTANTIATE_TEST_SUITE_P(depth, direct_batch,
                         testing::Values(no_queue, 3u, leat::direct_device::default_depth));

TEST(direct, a_failure_affects_only_its_own_requests) {
  disk_state disk;
  disk.content = numbered_text(100'000);
  disk.reads_fail_from = 5 * page;
  const auto device = direct_device_over(disk);
  std::string memory(4 * page, '?');
  std::vector<leat::read_request> requests;
  for (std::size_t i = 0; i != 8; ++i)  // neighbours that share a transfer
    requests.push_back({i * page + 100, std::span(memory).subspan(i * 100, 100), 0, {}});
  requests.push_back({4 * page + 200, std::span(memory).subspan(page, 2 * page), 0, {}});
  device->read_many(requests);
  for (std::size_t i = 0; i != 8; ++i) {
    EXPECT_EQ(requests[i].done, i < 5 ? 100u : 0u);
    EXPECT_EQ(requests[i].ec,
              i < 5 ? std::error_code() : std::make_error_code(std::errc::io_error));
  }
  EXPECT_EQ(memory.substr(400, 100), disk.content.substr(4 * page + 100, 100));
  EXPECT_EQ(requests[8].ec, std::errc::io_error);
}

TEST(direct, requests_of_a_batch_share_the_read_of_a_block) {
  disk_state disk;
  disk.content = numbered_text(100'000);
  const auto device = direct_device_over(disk);
  char memory[300];
  std::vector<leat::read_request> requests;
  for (std::size_t i = 0; i != 300; ++i)
    requests.push_back({30'000 + i, std::span(memory).subspan(i, 1), 0, {}});
  device->read_many(requests);
  EXPECT_EQ(std::string_view(memory, 300), disk.content.substr(30'000, 300));
  EXPECT_EQ(disk.read_calls, 1);
}

TEST(direct, a_block_that_can_not_be_read_can_only_be_overwritten_whole) {
  disk_state disk;
  disk.content = numbered_text(10 * page);
  const std::string before = disk.content;
  disk.reads_fail_from = 3 * page;
  const auto device = direct_device_over(disk);
  const std::string whole(page, 'w');
  std::array<leat::write_request, 4> writes{{{10, "one", 0, {}},
                                             {3 * page + 10, "two", 0, {}},
                                             {4 * page, whole, 0, {}},
                                             {6 * page - 2, whole, 0, {}}}};
  device->write_many(writes);
  EXPECT_EQ(writes[0].done, 3u);
  EXPECT_EQ(writes[1].ec, std::errc::io_error);
  EXPECT_EQ(writes[1].done, 0u);
  EXPECT_EQ(writes[2].done, page);
  EXPECT_EQ(writes[3].ec, std::errc::io_error);
  std::string expected = before;
  expected.replace(10, 3, "one");
  expected.replace(4 * page, page, whole);
  EXPECT_TRUE(disk.content == expected);
}

TEST(direct, a_batch_counts_no_bytes_of_a_block_that_can_not_be_written) {
  disk_state disk;
  disk.content = numbered_text(10 * page);
  disk.writes_fail_from = 3 * page;
  const auto device = direct_device_over(disk);
  const std::string whole(2 * page, 'w');
  std::array<leat::write_request, 3> writes{
      {{100, "one", 0, {}}, {2 * page - 1, whole, 0, {}}, {5 * page, "two", 0, {}}}};
  device->write_many(writes);
  EXPECT_FALSE(writes[0].ec);
  EXPECT_EQ(writes[1].done, 1 + page);
  EXPECT_EQ(writes[1].ec, std::errc::io_error);
  EXPECT_EQ(writes[2].done, 0u);
  EXPECT_EQ(writes[2].ec, std::errc::io_error);
}

}  // namespace
