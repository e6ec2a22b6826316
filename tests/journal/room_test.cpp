// Room of a journal (write-ahead log): if small records are synced repeatedly, the journal writes
// zeros after its records. Later records overwrite the zeros. Also: readers of a journal with room
// while a writer works.
#include <gtest/gtest.h>
#include <leat/journal.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "journal/journal_model.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#if defined(HAS_FORK)
#  include "support/process.hpp"
#endif

namespace {

using namespace leat_test;
using leat::durability;
using leat::journal;
using leat::journal_reader;
using leat::journal_record;

const leat::journal_options synced_options{.durability = durability::system};

/// Appends `count` random records. Syncs after each record.
void append_synced(journal& to, std::vector<stored_record>& all, int count,
                   std::mt19937_64& random) {
  for (int i = 0; i != count; ++i) {
    append(to, all, random_bytes(random, random() % 300), static_cast<std::uint8_t>(random()));
    to.sync();
  }
}

/// Checks that all bytes from `end` on are zero. Returns the number of these bytes.
std::size_t zeros_after(const std::string& bytes, std::uint64_t end) {
  EXPECT_EQ(bytes.find_first_not_of('\0', static_cast<std::size_t>(end)), std::string::npos);
  return bytes.size() - static_cast<std::size_t>(end);
}

TEST(journal_room, grows_at_syncs_and_is_cut_off_by_close) {
  std::mt19937_64 random(1);
  leat::volatile_file disk;
  std::vector<stored_record> all;
  journal out(disk.open(), synced_options);
  EXPECT_EQ(disk.content().size(), out.size());  // no room before a second sync
  append_synced(out, all, 200, random);
  const std::string bytes = disk.content();
  EXPECT_GE(zeros_after(bytes, out.size()), 4096u);
  EXPECT_LE(zeros_after(bytes, out.size()), std::size_t{256} << 10);
  {
    reader_of_bytes in(bytes);
    EXPECT_TRUE(remaining_records(in.reader) == all);
    EXPECT_EQ(in.reader.damage().ranges, 0u);
    EXPECT_EQ(in.reader.torn(), 0u);
    std::vector<std::uint64_t> positions;
    for (const auto& one : all) positions.push_back(one.position);
    in.reader.gather(positions, [&](const journal_record& record, std::size_t index) {
      EXPECT_EQ(record.bytes, all[index].bytes);
    });
    for (const std::uint64_t nowhere : {out.size(), out.size() + 1, std::uint64_t{bytes.size()}}) {
      std::error_code ec;
      EXPECT_EQ(in.reader.read_at(nowhere, ec), "");
      EXPECT_EQ(ec, leat::errc::no_such_record);
      in.reader.seek(nowhere);
      journal_record record;
      EXPECT_FALSE(in.reader.next(record));
      EXPECT_EQ(in.reader.torn(), 0u);
    }
  }
  EXPECT_EQ(out.read_at(all.back().position), all.back().bytes);
  const std::uint64_t end = out.size();
  out.close();
  EXPECT_EQ(disk.content(), bytes.substr(0, static_cast<std::size_t>(end)));
}

TEST(journal_room, is_not_made_for_large_writes_or_without_syncs) {
  leat::volatile_file disk;
  journal out(disk.open(), {.durability = durability::system, .flush = leat::flush_when::call});
  out.append("one");
  const std::size_t with_room = disk.content().size();
  for (int i = 0; i != 10000; ++i) out.append(std::string(100, 'x'));
  EXPECT_GT(out.size(), 2 * with_room);
  EXPECT_EQ(disk.content().size(), out.size());
  for (int i = 0; i != 10; ++i) {
    out.append(std::string(100000, 'x'));
    out.sync();
    EXPECT_EQ(disk.content().size(), out.size());
  }
  for (const auto level : {durability::none, durability::process}) {
    leat::volatile_file other;
    journal plain(other.open(), {.durability = level});
    for (int i = 0; i != 10; ++i) {
      plain.append("one");
      plain.sync();
    }
    EXPECT_EQ(other.content().size(), plain.size());
  }
}

TEST(journal_room, left_by_a_killed_writer_is_cut_by_the_next_writer) {
  std::mt19937_64 random(2);
  const temporary_folder folder;
  std::vector<stored_record> all;
  leat::volatile_file disk;
  journal out(disk.open(), synced_options);
  append_synced(out, all, 20, random);
  const auto end = static_cast<std::size_t>(out.size());
  const std::string bytes = disk.content();
  out.close();
  for (const auto level : {durability::none, durability::process, durability::system}) {
    write_file(folder / "j", bytes);
    auto next = journal::open(folder / "j", {.durability = level});
    EXPECT_EQ(next.cut(), 0u);
    EXPECT_EQ(read_all(folder / "j"), bytes.substr(0, end));
    std::vector<stored_record> more = all;
    append_synced(next, more, 20, random);
    next.close();
    auto in = journal_reader::open(folder / "j");
    EXPECT_TRUE(remaining_records(in) == more);
    EXPECT_EQ(in.damage().ranges + in.torn(), 0u);
  }
  write_file(folder / "j", bytes);
  EXPECT_EQ(journal::recover(folder / "j"), 0u);
  EXPECT_EQ(read_all(folder / "j"), bytes.substr(0, end));
  // Torn bytes in the room are counted without the zeros after them.
  std::string torn = bytes;
  torn.replace(end, 3, "abc");
  write_file(folder / "j", torn);
  EXPECT_EQ(journal::recover(folder / "j"), 3u);
  EXPECT_EQ(read_all(folder / "j"), bytes.substr(0, end));
}

TEST(journal_room, with_a_changed_bit_is_a_torn_tail) {
  std::mt19937_64 random(3);
  std::vector<stored_record> all;
  leat::volatile_file disk;
  journal out(disk.open(), synced_options);
  append_synced(out, all, 5, random);
  const std::string bytes = disk.content();
  const auto end = static_cast<std::size_t>(out.size());
  out.close();
  for (std::size_t bit = 8 * end; bit < 8 * bytes.size();
       bit += bit < 8 * end + 800 ? 1 : 1 + random() % 20000) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    reader_of_bytes in(changed);
    ASSERT_TRUE(remaining_records(in.reader) == all) << bit;
    ASSERT_EQ(in.reader.damage().ranges, 0u) << bit;
    ASSERT_EQ(in.reader.torn(), bit / 8 + 1 - end) << bit;
    leat::volatile_file file(changed);
    journal next(file.open());
    ASSERT_EQ(next.cut(), bit / 8 + 1 - end) << bit;
    next.close();
    ASSERT_EQ(file.content(), bytes.substr(0, end)) << bit;
  }
}

/// Records of zeros, and zeros in records of several blocks, are not taken for room.
TEST(journal_room, records_of_zeros_are_not_mistaken_for_room) {
  for (const std::size_t lost : {std::size_t{0}, std::size_t{1}, std::size_t{100}}) {
    leat::volatile_file disk;
    std::vector<stored_record> all;
    journal out(disk.open(), synced_options);
    for (const std::size_t size : {0u, 1u, 100u, 40000u, 100000u, 3u}) {
      append(out, all, std::string(size, '\0'));
      out.sync();
    }
    std::string bytes = disk.content().substr(0, static_cast<std::size_t>(out.size() - lost));
    bytes.append(100000, '\0');
    reader_of_bytes in(bytes);
    // The zeros of the room replace record bytes that were cut off. If the header of the last
    // record is cut off, too, this record is lost.
    if (lost > 3) all.pop_back();
    EXPECT_TRUE(remaining_records(in.reader) == all);
    EXPECT_EQ(in.reader.damage().ranges + in.reader.torn(), 0u);
    out.close();
  }
}

/// A power cut may lose sectors while later sectors have reached the disk.
TEST(journal_room, lost_sectors_before_a_last_record_are_damage) {
  const loss_recorder losses;
  leat::volatile_file disk;
  std::vector<stored_record> all;
  {
    journal out(disk.open(), synced_options);
    for (int i = 0; i != 3; ++i) {
      append(out, all, "synced");
      out.sync();
    }
    const std::size_t before = disk.unsynced();
    EXPECT_EQ(before, 0u);
    append(out, all, std::string(1000, 'a'));
    append(out, all, std::string(1000, 'b'));
    out.append(std::string(70000, 'c'));  // writes out the buffer
    std::vector<std::size_t> surviving;
    for (std::size_t i = 2; i != 20; ++i) surviving.push_back(i);
    ASSERT_GT(disk.unsynced(), 20u);
    disk.cut_power(surviving);
  }
  std::vector<stored_record> kept(all.begin(), all.begin() + 3);
  kept.push_back(all[4]);
  journal next(disk.open(), synced_options);
  EXPECT_GT(next.cut(), 0u);
  append(next, kept, "more");
  next.sync();
  journal_reader in(disk.open());
  EXPECT_TRUE(remaining_records(in) == kept);
  EXPECT_EQ(in.damage().ranges, 1u);
  EXPECT_EQ(in.torn(), 0u);
}

// --- full disks

/// A disk of `size` bytes.
class small_disk final : public leat::device {
 public:
  small_disk(std::unique_ptr<leat::device> below, std::uint64_t size)
      : below_(std::move(below)), size_(size) {}

  leat::device_traits traits() const noexcept override { return below_->traits(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    return below_->read_at(at, into, ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    if (at >= size_) {
      ec = std::make_error_code(std::errc::no_space_on_device);
      return 0;
    }
    const std::string_view fits = pieces.front().substr(0, static_cast<std::size_t>(size_ - at));
    return below_->write_at(at, {&fits, 1}, ec);
  }
  std::uint64_t size(std::error_code& ec) const noexcept override { return below_->size(ec); }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    below_->resize(size, ec);
  }
  void sync(std::error_code& ec) noexcept override { below_->sync(ec); }
  void close(std::error_code& ec) noexcept override { below_->close(ec); }

 private:
  std::unique_ptr<leat::device> below_;
  std::uint64_t size_;
};

TEST(journal_room, takes_no_space_that_a_record_needs) {
  const loss_recorder losses;
  for (const std::uint64_t size : {100u, 4000u, 5000u, 70000u, 90000u}) {
    leat::volatile_file disk;
    journal out(std::make_unique<small_disk>(disk.open(), size), synced_options);
    std::vector<stored_record> all;
    std::error_code ec;
    const std::string text(20, 'x');
    for (;;) {
      const auto at = out.append(text, ec);
      if (!ec) out.sync(ec);
      if (ec) break;
      all.push_back({at, text, 0});
    }
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    // `used` is the end of the last record. One more record, in two chunks with a block header
    // between the chunks, needs more space than the disk has left.
    const std::uint64_t used = all.empty() ? 48 : all.back().position + 8 + text.size();
    EXPECT_LT(size - used, 8 + text.size() + 24 + 8);
    out.close(ec);
    journal_reader in(disk.open());
    EXPECT_TRUE(remaining_records(in) == all) << size;
    EXPECT_EQ(in.damage().ranges, 0u);
  }
}

/// In each round, another write fails. The journal reports the failed write of a record, but not
/// the failed write of room.
TEST(journal_room, a_failed_write_of_room_is_not_reported) {
  const loss_recorder losses;
  const auto no_space = std::make_error_code(std::errc::no_space_on_device);
  std::size_t unreported = 0;
  for (std::uint64_t n = 1; n != 30; ++n) {
    std::mt19937_64 random(n);
    leat::volatile_file disk;
    leat::fault_plan faults({{.in = leat::device_operation::write, .nth = n, .ec = no_space}});
    std::vector<stored_record> all;
    std::error_code ec;
    try {
      journal out(std::make_unique<leat::failing_device>(disk.open(), faults), synced_options);
      append_synced(out, all, 20, random);
      out.close();
      ++unreported;
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.code(), no_space);
      if (!all.empty()) all.pop_back();
    }
    journal_reader in(disk.open());
    EXPECT_TRUE(remaining_records(in) == all) << n;
  }
  // A round makes 22 writes, and one of them writes room: if this write fails, nothing is reported.
  // The last 7 of the 29 rounds have no fault.
  EXPECT_EQ(unreported, 1 + 29 - 22u);
}

TEST(journal_room, is_not_made_on_a_device_that_cannot_be_resized) {
  class fixed_device final : public leat::device {
   public:
    explicit fixed_device(std::unique_ptr<leat::device> below) : below_(std::move(below)) {}
    leat::device_traits traits() const noexcept override { return below_->traits(); }
    std::size_t read_at(std::uint64_t at, std::span<char> into,
                        std::error_code& ec) noexcept override {
      return below_->read_at(at, into, ec);
    }
    std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                         std::error_code& ec) noexcept override {
      return below_->write_at(at, pieces, ec);
    }
    std::uint64_t size(std::error_code& ec) const noexcept override { return below_->size(ec); }
    void sync(std::error_code& ec) noexcept override { below_->sync(ec); }
    void close(std::error_code& ec) noexcept override { below_->close(ec); }

   private:
    std::unique_ptr<leat::device> below_;
  };
  std::mt19937_64 random(7);
  leat::volatile_file disk;
  std::vector<stored_record> all;
  for (int opened = 0; opened != 3; ++opened) {
    journal out(std::make_unique<fixed_device>(disk.open()), synced_options);
    append_synced(out, all, 10, random);
    EXPECT_EQ(disk.content().size(), out.size());
    out.close();
  }
  journal_reader in(disk.open());
  EXPECT_TRUE(remaining_records(in) == all);
}

// --- readers during a writer's work

TEST(journal_room, does_not_hide_later_records_from_a_reader) {
  const temporary_folder folder;
  std::mt19937_64 random(4);
  auto out = journal::open(folder / "j", synced_options);
  auto in = journal_reader::open(folder / "j");
  std::vector<stored_record> all;
  std::size_t next = 0;
  journal_record record;
  for (int i = 0; i != 1000; ++i) {
    append(out, all, random_bytes(random, random() % 2000));
    out.sync();
    for (std::size_t goal = next + random() % (all.size() - next + 1); next < goal; ++next) {
      ASSERT_TRUE(in.next(record));
      ASSERT_EQ(record.bytes, all[next].bytes);
    }
    if (next == all.size()) {
      ASSERT_FALSE(in.next(record));
    }
  }
  for (; next != all.size(); ++next) {
    ASSERT_TRUE(in.next(record));
    ASSERT_EQ(record.bytes, all[next].bytes);
  }
  out.close();
  EXPECT_FALSE(in.next(record));
  EXPECT_EQ(in.damage().ranges, 0u);
}

TEST(journal_room, a_reader_during_writes_sees_no_damage) {
  const temporary_folder folder;
  auto out = journal::open(folder / "j",
                           {.durability = durability::system, .flush = leat::flush_when::call});
  constexpr std::size_t count = 20000;
  const auto text = [](std::size_t i) {
    return std::to_string(i) + std::string(i % 50 == 0 ? 5000 + i : i % 400, 'x');
  };
  std::thread writer([&] {
    for (std::size_t i = 0; i != count; ++i) {
      out.append(text(i));
      if (i % 200 == 0) out.sync();
    }
  });
  auto in = journal_reader::open(folder / "j");
  std::size_t next = 0;
  while (next != count) {
    journal_record record;
    if (!in.next(record)) continue;
    if (record.bytes != text(next++)) break;
  }
  writer.join();
  EXPECT_EQ(next, count);
  EXPECT_EQ(in.damage().ranges, 0u);
}

/// A file in which a part becomes visible later than the bytes after the part. The first `reads`
/// reads of more than 100 bytes find zeros in this part.
class late_write_device final : public leat::device {
 public:
  late_write_device(std::string bytes, std::size_t late_at, std::size_t late_size, int reads)
      : bytes_(std::move(bytes)), content_before_(bytes_), early_reads_(reads) {
    std::fill_n(content_before_.begin() + static_cast<std::ptrdiff_t>(late_at), late_size, '\0');
  }
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    const std::string& from = into.size() > 100 && early_reads_-- > 0 ? content_before_ : bytes_;
    const std::size_t n = std::min(into.size(), from.size() - static_cast<std::size_t>(at));
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), n, into.begin());
    return n;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code&) noexcept override {
    return 0;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return bytes_.size();
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::string bytes_, content_before_;
  int early_reads_;
};

TEST(journal_room, bytes_written_between_two_reads_of_a_reader_are_no_damage) {
  std::mt19937_64 random(5);
  std::vector<std::string> records;
  for (int i = 0; i != 100; ++i) records.push_back(random_bytes(random, random() % 3000));
  records.push_back(random_bytes(random, 3 * block));
  for (int i = 0; i != 10; ++i) records.push_back(random_bytes(random, random() % 3000));
  std::vector<stored_record> all;
  const std::string bytes = journal_of(records, all);
  for (int round = 0; round != 300; ++round) {
    const std::size_t at = 100 + random() % (bytes.size() - 100);
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 1 + random() % 40000);
    for (const int reads : {1, 2}) {
      journal_reader in(std::make_unique<late_write_device>(bytes, at, size, reads));
      std::vector<stored_record> found = remaining_records(in);
      const auto more =
          remaining_records(in);  // the first call may have taken the late part for the end
      found.insert(found.end(), more.begin(), more.end());
      ASSERT_TRUE(found == all || (reads == 2 && in.damage().ranges != 0)) << at << ' ' << size;
      if (reads == 1) {
        ASSERT_EQ(in.damage().ranges, 0u) << at << ' ' << size;
      }
    }
  }
}

#if defined(HAS_FORK)
TEST(journal_room, is_not_cut_by_a_forked_child) {
  std::mt19937_64 random(6);
  const temporary_folder folder;
  std::vector<stored_record> all;
  auto out = journal::open(folder / "j", synced_options);
  append_synced(out, all, 10, random);
  const std::string before = read_all(folder / "j");
  EXPECT_GT(before.size(), out.size());
  const auto ended = run_in_child([&] {
    std::error_code ec;
    out.close(ec);
    return 0;
  });
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(read_all(folder / "j"), before);
  append_synced(out, all, 10, random);
  out.close();
  auto in = journal_reader::open(folder / "j");
  EXPECT_TRUE(remaining_records(in) == all);
}
#endif

}  // namespace
