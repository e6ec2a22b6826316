// `leat cat`, `head`, `tail`, `wc`, `find` and `cp` with objects of a real store.
#include "remote/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "measuring/scratch_folder.hpp"

namespace {

class small_commands : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    if (IsSkipped()) return;
    const auto settings = test_store().store_settings();
    ::setenv("AWS_ENDPOINT_URL", settings.endpoint.c_str(), 1);
    ::setenv("AWS_ACCESS_KEY_ID", settings.login->access_key.c_str(), 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", settings.login->secret_key.c_str(), 1);
    test_store().put("lines", text_);
  }

  /// Runs a shell line in a folder of the test. "@" stands for "leat". Returns standard output and
  /// standard error, and stores the exit code in `code_`.
  std::string shell(std::string line) {
    std::string command;
    for (const auto* word : {LEAT_COMMAND}) command += "'" + std::string(word) + "' ";
    for (auto position = line.find('@'); position != line.npos;
         position = line.find('@', position + command.size()))
      line.replace(position, 1, command);
    const auto out = scratch_.path() / "out";
    const int status =
        std::system(("cd '" + scratch_.path().string() + "'; { " + line + "; } >out 2>&1").c_str());
    code_ = WEXITSTATUS(status);
    std::ifstream file(out, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string text_ = "first\nthe needle\n" + std::string(9'000'000, 'x') + "\nlast\n";
  bench::scratch_folder scratch_{std::filesystem::temp_directory_path()};
  int code_ = 0;
};

TEST_F(small_commands, read_objects_like_files) {
  EXPECT_EQ(shell("@ cat s3://bucket/lines"), text_);
  EXPECT_EQ(shell("@ head -n 2 s3://bucket/lines"), "first\nthe needle\n");
  EXPECT_EQ(shell("@ tail -n 1 s3://bucket/lines"), "last\n");
  EXPECT_EQ(shell("@ wc -l s3://bucket/lines"), "4 s3://bucket/lines\n");
  EXPECT_EQ(shell("@ find needle s3://bucket/lines"), "the needle\n");
  EXPECT_EQ(shell("@ find -c x s3://bucket/lines"), "1\n");
  EXPECT_THAT(shell("@ cat s3://bucket/none"), testing::StartsWith("leat cat: s3://bucket/none: "));
  EXPECT_EQ(code_, 1);
}

TEST_F(small_commands, copy_objects_like_files) {
  EXPECT_EQ(shell("@ cp s3://bucket/lines here && @ cp here s3://bucket/copies/ && "
                  "@ cp s3://bucket/copies/here s3://bucket/again"),
            "");
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(test_store().get("again"), text_);
  // Bytes that a killed copy has left are not fetched again.
  EXPECT_EQ(shell("head -c 5000000 here >part; @ cp --resume --json s3://bucket/lines part"),
            "{\"from\": \"s3://bucket/lines\", \"to\": \"part\", \"bytes\": " +
                std::to_string(text_.size() - 5'000'000) + "}\n");
  EXPECT_EQ(shell("cat part"), text_);
  EXPECT_EQ(shell("@ cp --resume here s3://bucket/again"),
            "leat cp: cannot continue 's3://bucket/again': an upload to object storage always "
            "starts again\n");
  EXPECT_EQ(shell("mkdir all; @ cp -j 2 s3://bucket/lines s3://bucket/again all; cat all/*"),
            text_ + text_);
}

TEST_F(small_commands, refuse_copies_with_the_same_target) {
  test_store().put("a/f", "1");
  test_store().put("b/f", "2");
  for (const std::string jobs : {"", "-j 2 "}) {
    EXPECT_THAT(shell("mkdir to; @ cp " + jobs + "s3://bucket/a/f s3://bucket/b/f to; ls to"),
                testing::EndsWith("would both be copied to 'to/f'\n"));
    EXPECT_THAT(shell("mkdir -p d; echo 3 >f; echo 4 >d/f; @ cp " + jobs + "f d/f s3://bucket/to/"),
                testing::EndsWith("would both be copied to 's3://bucket/to/f'\n"));
    EXPECT_EQ(code_, 1);
  }
  EXPECT_THAT(shell("@ cp s3://bucket/a/f s3://bucket/b/f s3://bucket/b/"),
              testing::HasSubstr("would be overwritten"));
  EXPECT_EQ(test_store().get("b/f"), "2");
  EXPECT_THAT(shell("@ cp s3://bucket/a/f s3://bucket/a/f"), testing::HasSubstr("the same file"));
  EXPECT_THAT(shell("@ cp s3://bucket/a/ ."), testing::HasSubstr("has no name"));
}

TEST_F(small_commands, leave_an_object_unchanged_if_a_copy_fails) {
  test_store().put("old", "old");
  EXPECT_THAT(shell("mkdir folder; @ cp folder s3://bucket/old; @ cp none s3://bucket/old"),
              testing::HasSubstr("cannot stat 'none'"));
  EXPECT_EQ(code_, 1);
  EXPECT_EQ(test_store().get("old"), "old");
  EXPECT_EQ(test_store().open_uploads(), 0U);
}

}  // namespace
