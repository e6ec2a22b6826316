// LEAT_DURABILITY_PROCESS: the bytes of completed calls survive a kill of the process.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "support/c_options.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if defined(__linux__)

namespace {

using namespace leat_test;
using names = std::vector<std::string>;

leat_file* open_durable(const std::string& path, const char* mode) {
  const leat_options options = leat_test::options_with(LEAT_DURABILITY_PROCESS);
  leat_file* const f = leat_open(path.c_str(), mode, &options);
  require(f != nullptr);
  return f;
}

TEST(process_durability, a_kill_loses_no_completed_call) {
  for (const char* mode : {"w", "a", "w+", "a+"}) {
    const temporary_folder folder;
    const pid_t child = start_child([&] {
      leat_file* const f = open_durable(folder / "file", mode);
      for (int i = 0; i != 100'000; ++i) require(leat_fprintf(f, "%d\n", i) > 0);
      leat_fputc('x', f);
      ::raise(SIGKILL);
    });
    ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
    EXPECT_GT(leat_recover((folder / "file").c_str()), 0);
    std::string expected;
    for (int i = 0; i != 100'000; ++i) expected += std::to_string(i) + '\n';
    EXPECT_TRUE(read_all(folder / "file") == expected + 'x') << mode;
    EXPECT_EQ(folder.names(), names{"file"});
    EXPECT_EQ(leat_recover((folder / "file").c_str()), 0);
  }
}

TEST(process_durability, opening_fails_with_eio_if_the_sidecar_is_damaged) {
  const temporary_folder folder;
  write_file(folder / "file", "content");
  write_file(folder / "file.leat", "damaged");
  for (const char* mode : {"a", "w", "r+"}) {
    const leat_options plain{};
    errno = 0;
    EXPECT_EQ(leat_open((folder / "file").c_str(), mode, &plain), nullptr) << mode;
    EXPECT_EQ(errno, EIO) << mode;
  }
  EXPECT_EQ(read_all(folder / "file"), "content");
}

TEST(process_durability, bytes_that_overwrite_earlier_bytes_survive) {
  for (const char* mode : {"w", "r+"}) {
    const temporary_folder folder;
    write_file(folder / "file", "");
    const pid_t child = start_child([&] {
      leat_file* const f = open_durable(folder / "file", mode);
      leat_fputs("0123456789", f);
      leat_fflush(f);
      leat_fseek(f, 2, SEEK_SET);
      leat_fputs("ab", f);
      leat_fseek(f, 12, SEEK_SET);
      leat_fputs("after a gap", f);
      ::raise(SIGKILL);
    });
    ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
    EXPECT_GE(leat_recover((folder / "file").c_str()), 0);
    EXPECT_EQ(read_all(folder / "file"), std::string("01ab456789\0\0after a gap", 23)) << mode;
  }
}

TEST(process_durability, a_stream_begins_after_recovered_bytes_and_w_drops_them) {
  const temporary_folder folder;
  const auto kill_a_writer = [&] {
    ASSERT_EQ(wait_for(start_child([&] {
                leat_fputs("12345", open_durable(folder / "file", "a"));
                ::raise(SIGKILL);
              })),
              1000 + SIGKILL);
  };
  kill_a_writer();
  leat_file* const out = leat_open((folder / "file").c_str(), "a", nullptr);
  EXPECT_EQ(leat_ftello(out), 5);
  EXPECT_EQ(leat_fclose(out), 0);
  kill_a_writer();
  EXPECT_EQ(leat_fclose(leat_open((folder / "file").c_str(), "w", nullptr)), 0);
  EXPECT_EQ(leat_recover((folder / "file").c_str()), 0);
  EXPECT_EQ(read_all(folder / "file"), "");
}

TEST(process_durability, a_live_reader_sees_completed_calls) {
  const temporary_folder folder;
  leat_file* const out = open_durable(folder / "file", "a");
  leat_fputs("first\n", out);
  leat_options options{};
  options.live = 1;
  leat_file* const in = leat_open((folder / "file").c_str(), "r", &options);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(leat_fseek(in, 0, SEEK_END), 0);
  EXPECT_EQ(leat_ftello(in), 6);
  leat_rewind(in);
  std::size_t size = 0;
  const char* const line = leat_next_line(in, &size);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(std::string(line, size), "first");
  EXPECT_EQ(leat_fileno(in), -1);
  EXPECT_EQ(leat_open((folder / "file").c_str(), "r+", &options), nullptr);
  leat_fclose(in);
  leat_fclose(out);
}

TEST(process_durability, flush_seek_and_close_write_the_bytes_into_the_file) {
  const temporary_folder folder;
  leat_file* const f = open_durable(folder / "file", "w+");
  leat_fputs("abc", f);
  EXPECT_EQ(leat_ftello(f), 3);
  EXPECT_EQ(read_all(folder / "file"), "");
  leat_fflush(f);
  EXPECT_EQ(read_all(folder / "file"), "abc");
  leat_fputs("gone", f);
  leat_fpurge(f);
  leat_fputs("def", f);
  EXPECT_EQ(leat_fseek(f, 1, SEEK_SET), 0);
  EXPECT_EQ(leat_fgetc(f), 'b');
  EXPECT_EQ(leat_fseek(f, 1, SEEK_SET), 0);
  leat_fputc('B', f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "file"), "aBcdef");
  EXPECT_EQ(folder.names(), names{"file"});
}

TEST(process_durability, two_streams_of_one_file_write_without_sidecar) {
  const temporary_folder folder;
  leat_file* const first = open_durable(folder / "file", "a");
  leat_fputs("1\n", first);
  leat_file* const second = open_durable(folder / "file", "a");
  leat_fputs("2\n", second);
  leat_fputs("3\n", first);
  leat_fputs("4\n", second);
  EXPECT_EQ(read_all(folder / "file"), "1\n2\n3\n4\n");
  EXPECT_EQ(leat_fclose(first), 0);
  EXPECT_EQ(leat_fclose(second), 0);
  EXPECT_EQ(folder.names(), names{"file"});
}

TEST(process_durability, setvbuf_removes_the_sidecar) {
  const temporary_folder folder;
  leat_file* const f = open_durable(folder / "file", "w");
  leat_fputs("1", f);
  EXPECT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 1000), 0);
  leat_fputs("2", f);
  EXPECT_EQ(folder.names(), names{"file"});
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "file"), "12");
}

TEST(process_durability, setvbuf_after_a_pushed_back_byte_or_a_fork_loses_no_bytes) {
  const temporary_folder folder;
  for (const int mode : {_IOFBF, _IOLBF}) {
    // If a byte was pushed back, setvbuf keeps the current buffer.
    leat_file* const f = open_durable(folder / "read", "a+");
    leat_fputs("0123456789", f);
    EXPECT_EQ(leat_fseek(f, 0, SEEK_SET), 0);
    leat_ungetc('x', f);
    EXPECT_EQ(leat_setvbuf(f, nullptr, mode, 0), 0);
    EXPECT_EQ(leat_fseek(f, 0, SEEK_END), 0);
    EXPECT_EQ(leat_fwrite("abcde", 1, 5, f), 5u);
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_EQ(read_all(folder / "read"), "0123456789abcde");
    std::remove((folder / "read").c_str());
    // A forked child has no sidecar before its first write.
    leat_file* const g = open_durable(folder / "forked", "a");
    leat_fputs("parent\n", g);
    const pid_t child = start_child([&] {
      require(leat_setvbuf(g, nullptr, mode, 0) == 0);
      require(leat_fputs("child\n", g) >= 0);
      require(leat_fclose(g) == 0);
    });
    ASSERT_EQ(wait_for(child), 0);
    EXPECT_EQ(leat_fclose(g), 0);
    EXPECT_EQ(read_all(folder / "forked"), "parent\nchild\n");
    std::remove((folder / "forked").c_str());
  }
}

TEST(process_durability, setvbuf_and_fork_on_a_full_disk_lose_no_bytes) {
  const temporary_folder folder;
  for (const int mode : {_IOFBF, _IOLBF}) {
    const auto child = run_in_child([&] {
      leat_file* const f = open_durable(folder / "file", "w");
      leat_fputs("0123456789", f);
      ::signal(SIGXFSZ, SIG_IGN);
      limit_resource(RLIMIT_FSIZE, 4);
      require(leat_setvbuf(f, nullptr, mode, 0) != 0);
      require(wait_for(start_child([] {})) == 0);
      std::string line(4999, 'a');
      line += '\n';
      for (int i = 0; i != 60; ++i) leat_fwrite(line.data(), line.size(), 1, f);
      require(leat_fpending(f) >= 6);
      ::raise(SIGKILL);
    });
    EXPECT_EQ(child.signal, SIGKILL);
    EXPECT_GE(leat_recover((folder / "file").c_str()), 6);
    EXPECT_TRUE(read_all(folder / "file").starts_with("0123456789"));
  }
}

TEST(process_durability, pending_bytes_at_a_fork_are_written_once) {
  for (const char* mode : {"w", "a"}) {
    const temporary_folder folder;
    leat_file* const f = open_durable(folder / "file", mode);
    leat_fputs("parent\n", f);
    ASSERT_EQ(wait_for(start_child([&] {
                leat_fputs("child\n", f);
                leat_fputs("again\n", f);
              })),
              0);
    leat_fputs("and again\n", f);
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_EQ(read_all(folder / "file"), "parent\nchild\nagain\nand again\n");
    EXPECT_EQ(folder.names(), names{"file"});
  }
}

TEST(process_durability, a_full_disk_is_reported_and_the_bytes_stay_in_the_buffer) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat_file* const f = open_durable(folder / "file", "a");
    leat_fputs("0123456789", f);
    ::signal(SIGXFSZ, SIG_IGN);
    limit_resource(RLIMIT_FSIZE, 4);
    require(leat_fflush(f) == EOF);
    require(leat_fpending(f) == 6);
    ::raise(SIGKILL);
  });
  EXPECT_EQ(child.signal, SIGKILL);
  EXPECT_EQ(leat_recover((folder / "file").c_str()), 6);
  EXPECT_EQ(read_all(folder / "file"), "0123456789");
}

}  // namespace

#endif
