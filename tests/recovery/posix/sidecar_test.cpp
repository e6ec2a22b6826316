// Sidecars that another process recovers while their stream is open.
#if defined(__linux__)

#  include "recovery/sidecar.hpp"

#  include <gtest/gtest.h>
#  include <leat/file_stream.hpp>

#  include <fcntl.h>
#  include <unistd.h>

#  include <csignal>
#  include <filesystem>
#  include <memory>
#  include <string>
#  include <string_view>
#  include <system_error>

#  include "device/options.hpp"
#  include "opening/open.hpp"
#  include "recovery/posix/sidecar_file.hpp"
#  include "support/files.hpp"
#  include "support/process.hpp"

namespace {

using namespace leat_test;

/// While an object exists, this process cannot make a file longer than `size` bytes, as on a full
/// disk, but with the error EFBIG.
class no_space_after {
 public:
  explicit no_space_after(rlim_t size) { limit_resource(RLIMIT_FSIZE, size); }
  ~no_space_after() {
    limit_resource(RLIMIT_FSIZE, RLIM_INFINITY);
    std::signal(SIGXFSZ, saved_handler_);
  }
  no_space_after(const no_space_after&) = delete;
  no_space_after& operator=(const no_space_after&) = delete;

 private:
  void (*saved_handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

/// Replays the sidecar of an open file, as another process does when it opens the file. Returns the
/// error.
std::error_code recover_as_another_process(const std::string& path, const leat::device& file) {
  std::error_code ec;
  leat::recover_sidecar(leat::path_ref(path), file.native_handle(), leat::recovery_mode::replay,
                        ec);
  return ec;
}

// Another process replays the pending bytes as far as there is space, and then appends without a
// sidecar.
TEST(sidecar, writes_no_byte_twice_after_another_process_replayed_a_part) {
  const temporary_folder folder;
  const std::string path = folder / "log";
  std::error_code ec;
  const auto file = leat::files::open_appending(path, {}, ec);
  ASSERT_NE(file, nullptr);
  auto own = leat::sidecar::open(leat::path_ref(path), *file);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->put("1\n2\n3\n"), leat::sidecar::result::accepted);

  {
    const no_space_after limit(4);
    EXPECT_EQ(recover_as_another_process(path, *file), std::errc::file_too_large);
  }
  EXPECT_EQ(read_all(path), "1\n2\n");
  write_file(path, "1\n2\nof the other one\n");

  EXPECT_EQ(own->put("4\n"), leat::sidecar::result::shared);
  EXPECT_EQ(own->withdraw(ec), std::string_view("1\n2\n3\n").size());
  EXPECT_FALSE(ec);
  EXPECT_EQ(read_all(path), "1\n2\nof the other one\n3\n");
}

// Neither another process nor the stream finds space for all pending bytes.
TEST(sidecar, counts_only_the_bytes_that_have_no_space_as_lost) {
  const temporary_folder folder;
  const std::string path = folder / "log";
  auto out = leat::append(path, {.durability = leat::durability::process});
  out.write("1\n2\n3\n");
  std::error_code ec;
  {
    const no_space_after limit(4);
    EXPECT_FALSE(leat::append(path, ec).is_open());
    EXPECT_EQ(ec, std::errc::file_too_large);
    out.write("4\n");
  }
  EXPECT_EQ(out.error(), std::errc::file_too_large);
  EXPECT_EQ(out.lost(), std::string_view("3\n4\n").size());
  out.clear_error();
  EXPECT_EQ(out.tell(), 4u);
  out.write("5\n");
  out.close();
  EXPECT_EQ(read_all(path), "1\n2\n5\n");
}

TEST(sidecar, bytes_that_were_reported_as_lost_are_not_replayed_later) {
  const temporary_folder folder;
  const std::string path = folder / "log";
  std::error_code ec;
  const auto file = leat::files::open_appending(path, {}, ec);
  ASSERT_NE(file, nullptr);
  auto own = leat::sidecar::open(leat::path_ref(path), *file);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->put("1\n2\n3\n"), leat::sidecar::result::accepted);
  {
    const no_space_after limit(4);
    EXPECT_EQ(recover_as_another_process(path, *file), std::errc::file_too_large);
    EXPECT_EQ(own->withdraw(ec), 4u);
    EXPECT_EQ(ec, std::errc::file_too_large);
  }
  EXPECT_FALSE(recover_as_another_process(path, *file));
  EXPECT_EQ(read_all(path), "1\n2\n");
}

/// The sidecar of a removed log, and the new file with the log's name.
class removed_log : public testing::Test {
 protected:
  void SetUp() override {
    std::error_code ec;
    file_ = leat::files::open_appending(path_, {}, ec);
    ASSERT_NE(file_, nullptr);
    own_ = leat::sidecar::open(leat::path_ref(path_), *file_, leat::sidecar::writer::follows);
    ASSERT_NE(own_, nullptr);
  }
  ~removed_log() override {
    if (next_ >= 0) ::close(next_);
  }

  void replace() {
    std::filesystem::remove(path_);
    next_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
    ASSERT_GE(next_, 0);
  }
  /// Recovers the sidecar as another process does when it opens the log. Returns the error.
  std::error_code recover() {
    std::error_code ec;
    leat::recover_sidecar(leat::path_ref(path_), next_, leat::recovery_mode::replay, ec);
    return ec;
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "log";
  std::unique_ptr<leat::device> file_;
  std::unique_ptr<leat::sidecar> own_;
  int next_ = -1;
};

// There is no space for the pending bytes, and the stream ends. The stream reports these bytes as
// lost.
TEST_F(removed_log, bytes_reported_as_lost_at_the_end_of_a_stream_are_not_replayed) {
  if (!leat::thread_buffer_gate::is_possible())
    GTEST_SKIP() << "thread buffers are not possible on this system";
  leat::thread_buffer_gate gate;
  ASSERT_TRUE(own_->open_thread_buffers(gate, leat::thread_buffers_size,
                                        leat::thread_buffer_gate::never_late));
  EXPECT_EQ(gate.put_locked("1\n2\n3\n"), leat::thread_buffer_gate::result::accepted);
  replace();
  {
    const no_space_after limit(0);
    EXPECT_EQ(recover(), std::errc::file_too_large);
  }
  own_->close_thread_buffers();
  own_.reset();
  EXPECT_FALSE(recover());
  EXPECT_EQ(read_all(path_), "");
}

// The file received a part of the bytes before the file was removed.
TEST_F(removed_log, all_pending_bytes_go_to_the_next_file_even_if_a_part_was_replayed) {
  EXPECT_EQ(own_->put("1\n2\n3\n"), leat::sidecar::result::accepted);
  {
    const no_space_after limit(4);
    EXPECT_EQ(recover_as_another_process(path_, *file_), std::errc::file_too_large);
  }
  std::error_code ec;
  EXPECT_EQ(file_->size(ec), 4u);
  replace();
  EXPECT_FALSE(recover());
  EXPECT_EQ(read_all(path_), "1\n2\n3\n");
}

// The writer notices the other process before the other process has replayed the bytes.
TEST_F(removed_log, pending_bytes_go_to_the_next_file) {
  EXPECT_EQ(own_->put("1\n"), leat::sidecar::result::accepted);
  replace();
  const int opened = ::open((path_ + ".leat").c_str(), O_RDWR);
  std::error_code ec;
  leat::mapping map = leat::sidecar_file::map(opened, ec);
  ::close(opened);
  ASSERT_FALSE(ec);
  leat::sidecar_file::header_of(map).shared.store(1);
  EXPECT_EQ(own_->put("2\n"), leat::sidecar::result::shared);
  EXPECT_EQ(own_->withdraw(ec), 4u);
  EXPECT_FALSE(ec);
  EXPECT_EQ(file_->size(ec), 0u);
  EXPECT_FALSE(recover());
  EXPECT_EQ(read_all(path_), "1\n2\n");
}

}  // namespace

#endif
