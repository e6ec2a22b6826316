// Functions of the program that a stream calls, and that use the stream.
#include <gtest/gtest.h>
#include <leat/print.hpp>
#include <leat/rotating.hpp>
#include <leat/writer.hpp>

#include <atomic>
#include <string_view>
#include <system_error>
#include <thread>

#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(callbacks, of_a_log_may_print_to_the_shared_log) {
  const temporary_folder folder;
  std::atomic<int> calls{0};
  std::atomic<leat::writer*> shared{nullptr};
  leat::rotating_options how{.size = 40, .flush = leat::flush_when::line};
  how.finished = [&](std::string_view, std::error_code) {
    ++calls;
    if (leat::writer* const log = shared.load()) log->write("rotated\n");
  };
  {
    leat::synchronized log(leat::rotating(folder / "log", how));
    shared = &log;
    for (int i = 0; i != 50; ++i) log.println("line {}", i);
    std::error_code ec;
    log.close(ec);  // a callback that comes now finds a closed stream, and its line counts as lost
    EXPECT_FALSE(ec) << ec.message();
    shared = nullptr;
    log.close(ec);
  }
  EXPECT_GT(calls.load(), 0);
}

TEST(callbacks, of_a_log_may_not_close_it) {
  const temporary_folder folder;
  std::atomic<int> refused{0}, calls{0};
  std::atomic<leat::writer*> shared{nullptr};
  leat::rotating_options how{.size = 40, .flush = leat::flush_when::line};
  how.finished = [&](std::string_view, std::error_code) {
    ++calls;
    std::error_code ec;
    if (leat::writer* const log = shared.load()) log->close(ec);
    if (ec == std::errc::resource_deadlock_would_occur || ec == leat::errc::closed) ++refused;
  };
  leat::synchronized log(leat::rotating(folder / "log", how));
  shared = &log;
  for (int i = 0; i != 10; ++i) log.println("line {}", i);
  while (calls.load() == 0) std::this_thread::yield();
  shared = nullptr;
  EXPECT_NO_THROW(log.close());
  EXPECT_GT(refused.load(), 0);
}

}  // namespace
