// text_device, on every platform: text mode, in which "\n" of the stream is "\r\n" in the file.
#include "device/text.hpp"

#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "device/descriptor.hpp"
#include "support/files.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

class text_mode : public testing::Test {
 protected:
  std::unique_ptr<leat::text_device> opened(const leat::open_mode& mode) const {
    const int file = leat::open_descriptor(path.c_str(), mode);
    EXPECT_GE(file, 0);
    return std::make_unique<leat::text_device>(leat::open_cursor(file, mode.appends),
                                               mode.readable);
  }
  static std::string read(leat::device& from, std::uint64_t at, std::size_t size) {
    std::string text(size, '.');
    std::error_code ec;
    std::size_t n = 0;
    while (n != size) {
      const std::size_t more = from.read_at(at + n, std::span(text).subspan(n), ec);
      EXPECT_FALSE(ec) << ec.message();
      if (more == 0) break;
      n += more;
    }
    return text.substr(0, n);
  }
  static void write(leat::device& to, std::uint64_t at, std::string_view text) {
    std::error_code ec;
    while (!text.empty()) {
      const std::size_t n = to.write_at(at, {&text, 1}, ec);
      ASSERT_FALSE(ec) << ec.message();
      at += n;
      text.remove_prefix(n);
    }
  }

  const temporary_folder folder;
  const std::string path = folder / "file";
  std::error_code ec;
};

TEST_F(text_mode, removes_the_carriage_return_before_a_newline) {
  write_file(path, "a\r\nb\rc\r\r\nd\n\r\n\r");
  const auto file = opened({.readable = true});
  const std::string expected = "a\nb\rc\r\nd\n\n\r";
  EXPECT_EQ(read(*file, 0, 100), expected);
  for (std::size_t at = 0; at <= expected.size(); ++at)
    EXPECT_EQ(read(*file, at, 1), expected.substr(at, 1)) << at;
  EXPECT_EQ(file->end(ec), expected.size());
}

TEST_F(text_mode, writes_a_carriage_return_before_each_newline) {
  const auto file = opened({.writable = true, .truncates = true});
  write(*file, 0, "one\ntwo\n");
  write(*file, 8, "three\n");
  EXPECT_EQ(read_all(path), "one\r\ntwo\r\nthree\r\n");
  EXPECT_EQ(file->end(ec), 14U);
}

TEST_F(text_mode, reads_its_own_output_at_any_position) {
  std::string text;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same on each run
  for (int i = 0; i != rounds(100'000); ++i) text += "ab\n\r"[random() % 4];
  // A '\r' before a newline would be removed as a part of the line end.
  for (std::size_t at; (at = text.find("\r\n")) != std::string::npos;) text[at] = 'c';
  const auto file = opened({.readable = true, .writable = true, .truncates = true});
  write(*file, 0, text);
  EXPECT_TRUE(read(*file, 0, text.size() + 10) == text);
  for (int i = 0; i != 300; ++i) {
    const std::size_t at = random() % text.size();
    const std::size_t size = random() % 5000;
    EXPECT_TRUE(read(*file, at, size) == text.substr(at, size)) << at << ", " << size;
  }
  EXPECT_EQ(file->end(ec), text.size());
  file->set_cursor(text.size() / 2, ec);
  EXPECT_EQ(file->offset(ec), text.size() / 2);
}

/// freopen puts the new file under the old file's descriptor before it releases the old device.
TEST_F(text_mode, a_release_moves_no_offset_if_the_descriptor_has_another_file) {
  write_file(path, "a\r\nb\r\nc\r\n");
  write_file(folder / "other", "1\r\n2\r\n3\r\n");
  const auto file = opened({.readable = true});
  EXPECT_EQ(read(*file, 0, 4), "a\nb\n");
  const int descriptor = file->descriptor();
  const int other = leat::open_descriptor((folder / "other").c_str(), {.readable = true});
  ASSERT_EQ(leat::move_descriptor(other, descriptor, true), descriptor);
  EXPECT_NE(file->release(4, ec), leat::no_handle);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(leat::open_cursor(descriptor)->position(), 0u);
}

TEST_F(text_mode, appends_at_the_end) {
  write_file(path, "x\r\n");
  const auto file = opened({.readable = true, .writable = true, .appends = true});
  EXPECT_EQ(read(*file, 0, 2), "x\n");
  write(*file, 0, "y\n");
  EXPECT_EQ(read_all(path), "x\r\ny\r\n");
  EXPECT_EQ(read(*file, 0, 9), "x\ny\n");
}

}  // namespace
