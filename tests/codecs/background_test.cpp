// Codecs with `background`, where a thread decodes ahead, and codecs in a forked child.
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <random>
#include <string>
#include <string_view>

#include "codecs/tools.hpp"
#include "support/process.hpp"

namespace {

using codecs_test::output_of_command, codecs_test::log_lines, codecs_test::tool;
using leat::compression;
using leat::codecs::fault;
using leat_test::temporary_folder;
using leat_test::write_file;

/// Each format, decoded ahead by a thread.
class background : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << GetParam().name << " is not available";
    write_file(path_, output_of_command(GetParam().encode, content_));
  }
  leat::file_reader open() const {
    return leat::open(path_, {.compression = GetParam().format, .background = true});
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file";
  const std::string content_ = log_lines(2'500'000);
};

TEST_P(background, returns_all_bytes) {
  EXPECT_TRUE(open().read_all() == content_);
  std::string joined;
  for (auto line : open().lines()) (joined += line) += '\n';
  joined.resize(content_.size());
  EXPECT_TRUE(joined == content_);
}

TEST_P(background, returns_lines_that_are_longer_than_blocks) {
  std::string content;
  for (const std::size_t size : {10U, 300'000U, 5U, 1'000'000U, 262'144U, 1U})
    content += std::string(size, 'x') + '\n';
  write_file(path_, output_of_command(GetParam().encode, content));
  std::string joined;
  for (auto line : open().lines()) (joined += line) += '\n';
  EXPECT_TRUE(joined == content);
}

TEST_P(background, ends_when_the_stream_is_closed_or_destroyed) {
  open().get();
  auto in = open();
  EXPECT_EQ(in.get(), content_[0]);
  in.close();
  const auto never_read = open();
}

TEST_P(background, seeks_to_any_position) {
  auto in = open();
  std::mt19937 random(2);
  for (int i = 0; i != 12; ++i) {
    const std::size_t at = i % 3 == 0 ? in.tell() + random() % 100'000 : random() % content_.size();
    in.seek(at);
    std::string some(70'000, '\0');
    some.resize(in.read(std::span(some)));
    EXPECT_TRUE(some == content_.substr(at, 70'000)) << at;
  }
}

TEST_P(background, reports_a_truncated_file_after_all_bytes) {
  const std::string file = leat_test::read_all(path_);
  write_file(path_, file.substr(0, file.size() - 20));
  std::error_code error_alone, error_ahead;
  const std::string expected =
      leat::open(path_, {.compression = GetParam().format}).read_all(error_alone);
  auto in = open();
  EXPECT_TRUE(in.read_all(error_ahead) == expected);
  EXPECT_EQ(error_alone, fault::truncated);
  EXPECT_EQ(error_ahead, fault::truncated);
  in.seek(0);
  EXPECT_TRUE(in.read_all(error_ahead) == expected);
  in.close(error_ahead);
}

#if defined(HAS_FORK)

TEST_P(background, refuses_reads_in_a_forked_child) {
  auto in = open();
  EXPECT_EQ(in.get(), content_[0]);
  const pid_t child = leat_test::start_child([&] {
    std::error_code ec;
    std::string rest = in.read_all(ec);
    leat_test::require(ec == std::errc::operation_not_supported);
  });
  EXPECT_EQ(leat_test::wait_for(child), 0);
  EXPECT_EQ(in.read_all().size(), content_.size() - 1);
}

#endif

INSTANTIATE_TEST_SUITE_P(formats, background, testing::ValuesIn(codecs_test::tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

#if defined(HAS_FORK)

/// A child inherits a copy of the codec's state, and must not write the bytes of this copy.
TEST(encoding_device, writes_nothing_in_a_forked_child) {
  if (!leat::codecs::has(compression::gzip)) GTEST_SKIP();
  const temporary_folder folder;
  auto out = leat::create(folder / "a", {.compression = compression::gzip});
  out.write("parent\n");
  const pid_t child = leat_test::start_child([&] {
    std::error_code ec;
    out.close(ec);
  });
  EXPECT_EQ(leat_test::wait_for(child), 0);
  out.write("more\n");
  out.close();
  EXPECT_EQ(leat::open(folder / "a", {.compression = compression::gzip}).read_all(),
            "parent\nmore\n");
}

#endif

}  // namespace
