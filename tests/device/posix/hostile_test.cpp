// Descriptors that a started program must not inherit, pipes, character devices and links where
// files are expected, modes of files, sizes that wrap around, input without an end, and "%n".
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/c_options.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

// --- started programs --------------------------------------------------------------------------

#if defined(__linux__)
/// The descriptors that a program inherits if it is started now, as listed by ls.
std::string inherited_descriptors() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execl("/bin/ls", "ls", "/proc/self/fd", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string names;
  char part[4096];
  for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;)
    names.append(part, static_cast<std::size_t>(n));
  ::close(ends[0]);
  EXPECT_EQ(wait_for(child), 0);
  return names;
}

TEST(inheritance, a_started_program_inherits_no_descriptor) {
  const temporary_folder folder;
  write_file(folder / "old", std::string(100'000, 'x'));
  const std::string before = inherited_descriptors();
  EXPECT_NE(before, "");

  const leat::folder box(folder.path());
  const auto created = leat::create(folder / "created");
  const auto inside = leat::create(box.at("inside"));
  const auto appended = leat::append(folder / "appended");
  auto replaced = leat::replace(folder / "old");
  auto replaced_inside = leat::replace(box.at("created"));
  const auto read = leat::open(folder / "old");
  const auto mapped = leat::map_file(folder / "old");
  const auto updated = leat::update(folder / "old");
  const auto temporary = leat::temporary_file();
  auto followed = leat::follow(box.at("old"));
  static_cast<void>(followed.get());
  const leat::file_lock lock(read);
  auto random_file =
      leat::file::open(folder / "old", leat::mode::read, {.route = leat::route::direct});
  std::error_code ec;  // ignored: a file system may have no O_DIRECT
  std::string bytes(64, ' ');
  const leat::byte_range ranges[] = {{0, 32}, {50'000, 32}};
  random_file.read_ranges(ranges, std::span(bytes.data(), bytes.size()), ec);
  const int handle = box.native_handle();
  const leat_options options = leat_test::options_inside(handle);
  leat_file* const files[] = {leat_fopen((folder / "old").c_str(), "re"),
                              leat_open("old", "r", &options), leat_popen("true", "re")};
  const std::string during = inherited_descriptors();
  for (leat_file* const file : files) leat_fclose(file);
  EXPECT_EQ(during, before);
  replaced.discard();
  replaced_inside.discard();
}
#endif

// --- pipes where files are expected -------------------------------------------------------------

TEST(pipes, are_refused_without_waiting_if_positions_are_needed) {
  const temporary_folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  ASSERT_TRUE(succeeded(run_in_child([&] {
    ::alarm(10);
    const std::string pipe = folder / "pipe";
    std::error_code ec;
    static_cast<void>(leat::file::open(pipe, ec));
    require(ec == leat::errc::not_a_file);
    static_cast<void>(leat::file::open(pipe, leat::mode::copy, ec));
    require(ec == leat::errc::not_a_file);
    static_cast<void>(leat::records<int>::open(pipe, ec));
    require(ec == leat::errc::not_a_file);
    static_cast<void>(leat::file::create(pipe, ec));
    require(ec == leat::errc::not_a_file);
    static_cast<void>(leat::journal::open(pipe, {}, ec));
    require(ec == leat::errc::not_a_file);
    require(leat_random_access_open(pipe.c_str(), LEAT_MODE_READ, nullptr) == nullptr);
    require(errno == EINVAL && leat_last_error()->reason == LEAT_REASON_NOT_A_FILE);
    static_cast<void>(leat::update(pipe, ec));
    require(ec == std::errc::invalid_seek);
    static_cast<void>(leat::replace(pipe, ec));
    require(ec == leat::errc::not_a_file);
    static_cast<void>(leat::follow(pipe, ec));
    require(ec == leat::errc::not_a_file);
  })));
  write_file(folder / "file", "x");
  const auto file = leat::file::open(folder / "file");
  EXPECT_EQ(::fcntl(file.native_handle(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(character_devices, are_refused_if_positions_are_needed) {
  const auto refusal = [](auto&& open) {
    std::error_code ec;
    static_cast<void>(open(ec));
    return ec;
  };
  for (const auto what : {leat::mode::read, leat::mode::update, leat::mode::update_or_create}) {
    EXPECT_EQ(refusal([&](std::error_code& ec) {
                return leat::records<int>::open("/dev/full", what, ec);
              }),
              leat::errc::not_a_file);
  }
  EXPECT_EQ(
      refusal([](std::error_code& ec) { return leat::records<int>::create("/dev/full", ec); }),
      leat::errc::not_a_file);
  EXPECT_EQ(refusal([](std::error_code& ec) { return leat::journal::open("/dev/full", {}, ec); }),
            leat::errc::not_a_file);
  EXPECT_EQ(
      refusal([](std::error_code& ec) { return leat::journal_reader::open("/dev/null", ec); }),
      leat::errc::not_a_file);
}

// --- modes -------------------------------------------------------------------------------------

TEST(modes, no_file_has_more_permissions_than_requested) {
  const temporary_folder folder;
  const auto mode = [](int descriptor) {
    struct stat status{};
    EXPECT_EQ(::fstat(descriptor, &status), 0);
    return status.st_mode & 07777;
  };
  const mode_t before = ::umask(0);
  EXPECT_EQ(mode(leat::create(folder / "a", {.permissions = 0600}).native_handle()), 0600u);
  EXPECT_EQ(mode(leat::append(folder / "b", {.permissions = 0640}).native_handle()), 0640u);
  EXPECT_EQ(mode(leat::update(folder / "c", {.create = true, .permissions = 0600}).native_handle()),
            0600u);
  {
    auto out = leat::replace(folder / "a");
    EXPECT_EQ(mode(out.native_handle()), 0600u) << "mode of the temporary file";
    out.close();
  }
  {
    auto out = leat::replace(folder / "d", {.permissions = 0600});
    EXPECT_EQ(mode(out.native_handle()), 0600u) << "mode of a temporary file without a target";
    out.close();
  }
  EXPECT_EQ(mode(leat::temporary_file().native_handle()), 0600u);
  ::umask(077);
  EXPECT_EQ(mode(leat::create(folder / "e").native_handle()), 0600u);
  auto discarded = leat::replace(folder / "f");
  EXPECT_EQ(mode(discarded.native_handle()), 0600u);
  discarded.discard();
  leat_file* const file = leat_fopen((folder / "g").c_str(), "w");
  EXPECT_EQ(mode(leat_fileno(file)), 0600u);
  leat_fclose(file);
  ::umask(before);
  leat::copy_file(folder / "a", folder / "copy");
  EXPECT_EQ(mode(leat::open(folder / "copy").native_handle()), 0600u);
}

/// Another thread checks the mode of the temporary file all the time.
TEST(modes, a_temporary_file_never_has_more_permissions_than_its_target) {
  const temporary_folder folder;
  write_file(folder / "file", "secret");
  ASSERT_EQ(::chmod((folder / "file").c_str(), 0600), 0);
  const mode_t before = ::umask(0);
  std::atomic<bool> done = false;
  std::atomic<int> seen = 0, wide = 0;
  std::thread neighbour([&] {
    const std::string name = folder / ".file.00000000.tmp";
    struct stat status{};
    while (!done)
      if (::stat(name.c_str(), &status) == 0) {
        ++seen;
        if ((status.st_mode & 077) != 0) ++wide;
      }
  });
  for (int i = 0; i != 50'000 && (i < 500 || seen < 500); ++i)
    leat::replace(folder / "file").close();
  done = true;
  neighbour.join();
  ::umask(before);
  EXPECT_GT(seen, 0);
  EXPECT_EQ(wide, 0);
}

// --- exclusive files ---------------------------------------------------------------------------

TEST(exclusive_files, are_not_created_through_dangling_links) {
  const temporary_folder folder;
  std::filesystem::create_symlink("nothing", folder / "link");
  std::error_code ec;
  static_cast<void>(leat::create(folder / "link", {.exclusive = true}, ec));
  EXPECT_EQ(ec, std::errc::file_exists);
  EXPECT_FALSE(std::filesystem::exists(folder / "nothing"));
}

// --- sizes that wrap around ---------------------------------------------------------------------

constexpr std::uint64_t edge_offsets[] = {
    (std::uint64_t{1} << 63) - 4097, (std::uint64_t{1} << 63) - 2,
    (std::uint64_t{1} << 63) - 1,    std::uint64_t{1} << 63,
    (std::uint64_t{1} << 63) + 1,    ~std::uint64_t{0} - 4096,
    ~std::uint64_t{0} - 1,           ~std::uint64_t{0},
};

TEST(sizes, positions_at_the_limit_are_reached_or_refused) {
  const temporary_folder folder;
  for (const std::uint64_t at : edge_offsets) {
    write_file(folder / "file", "0123456789");
    std::error_code ec;
    auto in = leat::open(folder / "file");
    in.seek(at, ec);
    if (!ec) {
      EXPECT_EQ(in.tell(), at);
      EXPECT_EQ(in.get(ec), leat::reader::end_of_file);
    }
    EXPECT_LE(in.skip(at, ec), 10u);
    auto stream = leat::update(folder / "file");
    stream.seek(at, ec);
    stream.write("0123456789");
    std::error_code closing;
    stream.close(closing);
    auto out = leat::create(folder / "out");
    out.seek(at, ec);
    out.write("0123456789");
    out.close(closing);
    EXPECT_TRUE(ec || closing || std::filesystem::file_size(folder / "out") == at + 10) << at;
    static_cast<void>(leat::create(folder / "big", {.preallocate = at}, ec));
    EXPECT_TRUE(ec) << at;
    auto file = leat::file::open(folder / "file", leat::mode::update);
    std::string bytes(10, ' ');
    file.read_at(at, std::span(bytes), ec);
    EXPECT_TRUE(ec) << at;
    file.write_at(at, bytes, ec);
    EXPECT_TRUE(ec) << at;
    file.announce({at, at});
    const leat::byte_range ranges[] = {{0, 1}, {at, at}, {1, at}};
    file.read_ranges(ranges, std::span(bytes), ec);
    EXPECT_TRUE(ec) << at;
    file.write_ranges(ranges, bytes, ec);
    EXPECT_TRUE(ec) << at;
    auto records = leat::records<std::uint64_t>::open(folder / "file", leat::mode::update,
                                                      {.header = at, .stride = at}, ec);
    EXPECT_TRUE(ec || records.empty()) << at;
    records.resize(at, ec);
    EXPECT_TRUE(ec) << at;
    std::uint64_t value = 0;
    records.gather(std::vector<std::uint64_t>{at}, std::span(&value, 1), ec);
    EXPECT_TRUE(ec) << at;
    EXPECT_EQ(read_all(folder / "file").size(), 10u) << at;
  }
}

TEST(sizes, products_in_c_that_wrap_around_are_refused) {
  const temporary_folder folder;
  leat_file* const file = leat_fopen((folder / "file").c_str(), "w+");
  char bytes[16] = "0123456789abcde";
  constexpr std::size_t half = std::size_t{1} << 63;
  errno = 0;
  EXPECT_EQ(leat_fwrite(bytes, half, 2, file), 0u);
  EXPECT_EQ(errno, EOVERFLOW);
  EXPECT_TRUE(leat_ferror(file)) << "bytes that are not written are an error";
  leat_clearerr(file);
  EXPECT_EQ(leat_fread(bytes, SIZE_MAX, SIZE_MAX, file), 0u);
  EXPECT_TRUE(leat_ferror(file));
  leat_clearerr(file);
  EXPECT_EQ(leat_fwrite(bytes, 1, 10, file), 10u);
  const std::uint64_t positions[] = {0, ~std::uint64_t{0}, half};
  EXPECT_EQ(leat_gather(file, half, positions, 2, bytes), -1);
  EXPECT_EQ(leat_gather(file, SIZE_MAX, positions, 1, bytes), -1);
  EXPECT_EQ(leat_scatter(file, half, positions, 2, bytes), -1);
  EXPECT_EQ(leat_gather(file, 1, positions + 1, 1, bytes), -1);
  const leat_range ranges[] = {{0, half}, {1, half}, {~std::uint64_t{0}, 2}};
  EXPECT_EQ(leat_read_ranges(file, ranges, 2, bytes), -1);
  EXPECT_EQ(leat_read_ranges(file, ranges + 2, 1, bytes), -1);
  for (const std::int64_t at : {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1})
    for (const int whence : {SEEK_SET, SEEK_CUR, SEEK_END})
      if (leat_fseeko(file, at, whence) == 0) {
        EXPECT_EQ(leat_ftello(file), at);
        leat_fputs("x", file);
        leat_fflush(file);
        leat_clearerr(file);
      }
  leat_discard(file);
}

// --- input without an end ------------------------------------------------------------------------

/// A device with 2^50 equal bytes. A line or word of 2^50 bytes does not fit into memory.
class endless_device final : public leat::device {
 public:
  explicit endless_device(char byte) : byte_(byte) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return std::uint64_t{1} << 50;
  }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override {
    ec.clear();
    largest_read = std::max(largest_read, into.size());
    std::fill(into.begin(), into.end(), byte_);
    return into.size();
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

  static inline std::size_t largest_read = 0;

 private:
  char byte_;
};

TEST(unbounded_input, needs_no_more_memory_than_the_limit) {
  constexpr std::size_t limit = std::size_t{1} << 20;
  const auto open = [](char byte) {
    return leat::file_reader(std::make_unique<endless_device>(byte), {.window_limit = limit});
  };
  endless_device::largest_read = 0;
  std::error_code ec;
  auto in = open('1');
  for (auto line : in.lines(ec)) ADD_FAILURE() << line.size();
  EXPECT_EQ(ec, leat::errc::input_too_long);
  EXPECT_EQ(in.tell(), 0u) << "lines() has consumed bytes of a line that is too long";
  for (auto word : in.words(ec)) ADD_FAILURE() << word.size();
  EXPECT_EQ(ec, leat::errc::input_too_long);
  EXPECT_EQ(in.parse<int>(ec), std::nullopt);
  EXPECT_EQ(ec, leat::errc::input_too_long);
  EXPECT_EQ(open(' ').parse<int>(ec), std::nullopt);
  EXPECT_EQ(ec, leat::errc::input_too_long);
  for (auto line : in.lines_backwards(ec)) ADD_FAILURE() << line.size();
  EXPECT_EQ(ec, leat::errc::input_too_long);
  in = open('1');
  in.seek(1 << 30);
  static_cast<void>(in.line_around(ec));
  EXPECT_EQ(ec, leat::errc::input_too_long);
  in = open('1');
  static_cast<void>(in.peek(2 * limit, ec));
  EXPECT_EQ(ec, leat::errc::input_too_long);
  static_cast<void>(in.read_all(2 * limit, ec));
  EXPECT_EQ(ec, leat::errc::input_too_long);
  // Other calls still work. Reads into the program's own memory have no limit.
  EXPECT_EQ(in.get(), '1');
  std::string own(3 * limit, ' ');
  EXPECT_EQ(in.read(std::span(own)), own.size());
  EXPECT_LE(endless_device::largest_read, 3 * limit);
}

TEST(unbounded_input, input_as_long_as_the_limit_is_read_and_longer_input_refused) {
  const temporary_folder folder;
  constexpr std::size_t limit = std::size_t{1} << 20;
  for (const std::size_t size : {limit - 1, limit}) {
    write_file(folder / "file", "a\n" + std::string(size, 'x') + "\nb\n");
    std::size_t sum = 0;
    for (auto line : leat::open(folder / "file", {.window_limit = limit}).lines())
      sum += line.size();
    EXPECT_EQ(sum, size + 2);
  }
  write_file(folder / "file", std::string(limit, 'x'));
  EXPECT_EQ(leat::open(folder / "file", {.window_limit = limit}).read_all(limit).size(), limit);
  write_file(folder / "file", std::string(3 * limit, 'x'));
  EXPECT_THROW(for (auto line : leat::open(folder / "file", {.window_limit = limit})
                        .lines()) static_cast<void>(line),
               leat::io_error);
  std::error_code ec;
  auto followed =
      leat::follow(folder / "file", {.last_lines = 1, .timeout = {}, .window_limit = limit}, ec);
  EXPECT_EQ(ec, leat::errc::input_too_long);
  followed = leat::follow(folder / "file", {.timeout = {}, .window_limit = limit}, ec);
  for (auto line : followed.lines(ec)) ADD_FAILURE() << line.size();
  EXPECT_EQ(ec, leat::errc::input_too_long);
}

// --- formats ------------------------------------------------------------------------------------

TEST(formats, percent_n_is_refused_and_stores_no_count) {
  int count = 7;
  char text[8] = "same";
  const char* volatile format = "ab%n";
  errno = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  EXPECT_EQ(leat_snprintf(text, sizeof text, format, &count), -1);
#pragma GCC diagnostic pop
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(count, 7);
}

}  // namespace
