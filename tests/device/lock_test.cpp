// file_lock: locks on files, between streams and between processes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <leat/file_stream.hpp>
#include <leat/lock.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;
using leat::file_lock;
using leat::lock_mode;

class a_lock : public testing::Test {
 protected:
  bool can_lock(lock_mode mode) const {
    return file_lock(leat::open(path), mode, std::try_to_lock).owns_lock();
  }

  const temporary_folder folder;
  const std::string path = folder / "file";
  leat::file_writer file = leat::create(path);
};

TEST_F(a_lock, outlives_its_stream_and_closes_no_other_descriptor) {
  const auto before = count_open_descriptors();
  std::optional<file_lock> lock(file);
  file.close();
  EXPECT_FALSE(can_lock(lock_mode::shared));
  const auto next = leat::create(folder / "next");  // reuses the closed stream's descriptor
  lock.reset();
  EXPECT_TRUE(can_lock(lock_mode::exclusive));
  EXPECT_TRUE(is_descriptor(next.native_handle()));
  EXPECT_EQ(count_open_descriptors(), before);
}

TEST_F(a_lock, on_a_closed_file_is_an_error) {
  file.close();
  try {
    const file_lock lock(file, lock_mode::shared);
    FAIL();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), leat::errc::closed);
    EXPECT_STREQ(error.operation(), "lock");
  }
  std::error_code ec;
  EXPECT_FALSE(file_lock(file, lock_mode::shared, ec));
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_FALSE(file_lock(closed_handle(), lock_mode::exclusive, std::try_to_lock, ec));
  EXPECT_EQ(ec, std::errc::bad_file_descriptor);
  EXPECT_THROW(static_cast<void>(file_lock(file, lock_mode::shared, std::try_to_lock)),
               leat::io_error);
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
TEST_F(a_lock, is_acquired_although_signals_interrupt_the_wait) {
  pipe_pair ready;
  const pid_t child = start_child([&] {
    const file_lock lock(leat::open(path), lock_mode::exclusive);
    require(::write(ready.writer(), "x", 1) == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    write_file(folder / "done", "");
  });
  char byte;
  ASSERT_EQ(::read(ready.reader(), &byte, 1), 1);
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);
  itimerval often{{0, 5000}, {0, 5000}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const file_lock lock(file, lock_mode::exclusive);
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(lock);
  EXPECT_EQ(read_all(folder / "done"), "");
  EXPECT_EQ(wait_for(child), 0);
}
#endif

#if defined(HAS_FORK)
TEST_F(a_lock, keeps_all_updates_of_many_processes) {
  file.write("0");
  file.close();
  const int times = rounds(100);
  const auto count_up = [&] {
    for (int i = 0; i != times; ++i) {
      const auto counter = leat::open(path);
      const file_lock lock(counter, lock_mode::exclusive);
      const int count = std::stoi(leat::read_file(path));
      leat::write_file(path, std::to_string(count + 1));
    }
  };
  const pid_t children[] = {start_child(count_up), start_child(count_up), start_child(count_up)};
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(leat::read_file(path), std::to_string(3 * times));
}
#endif

}  // namespace
