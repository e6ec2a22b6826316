// Files on Windows: names, sharing, locks, mappings, direct I/O, request queues, and consoles.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/lock.hpp>
#include <leat/mapped_file.hpp>
#include <leat/reader.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "device/direct/direct.hpp"
#include "device/request_queue.hpp"
#include "device/windows/console.hpp"
#include "device/windows/system.hpp"
#include "opening/open.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"

namespace {

using namespace leat_test;

std::string rest_of(leat::reader& in) {
  std::string text;
  char some[5000];
  while (const std::size_t n = in.read(some)) text.append(some, n);
  return text;
}

std::error_code creation_error(const std::string& path) {
  std::error_code ec;
  EXPECT_FALSE(leat::create(path, ec).is_open()) << path;
  return ec;
}

TEST(windows_path, is_read_as_utf8) {
  const temporary_folder folder;
  leat::write_file(folder / "Größe \xe2\x82\xac \xf0\x9f\x98\x80", "text");
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder.path()) /
                                      L"Gr\u00f6\u00dfe \u20ac \xd83d\xde00"));
  const std::filesystem::path path(folder.path() + "/caf\u00e9");
  leat::write_file(path, "by path");
  EXPECT_EQ(leat::read_file(path), "by path");
  EXPECT_EQ(creation_error(folder / "\xff"), std::errc::illegal_byte_sequence);
  EXPECT_EQ(creation_error(folder / std::string("a\0b", 3)), std::errc::invalid_argument);
}

TEST(windows_path, may_be_longer_than_260_characters) {
  const temporary_folder folder;
  std::error_code ec;
  std::string path = folder.path();
  for (int i = 0; i != 10; ++i) {
    path += '/' + std::string(50, 'x');
    ASSERT_NE(::CreateDirectoryW(leat::native_path(path, ec).c_str(), nullptr), 0) << path;
  }
  path += "/file";
  leat::write_file(path, "far below");
  EXPECT_EQ(leat::read_file(path), "far below");
  auto next = leat::replace(path);
  next.write("replaced");
  next.close();
  EXPECT_EQ(leat::read_file(path), "replaced");
  // The folder's destructor can't remove a path of this length.
  ASSERT_NE(::DeleteFileW(leat::native_path(path, ec).c_str()), 0);
  for (path.resize(path.size() - 5); path.size() > folder.path().size();
       path.resize(path.size() - 51))
    ASSERT_NE(::RemoveDirectoryW(leat::native_path(path, ec).c_str()), 0);
}

TEST(windows_path, of_a_device_is_refused_except_nul) {
  const temporary_folder folder;
  for (const char* name :
       {"CON", "con.txt", "Prn", "aux ", "COM1", "com9.log", "LPT1", "LPT\u00b9"})
    EXPECT_EQ(creation_error(folder / name), leat::errc::reserved_name) << name;
  for (const char* name : {"CONTENT", "console", "COM", "COM10", "nulled", "x.con"})
    EXPECT_NO_THROW(leat::write_file(folder / name, "text")) << name;
  EXPECT_NO_THROW(leat::write_file("NUL", "nowhere"));
  EXPECT_EQ(leat::read_file("NUL"), "");
  std::error_code ec;
  EXPECT_FALSE(leat::replace("NUL", ec).is_open());
  EXPECT_EQ(ec, leat::errc::not_a_file);
}

TEST(windows_path, of_a_folder_is_refused) {
  const temporary_folder folder;
  EXPECT_EQ(creation_error(folder.path()), std::errc::is_a_directory);
  std::error_code ec;
  EXPECT_FALSE(leat::open(folder.path(), ec).is_open());
  EXPECT_EQ(ec, std::errc::is_a_directory);
  EXPECT_FALSE(leat::open(folder / "none/file", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_STREQ(ec.category().name(), "system") << "so that the message is the system's";
}

TEST(windows_file, may_be_renamed_and_removed_while_it_is_open) {
  const temporary_folder folder;
  auto out = leat::create(folder / "a");
  out.write("one ");
  std::filesystem::rename(folder / "a", folder / "b");
  auto in = leat::open(folder / "b");
  out.write("two");
  out.close();
  EXPECT_TRUE(std::filesystem::remove(folder / "b"));
  EXPECT_EQ(rest_of(in), "one two");
}

TEST(windows_file, keeps_its_attributes_when_its_content_is_replaced) {
  const temporary_folder folder;
  const std::string path = folder / "hidden";
  write_file(path, "what was there");
  ASSERT_NE(::SetFileAttributesA(path.c_str(), FILE_ATTRIBUTE_HIDDEN), 0);
  leat::write_file(path, "new");
  EXPECT_EQ(read_all(path), "new");
  EXPECT_NE(::GetFileAttributesA(path.c_str()) & FILE_ATTRIBUTE_HIDDEN, 0U);
}

TEST(windows_file, appends_after_bytes_of_other_streams) {
  const temporary_folder folder;
  auto one = leat::append(folder / "log", {.flush = leat::flush_when::call});
  auto other = leat::append(folder / "log", {.flush = leat::flush_when::call});
  one.write("1");
  other.write("2");
  one.write("3");
  EXPECT_EQ(read_all(folder / "log"), "123");
}

TEST(windows_file, translates_no_line_ends) {
  const temporary_folder folder;
  leat::write_file(folder / "file",
                   "a\nb\r\n\x1a"
                   "c\n");
  EXPECT_EQ(read_all(folder / "file"),
            "a\nb\r\n\x1a"
            "c\n");
  EXPECT_EQ(leat::read_file(folder / "file"),
            "a\nb\r\n\x1a"
            "c\n");
}

TEST(windows_file, reads_and_writes_beyond_4_gib) {
  const temporary_folder folder;
  constexpr std::uint64_t far = (std::uint64_t{5} << 30) + 3;
  auto out = leat::create(folder / "large");
  out.seek(far);
  out.write("end");
  out.close();
  auto in = leat::open(folder / "large");
  EXPECT_EQ(in.size(), far + 3);
  in.seek(far);
  EXPECT_EQ(rest_of(in), "end");
}

TEST(windows_temporary_file, is_removed_when_it_is_closed) {
  auto out = leat::temporary_file();
  out.write("text");
  out.flush();
  std::error_code ec;
  EXPECT_EQ(leat::size_of(out.native_handle(), ec), 4U);
  const leat::native_handle_type file = out.native_handle();
  std::wstring path(::GetFinalPathNameByHandleW(file, nullptr, 0, 0), L'\0');
  ASSERT_NE(::GetFinalPathNameByHandleW(file, path.data(), static_cast<DWORD>(path.size()), 0), 0U);
  EXPECT_NE(::GetFileAttributesW(path.c_str()), INVALID_FILE_ATTRIBUTES);
  out.close();
  EXPECT_EQ(::GetFileAttributesW(path.c_str()), INVALID_FILE_ATTRIBUTES);
}

TEST(windows_replace, keeps_the_old_file_until_it_is_closed) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  {
    auto out = leat::replace(folder / "file");
    out.write("new");
    out.flush();
    EXPECT_EQ(read_all(folder / "file"), "old");
    out.close();
  }
  EXPECT_EQ(read_all(folder / "file"), "new");
  leat::replace(folder / "file").discard();
  EXPECT_EQ(read_all(folder / "file"), "new");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(windows_replace, open_readers_keep_the_old_content) {
  if (under_wine()) GTEST_SKIP() << "Wine does not rename over an open file";
  const temporary_folder folder;
  write_file(folder / "file", "old");
  auto in = leat::open(folder / "file");
  auto out = leat::replace(folder / "file");
  out.write("new");
  out.close();
  EXPECT_EQ(rest_of(in), "old");
  EXPECT_EQ(read_all(folder / "file"), "new");
}

TEST(windows_lock, excludes_other_locks_but_not_reads_or_writes) {
  const temporary_folder folder;
  auto out = leat::append(folder / "file");
  const leat::file_lock lock(out);
  EXPECT_TRUE(lock);
  EXPECT_FALSE(
      leat::file_lock(leat::open(folder / "file"), leat::lock_mode::shared, std::try_to_lock));
  leat::append(folder / "file").write("by somebody who asked for no lock");
  EXPECT_EQ(leat::read_file(folder / "file"), "by somebody who asked for no lock");
}

TEST(windows_mapping, of_an_unreadable_file_has_zeros_and_is_reported) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(100000, 'x'));
  auto file = leat::map_file(folder / "file");
  ASSERT_EQ(file.view()[5], 'x');
  // If a disk is gone, the system raises EXCEPTION_IN_PAGE_ERROR.
  const ULONG_PTR parameters[] = {0, reinterpret_cast<ULONG_PTR>(file.view().data() + 5), 0};
  ::RaiseException(static_cast<DWORD>(EXCEPTION_IN_PAGE_ERROR), 0, 3, parameters);
  EXPECT_EQ(file.view(), std::string(100000, '\0'));
  std::error_code ec;
  file.close(ec);
  EXPECT_EQ(ec, std::errc::io_error);
}

TEST(windows_direct, files_of_any_size_are_written_and_read) {
  const temporary_folder folder;
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 3000001U}) {
    const std::string text = numbered_text(size);
    auto out = leat::create(folder / "file", {.caching = leat::caching::direct});
    out.write(text);
    out.close();
    EXPECT_TRUE(read_all(folder / "file") == text) << size;
    auto in = leat::open(folder / "file", {.caching = leat::caching::direct});
    EXPECT_TRUE(rest_of(in) == text) << size;
  }
}

/// Direct and cached transfers have two handles: a read by one handle does not move the offset of
/// the other handle.
TEST(windows_direct, a_write_after_a_direct_read_goes_to_its_own_position) {
  const temporary_folder folder;
  std::error_code ec;
  leat::options how;
  how.readable = true;
  how.caching = leat::caching::direct;
  const auto file = leat::files::open_created(folder / "file", how, ec);
  ASSERT_TRUE(file) << ec.message();
  const std::string dots(2 * leat::block_size, '.');
  const std::string_view all = dots;
  EXPECT_EQ(file->write_at(0, {&all, 1}, ec), all.size());
  const auto block = leat::allocate_aligned(leat::block_size);
  EXPECT_EQ(file->read_at(0, {block.get(), leat::block_size}, ec), leat::block_size);
  const std::string_view text = "text";
  EXPECT_EQ(file->write_at(leat::block_size, {&text, 1}, ec), text.size());
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(read_all(folder / "file").find(text), leat::block_size);
}

/// If a read finds the end, the system may leave the offset unchanged.
TEST(windows_file, is_written_at_the_position_of_a_read_beyond_its_end) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  std::error_code ec;
  leat::options how;
  how.readable = true;
  const auto file = leat::files::open_updating(folder / "file", how, ec);
  ASSERT_TRUE(file) << ec.message();
  char byte;
  EXPECT_EQ(file->read_at(20, {&byte, 1}, ec), 0u);
  EXPECT_FALSE(ec) << ec.message();
  const std::string_view text = "text";
  EXPECT_EQ(file->write_at(20, {&text, 1}, ec), text.size());
  EXPECT_EQ(read_all(folder / "file"), "0123456789" + std::string(10, '\0') + "text");
}

TEST(windows_direct, a_batch_reads_the_bytes_of_the_file) {
  const temporary_folder folder;
  const std::string text = numbered_text(1000000);
  write_file(folder / "file", text);
  std::error_code ec;
  auto file = leat::files::open_random(folder / "file", true, ec);
  auto twin = leat::open_direct_twin(*file, true, ec);
  ASSERT_NE(twin, nullptr) << ec.message();
  std::vector<std::string> got(300);
  std::vector<leat::read_request> reads;
  for (std::size_t i = 0; i != got.size(); ++i) {
    got[i].resize(1 + i * 7 % 5000);
    reads.push_back({i * 3331, got[i], 0, {}});
  }
  twin->read_many(reads);
  for (std::size_t i = 0; i != got.size(); ++i) {
    ASSERT_FALSE(reads[i].ec) << reads[i].ec.message();
    EXPECT_EQ(got[i].substr(0, reads[i].done), text.substr(reads[i].at, got[i].size()));
  }
}

TEST(windows_request_queue, completes_every_request) {
  const temporary_folder folder;
  const std::string text = numbered_text(100000);
  write_file(folder / "file", text);
  std::error_code ec;
  const auto file = leat::files::open_random(folder / "file", true, ec);
  for (const unsigned depth : {1U, 3U, 64U, 200U}) {
    write_file(folder / "file", text);
    const auto queue = leat::open_request_queue(depth);
    ASSERT_NE(queue, nullptr);
    std::vector<std::string> got(500, std::string(300, '.'));
    std::vector<leat::read_request> reads;
    for (std::size_t i = 0; i != got.size(); ++i) reads.push_back({i * 211, got[i], 0, {}});
    queue->run(file->native_handle(), std::span(reads));
    queue->run(file->native_handle(), std::span<leat::read_request>());
    for (std::size_t i = 0; i != got.size(); ++i) {
      EXPECT_FALSE(reads[i].ec);
      const std::size_t at = std::min<std::size_t>(i * 211, text.size());
      EXPECT_EQ(got[i].substr(0, reads[i].done), text.substr(at, 300)) << i;
    }
    const std::string bytes = "0123456789";
    std::vector<leat::write_request> writes;
    for (std::size_t i = 0; i != 10; ++i) writes.push_back({i * 1000, bytes, 0, {}});
    queue->run(file->native_handle(), std::span(writes));
    for (const auto& one : writes) EXPECT_EQ(one.done, bytes.size());
    EXPECT_EQ(read_all(folder / "file").substr(9000, 10), bytes);
  }
}

TEST(windows_file, closes_the_events_of_threads_that_have_ended) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  std::error_code ec;
  const auto device = leat::files::open_random(folder / "file", true, ec);
  ASSERT_TRUE(device) << ec.message();
  const auto read = [&] {
    for (std::uint64_t at = 0; at != 10; ++at) {
      const auto block = std::make_unique<char>();  // may reuse memory that a thread has freed
      std::error_code failed;
      EXPECT_EQ(device->read_at(at, std::span(block.get(), 1), failed), 1U);
      EXPECT_EQ(*block, static_cast<char>('0' + at));
    }
  };
  const auto before = count_open_descriptors();
  for (int round = 0; round != 100; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i != 8; ++i) threads.emplace_back(read);
    read();
    for (auto& one : threads) one.join();
  }
  EXPECT_LE(count_open_descriptors(), before + 20);
}

TEST(windows_console, writes_whole_characters) {
  EXPECT_EQ(leat::size_of_whole_characters(""), 0U);
  EXPECT_EQ(leat::size_of_whole_characters("abc"), 3U);
  for (const std::string whole : {"\u00e9", "\u20ac", "\U0001f600"})
    for (std::size_t size = 1; size <= whole.size(); ++size)
      EXPECT_EQ(leat::size_of_whole_characters("ab" + whole.substr(0, size)),
                size == whole.size() ? 2 + size : 2)
          << size << " of " << whole;
  EXPECT_EQ(leat::size_of_whole_characters("\x80\x80\x80\x80"), 4U) << "not a character";
}

TEST(windows_console, translates_typed_lines_and_ends_at_control_z) {
  EXPECT_EQ(leat::typed_text(L"caf\u00e9\r\n", true), "caf\u00e9\n");
  EXPECT_EQ(leat::typed_text(L"a\rb\r\n", true), "a\rb\n");
  EXPECT_EQ(leat::typed_text(L"\x1a\r\n", true), "");
  EXPECT_EQ(leat::typed_text(L"\x1a\r\n", false), "\x1a\n");
  EXPECT_EQ(leat::typed_text(L"a\x1a\r\n", true), "a\x1a\n");
  EXPECT_EQ(leat::typed_text(L"\xd83d\xde00", true), "\U0001f600");
}

}  // namespace
