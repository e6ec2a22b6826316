// Extreme sizes and times in a journal's options: the journal works, or opening fails.
#include <gtest/gtest.h>
#include <leat/journal.hpp>

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

/// Checks that a journal with these options keeps its records, or that opening fails because there
/// is not enough space or memory.
void expect_valid_or_refused(const leat::journal_options& options, const std::string& description) {
  const temporary_folder folder;
  std::error_code ec;
  auto out = leat::journal::open(folder / "j", options, ec);
  if (ec) {
    EXPECT_TRUE(ec == std::errc::no_space_on_device || ec == std::errc::file_too_large ||
                ec == std::errc::not_enough_memory)
        << description << ": " << ec.message();
    return;
  }
  for (int i = 0; i != 100; ++i) out.append(std::to_string(i));
  out.close();
  auto in = leat::journal_reader::open(folder / "j");
  leat::journal_record record;
  for (int i = 0; i != 100; ++i) {
    ASSERT_TRUE(in.next(record)) << description;
    ASSERT_EQ(record.bytes, std::to_string(i)) << description;
  }
  EXPECT_FALSE(in.next(record)) << description;
}

TEST(journal_options, with_extreme_values_work_or_are_refused_at_opening) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4'095},
                                 std::size_t{4'096}, max_size / 2, max_size - 1, max_size}) {
    const std::string text = std::to_string(size);
    if (!sanitized || size <= 4'096)  // sanitizers end a program that allocates too much
      expect_valid_or_refused({.buffer_size = size}, "buffer_size " + text);
    expect_valid_or_refused({.preallocate = size}, "preallocate " + text);
  }
  for (const auto interval : {std::chrono::milliseconds::min(), std::chrono::milliseconds(-1),
                              std::chrono::milliseconds(1), std::chrono::milliseconds::max()})
    expect_valid_or_refused({.flush_interval = interval},
                            "flush_interval " + std::to_string(interval.count()));
}

}  // namespace
