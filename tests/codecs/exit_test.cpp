// exit() with open compressed streams: the files are complete.
#include <leat/leat.h>
#include <leat/codecs.hpp>
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "codecs/tools.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace codecs_test {
namespace {

using leat_test::require;
using leat_test::run_in_child;

constexpr int lines = 50'000;

std::string expected_lines() {
  std::string text;
  for (int i = 0; i != lines; ++i) text += leat::format("line {}\n", i);
  return text;
}

class at_exit : public testing::TestWithParam<compression> {
 protected:
  void SetUp() override {
    if (!leat::codecs::has(GetParam())) GTEST_SKIP();
  }
  /// Runs `write` in a child, which then calls exit(0) with its streams open.
  template <class Write>
  void run(Write&& write) {
    const auto child = run_in_child([&] {
      write();
      std::exit(0);
    });
    EXPECT_TRUE(succeeded(child));
    EXPECT_EQ(child.err, "");
    auto in = leat::open(path_, {.compression = GetParam()});
    EXPECT_TRUE(in.read_all() == expected_lines());
  }

  const leat_test::temporary_folder folder_;
  const std::string path_ = folder_ / "file";
};

TEST_P(at_exit, streams_are_complete) {
  for (const bool background : {false, true}) {
    run([&] {
      auto out = leat::create(path_, {.background = background, .compression = GetParam()});
      for (int i = 0; i != lines; ++i) out.println("line {}", i);
      std::exit(0);
    });
  }
}

TEST_P(at_exit, shared_streams_are_complete) {
  run([&] {
    leat::synchronized out(leat::create(path_, {.compression = GetParam()}));
    for (int i = 0; i != lines; ++i) out.println("line {}", i);
    std::exit(0);
  });
}

TEST_P(at_exit, streams_of_c_are_complete) {
  run([&] {
    leat_options options = {};
    options.compression = static_cast<enum leat_compression>(GetParam());
    leat_file* const out = leat_open(path_.c_str(), "w", &options);
    require(out != nullptr);
    for (int i = 0; i != lines; ++i) require(leat_fprintf(out, "line %d\n", i) > 0);
  });
}

INSTANTIATE_TEST_SUITE_P(all, at_exit,
                         testing::Values(compression::gzip, compression::zstd, compression::lz4,
                                         compression::xz));

}  // namespace
}  // namespace codecs_test
