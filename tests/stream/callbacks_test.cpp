// Callbacks of the program. Each callback uses the stream that has called the callback.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>
#include <leat/writer.hpp>

#if !defined(_WIN32)
#  include <fcntl.h>
#  include <unistd.h>
#endif

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

TEST(callbacks, of_a_log_may_print_to_the_shared_log) {
  const temporary_folder folder;
  std::atomic<int> calls{0};
  std::atomic<leat::writer*> shared{nullptr};
  leat::rotating_options options{.size = 40, .flush = leat::flush_when::line};
  options.finished = [&](std::string_view, std::error_code) {
    ++calls;
    if (leat::writer* const log = shared.load()) log->write("rotated\n");
  };
  {
    leat::synchronized log(leat::rotating(folder / "log", options));
    shared = &log;
    for (int i = 0; i != 50; ++i) log.println("line {}", i);
    std::error_code ec;
    log.close(ec);  // a later callback finds a closed stream, so the callback's line is lost
    EXPECT_FALSE(ec) << ec.message();
    shared = nullptr;
    log.close(ec);
  }
  EXPECT_GT(calls.load(), 0);
}

TEST(callbacks, of_a_log_can_not_close_the_log) {
  const temporary_folder folder;
  std::atomic<int> refused{0}, calls{0};
  std::atomic<leat::writer*> shared{nullptr};
  leat::rotating_options options{.size = 40, .flush = leat::flush_when::line};
  options.finished = [&](std::string_view, std::error_code) {
    std::error_code ec;
    if (leat::writer* const log = shared.load()) log->close(ec);
    if (ec == std::errc::resource_deadlock_would_occur) ++refused;
    ++calls;
  };
  leat::synchronized log(leat::rotating(folder / "log", options));
  shared = &log;
  for (int i = 0; i != 10; ++i) log.println("line {}", i);
  while (calls.load() == 0) std::this_thread::yield();
  shared = nullptr;
  EXPECT_NO_THROW(log.close());
  EXPECT_GT(refused.load(), 0);
}

TEST(callbacks, of_a_copy_may_print_and_close) {
  const temporary_folder folder;
  const std::string content(100'000, 'x');
  write_file(folder / "from", content);
  {
    auto from = leat::open(folder / "from");
    leat::string_writer to;
    std::string printed;
    EXPECT_EQ(leat::copy(from, to,
                         [&](std::uint64_t done) {
                           to.println("[{}]", done);
                           printed += '[' + std::to_string(done) + "]\n";
                         }),
              content.size());
    std::string all(to.view());
    std::erase(all, 'x');
    EXPECT_EQ(all, printed);
    EXPECT_EQ(to.view().size(), content.size() + printed.size());
  }
  for (const bool reader : {true, false}) {
    auto from = leat::open(folder / "from");
    auto to = leat::create(folder / "to");
    std::error_code ec;
    const auto close = [&](std::uint64_t) {
      if (reader)
        from.close();
      else
        to.close();
    };
    EXPECT_LE(leat::copy(from, to, close, ec), content.size());
    EXPECT_EQ(ec, leat::errc::closed) << reader;
  }
}

#if !defined(_WIN32)
TEST(loss_handler, may_use_standard_output) {
  const auto child = run_in_child(
      [] {
        leat::set_loss_handler([](const leat::io_error& loss) noexcept {
          std::error_code ec;
          leat::out.write("more");
          leat::out.flush(ec);
          leat::err.print("{}", loss.operation());
        });
        require(::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1) == 1);
        leat::out.write("abc");
      },
      ending::orderly);
  EXPECT_EQ(child.code, EXIT_FAILURE);
  EXPECT_EQ(child.err, "write");
}
#endif

}  // namespace
