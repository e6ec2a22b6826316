// Compressed files: recognized by their magic numbers, and refused without the component
// leat_codecs.
#include "opening/compressed.hpp"

#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <string>
#include <string_view>

#include "support/files.hpp"

namespace {

using leat::compression;
using leat_test::temporary_folder;
using leat_test::write_file;
using namespace std::string_view_literals;

TEST(signature, is_recognized_by_the_first_bytes) {
  const auto detected = [](std::string_view head) { return leat::signature_of(head); };
  EXPECT_EQ(detected("\x1f\x8b\x08").format, compression::gzip);
  EXPECT_EQ(detected("\x28\xb5\x2f\xfd").format, compression::zstd);
  EXPECT_EQ(detected("\x5e\x2a\x4d\x18").format, compression::zstd);
  EXPECT_EQ(detected("\x04\x22\x4d\x18").format, compression::lz4);
  EXPECT_EQ(detected("\xfd\x37zXZ\0"sv).format, compression::xz);
  EXPECT_EQ(detected("\xfd\x37zXZ\1"sv).format, compression::none);
  for (const std::string_view plain :
       {"text"sv, "\x1f\x8b\x07"sv, "\x28\xb5\x2f\xfe"sv, "P*M-"sv}) {
    EXPECT_EQ(detected(plain).format, compression::none) << plain;
    EXPECT_FALSE(detected(plain).undecided) << plain;
  }
  for (const std::string_view begin :
       {""sv, "\x1f"sv, "\x28\xb5"sv, "\x50"sv, "\x51\x2a"sv, "\xfd"sv})
    EXPECT_TRUE(detected(begin).undecided) << begin;
}

/// This program is linked without the component leat_codecs.
TEST(compressed_files, need_the_codecs_component) {
  const temporary_folder folder;
  const std::string path = folder / "a.gz";
  write_file(path, "\x1f\x8b\x08 and more");
  std::error_code ec;
  EXPECT_FALSE(leat::open(path, {.compression = compression::automatic}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::no_codecs);
  EXPECT_NE(ec.message().find("<leat/codecs.hpp>"), std::string::npos);
  EXPECT_EQ(ec.message().find("<leat/remote.hpp>"), std::string::npos);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_FALSE(leat::open(path, {.compression = compression::xz}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::no_codecs);
  EXPECT_EQ(leat::open(path).read_all(), "\x1f\x8b\x08 and more");
  EXPECT_FALSE(leat::create(folder / "b", {.compression = compression::zstd}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::no_codecs);
  EXPECT_FALSE(leat::replace(path, {.compression = compression::automatic}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::no_codecs);
  EXPECT_FALSE(leat::append(path, {.compression = compression::automatic}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::no_codecs);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.gz"});
}

TEST(plain_files, need_no_codecs_component) {
  const temporary_folder folder;
  const std::string path = folder / "a.txt";
  leat::create(path, {.compression = compression::automatic}).print("{} {}\n", 1, 2);
  leat::append(path, {.compression = compression::automatic}).print("{}\n", 3);
  auto in = leat::open(path, {.compression = compression::automatic});
  EXPECT_NE(in.native_handle(), leat::no_handle);
  EXPECT_EQ(in.read_all(), "1 2\n3\n");
  in.seek(4);
  EXPECT_EQ(in.read_all(), "3\n");
}

#if !defined(_WIN32)  // Windows has no path for an open pipe
TEST(plain_files, in_a_pipe_lose_no_byte_to_the_detection_of_compression) {
  const temporary_folder folder;
  for (const std::string_view content : {""sv, "\x28"sv, "(\n"sv, "\xfd\x37zXYZ and so on"sv}) {
    const std::string path = folder / "in";
    write_file(path, content);
    FILE* const pipe = ::popen(("cat " + path).c_str(), "r");
    auto in = leat::open("/dev/fd/" + std::to_string(::fileno(pipe)),
                         {.compression = compression::automatic});
    EXPECT_EQ(in.read_all(), content);
    EXPECT_EQ(in.tell(), content.size());
    ::pclose(pipe);
  }
}
#endif

}  // namespace
