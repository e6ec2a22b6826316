// Reading compressed files and pipes: whole, joined, truncated and damaged files, and other files.
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <string>
#include <string_view>

#include "codecs/tools.hpp"

namespace {

using codecs_test::output_of_command, codecs_test::log_lines, codecs_test::random_bytes,
    codecs_test::tool;
using leat::compression;
using leat::codecs::fault;
using leat_test::temporary_folder;
using leat_test::write_file;
using namespace std::string_literals;

/// Tests for each format.
class decoding : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << GetParam().name << " is not available";
  }
  std::string encoded(std::string_view content) const {
    return output_of_command(GetParam().encode, content);
  }
  leat::file_reader open(compression format = compression::automatic) const {
    return leat::open(path_, {.compression = format});
  }
  std::string decoded(std::string_view file, compression format = compression::automatic) const {
    write_file(path_, file);
    return open(format).read_all();
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file";
};

TEST_P(decoding, decodes_output_of_the_command) {
  for (const std::size_t size : {1U, 5U, 1000U, 100'000U, 1'000'000U}) {
    for (const std::string& content :
         {log_lines(size), random_bytes(size), std::string(size, 'a')}) {
      const std::string file = encoded(content);
      EXPECT_TRUE(decoded(file) == content) << size;
      EXPECT_TRUE(decoded(file, GetParam().format) == content) << size;
    }
  }
}

TEST_P(decoding, lines_are_those_of_the_uncompressed_text) {
  const std::string content = log_lines(1 << 20);
  write_file(path_, encoded(content));
  std::string joined;
  for (auto line : open().lines()) {
    joined += line;
    joined += '\n';
  }
  joined.resize(content.size());
  EXPECT_TRUE(joined == content);
}

TEST_P(decoding, continues_with_the_next_member) {
  const std::string a = log_lines(70'000), b = random_bytes(30'000);
  EXPECT_TRUE(decoded(encoded(a) + encoded("") + encoded(b) + encoded("end")) == a + b + "end");
}

TEST_P(decoding, returns_nothing_for_empty_content) {
  EXPECT_EQ(decoded(encoded("")), "");
  EXPECT_EQ(decoded(""), "");  // `automatic` treats an empty file as not compressed
}

TEST_P(decoding, uncompressed_files_are_read_unchanged) {
  EXPECT_EQ(decoded("plain\n"), "plain\n");
  EXPECT_EQ(decoded("\x1f"), "\x1f");
  const std::string file = encoded("text");
  write_file(path_, file);
  EXPECT_EQ(leat::open(path_).read_all(), file);
}

TEST_P(decoding, reports_another_format_than_the_requested_one) {
  write_file(path_, "this is plain text");
  auto in = open(GetParam().format);
  std::error_code ec;
  EXPECT_EQ(in.read_all(ec), "");
  EXPECT_EQ(ec, fault::other_format) << ec.message();
}

TEST_P(decoding, a_truncated_file_returns_its_bytes_before_the_error) {
  const std::string content = log_lines(3'000);
  const std::string file = encoded(content);
  for (std::size_t size = 0; size != file.size(); ++size) {
    write_file(path_, file.substr(0, size));
    auto in = open(GetParam().format);
    std::error_code ec;
    EXPECT_TRUE(content.starts_with(in.read_all(ec))) << size;
    ASSERT_EQ(ec, fault::truncated) << size << ": " << ec.message();
    EXPECT_EQ(ec, std::errc::bad_message);
    EXPECT_EQ(leat::codecs::finding_of(ec).at, size);
    EXPECT_NE(ec.message().find("at byte " + std::to_string(size) + " of the file"),
              std::string::npos)
        << ec.message();
  }
}

TEST_P(decoding, reports_trailing_bytes) {
  const std::string file = encoded("content\n");
  write_file(path_, file + "garbage");
  auto in = open();
  std::error_code ec;
  EXPECT_EQ(in.read_all(ec), "content\n");
  EXPECT_EQ(ec, fault::trailing_bytes) << ec.message();
  EXPECT_EQ(leat::codecs::finding_of(ec).at, file.size());
}

TEST_P(decoding, reports_positions_in_the_file_and_in_the_content) {
  const std::string file = encoded(log_lines(100'000));
  write_file(path_, file.substr(0, file.size() / 2));
  try {
    for (auto line : open().lines()) static_cast<void>(line);
    FAIL();
  } catch (const leat::io_error& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("truncated, at byte " + std::to_string(file.size() / 2) +
                           " of the file (at byte " + std::to_string(e.offset()) + ")"),
              std::string::npos)
        << message;
  }
}

#if defined(HAS_SHELL)

TEST_P(decoding, decodes_the_content_of_a_pipe) {
  const std::string content = log_lines(300'000);
  write_file(path_, encoded(content));
  for (const compression format : {compression::automatic, GetParam().format}) {
    FILE* const pipe = ::popen(("cat " + path_).c_str(), "r");
    auto in = leat::open("/dev/fd/" + std::to_string(::fileno(pipe)), {.compression = format});
    EXPECT_TRUE(in.read_all() == content);
    ::pclose(pipe);
  }
}

#endif

INSTANTIATE_TEST_SUITE_P(formats, decoding, testing::ValuesIn(codecs_test::tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(decoding_gzip, ignores_zeros_after_the_data) {
  if (!leat::codecs::has(compression::gzip)) GTEST_SKIP();
  const temporary_folder folder;
  const std::string one = output_of_command("gzip -c", "one");
  write_file(folder / "a", one + std::string(1000, '\0') + one + std::string(7, '\0'));
  EXPECT_EQ(leat::open(folder / "a", {.compression = compression::gzip}).read_all(), "oneone");
}

/// A bug of ISA-L: after the failure in this file, ISA-L reports two more consumed bytes than ISA-L
/// has received.
TEST(decoding_gzip, reports_a_fault_at_a_position_inside_the_file) {
  if (!leat::codecs::has(compression::gzip)) GTEST_SKIP();
  const temporary_folder folder;
  const std::string file =
      "\x1f\x8b\x08\0\0\0\0\0\0\3\x0b\x4d\x33\x4c\x69\x61\x79\x63\x79\x72\x64\x6a\x4b\xae\xca"
      "\6\0\x15\x90\1\xf5\7\0\0\0"s;
  write_file(folder / "a", file);
  std::error_code ec;
  static_cast<void>(leat::open(folder / "a", {.compression = compression::gzip}).read_all(ec));
  EXPECT_EQ(ec, fault::damaged);
  EXPECT_LE(leat::codecs::finding_of(ec).at, file.size());
}

#if defined(HAS_SHELL)
/// liblz4 1.9 keeps the content size of a frame that is not read to its end.
TEST(decoding_lz4, seeks_back_from_a_frame_with_a_size_to_a_frame_without_a_size) {
  const auto& lz4 = codecs_test::tools()[2];
  if (!is_available(lz4)) GTEST_SKIP();
  const temporary_folder folder;
  const std::string first = log_lines(500'000), second = log_lines(1'000'000);
  write_file(folder / "second", second);
  ASSERT_TRUE(codecs_test::run_command("lz4 -q --content-size " + std::string(folder / "second") +
                                       " " + std::string(folder / "second.lz4")));
  write_file(folder / "both.lz4",
             output_of_command(lz4.encode, first) + leat_test::read_all(folder / "second.lz4"));
  auto in = leat::open(folder / "both.lz4", {.compression = compression::lz4});
  in.skip(first.size() + 300'000);
  in.seek(0);
  EXPECT_TRUE(in.read_all() == first + second);
}
#endif

}  // namespace
