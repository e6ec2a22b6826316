// Mapped files as views and readers, and files that change while they are mapped.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <leat/mapped_file.hpp>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(map_file, without_memory_is_an_io_error) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs more than 1 GiB of address space";
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  const temporary_folder folder;
  write_file(folder / "large", "");
  std::filesystem::resize_file(folder / "large", std::uintmax_t{4} << 30);
  const auto child = run_in_child([&] {
    limit_resource(RLIMIT_AS, 1 << 30);
    std::error_code ec;
    require(!leat::map_file(folder / "large", ec).is_open());
    require(ec == std::errc::not_enough_memory);
    try {
      static_cast<void>(leat::map_file(folder / "large"));
      require(false);
    } catch (const leat::io_error& error) {
      require(error.code() == std::errc::not_enough_memory);
    }
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

constexpr std::size_t page = 4096;  // the system's page may be larger

/// A file with numbered text, so that misplaced bytes are noticed.
class a_mapped_file : public testing::Test {
 protected:
  void write_text(std::size_t size) {
    text = numbered_text(size);
    write_file(path, text);
  }
  void shrink(std::size_t size) const { std::filesystem::resize_file(path, size); }

  const temporary_folder folder;
  const std::string path = folder / "file";
  std::string text;
  loss_recorder losses;
};

std::string failure_of(const auto& action) {
  try {
    action();
  } catch (const leat::io_error& error) {
    return error.code().message() + " at " + std::to_string(error.offset());
  }
  return "none";
}

[[maybe_unused]] std::string shrunk_to(std::size_t size) {
  return leat::make_error_code(leat::errc::file_shrank).message() + " at " + std::to_string(size);
}

TEST_F(a_mapped_file, shows_the_content_of_its_file) {
  for (const std::size_t size : {std::size_t{1}, page - 1, page, page + 1, 10 * page + 7}) {
    write_text(size);
    auto from = leat::map_file(path);
    EXPECT_TRUE(from.is_open());
    EXPECT_EQ(from.view(), text);
    EXPECT_EQ(from.window(), text);
    EXPECT_EQ(from.window().data(), from.view().data());
    EXPECT_EQ(from.size(), size);
    std::string copy(size + 5, ' ');
    EXPECT_EQ(from.read(std::span(copy)), size);
    EXPECT_EQ(copy.substr(0, size), text);
    EXPECT_EQ(from.get(), leat::reader::end_of_file);
    EXPECT_EQ(from.tell(), size);
    EXPECT_FALSE(from.error());
    from.close();
    EXPECT_FALSE(from.is_open());
    EXPECT_EQ(from.view(), "");
    EXPECT_EQ(from.error(), leat::errc::closed);
    std::error_code ec;
    EXPECT_EQ(from.size(ec), 0u);
    EXPECT_EQ(ec, leat::errc::closed);
  }
}

#if defined(HAS_SYSTEM_FILES) && defined(HAS_POSIX_FILES)
TEST_F(a_mapped_file, is_read_if_it_cannot_be_mapped) {
  write_file(path, "");
  auto empty = leat::map_file(path);
  EXPECT_TRUE(empty.is_open());
  EXPECT_EQ(empty.view(), "");
  EXPECT_EQ(empty.get(), leat::reader::end_of_file);
  empty.close();

  if (std::filesystem::exists("/proc/self/status")) {
    auto status = leat::map_file("/proc/self/status");
    EXPECT_TRUE(status.find("Pid:"));
  }

  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  text = numbered_text(300'000);
  std::thread writer([&] { write_file(pipe, text); });
  const auto from = leat::map_file(pipe);
  writer.join();
  EXPECT_EQ(from.view(), text);
}
#endif

TEST_F(a_mapped_file, reports_why_it_cannot_be_opened) {
  std::error_code ec;
  EXPECT_FALSE(leat::map_file(folder / "nothing", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_THROW(static_cast<void>(leat::map_file(folder / "nothing")), leat::io_error);
  EXPECT_FALSE(leat::map_file(folder.path(), ec).is_open());
  EXPECT_EQ(ec, std::errc::is_a_directory);
  write_text(1);
  EXPECT_TRUE(leat::map_file(path, ec).is_open());
  EXPECT_FALSE(ec);
}

#if defined(HAS_SHRINKING_FILES)
TEST_F(a_mapped_file, that_shrinks_ends_with_an_error) {
  const std::size_t size = 20 * page + 100;
  for (const std::size_t left : {std::size_t{0}, std::size_t{1}, page, 3 * page + 5, size - 1}) {
    write_text(size);
    auto from = leat::map_file(path);
    EXPECT_EQ(from.read(std::span(text).first(10)), 10u);
    shrink(left);
    EXPECT_EQ(failure_of([&] { static_cast<void>(from.find("no such text")); }), shrunk_to(left));
    EXPECT_EQ(from.view().substr(0, left), numbered_text(left));
    EXPECT_EQ(from.view().substr(left), std::string(size - left, '\0'));
    EXPECT_EQ(from.error(), leat::errc::file_shrank);
    from.close();  // does not throw: the failure was reported
    EXPECT_TRUE(losses.take().empty());
  }
}

TEST_F(a_mapped_file, that_shrinks_returns_its_remaining_whole_lines) {
  write_text(20 * page);
  auto from = leat::map_file(path);
  shrink(5 * page + 50);
  std::string lines;
  EXPECT_EQ(failure_of([&] {
              for (const std::string_view line : from.lines()) lines.append(line).append("\n");
            }),
            shrunk_to(5 * page + 50));
  EXPECT_EQ(lines, text.substr(0, text.rfind('\n', 5 * page + 49) + 1));
}

TEST_F(a_mapped_file, that_has_shrunk_is_reported_as_a_loss_if_never_closed) {
  write_text(20 * page);
  {
    const auto from = leat::map_file(path);
    shrink(10);
    EXPECT_EQ(from.view()[11], '\0');  // the file's last page is still mapped
  }
  const auto lost = losses.take();
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].code(), leat::errc::file_shrank);
  EXPECT_EQ(lost[0].offset(), 10u);
  EXPECT_EQ(lost[0].path(), path);
}

TEST_F(a_mapped_file, may_shrink_after_it_was_read_completely) {
  write_text(20 * page);
  auto from = leat::map_file(path);
  EXPECT_EQ(from.skip(~std::uint64_t{0}), text.size());
  shrink(0);
  from.close();
  EXPECT_TRUE(losses.take().empty());
}

TEST_F(a_mapped_file, that_shrank_and_grew_again_has_lost_bytes) {
  write_text(20 * page);
  auto from = leat::map_file(path);
  shrink(2 * page);
  EXPECT_EQ(from.view()[3 * page], '\0');
  write_file(path, text);
  EXPECT_EQ(from.view().substr(0, 2 * page), text.substr(0, 2 * page));
  EXPECT_EQ(from.error(), leat::errc::file_shrank);
  EXPECT_EQ(failure_of([&] { from.close(); }), shrunk_to(2 * page));
}

TEST_F(a_mapped_file, that_shrinks_leaves_other_mapped_files_readable) {
  write_text(8 * page);
  std::vector<leat::mapped_file> files;
  for (int i = 0; i != 100; ++i) {
    write_file(folder / std::to_string(i), text);
    files.push_back(leat::map_file(folder / std::to_string(i)));
  }
  for (int i = 0; i < 100; i += 3) std::filesystem::resize_file(folder / std::to_string(i), page);
  for (std::size_t i = 0; i != 100; ++i) {
    const std::string_view view = files[i].view();
    EXPECT_EQ(view.substr(0, page), text.substr(0, page));
    EXPECT_EQ(view.substr(page), i % 3 == 0 ? std::string(7 * page, '\0') : text.substr(page));
    std::error_code ec;
    files[i].close(ec);
    EXPECT_EQ(ec == leat::errc::file_shrank, i % 3 == 0);
  }
}
#endif

}  // namespace
