// Truncated, changed, moved and foreign bytes in a journal (write-ahead log): no false record is
// returned, and no intact record is missed.
#include <gtest/gtest.h>
#include <leat/journal.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal_model.hpp"
#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using leat::journal;
using leat::journal_reader;

/// Returns the position of the record after record `i`. After the last record, returns the size of
/// the journal.
std::uint64_t end_of(const std::vector<stored_record>& all, std::size_t i,
                     const std::string& bytes) {
  return i + 1 == all.size() ? bytes.size() : all[i + 1].position;
}

/// Opens a journal to write. Returns the content that opening leaves, and sets `cut` to the
/// reported number of torn bytes that were cut off.
std::string content_after_opening(const std::string& bytes, std::uint64_t& cut) {
  leat::volatile_file disk(bytes);
  journal out(disk.open());
  cut = out.cut();
  out.close();
  return disk.content();
}

/// Truncates a journal of these records at every `step` bytes, each time followed by `room` zeros.
/// Checks which records are found, and how many bytes are torn.
void truncate_everywhere(const std::vector<std::string>& records, std::size_t step,
                         std::size_t room) {
  std::vector<stored_record> all;
  const std::string bytes = journal_of(records, all);
  for (std::size_t size = 48; size <= bytes.size(); size += step) {
    std::vector<stored_record> expected;
    std::uint64_t end = 48;
    for (std::size_t i = 0; i != all.size(); ++i) {
      // Padding and headers of blocks belong to the next record.
      std::uint64_t ends = all[i].position + 8 + all[i].bytes.size();
      if (ends > (all[i].position / block + 1) * block)
        ends = end_of(all, i, bytes);  // several chunks: exact enough if no padding follows
      if (ends > size) break;
      expected.push_back(all[i]);
      end = ends;
    }
    const std::string left = bytes.substr(0, size) + std::string(room, '\0');
    const std::size_t torn = end_without_zeros(left, end) - static_cast<std::size_t>(end);
    reader_of_bytes in(left);
    ASSERT_TRUE(remaining_records(in.reader) == expected) << size;
    ASSERT_EQ(in.reader.damage().ranges, 0u) << size;
    ASSERT_EQ(in.reader.torn(), torn) << size;
    std::uint64_t cut = 0;
    ASSERT_EQ(content_after_opening(left, cut), bytes.substr(0, end)) << size;
    ASSERT_EQ(cut, torn) << size;
  }
}

TEST(journal_damage, every_cut_of_a_small_journal_keeps_the_records_before_it) {
  for (const std::size_t room : {0u, 1u, 7u, 40u, 33000u})
    truncate_everywhere({"one", "", "three", std::string(200, 'x'), "five"}, 1, room);
}

TEST(journal_damage, cuts_of_several_blocks_keep_the_records_before_them) {
  for (const std::size_t room : {0u, 9u, 70000u})
    truncate_everywhere({"one", std::string(block - 80, 'x'), "two", std::string(3 * block, 'y'),
                         std::string(100, 'z')},
                        97, room);
}

/// Checks that a strict reader reports all of `damage`, each range once, and returns the records
/// `found`.
void check_strict(const std::string& bytes, const std::vector<stored_record>& found,
                  const leat::journal_damage& damage) {
  reader_of_bytes in(bytes, {.strict = true});
  std::vector<stored_record> read_back;
  std::vector<leat::byte_range> reported;  // pieces next to each other are one range
  leat::journal_record record;
  for (std::error_code ec;;) {
    if (in.reader.next(record, ec)) {
      read_back.push_back({record.position, std::string(record.bytes), record.kind});
    } else if (ec) {
      ASSERT_EQ(ec, leat::errc::damaged);
      const leat::byte_range piece{leat::last_error().offset(), leat::last_error().unread()};
      if (!reported.empty() && reported.back().at + reported.back().size == piece.at)
        reported.back().size += piece.size;
      else
        reported.push_back(piece);
    } else {
      break;
    }
  }
  ASSERT_TRUE(read_back == found);
  ASSERT_TRUE(reported == damage.list);
  ASSERT_EQ(in.reader.damage().bytes, damage.bytes);
}

/// Checks `changed`, a journal whose bytes from `begin` to `end` were changed, followed by `room`
/// zeros: all other records are found, and the change is reported. A change that loses the last
/// record is reported as a torn tail, other changes as damage.
void check_changed(const std::vector<stored_record>& all, const std::string& bytes,
                   std::size_t begin, std::size_t end, const std::string& changed,
                   std::size_t room = 0) {
  const std::string left = changed + std::string(room, '\0');
  reader_of_bytes in(left);
  const auto found = remaining_records(in.reader);
  std::vector<stored_record> expected;
  bool hits_last = false;
  for (std::size_t i = 0; i != all.size(); ++i) {
    std::uint64_t ends = end_of(all, i, bytes);
    // Padding and a header after the record do not belong to it.
    const std::uint64_t own_end = all[i].position + 8 + all[i].bytes.size();
    if (own_end <= (all[i].position / block + 1) * block) ends = own_end;
    if (begin < ends && end > all[i].position) {
      if (i + 1 == all.size()) hits_last = true;
      // A damaged block header inside a record does not damage the record.
      if (found.size() > expected.size() && found[expected.size()] == all[i])
        expected.push_back(all[i]);
      continue;
    }
    expected.push_back(all[i]);
  }
  ASSERT_TRUE(found == expected) << begin;
  if (hits_last && expected.size() + 1 == all.size()) {
    ASSERT_EQ(in.reader.damage().ranges, 0u) << begin;
    ASSERT_GT(in.reader.torn(), 0u) << begin;
  } else {
    ASSERT_EQ(in.reader.torn(), 0u) << begin;
    ASSERT_EQ(in.reader.damage().ranges, 1u) << begin;
    const auto damage = in.reader.damage().list.at(0);
    ASSERT_EQ(damage.size, in.reader.damage().bytes);
    ASSERT_LE(damage.at, begin) << begin;
    ASSERT_GE(damage.at + damage.size, end) << begin;
  }
  check_strict(left, found, in.reader.damage());
  // Opening to write keeps everything that is followed by a record.
  std::uint64_t cut = 0;
  const std::string kept = content_after_opening(left, cut);
  ASSERT_EQ(kept, changed.substr(0, changed.size() - in.reader.torn())) << begin;
}

TEST(journal_damage, a_file_of_zeros_has_no_torn_bytes) {
  std::uint64_t cut = 1;
  EXPECT_EQ(content_after_opening(std::string(1000, '\0'), cut).size(), 48U);
  EXPECT_EQ(cut, 0U);
}

TEST(journal_damage, a_damaged_first_header_is_not_torn) {
  leat::volatile_file disk;
  journal(disk.open()).close();
  for (const std::size_t damaged : {0U, 30U}) {
    std::string bytes = disk.content() + std::string(damaged * 1000, '\0');
    bytes[damaged] = '!';
    reader_of_bytes in(bytes);
    EXPECT_TRUE(remaining_records(in.reader).empty());
    std::uint64_t cut = 1;
    content_after_opening(bytes, cut);
    EXPECT_EQ(in.reader.torn(), cut) << damaged;
  }
}

TEST(journal_damage, reading_at_a_position_that_no_file_can_have_is_an_error) {
  leat::volatile_file disk;
  journal out(disk.open());
  out.append("record");
  std::error_code ec;
  out.read_at(std::uint64_t{1} << 63, ec);
  EXPECT_EQ(ec, leat::errc::no_such_record);
}

TEST(journal_damage, every_flipped_bit_of_a_small_journal_is_reported) {
  std::vector<stored_record> all;
  std::mt19937_64 random(5);
  const std::string bytes =
      journal_of({"one", "", std::string(120, 'x'), std::string(120, 'y'),
                  random_bytes(random, 300), std::string(120, 'z'), "the last"},
                 all);
  for (std::size_t bit = 0; bit != 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    for (const std::size_t room : {0u, 100u, 70000u}) {
      check_changed(all, bytes, bit / 8, bit / 8 + 1, changed, room);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(journal_damage, flipped_bits_of_several_blocks_are_reported) {
  std::vector<stored_record> all;
  std::mt19937_64 random(6);
  const std::string bytes =
      journal_of({std::string(1000, 'a'), random_bytes(random, block - 1100), std::string(50, 'b'),
                  random_bytes(random, 2 * block), std::string(50, 'c'), std::string(30, 'd')},
                 all);
  std::vector<std::size_t> bits;
  for (int i = 0; i != rounds(500); ++i) bits.push_back(random() % (8 * bytes.size()));
  // The bits of all headers, of blocks and of chunks.
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    for (std::size_t bit = 0; bit != std::size_t{8} * 40; ++bit) bits.push_back(8 * at + bit);
    if (at != 0) {
      for (std::size_t bit = 0; bit != std::size_t{8} * 10; ++bit) bits.push_back(8 * at - 1 - bit);
    }
  }
  for (const auto& one : all) {
    for (std::size_t bit = 0; bit != 64; ++bit) bits.push_back(8 * one.position + bit);
  }
  constexpr std::size_t rooms[] = {0, 100, 70'000};
  for (std::size_t i = 0; i != bits.size(); ++i) {
    const std::size_t bit = bits[i];
    if (bit / 8 >= bytes.size()) continue;
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    check_changed(all, bytes, bit / 8, bit / 8 + 1, changed, rooms[i % 3]);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(journal_damage, lost_sectors_leave_all_undamaged_records_readable) {
  std::vector<stored_record> all;
  std::mt19937_64 random(7);
  std::vector<std::string> records;
  for (int i = 0; i != 400; ++i) records.push_back(random_bytes(random, random() % 1000));
  const std::string bytes = journal_of(records, all);
  for (int round = 0; round != 300; ++round) {
    std::string changed = bytes;
    const std::size_t begin = random() % (bytes.size() / 512) * 512;
    const std::size_t end = std::min<std::size_t>(bytes.size(), begin + 512 * (1 + random() % 100));
    for (std::size_t i = begin; i != end; ++i)
      changed[i] = round % 2 == 0 ? '\0' : static_cast<char>(random());
    reader_of_bytes in(changed);
    const auto found = remaining_records(in.reader);
    std::vector<stored_record> undamaged;
    for (std::size_t i = 0; i != all.size(); ++i) {
      const std::uint64_t ends = end_of(all, i, bytes);
      if (ends <= begin || all[i].position >= end) undamaged.push_back(all[i]);
    }
    // All undamaged records are found. A record at the edge of the damage is missing, or unchanged.
    std::size_t next = 0;
    for (const auto& one : found) {
      ASSERT_TRUE(std::find(all.begin(), all.end(), one) != all.end());
      if (next != undamaged.size() && one == undamaged[next]) ++next;
    }
    ASSERT_EQ(next, undamaged.size()) << begin << ' ' << end;
    ASSERT_LE(in.reader.damage().bytes, end - begin + 4000);
  }
}

TEST(journal_damage, strict_readers_report_damage_and_continue) {
  std::vector<stored_record> all;
  std::string bytes = journal_of({"one", "two", "three", "four", "five"}, all);
  bytes[all[1].position + 9] ^= 1;
  bytes[all[3].position + 9] ^= 1;
  reader_of_bytes in(bytes, {.strict = true});
  leat::journal_record record;
  std::vector<std::string> read_back;
  for (;;) {
    std::error_code ec;
    if (in.reader.next(record, ec)) {
      read_back.emplace_back(record.bytes);
    } else {
      if (!ec) break;
      EXPECT_EQ(ec, leat::errc::damaged);
      read_back.emplace_back("!");
    }
  }
  EXPECT_EQ(read_back, (std::vector<std::string>{"one", "!", "three", "!", "five"}));
  reader_of_bytes again(bytes, {.strict = true});
  EXPECT_TRUE(again.reader.next(record));
  try {
    again.reader.next(record);
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), leat::errc::damaged);
    EXPECT_EQ(error.offset(), all[1].position);
    EXPECT_EQ(error.unread(), all[2].position - all[1].position);
  }
}

TEST(journal_damage, inside_a_record_is_a_torn_tail_until_the_record_is_complete) {
  std::vector<stored_record> all;
  std::string bytes = journal_of({"one", std::string(3 * block, 'x')}, all);
  bytes[block + 1] ^= 1;  // in a header inside the second record
  const temporary_folder folder;
  write_file(folder / "j", bytes.substr(0, 2 * block));
  auto in = journal_reader::open(folder / "j");
  ASSERT_EQ(remaining_records(in).size(), 1u);
  EXPECT_EQ(in.damage().ranges, 0u);
  EXPECT_EQ(in.torn(), 2 * block - all[1].position);
  write_file(folder / "j", bytes);
  ASSERT_EQ(remaining_records(in).size(), 1u);
  EXPECT_EQ(in.damage().ranges, 1u);
  EXPECT_EQ(in.damage().bytes, 24u);
}

TEST(journal_damage, blocks_moved_or_from_other_journals_are_not_read_as_records) {
  std::vector<std::string> records;
  for (int i = 0; i != 5000; ++i) records.push_back("record " + std::to_string(i));
  std::vector<stored_record> all, others;
  const std::string bytes = journal_of(records, all);
  const std::string other = journal_of(records, others);
  ASSERT_GT(bytes.size(), 2 * block);
  const auto expect_only_own_records = [&](const std::string& changed) {
    reader_of_bytes in(changed);
    const auto found = remaining_records(in.reader);
    for (const auto& one : found) EXPECT_TRUE(std::find(all.begin(), all.end(), one) != all.end());
    EXPECT_LT(found.size(), all.size());
    EXPECT_GT(in.reader.damage().bytes + in.reader.torn(), 0u);
  };
  std::string swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + block, swapped.begin() + block);
  std::string doubled = bytes;
  std::copy_n(bytes.begin(), block, doubled.begin() + block);
  expect_only_own_records(doubled);
  std::string foreign = bytes;
  std::copy_n(other.begin() + block, block, foreign.begin() + block);
  expect_only_own_records(foreign);
  EXPECT_NO_THROW({
    try {
      reader_of_bytes in(swapped);
      EXPECT_LT(remaining_records(in.reader).size(), all.size());
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.code(), leat::errc::bad_journal);
    }
  });
}

TEST(journal_damage, records_of_a_journal_inside_a_record_are_not_returned) {
  std::vector<stored_record> inner_all, all;
  const std::string inner = journal_of({"inner one", "inner two", "inner three"}, inner_all);
  std::string bytes = journal_of({"before", inner, inner + inner, "behind"}, all);
  for (std::size_t at = all[1].position; at != all[1].position + 8; ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    reader_of_bytes in(changed);
    const auto found = remaining_records(in.reader);
    ASSERT_TRUE(found == (std::vector<stored_record>{all[0], all[2], all[3]}));
  }
}

TEST(journal_damage, an_overwritten_tail_does_not_complete_a_record) {
  // A large record was torn, and another record is written in its place.
  std::vector<stored_record> all;
  std::string bytes = journal_of({"one", std::string(3 * block, 'x')}, all);
  bytes.resize(bytes.size() - 20);
  leat::volatile_file disk(bytes);
  {
    journal out(disk.open());
    EXPECT_GT(out.cut(), 3 * block - 200);
    EXPECT_EQ(disk.unsynced(), 0u);  // otherwise parts of the torn record may come back
    out.append(std::string(3 * block, 'y'));
    out.flush();
  }
  const loss_recorder losses;
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    leat::volatile_file cut(bytes);
    {
      journal out(cut.open());
      out.append(std::string(3 * block, 'y'));
      out.flush();
      cut.cut_power_at_random(seed);
    }
    journal_reader in(cut.open());
    const auto found = remaining_records(in);
    ASSERT_GE(found.size(), 1u);
    EXPECT_EQ(found[0].bytes, "one");
    if (found.size() == 2) {
      EXPECT_EQ(found[1].bytes, std::string(3 * block, 'y'));
    }
  }
}

TEST(journal_damage, a_record_after_damage_survives_a_later_torn_write) {
  std::vector<stored_record> all;
  std::string bytes = journal_of({"one", "two", "three"}, all);
  bytes[all[1].position + 4] ^= 8;  // the record's size
  leat::volatile_file disk(bytes);
  journal out(disk.open());
  EXPECT_EQ(out.cut(), 0u);
  EXPECT_EQ(disk.content(), bytes);
  append(out, all, "four");
  out.close();
  {
    journal_reader in(disk.open());
    EXPECT_TRUE(remaining_records(in) == (std::vector<stored_record>{all[0], all[2], all[3]}));
    EXPECT_EQ(in.damage().ranges, 1u);
  }
  for (std::size_t size = all[3].position; size != disk.content().size(); ++size) {
    reader_of_bytes in(disk.content().substr(0, size) + "torn");
    EXPECT_TRUE(remaining_records(in.reader) == (std::vector<stored_record>{all[0], all[2]}));
  }
}

// Both headers of the first block are damaged. Only the header of the second block is intact, and
// this header is cut off with the tail.
TEST(journal_damage, cutting_the_tail_leaves_a_journal_that_can_be_read) {
  std::vector<stored_record> all;
  std::string bytes = journal_of({"one", "two", std::string(block, 'x')}, all);
  bytes[8] ^= 1;
  bytes[24 + 8] ^= 1;
  bytes.resize(bytes.size() - 20);
  leat::volatile_file disk(bytes);
  {
    journal out(disk.open());
    EXPECT_NE(out.cut(), 0u);
    out.close();
  }
  journal_reader in(disk.open());
  EXPECT_TRUE(remaining_records(in) == (std::vector<stored_record>{all[0], all[1]}));
  EXPECT_EQ(disk.content().substr(48), bytes.substr(48, disk.content().size() - 48));
}

/// Checks the records that a reader finds in a damaged journal, and that the reader reads at most
/// eight times as many bytes as the journal has.
void expect_linear_reads(std::string bytes, const std::vector<stored_record>& expected) {
  const auto log = std::make_shared<request_log>();
  const std::size_t size = bytes.size();
  log->content = std::move(bytes);
  journal_reader in(std::make_unique<counted_device>(log));
  EXPECT_TRUE(remaining_records(in) == expected);
  EXPECT_LE(log->bytes_read, 8 * size);
}

/// Nearly each byte of a record of small numbers could be the start of a chunk of some KB.
TEST(journal_damage, in_a_record_of_small_numbers_hides_no_other_record) {
  for (const std::size_t size : {6000u, 20'000u, 32'000u}) {
    for (const int values : {1, 5}) {
      std::mt19937_64 random(size);
      std::string numbers(size, '\0');
      for (char& one : numbers) one = static_cast<char>(values == 1 ? 5 : 1 + random() % 5);
      for (const std::size_t before : {0u, 500u, 40'000u}) {
        std::vector<stored_record> all;
        std::string bytes =
            journal_of({std::string(before, 'x'), numbers, "order 1", "order 2"}, all);
        bytes[all[1].position + 1000] ^= 0x40;
        reader_of_bytes in(bytes);
        const std::vector<stored_record> expected{all[0], all[2], all[3]};
        ASSERT_TRUE(remaining_records(in.reader) == expected) << size << ' ' << before;
        EXPECT_EQ(in.reader.damage().ranges, 1u);
        EXPECT_EQ(in.reader.torn(), 0u);
        std::uint64_t cut = 0;
        content_after_opening(bytes, cut);
        EXPECT_EQ(cut, 0u);
      }
    }
  }
}

TEST(journal_damage, is_read_in_linear_time_inside_a_long_record) {
  std::vector<stored_record> all;
  std::string bytes = journal_of({"first", std::string(128 * block, 'x'), "last"}, all);
  for (std::size_t at = block + 100; at < 127 * block; at += 2 * block) bytes[at] ^= 1;
  expect_linear_reads(std::move(bytes), {all.front(), all.back()});
}

TEST(journal_damage, is_read_in_linear_time_between_small_records) {
  std::vector<stored_record> all, expected;
  std::string bytes = journal_of(std::vector<std::string>(30'000, std::string(20, 'x')), all);
  for (std::size_t i = 0; i != all.size(); ++i) {
    if (i % 2 == 0)
      expected.push_back(all[i]);
    else
      bytes[all[i].position + 9] ^= 1;
  }
  expected.push_back(all.back());
  bytes[all.back().position + 9] ^= 1;
  expect_linear_reads(std::move(bytes), expected);
}

TEST(journal_damage, arbitrary_bytes_are_not_read_as_records) {
  std::mt19937_64 random(8);
  for (int round = 0; round != 300; ++round) {
    std::vector<stored_record> all;
    std::vector<std::string> records;
    for (std::size_t i = random() % 20; i != 0; --i)
      records.push_back(random_bytes(random, random() % 6000));
    std::string bytes = journal_of(records, all);
    for (std::size_t i = random() % 30; i != 0; --i)
      bytes[48 + random() % (bytes.size() - 47) - 1] = static_cast<char>(random());
    bytes += random_bytes(random, random() % 3000);
    reader_of_bytes in(bytes);
    for (const auto& one : remaining_records(in.reader))
      ASSERT_TRUE(std::find(all.begin(), all.end(), one) != all.end());
  }
}

}  // namespace
