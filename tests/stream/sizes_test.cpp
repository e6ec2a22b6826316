// Extreme sizes of buffers, and extreme sizes, counts and times of rotating logs: each is used, or
// is refused with an error.
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
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

constexpr std::size_t max_size = std::numeric_limits<std::size_t>::max();
constexpr std::size_t sizes[] = {0,
                                 1,
                                 2,
                                 4'095,
                                 4'096,
                                 max_size / 2,
                                 max_size / 2 + 1,
                                 max_size - 4'096,
                                 max_size - 64,
                                 max_size - 1,
                                 max_size};

/// Buffers of up to this many bytes always fit into memory; larger buffers may not.
constexpr std::size_t largest_safe_buffer = 4'096;

bool is_refused(std::error_code ec, std::size_t size) {
  return size > largest_safe_buffer && ec == std::errc::not_enough_memory;
}

TEST(extreme_sizes, of_buffers_work_or_are_refused) {
  const temporary_folder folder;
  const std::string path = folder / "f";
  for (const std::size_t size : sizes) {
    if (sanitized && size > largest_safe_buffer) continue;  // a sanitizer would end the program
    for (const auto caching : {leat::caching::cached, leat::caching::direct}) {
      std::error_code ec;
      auto out = leat::create(path, {.buffer_size = size, .caching = caching}, ec);
      if (ec) continue;  // a file system without direct I/O
      for (int i = 0; i != 3'000; ++i) out.println("line {}", i);
      out.close(ec);
      if (is_refused(ec, size)) continue;
      EXPECT_FALSE(ec) << ec.message() << ' ' << size;
      auto in = leat::open(path, {.buffer_size = size, .caching = caching}, ec);
      if (ec) continue;
      int i = 0;
      for (const auto line : in.lines(ec)) ASSERT_EQ(line, "line " + std::to_string(i++)) << size;
      if (is_refused(ec, size)) continue;
      EXPECT_EQ(i, 3'000) << size;
    }
    write_file(path, "line 0\nline 1\n");
    auto added = leat::append(path, {.buffer_size = size});
    added.println("end");
    added.close();
    auto both = leat::update(path, {.buffer_size = size});
    std::error_code ec;
    both.seek(5, ec);
    both.write("X");
    both.flush(ec);
    const bool is_changed = !is_refused(ec, size);
    EXPECT_EQ(static_cast<bool>(ec), !is_changed) << ec.message() << ' ' << size;
    both.close(ec);
    EXPECT_EQ(read_all(path), is_changed ? "line X\nline 1\nend\n" : "line 0\nline 1\nend\n")
        << size;
  }
}

TEST(extreme_sizes, of_rotating_logs_are_accepted) {
  const temporary_folder folder;
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{max_size - 1}, std::uint64_t{max_size}}) {
    for (const auto every :
         {std::chrono::seconds(1), std::chrono::seconds::max() / 2, std::chrono::seconds::max()}) {
      for (const bool local : {false, true}) {
        auto log =
            leat::rotating(folder / "log", {.size = size,
                                            .every = every,
                                            .keep = max_size,
                                            .local_time = local,
                                            .flush_interval = std::chrono::milliseconds::max()});
        for (int i = 0; i != 3; ++i) log.println("line {}", i);
        log.close();
      }
    }
  }
}

}  // namespace
