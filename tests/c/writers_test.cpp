// Writers of leat.h: files, rotating logs, memory and standard streams. Also leat_copy and
// leat_now.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(c_writers, create_append_and_replace_files) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  leat_writer* w = leat_writer_create(path.c_str(), nullptr);
  ASSERT_NE(w, nullptr);
  leat_writer_put(w, 'a');
  leat_writer_write(w, "bc", 2);
  EXPECT_EQ(leat_writer_printf(w, "%d %.2f\n", 7, 0.5), 7);
  EXPECT_EQ(leat_writer_tell(w), 10u);
  EXPECT_EQ(leat_writer_patch(w, 0, "AB", 2), 0);
  EXPECT_EQ(leat_writer_patch(w, 9, "AB", 2), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_writer_flush(w), 0);
  EXPECT_EQ(read_all(path), "ABc7 0.50\n");
  EXPECT_EQ(leat_writer_seek(w, 2), 0);
  leat_writer_put(w, 'C');
  EXPECT_EQ(leat_writer_sync(w), 0);
  EXPECT_EQ(leat_writer_error(w), 0);
  EXPECT_EQ(leat_writer_close(w), 0);
  EXPECT_EQ(read_all(path), "ABC7 0.50\n");

  w = leat_writer_append(path.c_str(), nullptr);
  leat_writer_write(w, "more\n", 5);
  EXPECT_EQ(leat_writer_close(w), 0);
  EXPECT_EQ(read_all(path), "ABC7 0.50\nmore\n");

  w = leat_writer_replace(path.c_str(), nullptr);
  leat_writer_write(w, "never", 5);
  leat_writer_discard(w);
  EXPECT_EQ(read_all(path), "ABC7 0.50\nmore\n");
  w = leat_writer_replace(path.c_str(), nullptr);
  leat_writer_write(w, "new", 3);
  EXPECT_EQ(leat_writer_close(w), 0);
  EXPECT_EQ(read_all(path), "new");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(c_writers, refuse_options_without_effect) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_writer_options reopens{};
  reopens.reopen = 1;
  EXPECT_EQ(leat_writer_create(path.c_str(), &reopens), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_writer_replace(path.c_str(), &reopens), nullptr);
  EXPECT_EQ(errno, EINVAL);
  leat_writer_options exclusive{};
  exclusive.exclusive = 1;
  EXPECT_EQ(leat_writer_append(path.c_str(), &exclusive), nullptr);
  EXPECT_EQ(errno, EINVAL);
  leat_rotation daily{};
  daily.every = 86400;
  leat_writer_options reserving{};
  reserving.preallocate = 1;
  EXPECT_EQ(leat_writer_rotating(path.c_str(), &daily, &reserving), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_TRUE(folder.names().empty());
  leat_device_functions functions{};
  leat_device* const device = leat_device_new(&functions, nullptr);
  leat_writer_options options[4]{};
  options[0].permissions = 0600;
  options[1].compression = LEAT_COMPRESSION_GZIP;
  const int inside = 0;
  options[2].inside = &inside;
  options[3].caching = LEAT_CACHING_DIRECT;
  for (const leat_writer_options& file_options : options) {
    errno = 0;
    EXPECT_EQ(leat_writer_over(device, &file_options, nullptr), nullptr) << &file_options - options;
    EXPECT_EQ(errno, EINVAL);
  }
  leat_device_free(device);
}

TEST(c_writers, rotate_and_reopen) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  leat_rotation rotation{};
  rotation.size = 8;
  rotation.keep = 2;
  std::vector<std::string> reported;
  rotation.context = &reported;
  rotation.finished = [](const char* old, int error, void* context) {
    if (error == 0) static_cast<std::vector<std::string>*>(context)->emplace_back(old);
  };
  leat_writer_options options{};
  options.flush = LEAT_FLUSH_LINE;
  leat_writer* log = leat_writer_rotating(path.c_str(), &rotation, &options);
  ASSERT_NE(log, nullptr);
  for (int i = 0; i != 4; ++i) leat_writer_printf(log, "line %d\n", i);
  EXPECT_EQ(leat_writer_reopen(log), 0);
  EXPECT_EQ(leat_writer_dropped(log), 0u);
  EXPECT_EQ(leat_writer_close(log), 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"app.log", "app.log.1", "app.log.2"}));
  EXPECT_EQ(read_all(path + ".2"), "line 1\n");
  EXPECT_EQ(reported.size(), 3u);

  options.preallocate = 1;
  EXPECT_EQ(leat_writer_rotating(path.c_str(), &rotation, &options), nullptr);
  EXPECT_EQ(errno, EINVAL);

  leat_writer_options reopens{};
  reopens.reopen = 1;
  log = leat_writer_append(path.c_str(), &reopens);
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(rename(path.c_str(), (path + ".old").c_str()), 0);
  leat_writer_write(log, "new\n", 4);
  EXPECT_EQ(leat_writer_close(log), 0);
  EXPECT_EQ(read_all(path), "new\n");
  log = leat_writer_append(path.c_str(), nullptr);
  EXPECT_EQ(leat_writer_reopen(log), -1);
  EXPECT_EQ(errno, ENOTSUP);
  EXPECT_EQ(leat_writer_close(log), 0);
}

TEST(c_writers, drop_whole_calls_instead_of_waiting_if_requested) {
  leat_writer_options options{};
  options.background = 1;
  const int no_such_value = 7;
  std::memcpy(&options.when_full, &no_such_value, sizeof no_such_value);
  const temporary_folder folder;
  EXPECT_EQ(leat_writer_create((folder / "a").c_str(), &options), nullptr);
  EXPECT_EQ(errno, EINVAL);
  options.when_full = LEAT_WHEN_FULL_DROP;
  EXPECT_EQ(leat_writer_replace((folder / "a").c_str(), &options), nullptr);
  EXPECT_EQ(errno, EINVAL);
  options.buffer_size = 100;
  leat_writer* const log = leat_writer_create((folder / "a").c_str(), &options);
  ASSERT_NE(log, nullptr);
  for (int i = 0; i != 1000; ++i) leat_writer_printf(log, "line %3d\n", i);
  EXPECT_EQ(leat_writer_flush(log), 0);
  const std::string text = read_all(folder / "a");
  EXPECT_EQ(text.size() + 9 * leat_writer_dropped(log), 9000u);
  EXPECT_EQ(leat_writer_close(log), 0);
}

TEST(c_writers, format_the_current_time) {
  char text[LEAT_NOW_SIZE];
  EXPECT_EQ(leat_now(text, 0), text);
  EXPECT_EQ(std::string(text).size(), std::string("2026-11-21T09:27:19.120345Z").size());
  EXPECT_EQ(text[26], 'Z');
  leat_now(text, 1);
  EXPECT_EQ(std::string(text).size(), std::string("2026-11-21T09:27:19.120345+01:00").size());
}

TEST(c_writers, create_and_append_files_as_the_options_say) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  leat_writer_options options{};
  options.exclusive = 1;
  options.flush = LEAT_FLUSH_LINE;
  options.permissions = 0600;
  options.buffer_size = 1000;
  options.preallocate = 100000;
  leat_writer* w = leat_writer_create(path.c_str(), &options);
  ASSERT_NE(w, nullptr);
  leat_writer_write(w, "line\nrest", 9);
  EXPECT_EQ(read_all(path), "line\nrest");
  EXPECT_EQ(leat_writer_close(w), 0);
  EXPECT_EQ(leat_writer_create(path.c_str(), &options), nullptr);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_STREQ(leat_last_error()->operation, "open");
  EXPECT_EQ(leat_writer_append(path.c_str(), &options), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_writer_replace(path.c_str(), &options), nullptr);
  EXPECT_EQ(errno, EINVAL);
  options = {};
  options.durability = LEAT_DURABILITY_SYSTEM;
  options.flush_interval = 1;
  options.background = 1;
  w = leat_writer_append(path.c_str(), &options);
  ASSERT_NE(w, nullptr);
  leat_writer_put(w, '!');
  while (read_all(path) != "line\nrest!") std::this_thread::yield();
  EXPECT_EQ(leat_writer_close(w), 0);
  options = {};
  options.flush = static_cast<leat_flush_when>(3);
  EXPECT_EQ(leat_writer_create(path.c_str(), &options), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(c_writers, write_to_memory) {
  char small[8];
  leat_writer* w = leat_writer_of_memory(small, sizeof small);
  leat_writer_write(w, "0123456789", 10);
  EXPECT_EQ(string_of(leat_writer_view(w)), "01234567");
  EXPECT_EQ(leat_writer_lost(w), 2u);
  EXPECT_EQ(leat_writer_error(w), ENOSPC);
  EXPECT_EQ(leat_writer_flush(w), -1);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_MEMORY_FULL);
  EXPECT_EQ(leat_last_error()->unwritten, 2u);
  EXPECT_EQ(leat_last_error()->offset, 8u);
  leat_writer_clear_error(w);
  EXPECT_EQ(leat_writer_close(w), -1);

  w = leat_writer_of_string();
  const std::string large(5000, 'x');
  EXPECT_EQ(leat_writer_printf(w, "%s%d", large.c_str(), 1), 5001);
  EXPECT_EQ(string_of(leat_writer_view(w)), large + '1');
  EXPECT_EQ(leat_writer_clear(w), 0);
  EXPECT_EQ(string_of(leat_writer_view(w)), "");
  EXPECT_EQ(leat_writer_fileno(w), -1);
  EXPECT_EQ(leat_writer_close(w), 0);
  EXPECT_EQ(leat_writer_close(nullptr), 0);
}

TEST(c_writers, keep_the_lines_of_threads_whole_if_shared) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  leat_writer* const w = leat_writer_create(path.c_str(), nullptr);
  EXPECT_EQ(leat_writer_share(w), 0);
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([w, i] {
      for (int n = 0; n != 500; ++n) leat_writer_printf(w, "%d%d%d%d\n", i, i, i, i);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(leat_writer_seek(w, 0), -1);
  EXPECT_EQ(leat_writer_close(w), 0);
  const std::string all = read_all(path);
  ASSERT_EQ(all.size(), 4u * 500 * 5);
  for (size_t i = 0; i != all.size(); i += 5) EXPECT_EQ(all.substr(i, 4), std::string(4, all[i]));
}

TEST(c_writers, a_copy_reports_its_progress_and_can_be_cancelled) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  const std::string text(1000000, 'c');
  const auto copy = [&](leat_copy_progress* progress, void* context) {
    leat_reader* const in = leat_reader_of_memory(text.data(), text.size());
    leat_writer* const out = leat_writer_create(path.c_str(), nullptr);
    const leat_off_t n = leat_copy(in, out, progress, context);
    EXPECT_EQ(leat_writer_close(out), 0);
    EXPECT_EQ(leat_reader_close(in), 0);
    return n;
  };
  EXPECT_EQ(copy(nullptr, nullptr), 1000000);
  EXPECT_EQ(read_all(path), text);
  uint64_t last = 0;
  EXPECT_EQ(
      copy([](uint64_t done, void* to) { return *static_cast<uint64_t*>(to) = done, 0; }, &last),
      1000000);
  EXPECT_EQ(last, 1000000u);
  EXPECT_EQ(copy([](uint64_t, void*) { return 1; }, nullptr), -1);
  EXPECT_EQ(errno, ECANCELED);
}

TEST(c_writers, of_standard_output_and_error_stay_open_after_close) {
  EXPECT_EQ(leat_writer_close(leat_writer_stdout()), 0);
  leat_writer_discard(leat_writer_stderr());
  EXPECT_EQ(leat_writer_clear(leat_writer_stdout()), -1);
  EXPECT_EQ(leat_writer_view(leat_writer_stdout()).bytes, nullptr);
  EXPECT_EQ(leat_writer_share(leat_writer_stdout()), 0);
  leat_writer* const w = leat_writer_create_or_stdout("-", nullptr);
  EXPECT_EQ(leat_writer_close(w), 0);
}

}  // namespace
