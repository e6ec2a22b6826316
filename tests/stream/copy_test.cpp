// copy() between the kinds of streams. copy_file_test.cpp has copy_file().
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__)
#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>
#endif

#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

std::string text_of(std::size_t size) { return numbered_text(size); }

/// A reader that has read the first byte of its file, and the text after this byte.
class copied_file : public testing::Test {
 protected:
  copied_file() {
    write_file(folder_ / "from", text_);
    in_ = leat::open(folder_ / "from");
    EXPECT_EQ(in_.get(), '0');
  }
  std::string to() const { return folder_ / "to"; }

  const temporary_folder folder_;
  const std::string text_ = text_of(300000);
  const std::string rest_ = text_.substr(1);
  leat::file_reader in_;
};

#if defined(HAS_POSIX_FILES)
TEST_F(copied_file, leaves_the_offset_of_a_shared_descriptor_after_the_copied_bytes) {
  const int descriptor = ::open(to().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  leat::file_writer out(leat::borrow(descriptor));
  out.write("head ");
  EXPECT_EQ(leat::copy(in_, out), rest_.size());
  out.write(" tail");
  out.flush();
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), static_cast<off_t>(rest_.size() + 10));
  EXPECT_EQ(::write(descriptor, "!", 1), 1);  // as a child process would
  out.close();
  ::close(descriptor);
  EXPECT_TRUE(read_all(to()) == std::string("head ").append(rest_).append(" tail!"));
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(copy, writes_to_blocking_and_non_blocking_pipes) {
  const temporary_folder folder;
  const std::string text = text_of(1 << 20);
  write_file(folder / "from", text);
  for (const int flags : {0, O_NONBLOCK}) {
    pipe_pair pipe(O_CLOEXEC);
    ASSERT_EQ(::fcntl(pipe.writer(), F_SETFL, flags), 0);
    std::string got;
    std::thread reader([&] { got = read_rest(pipe.reader()); });
    {
      leat::file_writer to(leat::adopt(pipe.release_writer()));
      auto in = leat::open(folder / "from");
      to.write("head ");
      EXPECT_EQ(leat::copy(in, to), text.size());
      to.write(" tail");
      to.close();
    }
    reader.join();
    EXPECT_TRUE(got == std::string("head ").append(text).append(" tail"));
  }
}

TEST(copy, from_pipe_to_pipe_waits_until_both_are_ready) {
  const std::string text = text_of(1 << 20);
  pipe_pair from(O_CLOEXEC | O_NONBLOCK), to(O_CLOEXEC | O_NONBLOCK);
  std::string got;
  std::thread producer([&] {
    leat::file_writer out(leat::adopt(from.release_writer()));
    out.write(text);
    out.close();
  });
  std::thread consumer([&] {
    leat::file_reader in(leat::borrow(to.reader()));
    for (auto w = in.window(); !w.empty(); w = in.window()) {
      got.append(w);
      in.skip(w.size());
    }
  });
  leat::file_reader in(leat::borrow(from.reader()));
  leat::file_writer out(leat::adopt(to.release_writer()));
  EXPECT_EQ(leat::copy(in, out), text.size());
  out.close();
  producer.join();
  consumer.join();
  EXPECT_TRUE(got == text);
}
#endif

TEST(copy, of_a_large_sparse_file_is_complete) {
  const temporary_folder folder;
  constexpr std::uint64_t size = 150 << 20;
  auto sparse = leat::create(folder / "from");
  sparse.write("start");
  sparse.seek(size - 3);
  sparse.write("end");
  sparse.close();
  auto in = leat::open(folder / "from");
  auto to = leat::create(folder / "to");
  EXPECT_EQ(leat::copy(in, to), size);
  to.close();
  EXPECT_EQ(std::filesystem::file_size(folder / "to"), size);
  auto copy = leat::open(folder / "to");
  EXPECT_EQ(copy.peek(6), std::string_view("start\0", 6));
  copy.seek(size - 4);
  EXPECT_EQ(copy.peek(10), std::string_view("\0end", 4));
}

#if defined(HAS_SYSTEM_FILES)
TEST(copy, of_a_file_that_reports_no_size_is_complete) {
  const temporary_folder folder;
  auto in = leat::open("/proc/self/status", {.buffer_size = 64});
  auto to = leat::create(folder / "to");
  EXPECT_GT(leat::copy(in, to), 300u);
  to.close();
  EXPECT_NE(read_all(folder / "to").find("VmPeak"), std::string::npos);
}
#endif

TEST(copy, to_an_appending_file_keeps_lines_whole) {
  // Each write to the device ends with the end of a line.
  std::string text;
  for (int i = 0; text.size() < 1000000; ++i) text.append(std::to_string(i)).append("\n");
  auto from = new_script(), to = new_script();
  from->content = text;
  to->traits.appends = true;
  leat::file_reader in(device_of(from));
  leat::file_writer out(device_of(to));
  EXPECT_EQ(leat::copy(in, out), text.size());
  out.close();
  EXPECT_TRUE(to->content == text);
  std::size_t end = 0;
  for (const auto& call : to->calls) {
    end += call.written;
    EXPECT_EQ(text[end - 1], '\n') << end;
  }
}

TEST(copy, copies_the_rest_itself_if_the_devices_stop_copying) {
  const std::string text = text_of(1000000);
  for (const int copies : {0, 1, 3, 1000}) {
    SCOPED_TRACE(copies);
    auto from = new_script(), to = new_script();
    from->content = text;
    to->copy_calls_left = copies;
    leat::file_reader in(device_of(from));
    leat::file_writer out(device_of(to));
    out.write("head ");
    in.skip(10);
    EXPECT_EQ(leat::copy(in, out), text.size() - 10);
    EXPECT_EQ(in.tell(), text.size());
    EXPECT_EQ(out.tell(), text.size() - 5);
    out.write(" tail");
    out.close();
    EXPECT_TRUE(to->content == std::string("head ").append(text.substr(10)).append(" tail"));
    EXPECT_EQ(to->copy_calls.size(), copies == 1000 ? 11u : static_cast<std::size_t>(copies));
    if (!to->copy_calls.empty()) {
      EXPECT_EQ(to->copy_calls[0].pieces[0], 10u) << "the buffered bytes, too";
      EXPECT_EQ(to->copy_calls[0].at, 5u);
    }
  }
}

TEST(copy, by_the_devices_reports_the_path_and_the_position_of_a_failed_read) {
  auto from = new_script(), to = new_script();
  from->content = text_of(1000000);
  from->read_limit = 250000;
  to->copy_calls_left = 1000;
  leat::file_reader in(device_of(from), {}, "f");
  leat::file_writer out(device_of(to));
  try {
    leat::copy(in, out);
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.what(),
              "cannot read 'f': " + message_of(std::errc::io_error) + " (at byte 250000)");
  }
  out.close();
  EXPECT_TRUE(to->content == from->content.substr(0, 250000));
}

TEST(copy, reports_a_failing_reader) {
  auto script = new_script();
  script->content = text_of(100000);
  script->read_limit = 50000;
  leat::file_reader in(device_of(script), {}, "f");
  leat::string_writer to;
  try {
    leat::copy(in, to);
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.what(),
              "cannot read 'f': " + message_of(std::errc::io_error) + " (at byte 50000)");
  }
  EXPECT_TRUE(to.view() == script->content.substr(0, 50000));
  in.seek(0);
  to.clear();
  std::error_code ec;
  EXPECT_EQ(leat::copy(in, to, ec), 50000u);
  EXPECT_EQ(ec, std::errc::io_error);
  in.close();
}

TEST(copy, reports_a_failing_writer) {
  const loss_recorder losses;
  const std::string text = text_of(500000);
  auto script = new_script();
  script->room = 1000;
  leat::file_writer to(device_of(script), {.buffer_size = 100});
  leat::memory_reader memory(text);
  std::error_code ec;
  leat::copy(memory, to, ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(script->content, text.substr(0, 1000));

  const temporary_folder folder;
  write_file(folder / "from", text);
  auto in = leat::open(folder / "from");
#if defined(HAS_SYSTEM_FILES)
  auto full = leat::append("/dev/full", {.buffer_size = 100});
  EXPECT_THROW(leat::copy(in, full), leat::io_error);
  EXPECT_LT(in.tell(), text.size()) << "copy() stops at the first failure";
  EXPECT_EQ(full.error(), std::errc::no_space_on_device);
#endif

  leat::file_writer closed;
  EXPECT_THROW(leat::copy(in, closed), leat::io_error);
  leat::copy(in, closed, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  char area[10];
  leat::memory_writer fixed{area};
  in.seek(0);
  leat::copy(in, fixed, ec);
  EXPECT_EQ(ec, leat::errc::memory_full);
  EXPECT_EQ(fixed.view(), text.substr(0, 10));
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(copy, stops_at_the_limit_of_file_sizes) {
  const auto child = run_in_child([] {
    const temporary_folder folder;
    const std::string text = numbered_text(500000);
    {
      auto source = leat::create(folder / "from");
      source.write(text);
      source.close();
    }
    require(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    limit_resource(RLIMIT_FSIZE, 100000);
    auto in = leat::open(folder / "from");
    auto to = leat::create(folder / "to");
    std::error_code ec;
    leat::copy(in, to, ec);
    if (!ec) to.close(ec);
    require(ec == std::errc::file_too_large);
    require(read_all(folder / "to") == text.substr(0, 100000));
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

TEST(copy, of_a_file_to_its_own_end_is_refused) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "text");
  auto from = leat::open(path);
  auto to = leat::append(path);
  std::error_code ec;
  EXPECT_EQ(leat::copy(from, to, ec), 0u);
  EXPECT_EQ(ec, leat::errc::same_file);
  try {
    leat::copy(from, to);
    FAIL() << "the call must throw a leat::io_error";
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.what(), "cannot copy '" + path + "': The input is also the output");
  }
  EXPECT_EQ(from.tell(), 0u);
  from.skip(4);
  EXPECT_EQ(leat::copy(from, to), 0u) << "nothing is left to copy";
  auto mapped = leat::map_file(path);
  EXPECT_EQ(leat::copy(mapped, to, ec), 0u);
  EXPECT_EQ(ec, leat::errc::same_file);
  to.close();
  EXPECT_EQ(read_all(path), "text");
}

TEST(copy, of_a_stream_to_itself_is_refused) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::string content;
  for (int i = 0; i != 20'000; ++i) content += std::to_string(i) + '\n';
  write_file(path, content);
  auto stream = leat::update(path);
  std::error_code ec;
  EXPECT_EQ(leat::copy(stream, stream, ec), 0u);
  EXPECT_EQ(ec, leat::errc::same_file);
  stream.close();
  EXPECT_EQ(read_all(path), content);
}

TEST(copy, of_a_live_file_to_its_own_end_is_refused) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "text");
  auto from = leat::open(path, {.live = true});
  auto to = leat::append(path);
  std::error_code ec;
  EXPECT_EQ(leat::copy(from, to, ec), 0u);
  EXPECT_EQ(ec, leat::errc::same_file);
  auto other = leat::create(folder / "copy");
  EXPECT_EQ(leat::copy(from, other), 4u);
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
TEST(copy, of_standard_input_to_the_same_file_is_refused) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  const auto child = run_in_child([&] {
    const std::string path = folder / "file";
    require(::dup2(::open(path.c_str(), O_RDONLY), 0) == 0);
    require(::dup2(::open(path.c_str(), O_WRONLY | O_APPEND), 1) == 1);
    std::error_code ec;
    leat::copy(leat::in, leat::out, ec);
    require(ec == leat::errc::same_file);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "text");
}
#endif

#if defined(__linux__)
TEST(copy, keeps_holes_after_the_end_of_the_target) {
  const temporary_folder folder;
  constexpr std::uint64_t size = 100 << 20;
  {
    auto file = leat::create(folder / "from");
    file.seek(size);
    file.write("end");
    file.close();
  }
  {
    auto from = leat::open(folder / "from");
    from.seek(10);
    auto to = leat::create(folder / "to");
    to.write("head");
    EXPECT_EQ(leat::copy(from, to), size - 10 + 3);
    to.write(" tail");
    to.close();
  }
  std::string expected(size + 3 - 10 + 4 + 5, '\0');
  expected.replace(0, 4, "head").replace(size - 10 + 4, 8, "end tail");
  EXPECT_TRUE(read_all(folder / "to") == expected);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "to").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST(copy, writes_zeros_where_the_target_has_other_bytes) {
  const temporary_folder folder;
  {
    auto file = leat::create(folder / "from");
    file.seek(1 << 20);
    file.write("end");
    file.close();
  }
  write_file(folder / "to", std::string(2 << 20, 'x'));
  auto from = leat::open(folder / "from");
  auto to = leat::update(folder / "to");
  leat::copy(from, to);
  to.close();
  EXPECT_TRUE(read_all(folder / "to") ==
              std::string(1 << 20, '\0') + "end" + std::string((1 << 20) - 3, 'x'));
}
#endif

}  // namespace
