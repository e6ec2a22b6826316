// Writing compressed files: create, append, replace and sync, with leat.hpp and leat.h.
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/tools.hpp"

namespace {

using codecs_test::output_of_command, codecs_test::log_lines, codecs_test::random_bytes,
    codecs_test::tool;
using leat::compression;
using leat::codecs::fault;
using leat_test::read_all;
using leat_test::temporary_folder;
using leat_test::write_file;

/// Tests for each format.
class encoding : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << GetParam().name << " is not available";
  }
  compression format() const { return GetParam().format; }
  std::string decoded_by_command() const {
    return output_of_command(GetParam().decode, read_all(path_));
  }
  std::string decoded_by_leat() const {
    return leat::open(path_, {.compression = format()}).read_all();
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / ("file" + GetParam().ending);
};

TEST_P(encoding, is_decoded_by_the_command) {
  for (const std::size_t size : {0U, 1U, 1000U, 65536U, 1'500'000U}) {
    for (const std::string& content :
         {log_lines(size), random_bytes(size), std::string(size, 'a')}) {
      auto out = leat::create(path_, {.compression = format()});
      out.write(content);
      EXPECT_EQ(out.tell(), size);
      out.close();
      EXPECT_TRUE(decoded_by_command() == content) << size;
      EXPECT_TRUE(decoded_by_leat() == content) << size;
    }
  }
}

TEST_P(encoding, small_writes_are_compressed_together) {
  std::string content;
  auto out = leat::create(path_, {.background = true, .compression = compression::automatic});
  for (int i = 0; i != 200'000; ++i) {
    out.println("{} {}", i, i * 7);
    content += std::to_string(i) + ' ' + std::to_string(i * 7) + '\n';
  }
  out.close();
  EXPECT_TRUE(decoded_by_command() == content);
  EXPECT_LT(read_all(path_).size(), content.size() * 3 / 4);
}

TEST_P(encoding, append_adds_a_member_that_is_decoded_after_the_others) {
  leat::append(path_, {.compression = format()}).write("one\n");
  leat::append(path_, {.compression = format()}).write("two\n");
  const std::size_t size = read_all(path_).size();
  leat::append(path_, {.compression = format()}).close();
  EXPECT_EQ(read_all(path_).size(), size);  // a stream without content adds no bytes
  EXPECT_EQ(decoded_by_command(), "one\ntwo\n");
  EXPECT_EQ(decoded_by_leat(), "one\ntwo\n");
}

TEST_P(encoding, replaces_the_file_at_close) {
  write_file(path_, "old");
  {
    auto out = leat::replace(path_, {.compression = format()});
    out.write("new");
    out.discard();
  }
  EXPECT_EQ(read_all(path_), "old");
  auto out = leat::replace(path_, {.compression = format()});
  out.write("new");
  out.close();
  EXPECT_EQ(decoded_by_command(), "new");
}

TEST_P(encoding, compresses_more_at_higher_levels) {
  const std::string content = log_lines(300'000);
  const auto size_at = [&](int level) {
    auto out = leat::create(path_, {.compression = format(), .level = level});
    out.write(content);
    out.close();
    EXPECT_TRUE(decoded_by_command() == content) << level;
    return read_all(path_).size();
  };
  EXPECT_LT(size_at(9), size_at(1));
  write_file(path_, "not emptied");
  std::error_code ec;
  EXPECT_FALSE(leat::create(path_, {.compression = format(), .level = 99}, ec).is_open());
  EXPECT_EQ(ec, std::errc::invalid_argument);
  EXPECT_EQ(read_all(path_), "not emptied");
}

TEST_P(encoding, bytes_before_a_sync_can_be_decoded_from_an_unfinished_file) {
  auto out = leat::create(path_, {.compression = format()});
  std::string content;
  for (int i = 0; i != 5; ++i) {
    const std::string more = log_lines(10'000, static_cast<unsigned>(i));
    out.write(more);
    content += more;
    out.sync();
    std::error_code ec;
    auto in = leat::open(path_, {.compression = format()});
    EXPECT_TRUE(in.read_all(ec) == content) << i;
    EXPECT_EQ(ec, fault::truncated);
  }
  out.close();
  EXPECT_TRUE(decoded_by_command() == content);
}

TEST_P(encoding, refuses_durability_process_and_readable_and_seeks) {
  std::error_code ec;
  EXPECT_FALSE(
      leat::create(path_, {.durability = leat::durability::process, .compression = format()}, ec)
          .is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_FALSE(leat::create(path_, {.readable = true, .compression = format()}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_TRUE(folder_.names().empty());
  auto out = leat::create(path_, {.compression = format()});
  out.write("12345");
  out.seek(2, ec);
  EXPECT_EQ(ec, std::errc::invalid_seek);
  EXPECT_EQ(out.native_handle(), leat::no_handle);
  out.close();
  EXPECT_EQ(decoded_by_command(), "12345");
}

TEST_P(encoding, reports_a_full_disk) {
  std::error_code ec;
  auto out = leat::create("/dev/full", {.compression = format()});
  out.write("a few bytes");
  out.close(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  auto many = leat::create("/dev/full", {.compression = format()});
  many.write(random_bytes(3'000'000));
  many.close(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
}

TEST_P(encoding, streams_of_c_write_and_read_compressed_files) {
  const std::string content = log_lines(200'000);
  leat_options options{};
  options.compression = static_cast<leat_compression>(format());
  leat_file* out = leat_open(path_.c_str(), "w", &options);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(leat_fwrite(content.data(), 1, content.size(), out), content.size());
  EXPECT_EQ(leat_fclose(out), 0);
  out = leat_open(path_.c_str(), "a", &options);
  EXPECT_GT(leat_fprintf(out, "%d", 42), 0);
  EXPECT_EQ(leat_fclose(out), 0);
  EXPECT_TRUE(decoded_by_command() == content + "42");
  options.compression = LEAT_COMPRESSION_AUTOMATIC;
  for (options.background = 0; options.background != 2; ++options.background) {
    leat_file* const in = leat_open(path_.c_str(), "r", &options);
    ASSERT_NE(in, nullptr);
    std::string got(content.size() + 2, '\0');
    EXPECT_EQ(leat_fread(got.data(), 1, got.size(), in), got.size());
    EXPECT_TRUE(got == content + "42");
    EXPECT_EQ(leat_fgetc(in), EOF);
    EXPECT_TRUE(leat_feof(in));
    EXPECT_EQ(leat_fseek(in, 1000, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(in), static_cast<unsigned char>(content[1000]));
    EXPECT_EQ(leat_fclose(in), 0);
  }
  options.limit = 1000;
  leat_file* in = leat_open(path_.c_str(), "r", &options);
  std::string got(2000, '\0');
  EXPECT_EQ(leat_fread(got.data(), 1, got.size(), in), 1000U);
  EXPECT_EQ(errno, EFBIG);
  leat_fclose(in);
  write_file(path_, read_all(path_).substr(0, 100));
  options.limit = 0;
  in = leat_open(path_.c_str(), "r", &options);
  while (leat_fgetc(in) != EOF) {
  }
  EXPECT_EQ(errno, EBADMSG);
  EXPECT_TRUE(leat_ferror(in));
  leat_fclose(in);
  EXPECT_EQ(leat_open(path_.c_str(), "r+", &options), nullptr);
  EXPECT_EQ(errno, ENOTSUP);
  options.seekable = 1;  // a table of the new frames would not list the old frames
  EXPECT_EQ(leat_open(path_.c_str(), "a", &options), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

INSTANTIATE_TEST_SUITE_P(formats, encoding, testing::ValuesIn(codecs_test::tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(encoding_zstd, threads_write_a_file_that_can_be_decoded) {
  if (!leat::codecs::has(compression::zstd)) GTEST_SKIP();
  const temporary_folder folder;
  const std::string content = log_lines(8'000'000);
  auto out = leat::create(folder / "a", {.compression = compression::zstd, .codec_threads = 2});
  out.write(content);
  out.close();
  EXPECT_TRUE(leat::open(folder / "a", {.compression = compression::zstd}).read_all() == content);
}

}  // namespace
