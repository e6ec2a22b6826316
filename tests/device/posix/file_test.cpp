// Descriptors as devices: adopt, borrow, release, early write-back, and get_status().
#include <gtest/gtest.h>
#include <leat/device.hpp>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <sys/mman.h>
#if defined(__linux__)
#  include <sys/syscall.h>
#endif

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

#if defined(__linux__)
namespace {
struct range {
  off_t at, size;
  bool operator==(const range&) const = default;
};
std::vector<range> synced_ranges;
}  // namespace

/// Replaces libc's function, to record the ranges whose write-back begins.
extern "C" int sync_file_range(int descriptor, off_t at, off_t size, unsigned flags) {
  synced_ranges.push_back({at, size});
  return static_cast<int>(::syscall(SYS_sync_file_range, descriptor, at, size, flags));
}
#endif

namespace {

using namespace leat_test;

int open_file(const std::string& path, int flags = O_RDWR | O_CREAT) {
  return ::open(path.c_str(), flags | O_CLOEXEC, 0600);
}

std::size_t write(leat::device& to, std::uint64_t at, std::string_view bytes, std::error_code& ec) {
  const std::array<std::string_view, 1> pieces{bytes};
  return to.write_at(at, pieces, ec);
}

TEST(posix_file, reads_and_writes_at_positions) {
  const temporary_folder folder;
  auto device = leat::adopt(open_file(folder / "file"));
  EXPECT_TRUE(device->traits().positional);
  EXPECT_FALSE(device->traits().appends);
  EXPECT_FALSE(device->traits().terminal);
  EXPECT_FALSE(device->traits().commits);
  EXPECT_EQ(device->position(), 0u);
  std::error_code ec = std::make_error_code(std::errc::io_error);
  EXPECT_EQ(write(*device, 0, "0123456789", ec), 10u);
  EXPECT_FALSE(ec);
  EXPECT_EQ(write(*device, 3, "abc", ec), 3u);
  EXPECT_EQ(write(*device, 10, "tail", ec), 4u);
  EXPECT_EQ(device->size(ec), 14u);
  char got[20];
  EXPECT_EQ(device->read_at(2, got, ec), 12u);
  EXPECT_EQ(std::string(got, 12), "2abc6789tail");
  EXPECT_EQ(device->read_at(14, got, ec), 0u);
  EXPECT_FALSE(ec);
  device->resize(5, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(device->size(ec), 5u);
  device->sync(ec);
  EXPECT_FALSE(ec);
  device->close(ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(device->native_handle(), leat::no_handle);
  EXPECT_EQ(read_all(folder / "file"), "012ab");
}

TEST(posix_file, writes_many_pieces_in_one_call) {
  const temporary_folder folder;
  auto device = leat::adopt(open_file(folder / "file"));
  const std::array<std::string_view, 4> pieces{"a", "", "bc", "def"};
  std::error_code ec;
  EXPECT_EQ(device->write_at(2, pieces, ec), 6u);
  EXPECT_EQ(read_all(folder / "file"), std::string("\0\0abcdef", 8));
}

TEST(posix_file, shortens_requests_above_the_limit_of_the_system) {
  constexpr std::size_t size = leat::longest_request + 4096;
  void* const memory =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string_view bytes(static_cast<const char*>(memory), size);
  // /dev/null does not read the memory.
  auto device = leat::adopt(open_file("/dev/null", O_WRONLY));
  std::error_code ec;
  const std::array<std::string_view, 2> pieces{bytes.substr(0, 4097), bytes.substr(4097)};
  EXPECT_EQ(device->write_at(0, pieces, ec), leat::longest_request);
  EXPECT_FALSE(ec);
  EXPECT_EQ(leat::request_for(std::span(static_cast<char*>(memory), size)).size(),
            leat::longest_request);
  EXPECT_EQ(leat::request_for(std::span(static_cast<char*>(memory), 4096)).size(), 4096u);
  ::munmap(memory, size);
}

TEST(posix_file, refuses_positions_that_no_file_has) {
  const temporary_folder folder;
  auto device = leat::adopt(open_file(folder / "file"));
  const auto far = std::numeric_limits<std::uint64_t>::max() - 3;
  std::error_code ec;
  char got[4];
  EXPECT_EQ(device->read_at(far, got, ec), 0u);
  EXPECT_EQ(ec, std::errc::file_too_large);
  EXPECT_EQ(write(*device, far, "abc", ec), 0u);
  EXPECT_EQ(ec, std::errc::file_too_large);
  device->resize(far, ec);
  EXPECT_EQ(ec, std::errc::file_too_large);
  const int kept = device->native_handle();
  EXPECT_EQ(device->release(far, ec), leat::no_handle);
  EXPECT_EQ(ec, std::errc::file_too_large);
  EXPECT_EQ(device->native_handle(), kept);
}

TEST(posix_file, pipes_have_no_positions) {
  pipe_pair pipe;
  auto writer = leat::borrow(pipe.writer());
  auto reader = leat::borrow(pipe.reader());
  EXPECT_FALSE(writer->traits().positional);
  std::error_code ec;
  EXPECT_EQ(write(*writer, 12345, "abc", ec), 3u);
  char got[10];
  EXPECT_EQ(reader->read_at(0, got, ec), 3u);
  writer->sync(ec);
  EXPECT_FALSE(ec) << "sync does nothing on a pipe";
  writer->size(ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

TEST(posix_file, reports_copies_that_the_kernel_refuses) {
  const temporary_folder folder;
  const auto from = leat::adopt(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const auto to = leat::adopt(open_file(folder / "file"));
  std::error_code ec;
  EXPECT_EQ(to->copy_at(0, *from, 0, 100, ec), 0u);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

TEST(posix_file, appending_descriptors_are_recognised) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  auto device = leat::adopt(open_file(folder / "file", O_WRONLY | O_APPEND));
  EXPECT_TRUE(device->traits().appends);
  EXPECT_EQ(device->position(), 3u);
  std::error_code ec;
  write(*device, 0, "new", ec);
  EXPECT_EQ(read_all(folder / "file"), "oldnew");
}

TEST(adopt, closes_the_descriptor_and_borrow_does_not) {
  const temporary_folder folder;
  const int borrowed = open_file(folder / "mine");
  {
    leat::file_writer(leat::borrow(borrowed)).write("abc");
  }
  EXPECT_TRUE(is_descriptor(borrowed));
  leat::file_writer out(leat::borrow(borrowed));
  out.write("def");
  out.close();
  EXPECT_TRUE(is_descriptor(borrowed));
  EXPECT_EQ(read_all(folder / "mine"), "abcdef");

  const int adopted = open_file(folder / "given");
  {
    leat::file_writer(leat::adopt(adopted)).write("abc");
  }
  EXPECT_FALSE(is_descriptor(adopted));
  const int closed = open_file(folder / "closed");
  leat::file_writer owner(leat::adopt(closed));
  EXPECT_EQ(owner.native_handle(), closed);
  owner.close();
  EXPECT_FALSE(is_descriptor(closed));
  EXPECT_EQ(owner.native_handle(), leat::no_handle);
  ::close(borrowed);
}

TEST(adopt, begins_at_the_offset_of_the_descriptor) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789abcdef");
  const int descriptor = open_file(folder / "file");
  ::lseek(descriptor, 10, SEEK_SET);
  leat::file_writer out(leat::adopt(descriptor));
  EXPECT_EQ(out.tell(), 10u);
  out.write("XY");
  out.patch(1, "P");  // before the buffer's start
  EXPECT_EQ(out.tell(), 12u);
  out.seek(15);
  out.put('Z');
  out.close();
  EXPECT_EQ(read_all(folder / "file"), "0P23456789XYcdeZ");
}

TEST(release, leaves_the_offset_at_the_position_of_the_stream) {
  const temporary_folder folder;
  for (const std::uint64_t position : {0u, 3u, 10u, 25u}) {
    leat::file_writer out(leat::adopt(open_file(folder / "file")));
    out.write("0123456789");
    out.seek(position);
    const int descriptor = out.release();
    EXPECT_FALSE(out.is_open());
    EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), static_cast<off_t>(position));
    EXPECT_EQ(read_all(folder / "file"), "0123456789");
    ::close(descriptor);
  }
}

TEST(release, works_for_borrowed_and_appending_descriptors_and_pipes) {
  const temporary_folder folder;
  const int borrowed = open_file(folder / "file");
  leat::file_writer out(leat::borrow(borrowed));
  out.write("abc");
  EXPECT_EQ(out.release(), borrowed);
  ::close(borrowed);
  auto log = leat::append(folder / "file");
  log.write("def");
  ::close(log.release());
  EXPECT_EQ(read_all(folder / "file"), "abcdef");
  pipe_pair pipe;
  leat::file_writer through(leat::borrow(pipe.writer()));
  through.write("ghi");
  EXPECT_EQ(through.release(), pipe.writer());
  EXPECT_EQ(through.tell(), 3u);
  through.write("lost");
  EXPECT_EQ(through.lost(), 4u);
  std::error_code ec;
  through.close(ec);
  EXPECT_EQ(ec, leat::errc::closed);
}

TEST(release, keeps_the_stream_open_if_its_flush_fails) {
  auto out = leat::create("/dev/full");
  out.write("abc");
  EXPECT_THROW(out.release(), leat::io_error);
  EXPECT_TRUE(out.is_open());
  EXPECT_NE(out.native_handle(), leat::no_handle);
  std::error_code ec;
  EXPECT_EQ(out.release(ec), leat::no_handle);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  out.close(ec);
  EXPECT_TRUE(ec);
}

// Processes that share a descriptor, as in `(a; b) > file`, write one after the other.
TEST(borrow, leaves_the_offset_of_the_descriptor_after_the_written_bytes) {
  const temporary_folder folder;
  const int descriptor = open_file(folder / "file");
  for (int i = 0; i != 3; ++i) {
    leat::file_writer out(leat::borrow(descriptor), {.buffer_size = 4});
    out.print("stream {} ", i);
    out.close();
    ASSERT_EQ(::write(descriptor, "| ", 2), 2);
  }
  ::close(descriptor);
  EXPECT_EQ(read_all(folder / "file"), "stream 0 | stream 1 | stream 2 | ");
}

#if defined(__linux__)
constexpr std::size_t mib = std::size_t{1} << 20;

/// Returns the ranges whose write-back began while `fill` wrote, before close().
template <class Open, class Fill>
std::vector<range> early_syncs(Open open, Fill fill,
                               leat::durability durability = leat::durability::system) {
  const temporary_folder folder;
  auto out = open(folder / "file", durability);
  synced_ranges.clear();
  fill(out);
  const auto early = synced_ranges;
  out.close();
  return early;
}

TEST(early_write_back, begins_while_the_program_writes) {
  const auto lines = [](auto& out) {
    for (int i = 0; i != 1 << 16; ++i)
      out.write("a line of sixty-four bytes, as a log has them, or a table, or a\n");
  };
  const auto create = [](const auto& path, auto durability) {
    return leat::create(path, {.durability = durability});
  };
  const auto replace = [](const auto& path, auto durability) {
    return leat::replace(path, {.durability = durability});
  };
  const auto append = [](const auto& path, auto durability) {
    return leat::append(path, {.durability = durability});
  };
  const auto update = [](const std::string& path, auto durability) {
    return leat::update(path, {.durability = durability, .create = true});
  };
  const auto are_contiguous_from_zero = [&](const std::vector<range>& early) {
    off_t end = 0;
    return std::ranges::all_of(early, [&](const range& one) {
      return std::exchange(end, one.at + one.size) == one.at && one.size >= off_t{mib};
    });
  };
  for (const auto& early : {early_syncs(create, lines), early_syncs(replace, lines),
                            early_syncs(append, lines), early_syncs(update, lines)}) {
    EXPECT_GE(early.size(), 2u);
    EXPECT_TRUE(are_contiguous_from_zero(early));
  }
  const std::string large(4 * mib, 'x');
  const auto at_once = [&](auto& out) { out.write(large); };
  EXPECT_EQ(early_syncs(create, at_once).size(), 4u);
  EXPECT_EQ(early_syncs(append, at_once).size(), 1u) << "one append is one request";
  EXPECT_EQ(early_syncs(create, lines, leat::durability::none), std::vector<range>{});
}

TEST(early_write_back, does_not_happen_for_scattered_writes) {
  const std::string piece(1000, 'x');  // 4 MB in total
  const auto early =
      early_syncs([](const auto& path,
                     auto durability) { return leat::create(path, {.durability = durability}); },
                  [&](auto& out) {
                    for (std::uint64_t i = 0; i != 4096; ++i) {
                      out.seek(i * 12345 % 4096 * 4096);
                      out.write(piece);
                    }
                  });
  EXPECT_EQ(early, std::vector<range>{});
}

TEST(early_write_back, counts_bytes_from_zero_after_each_flush) {
  const auto early =
      early_syncs([](const auto& path,
                     auto durability) { return leat::create(path, {.durability = durability}); },
                  [](auto& out) {
                    const std::string most_of_a_mib(mib * 3 / 4, 'x');
                    for (int i = 0; i != 4; ++i) {
                      out.write(most_of_a_mib);
                      out.flush();
                    }
                  });
  EXPECT_EQ(early, std::vector<range>{});
}

TEST(early_write_back, begins_during_copies_by_the_kernel) {
  const temporary_folder folder;
  leat::write_file(folder / "from", std::string(4 * mib, 'x'));
  const auto early =
      early_syncs([](const auto& path,
                     auto durability) { return leat::create(path, {.durability = durability}); },
                  [&](auto& out) {
                    auto from = leat::open(folder / "from");
                    leat::copy(from, out);
                  });
  EXPECT_FALSE(early.empty());
}

/// Returns whether get_status and fstat find the same values. Does not compare the times.
bool has_same_status(int descriptor) {
  struct stat expected{}, found{};
  return ::fstat(descriptor, &expected) == 0 && leat::get_status(descriptor, found) == 0 &&
         found.st_dev == expected.st_dev && found.st_ino == expected.st_ino &&
         found.st_mode == expected.st_mode && found.st_nlink == expected.st_nlink &&
         found.st_uid == expected.st_uid && found.st_gid == expected.st_gid &&
         found.st_rdev == expected.st_rdev && found.st_size == expected.st_size &&
         found.st_blksize == expected.st_blksize && found.st_blocks == expected.st_blocks;
}

TEST(get_status, has_the_values_of_fstat) {
  const temporary_folder folder;
  leat::write_file(folder / "file", std::string(10'000, 'x'));
  for (const std::string& path : {folder / "file", folder / ".", std::string("/dev/null")}) {
    const auto opened = leat::unique_descriptor(::open(path.c_str(), O_RDONLY));
    EXPECT_TRUE(has_same_status(opened.get())) << path;
  }
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  for (const int end : pipe) {
    EXPECT_TRUE(has_same_status(end));
    ::close(end);
  }
  struct stat none{};
  EXPECT_EQ(leat::get_status(-1, none), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(get_status, works_if_the_system_refuses_statx) {
  const temporary_folder folder;
  leat::write_file(folder / "file", "text");
  constexpr int no_filters = 77;
  const auto child = run_in_child([&] {
    const auto opened = leat::unique_descriptor(::open((folder / "file").c_str(), O_RDONLY));
    if (!refuse_calls({SYS_statx}, EPERM)) ::_exit(no_filters);
    require(has_same_status(opened.get()));
  });
  if (child.code == no_filters) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(succeeded(child));
}
#endif

}  // namespace
