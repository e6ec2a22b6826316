// seek_reads: where the first read after a seek begins and ends. The read may begin before the
// position.
#include "device/seek_reads.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "support/scripted_device.hpp"

namespace {

using leat::seek_reads;

constexpr std::size_t page = seek_reads::page;
constexpr seek_reads::sizes automatic{page, 2 * page, 16 * page};
constexpr std::uint64_t end_of_file = 1 << 20;

/// Expects that the read of `wanted` bytes from `position` on is [begin, end).
void expect_read(const seek_reads& reads, std::uint64_t position, std::size_t wanted,
                 std::uint64_t begin, std::uint64_t end) {
  const auto [first, last] = reads.at(position, wanted);
  EXPECT_EQ(first, begin) << position;
  EXPECT_EQ(last, end) << position;
}

TEST(seek_reads, cover_the_whole_pages_of_the_wanted_bytes) {
  seek_reads reads;
  reads.record(0, 50000, 0, automatic);
  expect_read(reads, 50000, 1, 49152, 53248);
  expect_read(reads, 49152, 4096, 49152, 53248);
  expect_read(reads, 53247, 2, 49152, 57344);
  expect_read(reads, 50000, 20000, 49152, 73728);
}

TEST(seek_reads, are_as_long_as_the_bytes_used_after_the_previous_seek) {
  seek_reads reads;
  reads.record(0, 500000, 0, automatic);
  reads.record(503000, 100000, 500000, automatic);
  expect_read(reads, 100000, 16, 98304, 106496);
  reads.record(100016, 500000, 100000, automatic);
  expect_read(reads, 500000, 16, 499712, 503808);
  reads.record(900000, 100000, 500000, automatic);
  expect_read(reads, 100000, 16, 98304, 110592);
  reads.record(99000, 500000, 98304, automatic);
  expect_read(reads, 500000, 16, 499712, 503808);
}

TEST(seek_reads, grow_while_a_program_reads_backwards) {
  seek_reads reads;
  std::uint64_t buffer = end_of_file, from = 0;
  std::size_t count = 0;
  for (std::uint64_t at = end_of_file - 100; at < end_of_file; at -= 100) {
    if (at < buffer) {
      reads.record(from, at, buffer, automatic);
      const auto [begin, end] = reads.at(at, 100);
      EXPECT_LE(begin, at);
      EXPECT_LE(at + 100, end);
      EXPECT_LE(end, buffer + page);
      buffer = begin;
      ++count;
    }
    from = at + 100;
  }
  EXPECT_EQ(buffer, 0u);
  EXPECT_LE(count, 24u);
  reads.record(100, 500000, 0, automatic);
  expect_read(reads, 500000, 1, 499712, 503808);
}

TEST(seek_reads, do_not_grow_while_a_program_goes_backwards_over_wide_gaps) {
  seek_reads reads;
  std::uint64_t buffer = 64 * end_of_file, from = 0, read_bytes = 0, visits = 0;
  for (std::uint64_t at = buffer, gap = 0; at > 50'000; at -= gap, ++visits) {
    if (at < buffer) {
      reads.record(from, at, buffer, automatic);
      const auto [begin, end] = reads.at(at, 100);
      read_bytes += end - begin;
      buffer = begin;
    }
    from = at + 100;
    gap = 1000 + visits * 7919 % 49'000;
  }
  EXPECT_GT(visits, 2000u);
  EXPECT_LE(read_bytes, 2 * page * visits);
}

TEST(seek_reads, cover_parts_of_pages_after_many_seeks_that_use_few_bytes) {
  constexpr std::uint64_t step = 1'000'100;
  seek_reads reads;
  std::uint64_t at = 0;
  const auto seek_far = [&] { reads.record(at + 24, at + step, at, automatic), at += step; };
  for (unsigned i = 1; i != seek_reads::seeks_before_parts; ++i) seek_far();
  expect_read(reads, at, 24, at / 4096 * 4096, (at + 24) / 4096 * 4096 + 4096);
  seek_far();
  expect_read(reads, at, 24, at / 512 * 512, (at + 24) / 512 * 512 + 512);
  expect_read(reads, 1023, 700, 512, 2048);
  // A short distance, and more used bytes, make the reads larger again.
  reads.record(at + 24, at + 4000, at, automatic);
  at += 4000;
  expect_read(reads, at, 24, at / 4096 * 4096, at / 4096 * 4096 + 4096);
  for (unsigned i = 0; i != seek_reads::seeks_before_parts; ++i) seek_far();
  expect_read(reads, at, 24, at / 512 * 512, (at + 24) / 512 * 512 + 512);
  reads.record(at + 1000, 5'000'000, at, automatic);
  expect_read(reads, 5'000'000, 24, 5'000'000 / 4096 * 4096, 5'000'000 / 4096 * 4096 + 4096);
  // If the program goes backwards, the reads grow.
  at = 5'000'000;
  for (unsigned i = 0; i != seek_reads::seeks_before_parts; ++i) seek_far();
  const std::uint64_t begin = at / 512 * 512;
  reads.record(at + 24, begin - 100, begin, automatic);
  EXPECT_TRUE(reads.goes_back());
  expect_read(reads, begin - 100, 24, (begin - 100) / 4096 * 4096,
              (begin - 1) / 4096 * 4096 + 4096);
}

TEST(seek_reads, have_the_buffer_size_that_the_program_has_set) {
  constexpr seek_reads::sizes small{512, 0, 512};
  seek_reads reads;
  reads.record(0, 5000, 0, small);
  reads.record(9000, 50000, 5000, small);
  expect_read(reads, 50000, 16, 49664, 50176);
  expect_read(reads, 50170, 16, 49664, 50688);
  seek_reads one;
  one.record(0, 5000, 0, {1, 0, 1});
  expect_read(one, 5000, 1, 5000, 5001);
  seek_reads large;
  large.record(0, 5000, 100, {64 << 10, 0, 64 << 10});
  expect_read(large, 5000, 1, 4096, 4096 + (64 << 10));
}

TEST(seek_reads, apply_only_to_the_first_read_at_the_target_of_the_seek) {
  seek_reads reads;
  EXPECT_FALSE(reads.take(0));
  reads.record(0, 5000, 0, automatic);
  EXPECT_TRUE(reads.take(5000));
  EXPECT_FALSE(reads.take(5000));
  reads.record(5000, 6000, 5000, automatic);
  EXPECT_FALSE(reads.take(6001));
  EXPECT_FALSE(reads.take(6000));
}

bool are_cheap(const std::shared_ptr<leat_test::device_script>& script,
               const leat::options& how = {}) {
  const auto device = leat_test::device_of(script);
  return seek_reads::are_cheap(*device, device->traits(), how);
}

TEST(seek_reads, begin_before_the_position_only_if_the_device_uses_the_page_cache) {
  const auto script = leat_test::new_cached_script("");
  EXPECT_TRUE(are_cheap(script));
  for (bool leat::device_traits::* const trait :
       {&leat::device_traits::starts_reads, &leat::device_traits::has_views}) {
    script->traits.*trait = true;
    EXPECT_FALSE(are_cheap(script));
    script->traits.*trait = false;
  }
  for (bool leat::device_traits::* const trait :
       {&leat::device_traits::positional, &leat::device_traits::reads_ahead}) {
    script->traits.*trait = false;
    EXPECT_FALSE(are_cheap(script));
    script->traits.*trait = true;
  }
  script->handle = leat::no_handle;
  EXPECT_FALSE(are_cheap(script));
}

TEST(seek_reads, begin_at_the_position_if_sequential_or_direct) {
  const auto script = leat_test::new_cached_script("");
  leat::options how;
  how.pattern = leat::pattern::random;
  EXPECT_TRUE(are_cheap(script, how));
  how.pattern = leat::pattern::sequential;
  EXPECT_FALSE(are_cheap(script, how));
  how = {};
  how.caching = leat::caching::direct;
  EXPECT_FALSE(are_cheap(script, how));
}

}  // namespace
