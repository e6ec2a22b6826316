// request_queue and queue_pool: concurrent requests, in any order and number. Each request gets its
// own result, even if io_uring fails. A forked child does not use its parent's queues.
#include "device/request_queue.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "support/handles.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"
#include "support/sanitizer.hpp"

#if defined(__linux__)
#  include <sys/syscall.h>
#endif

namespace {

using namespace leat_test;

class request_queue : public testing::Test {
 protected:
  void SetUp() override {
    if (leat::open_request_queue(4) == nullptr) GTEST_SKIP() << "io_uring is not available";
  }
  /// Opens a new file with this content.
  handle file_with(std::string_view content) {
    write_file(folder_ / "file", content);
    file_ = open_to_share(folder_ / "file");
    return file_;
  }
  std::string content() { return read_all(folder_ / "file"); }
  void TearDown() override {
    if (file_ != leat::no_handle) close_handle(file_);
  }

 private:
  temporary_folder folder_;
  handle file_ = leat::no_handle;
};

TEST(request_queue_depth, zero_opens_no_queue) { EXPECT_EQ(leat::open_request_queue(0), nullptr); }

TEST_F(request_queue, completes_more_requests_than_its_depth) {
  const std::string text = numbered_text(500'000);
  const handle file = file_with(text);
  const auto queue = leat::open_request_queue(4);
  std::mt19937 random(1);
  for (int round = 0; round != 10; ++round) {
    std::vector<std::string> memory(100 + random() % 100);
    std::vector<leat::read_request> requests;
    for (auto& one : memory) {
      one.assign(random() % 20'000, '?');
      requests.push_back({random() % 520'000, one, 77, std::make_error_code(std::errc::io_error)});
    }
    queue->run(file, std::span(requests));
    for (const auto& one : requests) {
      const auto expected = one.at < text.size()
                                ? std::string_view(text).substr(one.at, one.into.size())
                                : std::string_view();
      EXPECT_FALSE(one.ec);
      ASSERT_EQ(one.done, expected.size());
      ASSERT_TRUE(std::string_view(one.into.data(), one.done) == expected);
    }
  }
}

TEST_F(request_queue, can_wait_for_the_requests_that_were_started_first) {
  const std::string text = numbered_text(500'000);
  const handle file = file_with(text);
  const auto queue = leat::open_request_queue(16);
  for (std::uint64_t wave = 0; wave != 20; ++wave) {
    std::vector<std::string> memory(16, std::string(20'000, '?'));
    std::vector<leat::read_request> requests;
    for (std::size_t i = 0; i != memory.size(); ++i)
      requests.push_back({i * 20'000, memory[i], 77, {}});
    for (auto& one : requests) queue->start(file, one);
    ASSERT_EQ(queue->started(), 16 * (wave + 1));
    queue->finish_first(16 * wave + 9);
    for (std::size_t i = 0; i != 9; ++i) ASSERT_EQ(requests[i].done, 20'000U) << i;
    queue->finish();
    for (const auto& one : requests) ASSERT_EQ(one.done, 20'000U);
    ASSERT_TRUE(memory[15] == std::string_view(text).substr(300'000, 20'000));
  }
}

TEST_F(request_queue, writes_the_bytes_of_all_requests) {
  std::string text = numbered_text(300'000);
  const handle file = file_with(text);
  const auto queue = leat::open_request_queue(8);
  const std::string other(400'000, '#');
  std::vector<leat::write_request> requests;
  for (std::size_t at = 100; at < 400'000; at += 7001) {
    const auto bytes = std::string_view(other).substr(0, at % 5000);
    requests.push_back({at, bytes, 0, {}});
    if (at > text.size()) text.resize(at, '\0');
    text.replace(at, std::min(bytes.size(), text.size() - at), bytes);
  }
  queue->run(file, std::span(requests));
  for (const auto& one : requests) {
    EXPECT_FALSE(one.ec);
    EXPECT_EQ(one.done, one.bytes.size());
  }
  EXPECT_TRUE(content() == text);
}

TEST_F(request_queue, closes_its_descriptors) {
  const std::ptrdiff_t before = count_open_descriptors();
  leat::open_request_queue(4).reset();
  EXPECT_EQ(count_open_descriptors(), before);
}

TEST_F(request_queue, does_nothing_without_requests) {
  const auto queue = leat::open_request_queue(8);
  queue->run(leat::no_handle, std::span<leat::read_request>());
  std::vector<leat::read_request> empty(3);
  queue->run(leat::no_handle, std::span(empty));
  EXPECT_FALSE(empty[0].ec) << "a request for no byte has no error";
  queue->finish();
}

TEST_F(request_queue, each_request_has_its_own_error) {
  const std::string text = numbered_text(10'000);
  const handle file = file_with(text);
  const auto queue = leat::open_request_queue(8);
  std::string one(100, '?'), two(100, '?');
  leat::read_request good{9950, one, 0, {}}, bad{0, two, 0, {}};
  queue->start(leat::no_handle, bad);
  queue->start(file, good);
  queue->finish();
  EXPECT_EQ(bad.ec, std::errc::bad_file_descriptor);
  EXPECT_EQ(bad.done, 0u);
  EXPECT_FALSE(good.ec);
  EXPECT_EQ(one.substr(0, good.done), text.substr(9950));
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST_F(request_queue, writes_up_to_a_file_size_limit_and_reports_file_too_large) {
  const handle file = file_with("");
  const auto child = run_in_child([&] {
    const auto queue = leat::open_request_queue(2);
    std::signal(SIGXFSZ, SIG_IGN);
    limit_resource(RLIMIT_FSIZE, 6000);
    const std::string text = numbered_text(10'000);
    leat::write_request one{0, text, 0, {}};
    queue->run(file, std::span(&one, 1));
    require(one.ec == std::errc::file_too_large);
    require(one.done == 6000);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(content() == numbered_text(6000));
}
#endif

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
TEST_F(request_queue, continues_without_a_ring_that_the_program_closed) {
  const handle file = file_with("text");
  const auto child = run_in_child([&] {
    const int ring = ::dup(file);  // the next descriptor gets the same number
    ::close(ring);
    const auto queue = leat::open_request_queue(2);
    ::close(ring);
    char into[4];
    leat::read_request one{0, into, 0, {}};
    queue->run(file, std::span(&one, 1));
    require(!one.ec && one.done == 4 && std::string_view(into, 4) == "text");
    require(!queue->is_usable());
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

#if defined(__linux__)
TEST_F(request_queue, continues_if_io_uring_fails_in_the_middle_of_a_batch) {
  for (const int error : {EIO, EBUSY, EAGAIN}) {
    SCOPED_TRACE(error);
    const std::string text = numbered_text(1 << 20);
    const handle file = file_with(text);
    constexpr int no_filters = 77;
    const auto child = run_in_child([&] {
      const auto queue = leat::open_request_queue(8);
      std::string into(text.size(), '?');
      std::vector<leat::read_request> requests;
      for (std::size_t at = 0; at != text.size(); at += 4096)
        requests.push_back({at, std::span(into).subspan(at, 4096), 0, {}});
      std::string changed(4096, '!');
      leat::write_request last{text.size(), changed, 0, {}};
      for (std::size_t i = 0; i != requests.size(); ++i) {
        if (i == 100) {
          constexpr long calls[] = {SYS_io_uring_enter};
          if (!refuse_calls(calls, error)) ::_exit(no_filters);
        }
        queue->start(file, requests[i]);
      }
      queue->start(file, last);
      queue->finish();
      for (const auto& one : requests) require(!one.ec && one.done == 4096);
      require(into == text);
      require(!last.ec && last.done == 4096 && !queue->is_usable());
      leat::read_request after_end{text.size() + 4096, into, 0, {}};
      errno = EIO;  // as an earlier call may leave it
      queue->start(file, after_end);
      require(!after_end.ec && after_end.done == 0);
    });
    if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
    EXPECT_TRUE(succeeded(child));
    EXPECT_TRUE(content() == text + std::string(4096, '!'));
  }
}
#endif

#if defined(HAS_FORK)
TEST_F(request_queue, is_not_usable_in_a_forked_child) {
  const auto queue = leat::open_request_queue(2);
  leat::queue_pool pool(2);
  EXPECT_TRUE(pool.acquire());
  EXPECT_TRUE(queue->is_usable());
  EXPECT_TRUE(succeeded(run_in_child([&] {
    require(!queue->is_usable());
    require(!pool.acquire());
  })));
  EXPECT_TRUE(pool.acquire());
}
#endif

TEST_F(request_queue, serves_several_threads_through_a_pool) {
  const std::string text = numbered_text(200'000);
  const handle file = file_with(text);
  leat::queue_pool pool(8);
  const auto read_repeatedly = [&] {
    for (int i = 0; i != rounds(50); ++i) {
      std::string into(text.size(), '?');
      std::vector<leat::read_request> requests;
      for (std::size_t at = 0; at != into.size(); at += 10'000)
        requests.push_back({at, std::span(into).subspan(at, 10'000), 0, {}});
      const auto queue = pool.acquire();
      ASSERT_TRUE(queue);
      queue->run(file, std::span(requests));
      ASSERT_TRUE(into == text);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) threads.emplace_back(read_repeatedly);
  for (auto& one : threads) one.join();
}

TEST(request_queue_depth, zero_makes_a_pool_without_queues) {
  leat::queue_pool pool(0);
  EXPECT_FALSE(pool.acquire());
}

}  // namespace
