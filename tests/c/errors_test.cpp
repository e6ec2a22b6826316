// How leat.h reports failures (leat_last_error) and lost bytes (leat_set_loss_handler).
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/error.hpp>
#include <leat/file_stream.hpp>
#include <leat/ranges.hpp>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

/// A disk with room for `room` more bytes. When the room is 0, writes fail with ENOSPC.
struct small_disk {
  static ssize_t write(void* context, const char*, size_t size) {
    auto& self = *static_cast<small_disk*>(context);
    if (self.room == 0) return errno = ENOSPC, -1;
    const size_t taken = size < self.room ? size : self.room;
    self.room -= taken;
    return static_cast<ssize_t>(taken);
  }
  leat_file* open() {
    leat_cookie_functions functions{};
    functions.write = write;
    return leat_fopencookie(this, "w", functions);
  }
  size_t room;
};

TEST(c_errors, an_open_reports_path_and_operation) {
  const temporary_folder folder;
  const std::string path = folder / "none";
  for (const bool by_leat_open : {false, true}) {
    EXPECT_EQ(by_leat_open ? leat_open(path.c_str(), "r", nullptr) : leat_fopen(path.c_str(), "r"),
              nullptr);
    const leat_error& error = *leat_last_error();
    EXPECT_EQ(error.code, ENOENT);
    EXPECT_EQ(error.reason, LEAT_REASON_NONE);
    EXPECT_STREQ(error.operation, "open");
    EXPECT_EQ(error.path, path);
    EXPECT_EQ(error.offset, LEAT_NO_OFFSET);
    EXPECT_EQ(error.message, "cannot open '" + path + "': No such file or directory");
    EXPECT_EQ(errno, ENOENT);
  }
}

TEST(c_errors, a_failed_write_reports_how_many_bytes_are_missing_and_where) {
  small_disk disk{10};
  leat_file* const f = disk.open();
  ASSERT_NE(f, nullptr);
  EXPECT_GT(leat_fprintf(f, "%s", "0123456789abcdef"), 0);
  EXPECT_EQ(leat_fflush(f), EOF);
  leat_error error = *leat_last_error();
  EXPECT_EQ(error.code, ENOSPC);
  EXPECT_STREQ(error.operation, "write");
  EXPECT_EQ(error.offset, 10u);
  EXPECT_EQ(error.unwritten, 6u);
  EXPECT_EQ(error.unread, 0u);
  disk.room = 2;  // the bytes stayed in the buffer, and are written again
  EXPECT_EQ(leat_fclose(f), EOF);
  error = *leat_last_error();
  EXPECT_EQ(error.offset, 12u);
  EXPECT_EQ(error.unwritten, 4u);
}

TEST(c_errors, a_successful_call_keeps_the_last_error) {
  EXPECT_EQ(leat_fopen("", "?"), nullptr);
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "a", "w+");
  EXPECT_EQ(leat_last_error()->code, EINVAL);
  EXPECT_EQ(leat_fgetc(f.get()), EOF);  // the end is no error
  EXPECT_EQ(leat_last_error()->code, EINVAL);
}

TEST(c_errors, an_invalid_argument_has_a_message_but_no_operation_and_path) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "a", "w+");
  EXPECT_NE(leat_fseek(f.get(), -1, SEEK_SET), 0);
  EXPECT_EQ(leat_last_error()->code, EINVAL);
  EXPECT_STREQ(leat_last_error()->operation, "");
  EXPECT_STREQ(leat_last_error()->path, "");
  EXPECT_STRNE(leat_last_error()->message, "");
}

TEST(c_errors, a_missing_path_and_an_option_without_effect_are_named) {
  EXPECT_EQ(leat_reader_open(nullptr, nullptr), nullptr);
  EXPECT_STREQ(leat_last_error()->message, "Invalid argument (no path)");
  leat_writer_options options{};
  options.reopen = 1;
  EXPECT_EQ(leat_writer_create("a", &options), nullptr);
  EXPECT_STREQ(leat_last_error()->message,
               "Invalid argument (the option reopen has no effect here)");
  EXPECT_EQ(leat_last_error()->code, EINVAL);
}

TEST(c_errors, messages_have_the_same_details_as_in_cpp) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  write_file(path, "first\nsecond\n");
  const std::string missing =
      "cannot find a record in '" + path + "': There is no such record or range (position 7 of 6)";
  const uint64_t outside = 7;
  char out[2];
  const file_ptr f = open_file(path, "r");
  EXPECT_EQ(leat_gather(f.get(), 2, &outside, 1, out), -1);
  EXPECT_EQ(leat_last_error()->message, missing);
  leat_random_access_file* const random =
      leat_random_access_open(path.c_str(), LEAT_MODE_READ, nullptr);
  EXPECT_EQ(leat_random_access_gather(random, 0, 2, &outside, 1, out), -1);
  EXPECT_EQ(leat_last_error()->message, missing);
  EXPECT_EQ(leat_random_access_close(random), 0);
  // A failure that a function of C++ has reported by an error_code.
  std::error_code ec;
  leat::file_reader in = leat::open(path);
  for (const auto line : in.lines({.longest = 5}, ec)) EXPECT_EQ(line, "first");
  EXPECT_EQ(ec, leat::errc::line_too_long);
  EXPECT_EQ(leat_last_error()->message, std::string(leat::last_error().what()));
  EXPECT_NE(std::strstr(leat_last_error()->message, "(line 2"), nullptr)
      << leat_last_error()->message;
}

TEST(c_errors, reasons_have_the_values_of_errc_in_cpp) {
  EXPECT_EQ(leat_open("s3://bucket/key", "r", nullptr), nullptr);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_NO_COMPONENT);
  EXPECT_EQ(static_cast<int>(LEAT_REASON_FILE_SHRANK), static_cast<int>(leat::errc::file_shrank));
  EXPECT_EQ(static_cast<int>(LEAT_REASON_DAMAGED), static_cast<int>(leat::errc::damaged));
  EXPECT_EQ(static_cast<int>(LEAT_REASON_NO_CODECS), static_cast<int>(leat::errc::no_codecs));
}

TEST(c_errors, journals_report_the_path) {
  const temporary_folder folder;
  const std::string path = folder / "j";
  write_file(path, "this is no journal, but it has some bytes");
  EXPECT_EQ(leat_journal_open(path.c_str(), nullptr), nullptr);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_BAD_JOURNAL);
  EXPECT_EQ(leat_last_error()->path, path);
}

TEST(c_errors, a_path_that_is_too_long_keeps_its_end) {
  const std::string path = std::string(3000, 'a') + "/the end";
  EXPECT_EQ(leat_fopen(path.c_str(), "r"), nullptr);
  const std::string kept = leat_last_error()->path;
  EXPECT_EQ(kept, path.substr(path.size() - 1023));
  EXPECT_NE(std::strstr(leat_last_error()->message, "the end"), nullptr);
}

TEST(c_errors, each_thread_has_its_own_error) {
  EXPECT_EQ(leat_fopen("", "?"), nullptr);
  std::thread([] {
    EXPECT_EQ(leat_last_error()->code, 0);
    EXPECT_STREQ(leat_last_error()->message, "");
    EXPECT_EQ(leat_fopen("/none/none", "r"), nullptr);
    EXPECT_EQ(leat_last_error()->code, ENOENT);
  }).join();
  EXPECT_EQ(leat_last_error()->code, EINVAL);
}

std::string lost;

TEST(c_errors, lost_bytes_are_reported_to_the_loss_handler) {
  leat_loss_handler* const record_loss = [](const leat_error* loss) {
    lost = std::string(loss->operation) + ' ' + std::to_string(loss->code) + ' ' +
           std::to_string(loss->unwritten) + ' ' + loss->path + ' ' + loss->message;
  };
  EXPECT_EQ(leat_set_loss_handler(record_loss), nullptr);
  {
    char memory[4];
    leat_writer* const w = leat_writer_of_memory(memory, sizeof memory);
    leat_writer_write(w, "123456", 6);
    leat_writer_discard(w);
  }
  EXPECT_EQ(lost.substr(0, lost.find(' ', 6)), "write " + std::to_string(ENOSPC)) << lost;
  EXPECT_NE(lost.find(" 2 <memory> cannot write '<memory>'"), std::string::npos) << lost;
  EXPECT_EQ(leat_set_loss_handler(nullptr), record_loss);
  const int before = leat_set_loss_status(7);
  EXPECT_EQ(leat_set_loss_status(before), 7);
}

#if !defined(_WIN32) && GTEST_HAS_DEATH_TEST
TEST(c_errors, bytes_that_exit_can_not_write_are_reported_to_the_loss_handler) {
  const auto lose = [](bool sets_handler) {
    if (sets_handler)
      leat_set_loss_handler([](const leat_error* loss) {
        std::fprintf(stderr, "lost %d of %s\n", static_cast<int>(loss->unwritten), loss->path);
      });
    leat_file* const full = leat_fopen("/dev/full", "w");
    if (full != nullptr) leat_fputs("never", full);
    std::exit(3);
  };
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no writable /dev/full";
  EXPECT_EXIT(lose(true), testing::ExitedWithCode(3), "lost 5 of /dev/full");
  EXPECT_EXIT(lose(false), testing::ExitedWithCode(3), "^$");
}
#endif

#if !defined(_WIN32)
TEST(c_errors, messages_escape_control_characters) {
  EXPECT_EQ(leat_fopen("no\n\x1b[2J\xff", "r"), nullptr);
  EXPECT_STREQ(leat_last_error()->message,
               "cannot open 'no\\n\\x1b[2J\\xff': No such file or directory");
  EXPECT_STREQ(leat_last_error()->path, "no\n\x1b[2J\xff");
}
#endif

}  // namespace
