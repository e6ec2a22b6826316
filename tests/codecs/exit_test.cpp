// exit() with open compressed streams: the files are complete, or the loss is reported. Child
// processes do not change the files of their parents.
#include <leat/leat.h>
#include <leat/codecs.hpp>
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

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
  /// Runs `write` in a child. If `write` returns, the child calls exit(0). Checks that the child
  /// reports nothing, and that the file has the expected lines.
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

TEST_P(at_exit, compressed_files_are_complete) {
  for (const bool background : {false, true}) {
    run([&] {
      auto out = leat::create(path_, {.background = background, .compression = GetParam()});
      for (int i = 0; i != lines; ++i) out.println("line {}", i);
      std::exit(0);
    });
  }
}

TEST_P(at_exit, compressed_files_of_shared_streams_are_complete) {
  run([&] {
    leat::synchronized out(leat::create(path_, {.compression = GetParam()}));
    for (int i = 0; i != lines; ++i) out.println("line {}", i);
    std::exit(0);
  });
}

TEST_P(at_exit, compressed_files_of_c_are_complete) {
  run([&] {
    leat_options options = {};
    options.compression = static_cast<enum leat_compression>(GetParam());
    leat_file* const out = leat_open(path_.c_str(), "w", &options);
    require(out != nullptr);
    for (int i = 0; i != lines; ++i) require(leat_fprintf(out, "line %d\n", i) > 0);
  });
}

// The encoder may hold bytes although each call flushes.
TEST_P(at_exit, streams_of_another_thread_are_reported) {
  for (const auto flush :
       {leat::flush_when::full, leat::flush_when::line, leat::flush_when::call}) {
    const auto child = run_in_child([&] {
      auto out = leat::create(path_, {.flush = flush, .compression = GetParam()});
      out.println("line");
      std::thread([] { std::exit(0); }).join();
    });
    EXPECT_NE(child.code, 0);
    EXPECT_NE(child.err.find(path_), std::string::npos) << child.err;
  }
}

TEST_P(at_exit, threads_that_still_print_are_no_error) {
  for (int run = 0; run != 10; ++run) {
    const auto child = run_in_child([&] {
      auto& out = *new leat::synchronized(
          leat::create(path_, {.flush_interval = std::chrono::milliseconds(1),
                               .background = true,
                               .compression = GetParam()}));
      std::thread([&] {
        for (int i = 0;; ++i) out.println("line {}", i);
      }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::exit(0);
    });
    // If the thread is in a call for longer than leat waits at exit, leat reports that a thread
    // used the stream.
    if (child.err.find("a thread used the stream") != std::string::npos) continue;
    EXPECT_EQ(child.err, "");
  }
}

// A child can't write into the compressed file of its parent.
TEST_P(at_exit, children_do_not_write_to_the_streams_of_their_parents) {
  run([&] {
    auto out = leat::create(path_, {.compression = GetParam()});
    std::thread([] { std::this_thread::sleep_for(std::chrono::minutes(1)); }).detach();
    for (int i = 0; i != lines / 2; ++i) out.println("line {}", i);
    require(succeeded(run_in_child([&] {
      require(succeeded(run_in_child([] { std::exit(0); })));
      std::exit(0);
    })));
    for (int i = lines / 2; i != lines; ++i) out.println("line {}", i);
    out.close();
  });
}

TEST_P(at_exit, children_do_not_write_to_the_c_streams_of_their_parents) {
  run([&] {
    leat_set_loss_handler([](const leat_error*) { std::_Exit(9); });
    leat_options options = {};
    options.compression = static_cast<enum leat_compression>(GetParam());
    leat_file* const out = leat_open(path_.c_str(), "w", &options);
    for (int i = 0; i != lines; ++i) leat_fprintf(out, "line %d\n", i);
    require(succeeded(run_in_child([] { std::exit(0); })));
    require(leat_fclose(out) == 0);
  });
}

INSTANTIATE_TEST_SUITE_P(all, at_exit,
                         testing::Values(compression::gzip, compression::zstd, compression::lz4,
                                         compression::xz));

}  // namespace
}  // namespace codecs_test
