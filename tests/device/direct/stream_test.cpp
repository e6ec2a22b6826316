// Streams with direct I/O, and direct twins: second devices, with direct I/O, over the same file.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "device/direct/aligned_disk.hpp"
#include "device/direct/direct.hpp"
#include "device/direct/direct_file.hpp"
#include "device/system.hpp"
#include "opening/open.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using namespace std::string_view_literals;

TEST(direct_twin, each_device_reads_what_the_other_device_has_written) {
  const temporary_folder folder;
  auto file =
      leat::update((write_file(folder / "file", std::string(20'000, '.')), folder / "file"));
  const auto cached = leat::borrow(file.native_handle());
  std::error_code ec;
  const auto twin = leat::open_direct_twin(*cached, true, ec);
  if (ec == std::errc::operation_not_supported) GTEST_SKIP() << no_direct;
  ASSERT_FALSE(ec) << ec.message();
  for (int i = 0; i != 50; ++i) {
    const std::string by_cached = std::to_string(1000 + i), by_twin = std::to_string(2000 + i);
    const std::array<std::string_view, 1> pieces{by_cached};
    EXPECT_EQ(cached->write_at(5000, pieces, ec), 4u);
    std::string got(4, '?');
    leat::read_request read{5000, got, 0, {}};
    twin->read_many({&read, 1});
    ASSERT_EQ(got, by_cached);
    leat::write_request write{6000, by_twin, 0, {}};
    twin->write_many({&write, 1});
    ASSERT_EQ(cached->read_at(6000, got, ec), 4u);
    ASSERT_EQ(got, by_twin);
  }
  file.close();
  leat::read_request alone{0, {}, 0, {}};
  std::string got(4, '?');
  alone.into = got;
  twin->read_many({&alone, 1});
  EXPECT_EQ(got, "....");
}

TEST(direct_twin, writes_are_refused_without_write_access) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  const auto in = leat::open(folder / "file");
  const auto cached = leat::borrow(in.native_handle());
  std::error_code ec;
  const auto twin = leat::open_direct_twin(*cached, false, ec);
  if (ec == std::errc::operation_not_supported) GTEST_SKIP() << no_direct;
  ASSERT_FALSE(ec) << ec.message();
  leat::write_request write{0, "x", 0, {}};
  twin->write_many({&write, 1});
#if defined(_WIN32)
  EXPECT_EQ(write.ec, std::errc::permission_denied);
#else
  EXPECT_EQ(write.ec, std::errc::bad_file_descriptor);
#endif
  EXPECT_EQ(read_all(folder / "file"), "text");
}

#if defined(HAS_SYSTEM_FILES)
TEST(direct_twin, is_refused_if_the_file_does_not_support_it) {
  std::error_code ec;
  disk_state disk;
  EXPECT_EQ(leat::open_direct_twin(aligned_disk(disk), false, ec), nullptr);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const pipe_pair pipe;
  EXPECT_EQ(leat::open_direct_twin(*leat::borrow(pipe.reader()), false, ec), nullptr);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto status = leat::open("/proc/self/status");
  EXPECT_EQ(leat::open_direct_twin(*leat::borrow(status.native_handle()), false, ec), nullptr);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}
#endif

constexpr leat::caching direct_caching = leat::caching::direct;

bool can_write_directly(const std::string& path) {
  std::error_code ec;
  leat::create(path, {.caching = direct_caching}, ec).discard();
  return ec != std::errc::operation_not_supported;
}

class direct_writer : public testing::TestWithParam<std::size_t> {};

TEST_P(direct_writer, the_file_has_all_written_bytes) {
  const temporary_folder folder;
  if (!can_write_directly(folder / "file")) GTEST_SKIP() << no_direct;
  std::mt19937 random(7);
  for (int round = 0; round != rounds(20); ++round) {
    const auto durable = round % 4 == 1 ? leat::durability::system : leat::durability::none;
    const std::uint64_t reserved = round % 4 == 2 ? 10'000'000 : 0;
    auto out = round % 2 == 0 ? leat::create(folder / "file", {.buffer_size = GetParam(),
                                                               .durability = durable,
                                                               .preallocate = reserved,
                                                               .readable = round % 8 == 6,
                                                               .caching = direct_caching})
                              : leat::replace(folder / "file", {.buffer_size = GetParam(),
                                                                .durability = durable,
                                                                .preallocate = reserved,
                                                                .caching = direct_caching});
    std::string text;
    std::size_t at = 0;
    for (int i = 0; i != 30; ++i) {
      const std::string bytes = numbered_text(random() % (random() % 8 == 0   ? 3'000'000
                                                          : random() % 2 == 0 ? 100
                                                                              : 20'000));
      out.write(bytes);
      if (!bytes.empty() && text.size() < at + bytes.size()) text.resize(at + bytes.size(), '\0');
      text.replace(std::min(at, text.size()), bytes.size(), bytes);
      at += bytes.size();
      switch (random() % 6) {
        case 0:
          out.flush();
          // A replacement is not visible yet.
          ASSERT_TRUE(round % 2 != 0 || read_all(folder / "file") == text);
          break;
        case 1:
          at = random() % (text.size() + 10'000);
          out.seek(at);
          break;
        case 2:
          if (at > 5) {
            out.patch(at / 2, "patch"sv.substr(0, std::min<std::size_t>(5, at - at / 2)));
            text.replace(at / 2, std::min<std::size_t>(5, at - at / 2),
                         "patch"sv.substr(0, std::min<std::size_t>(5, at - at / 2)));
          }
          break;
        default:
          break;
      }
      ASSERT_EQ(out.tell(), at);
    }
    out.close();
    ASSERT_TRUE(read_all(folder / "file") == text);
  }
}

INSTANTIATE_TEST_SUITE_P(buffer_sizes, direct_writer,
                         testing::Values(0, 1, 100, 4096, 10'000, 1 << 20));

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(direct_stream, counts_bytes_beyond_the_file_size_limit_as_lost) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  if (!can_write_directly(path)) GTEST_SKIP() << no_direct;
  const std::string text = numbered_text(8'000'000);
  for (const bool large : {false, true})
    for (const rlim_t limit :
         {0u, 100u, 4096u, 1'000'000u, 2u << 20, 3'333'333u, (4u << 20) + 4096}) {
      const auto child = run_in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        limit_resource(RLIMIT_FSIZE, limit);
        auto out = leat::create(path, {.caching = direct_caching});
        const std::size_t step = large ? text.size() : 1000;
        for (std::size_t at = 0; at < text.size(); at += step)
          out.write(std::string_view(text).substr(at, step));
        std::error_code ec;
        out.close(ec);
        require(ec == std::errc::file_too_large);
        require(out.lost() == text.size() - limit);
      });
      EXPECT_TRUE(succeeded(child)) << limit;
      EXPECT_TRUE(read_all(path) == text.substr(0, limit)) << limit;
    }
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(direct_stream, releases_its_descriptor) {
  const temporary_folder folder;
  if (!can_write_directly(folder / "file")) GTEST_SKIP() << no_direct;
  auto out = leat::create(folder / "file", {.caching = direct_caching});
  const std::string text = numbered_text(5'000'001);
  out.write(text);
  const int descriptor = out.release();
  EXPECT_EQ(::write(descriptor, "more", 4), 4) << "at the stream's position, without O_DIRECT";
  ::close(descriptor);
  EXPECT_TRUE(read_all(folder / "file") == text + "more");
}
#endif

#if defined(HAS_FORK)
TEST(direct_stream, a_forked_child_continues_to_write_independently) {
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads after a fork";
  const temporary_folder folder;
  if (!can_write_directly(folder / "file")) GTEST_SKIP() << no_direct;
  auto out = leat::create(folder / "file", {.caching = direct_caching});
  const std::string text = numbered_text(5'000'000);
  out.write(text);
  out.flush();
  EXPECT_TRUE(succeeded(run_in_child([&] {
    out.write(text);
    out.close();
  })));
  out.discard();
  EXPECT_TRUE(read_all(folder / "file") == text + text);
}
#endif

#if defined(HAS_SYSTEM_FILES)
TEST(direct_stream, is_refused_if_the_file_does_not_support_it) {
  std::error_code ec;
  EXPECT_FALSE(leat::create("/dev/null", {.caching = direct_caching}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}
#endif

TEST(direct_stream, truncates_an_existing_file) {
  const temporary_folder folder;
  if (!can_write_directly(folder / "other")) GTEST_SKIP() << no_direct;
  write_file(folder / "file", numbered_text(100'000));
  auto out = leat::create(folder / "file", {.caching = direct_caching});
  EXPECT_EQ(read_all(folder / "file"), "");
  out.print("{}", "short");
  out.close();
  EXPECT_EQ(read_all(folder / "file"), "short");
}

}  // namespace
