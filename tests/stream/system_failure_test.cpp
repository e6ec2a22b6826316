// Writers of real files and pipes: failures, limits of the system, slow readers and interrupted
// calls.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

TEST(full_device, reports_the_number_of_lost_bytes_and_their_position) {
  auto out = leat::create("/dev/full");
  out.print("{}\n", "lost");
  try {
    out.flush();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(
        error.what(),
        "cannot write '/dev/full': No space left on device (at byte 0, 5 bytes not written)");
  }
  EXPECT_EQ(out.lost(), 5u);
  EXPECT_THROW(out.close(), leat::io_error);
}

/// A tmpfs of 64 KiB. If this process may not mount a file system, `is_mounted()` is false.
class small_file_system {
 public:
#if defined(__linux__)
  small_file_system()
      : mounted_(::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=64k") == 0) {}
  ~small_file_system() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
#endif
  bool is_mounted() const { return mounted_; }
  std::string operator/(std::string_view name) const { return folder_ / name; }
  const temporary_folder& folder() const { return folder_; }

 private:
  temporary_folder folder_;
  bool mounted_ = false;
};

TEST(full_file_system, leads_to_an_exact_count_of_lost_bytes) {
  for (const std::size_t buffer_size : {0u, 1u, 1000u, 8192u, 1u << 20}) {
    const small_file_system disk;
    if (!disk.is_mounted()) GTEST_SKIP() << "mounting a tmpfs needs CAP_SYS_ADMIN";
    const std::string text = numbered_text(100'000);
    auto out = leat::create(disk / "file", {.buffer_size = buffer_size});
    for (std::size_t i = 0; i < text.size(); i += 100)
      out.write(std::string_view(text).substr(i, 100));
    std::error_code ec;
    out.close(ec);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    const std::string written = read_all(disk / "file");
    EXPECT_EQ(written.size() + out.lost(), text.size()) << buffer_size;
    EXPECT_TRUE(text.starts_with(written));
    EXPECT_GE(written.size(), 60'000u);
  }
}

TEST(full_file_system, leaves_a_file_unchanged_if_its_space_can_not_be_reserved) {
  const small_file_system disk;
  if (!disk.is_mounted()) GTEST_SKIP() << "mounting a tmpfs needs CAP_SYS_ADMIN";
  write_file(disk / "file", "old");
  std::error_code ec;
  EXPECT_FALSE(leat::create(disk / "file", {.preallocate = 1 << 20}, ec).is_open());
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(read_all(disk / "file"), "old");
}

TEST(full_file_system, leaves_the_target_of_replace_unchanged) {
  const small_file_system disk;
  if (!disk.is_mounted()) GTEST_SKIP() << "mounting a tmpfs needs CAP_SYS_ADMIN";
  write_file(disk / "settings", "old");
  auto out = leat::replace(disk / "settings");
  out.write(std::string(200'000, 'x'));
  EXPECT_THROW(out.close(), leat::io_error);
  EXPECT_EQ(read_all(disk / "settings"), "old");
  EXPECT_EQ(disk.folder().names(), std::vector<std::string>{"settings"});
}

// The size of the file + the bytes reported as lost == the bytes passed to the calls.
TEST(file_size_limit, leads_to_an_exact_count_of_lost_bytes) {
  const temporary_folder folder;
  for (const std::size_t buffer_size : {0u, 1u, 7u, 4096u, 10'000u}) {
    for (const bool append : {false, true}) {
      const std::string path =
          folder / ("file" + std::to_string(buffer_size) + (append ? "a" : ""));
      const auto child = run_in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        limit_resource(RLIMIT_FSIZE, 10'000);
        auto out = append ? leat::append(path, {.buffer_size = buffer_size})
                          : leat::create(path, {.buffer_size = buffer_size});
        const std::string text = numbered_text(50'000);
        for (std::size_t i = 0; i < text.size(); i += 50)
          out.write(std::string_view(text).substr(i, 50));
        std::error_code ec;
        out.close(ec);
        require(ec == std::errc::file_too_large);
        require(out.lost() == 40'000);
      });
      EXPECT_TRUE(succeeded(child)) << buffer_size;
      EXPECT_TRUE(read_all(path) == numbered_text(50'000).substr(0, 10'000)) << buffer_size;
    }
  }
}

TEST(file_size_limit, is_reported_by_a_destructor) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    limit_resource(RLIMIT_FSIZE, 10'000);
    require(::chdir(folder.path().c_str()) == 0);
    auto out = leat::create("file");
    out.write(numbered_text(16'000));
  });
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.err,
            "leat: cannot write 'file': File too large (at byte 10000, 6000 bytes not written)\n");
}

TEST(broken_pipe, is_an_error_if_the_signal_is_ignored) {
  const ignored_signal guard(SIGPIPE);
  pipe_pair pipe;
  leat::file_writer out(leat::borrow(pipe.writer()), {}, "<pipe>");
  out.write("there");
  out.flush();
  pipe.close_reader();
  out.write("lost");
  try {
    out.close();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot write '<pipe>': Broken pipe (at byte 5, 4 bytes not written)");
  }
}

TEST(closed_descriptor, makes_a_flush_fail) {
  int descriptor;
  {
    const pipe_pair pipe;
    descriptor = pipe.writer();
  }
  ASSERT_FALSE(is_descriptor(descriptor));
  leat::file_writer out(leat::adopt(descriptor));
  out.write("abc");
  std::error_code ec;
  out.flush(ec);
  EXPECT_EQ(ec, std::errc::bad_file_descriptor);
  out.close(ec);
  EXPECT_EQ(ec, std::errc::bad_file_descriptor);
  EXPECT_EQ(out.lost(), 3u);
}

TEST(closed_descriptor, makes_close_fail) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file");
  ::close(out.native_handle());
  std::error_code ec;
  out.close(ec);
  EXPECT_EQ(ec, std::errc::bad_file_descriptor);
}

TEST(read_only_descriptor, makes_a_flush_fail_and_leaves_the_file_unchanged) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  leat::file_writer out(leat::adopt(::open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC)));
  out.write("abc");
  EXPECT_THROW(out.close(), leat::io_error);
  EXPECT_EQ(read_all(folder / "file"), "old");
}

// Writes to the pipe do not block. If the pipe is full, the stream waits as for a blocking pipe.
TEST(non_blocking_pipe, loses_no_byte_if_the_reader_is_slow) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  ::fcntl(pipe.reader(), F_SETFL, 0);
#if defined(F_SETPIPE_SZ)
  ::fcntl(pipe.writer(), F_SETPIPE_SZ, 4096);
#endif
  const std::string text = numbered_text(static_cast<std::size_t>(rounds(2'000'000)));
  std::string got;
  std::thread reader([&] {
    char block[10'000];
    for (int i = 0;; ++i) {
      if (i % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
      const ssize_t n = ::read(pipe.reader(), block, sizeof block);
      if (n <= 0) break;
      got.append(block, static_cast<std::size_t>(n));
    }
  });
  {
    leat::file_writer out(leat::adopt(pipe.release_writer()), {.buffer_size = 3000});
    std::size_t at = 0;
    for (std::size_t n = 1; at < text.size(); n = n * 7 % 20'011 + 1) {
      out.write(std::string_view(text).substr(at, n));
      at += std::min(n, text.size() - at);
    }
    out.close();
  }
  reader.join();
  EXPECT_TRUE(got == text);
}

void do_nothing(int) {}

TEST(interrupted_calls, lose_no_bytes) {
  struct sigaction interrupt{}, before{};
  interrupt.sa_handler = do_nothing;  // without SA_RESTART
  ::sigaction(SIGUSR1, &interrupt, &before);
  pipe_pair pipe;
  const std::string text = numbered_text(static_cast<std::size_t>(rounds(3'000'000)));
  std::string got;
  const pthread_t writer = ::pthread_self();
  std::thread reader([&] {
    char block[1000];
    for (;;) {
      const ssize_t n = ::read(pipe.reader(), block, sizeof block);
      if (n <= 0) break;
      got.append(block, static_cast<std::size_t>(n));
      ::pthread_kill(writer, SIGUSR1);
    }
  });
  leat::file_writer out(leat::adopt(pipe.release_writer()), {.buffer_size = 5000});
  for (std::size_t at = 0; at < text.size(); at += 777)
    out.write(std::string_view(text).substr(at, 777));
  out.write("end");
  out.close();
  reader.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(got == text + "end");
}

}  // namespace
