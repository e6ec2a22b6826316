// A journal (write-ahead log): readers return the appended records, there is one writer at a time,
// and files that are no journals are refused.
#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "journal/journal_model.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;
using leat::durability;
using leat::journal;
using leat::journal_reader;
using leat::journal_record;

/// Returns a random size, often near the limits of chunks and blocks.
std::size_t random_size(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return random() % 8;
    case 2:
      return block - 40 + random() % 80;
    case 3:
      return random() % 3 * block + random() % 100;
    default:
      return random() % 500;
  }
}

TEST(journal, keeps_records_of_all_sizes) {
  const temporary_folder folder;
  const leat::journal_options all_options[] = {
      {},
      {.durability = durability::process},
      {.flush = leat::flush_when::call},
      {.buffer_size = 100},
      {.flush_interval = std::chrono::milliseconds(1)},
      {.background = true},
      {.durability = durability::system, .preallocate = 1 << 20}};
  std::mt19937_64 random(1);
  for (const auto& options : all_options) {
    const std::string path = folder / ("j" + std::to_string(random()));
    std::vector<stored_record> all;
    for (int opened = 0; opened != 4; ++opened) {
      auto out = journal::open(path, options);
      EXPECT_EQ(out.cut(), 0u);
      for (int i = 0; i != 100; ++i)
        append(out, all, random_bytes(random, random_size(random)),
               static_cast<std::uint8_t>(random()));
      EXPECT_EQ(out.read_at(all.back().position), all.back().bytes);
      EXPECT_EQ(out.read_at(all.front().position), all.front().bytes);
      out.close();
    }
    auto in = journal_reader::open(path);
    EXPECT_TRUE(remaining_records(in) == all);
    EXPECT_EQ(in.damage().ranges, 0u);
    EXPECT_EQ(in.torn(), 0u);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.position < b.position;
    }));
  }
}

TEST(journal, keeps_records_of_every_size_at_block_boundaries) {
  // `end`: where the first record ends, after 56 bytes of headers and the record's bytes.
  for (std::size_t end = block - 120; end != block; ++end) {
    std::vector<stored_record> all;
    const std::string bytes = journal_of({std::string(end - 56, 'a'), "", "b", "cd"}, all);
    reader_of_bytes in(bytes);
    ASSERT_TRUE(remaining_records(in.reader) == all) << end;
    ASSERT_EQ(in.reader.damage().bytes, 0u) << end;
    ASSERT_EQ(in.reader.torn(), 0u) << end;
  }
}

TEST(journal, keeps_large_records) {
  const temporary_folder folder;
  std::mt19937_64 random(2);
  std::vector<stored_record> all;
  auto out = journal::open(folder / "j");
  for (const int size : {5 << 20, 1, 1 << 20, 300000}) {
    append(out, all, random_bytes(random, static_cast<std::size_t>(size)), 7);
    EXPECT_EQ(out.read_at(all.back().position), all.back().bytes);
  }
  out.close();
  auto in = journal_reader::open(folder / "j");
  EXPECT_TRUE(remaining_records(in) == all);
  for (const auto& one : all) EXPECT_EQ(in.read_at(one.position), one.bytes);
}

TEST(journal, records_are_read_at_their_positions) {
  const temporary_folder folder;
  std::mt19937_64 random(3);
  std::vector<stored_record> all;
  {
    auto out = journal::open(folder / "j");
    for (int i = 0; i != 3000; ++i)
      append(out, all, random_bytes(random, random_size(random)), static_cast<std::uint8_t>(i));
    out.close();
  }
  auto in = journal_reader::open(folder / "j");
  std::vector<std::uint64_t> positions;
  for (const auto& one : all) positions.push_back(one.position);
  std::shuffle(positions.begin(), positions.end(), random);
  std::map<std::uint64_t, const stored_record*> by_position;
  for (const auto& one : all) by_position[one.position] = &one;
  std::size_t seen = 0;
  in.gather(positions, [&](const journal_record& record, std::size_t index) {
    const auto& expected = *by_position[positions[index]];
    EXPECT_EQ(record.position, expected.position);
    EXPECT_TRUE(record.bytes == expected.bytes);
    EXPECT_EQ(record.kind, expected.kind);
    ++seen;
  });
  EXPECT_EQ(seen, positions.size());
  for (int i = 0; i != 200; ++i) {
    const auto& one = all[random() % all.size()];
    EXPECT_TRUE(in.read_at(one.position) == one.bytes);
  }
  // Positions where no record begins.
  for (const std::uint64_t nowhere :
       {std::uint64_t{0}, std::uint64_t{47}, positions[0] + 1, std::uint64_t{1} << 60}) {
    std::error_code ec;
    EXPECT_EQ(in.read_at(nowhere, ec), "");
    EXPECT_EQ(ec, leat::errc::no_such_record);
    const std::uint64_t list[] = {positions[1], nowhere};
    in.gather(list, [](const journal_record&, std::size_t) {}, ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
  }
}

TEST(journal, reading_from_any_position_begins_with_the_next_record) {
  std::mt19937_64 random(4);
  std::vector<std::string> records;
  for (int i = 0; i != 200; ++i) records.push_back(random_bytes(random, random_size(random)));
  std::vector<stored_record> all;
  const std::string bytes = journal_of(records, all);
  reader_of_bytes in(bytes);
  for (int i = 0; i != 500; ++i) {
    const std::uint64_t start =
        i % 2 == 0 ? random() % (bytes.size() + 100) : all[random() % all.size()].position;
    in.reader.seek(start);
    const auto first = std::find_if(all.begin(), all.end(),
                                    [&](const auto& one) { return one.position >= start; });
    ASSERT_TRUE(remaining_records(in.reader) == std::vector<stored_record>(first, all.end()))
        << start;
  }
  EXPECT_EQ(in.reader.damage().ranges, 0u);
  // Readers of successive parts of the file find each record once.
  std::vector<stored_record> found;
  for (std::uint64_t part = 0; part != 7; ++part) {
    in.reader.seek(bytes.size() * part / 7);
    for (const auto& record : in.reader) {
      if (record.position >= bytes.size() * (part + 1) / 7) break;
      found.push_back({record.position, std::string(record.bytes), record.kind});
    }
  }
  EXPECT_TRUE(found == all);
}

TEST(journal, append_all_appends_many_records) {
  const temporary_folder folder;
  for (const auto level : {durability::none, durability::process}) {
    const std::string path = folder / std::to_string(static_cast<int>(level));
    auto out = journal::open(path, {.durability = level});
    std::vector<std::string> texts;
    for (int i = 0; i != 20000; ++i) texts.push_back("record " + std::to_string(i));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const auto positions = out.append_all(views, 3);
    EXPECT_EQ(out.append_all({}).size(), 0u);
    out.flush();
    auto in = journal_reader::open(path);
    std::size_t i = 0;
    for (const auto& record : in) {
      ASSERT_EQ(record.position, positions[i]);
      ASSERT_EQ(record.bytes, texts[i++]);
      ASSERT_EQ(record.kind, 3);
    }
    EXPECT_EQ(i, texts.size());
  }
}

TEST(journal, a_reader_follows_a_writer) {
  const temporary_folder folder;
  auto out = journal::open(folder / "j");
  out.flush();
  auto in = journal_reader::open(folder / "j");
  journal_record record;
  EXPECT_FALSE(in.next(record));
  for (int i = 0; i != 3000; ++i) {
    const std::string text(static_cast<std::size_t>(i) * 7 % 900, static_cast<char>('a' + i % 20));
    out.append(text);
    out.flush();
    ASSERT_TRUE(in.next(record));
    ASSERT_EQ(record.bytes, text);
    ASSERT_FALSE(in.next(record));
  }
  EXPECT_EQ(in.damage().ranges, 0u);
}

TEST(journal, a_live_reader_sees_records_pending_in_the_sidecar) {
#if defined(__linux__)
  const temporary_folder folder;
  auto out = journal::open(folder / "j", {.durability = durability::process});
  out.append("waits");
  auto in = journal_reader::open(folder / "j", {.live = true});
  journal_record record;
  ASSERT_TRUE(in.next(record));
  EXPECT_EQ(record.bytes, "waits");
  auto file_only = journal_reader::open(folder / "j");
  EXPECT_FALSE(file_only.next(record));
#endif
}

TEST(journal, a_second_writer_is_refused) {
  const temporary_folder folder;
  auto out = journal::open(folder / "j", {.durability = durability::process});
  out.append("one");
  std::error_code ec;
  auto second = journal::open(folder / "j", ec);
  EXPECT_EQ(ec, std::errc::device_or_resource_busy);
  EXPECT_FALSE(second.is_open());
  journal::recover(folder / "j", ec);
  EXPECT_EQ(ec, std::errc::device_or_resource_busy);
  out.append("two");
  out.close();
  second = journal::open(folder / "j");
  second.append("three");
  second.close();
  auto in = journal_reader::open(folder / "j");
  EXPECT_EQ(remaining_records(in).size(), 3u);
}

TEST(journal, waits_for_a_lock_that_is_held_for_a_moment) {
  const temporary_folder folder;
  leat::journal::open(folder / "journal").close();
  auto file = leat::update(folder / "journal");
  leat::file_lock lock(file);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    lock = {};
  });
  std::error_code ec;
  auto opened = leat::journal::open(folder / "journal", {}, ec);
  EXPECT_FALSE(ec) << ec.message();
  other.join();
}

#if defined(HAS_POSIX_FILES)
// For example, a program replaces its journal by a compacted one while another process opens the
// journal. In this test, a thread stands for the other process.
TEST(journal, a_second_writer_is_refused_after_the_file_was_replaced) {
  for (int round = 0; round != 5; ++round) {
    const temporary_folder folder;
    auto first = journal::open(folder / "j");
    journal second;
    std::error_code second_ec;
    std::thread other([&] { second = journal::open(folder / "j", second_ec); });
    // If the machine is not busy, `other` has opened the old file by now.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    journal::open(folder / "new").close();
    std::filesystem::rename(folder / "new", folder / "j");
    first.close();
    other.join();
    EXPECT_FALSE(second_ec) << second_ec.message();
    std::error_code ec;
    const auto third = journal::open(folder / "j", ec);
    EXPECT_EQ(ec, std::errc::device_or_resource_busy);
  }
}
#endif

TEST(journal, calls_of_a_closed_journal_fail) {
  journal none;
  std::error_code ec;
  none.append("x", ec);
  EXPECT_EQ(ec, leat::errc::closed);
  none.sync(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  none.flush(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  none.close(ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(none.error(), leat::errc::closed);
  EXPECT_THROW(none.append("x"), leat::io_error);
  EXPECT_THROW(none.append_all({}), leat::io_error);
  EXPECT_THROW(none.read_at(0), leat::io_error);
  journal_reader reader;
  journal_record record;
  EXPECT_FALSE(reader.next(record, ec));
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_THROW(reader.next(record), leat::io_error);
  EXPECT_THROW(reader.read_at(0), leat::io_error);
  EXPECT_EQ(reader.tell() + reader.torn() + reader.damage().bytes, 0u);
}

#if defined(__linux__) || defined(_WIN32)
TEST(journal, refuses_to_preallocate_more_than_a_file_can_have) {
  const temporary_folder folder;
  std::error_code ec;
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(journal::open(folder / "log", {.preallocate = most}, ec).is_open());
  EXPECT_EQ(ec, std::errc::file_too_large);
}
#endif

// A crash before the first sync can leave a file of zeros.
TEST(journal, a_file_of_zeros_has_no_records) {
  for (const std::size_t size : {1u, 20u, 47u, 48u, 5000u, 70'000u}) {
    leat::volatile_file disk(std::string(size, '\0'));
    journal_reader in(disk.open());
    journal_record record;
    EXPECT_FALSE(in.next(record)) << size;
    EXPECT_EQ(in.torn() + in.damage().bytes, 0u) << size;
    journal out(disk.open());
    out.append("one");
    out.flush();
    ASSERT_TRUE(in.next(record)) << size;
    EXPECT_EQ(record.bytes, "one");
  }
}

TEST(journal, other_files_are_refused_and_stay_unchanged) {
  const temporary_folder folder;
  const std::string zeros_and_text = std::string(512, '\0') + "text";
  for (const std::string& text : {std::string("text"), std::string(70000, 'x'), zeros_and_text}) {
    write_file(folder / "text", text);
    std::error_code ec;
    EXPECT_FALSE(journal::open(folder / "text", ec).is_open());
    EXPECT_EQ(ec, leat::errc::bad_journal);
    EXPECT_EQ(ec, std::errc::bad_message);
    EXPECT_FALSE(journal_reader::open(folder / "text", ec).is_open());
    EXPECT_EQ(ec, leat::errc::bad_journal);
    journal::recover(folder / "text", ec);
    EXPECT_EQ(ec, leat::errc::bad_journal);
    EXPECT_EQ(read_all(folder / "text"), text);
  }
  std::error_code ec;
  journal::recover(folder / "none", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(journal_reader::open(folder / "none", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_THROW(static_cast<void>(journal::open(folder / "none/deeper")), leat::io_error);
}

TEST(journal, later_versions_are_refused) {
  std::vector<stored_record> all;
  std::string bytes = journal_of({"a"}, all);
  for (const std::size_t at : {0u, 24u}) {  // both headers say version 2, and have a right checksum
    bytes[at + 16] = 2;
    const std::string position{static_cast<char>(at), 0, 0, 0, 0, 0, 0, 0};
    const std::uint32_t sum = leat::crc32c(position + bytes.substr(at, 20));
    for (unsigned i = 0; i != 4; ++i) bytes[at + 20 + i] = static_cast<char>(sum >> 8 * i);
  }
  EXPECT_THROW(reader_of_bytes{bytes}, leat::io_error);
  bytes[16] = bytes[40] = 1;
  EXPECT_THROW(reader_of_bytes{bytes}, leat::io_error)
      << "the checksums of the headers cover the version";
}

TEST(journal, a_new_file_that_a_crash_left_incomplete_is_created_again) {
  std::vector<stored_record> all;
  const std::string bytes = journal_of({"record"}, all);
  const temporary_folder folder;
  std::vector<std::string> all_left{std::string(100, '\0'), std::string(20000, '\0')};
  for (std::size_t size = 1; size != 48; ++size) all_left.push_back(bytes.substr(0, size));
  all_left.push_back(bytes.substr(0, 24) + std::string(10, '\0'));
  for (const std::string& left : all_left) {
    SCOPED_TRACE(left.size());
    write_file(folder / "j", left);
    if (left.front() != '\0') {
      auto torn = journal_reader::open(folder / "j");
      EXPECT_TRUE(remaining_records(torn).empty());
      EXPECT_EQ(torn.torn(), left.size());
    }
    auto out = journal::open(folder / "j");
    EXPECT_EQ(out.cut(), left.front() == '\0' ? 0 : left.size());
    out.append("new");
    out.close();
    auto in = journal_reader::open(folder / "j");
    const auto found = remaining_records(in);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].bytes, "new");
    EXPECT_EQ(in.damage().ranges, 0u);
  }
}

}  // namespace
