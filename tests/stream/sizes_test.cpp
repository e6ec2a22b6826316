// Every size, count and time that a program can name: an error or what comes next to it, at once.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <system_error>

#include "support/files.hpp"

namespace {

using namespace leat_test;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
constexpr std::size_t sizes[] = {
    0, 1, 2, 4'095, 4'096, most / 2, most / 2 + 1, most - 4'096, most - 64, most - 1, most};

TEST(sizes, of_buffers_may_be_any) {
  const temporary_folder folder;
  const std::string path = folder / "f";
  for (const std::size_t size : sizes) {
    for (const auto caching : {leat::caching::cached, leat::caching::direct}) {
      std::error_code ec;
      auto out = leat::create(path, {.buffer_size = size, .caching = caching}, ec);
      if (ec) continue;  // a file system without direct I/O
      for (int i = 0; i != 3'000; ++i) out.println("line {}", i);
      out.close();
      auto in = leat::open(path, {.buffer_size = size, .caching = caching}, ec);
      if (ec) continue;
      int i = 0;
      for (const auto line : in.lines()) ASSERT_EQ(line, "line " + std::to_string(i++)) << size;
      EXPECT_EQ(i, 3'000) << size;
    }
    auto added = leat::append(path, {.buffer_size = size});
    added.println("end");
    added.close();
    auto both = leat::update(path, {.buffer_size = size});
    both.seek(5);
    both.write("X");
    EXPECT_EQ(both.peek(6), "\nline ") << size;
    both.close();
    EXPECT_TRUE(read_all(path).ends_with("line 2999\nend\n")) << size;
  }
}

TEST(sizes, of_logs_may_be_any) {
  const temporary_folder folder;
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{most - 1}, std::uint64_t{most}}) {
    for (const auto every :
         {std::chrono::seconds(1), std::chrono::seconds::max() / 2, std::chrono::seconds::max()}) {
      for (const bool local : {false, true}) {
        auto log =
            leat::rotating(folder / "log", {.size = size,
                                            .every = every,
                                            .keep = most,
                                            .local_time = local,
                                            .flush_interval = std::chrono::milliseconds::max()});
        for (int i = 0; i != 3; ++i) log.println("line {}", i);
        log.close();
      }
    }
  }
}

}  // namespace
