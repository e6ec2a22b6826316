// Journals (write-ahead logs) with leat.h.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/journal.hpp>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace {

using namespace leat_test;

/// With LEAT_DURABILITY_SYSTEM, zeros follow the records while a writer has the journal open: room
/// for later records. A reader treats the zeros as the end, not as damage.
TEST(c_journals, a_reader_ends_at_the_preallocated_zeros) {
  const temporary_folder folder;
  const std::string path = folder / "j";
  leat_journal_options options{};
  options.durability = LEAT_DURABILITY_SYSTEM;
  leat_journal* const out = leat_journal_open(path.c_str(), &options);
  ASSERT_NE(out, nullptr);
  leat_journal_reader* const in = leat_journal_reader_open(path.c_str(), nullptr);
  ASSERT_NE(in, nullptr);
  leat_journal_record record;
  for (int i = 0; i != 5; ++i) {
    EXPECT_EQ(leat_journal_append(out, "one", 3, 7, nullptr), 0);
    EXPECT_EQ(leat_journal_sync(out), 0);
    EXPECT_EQ(leat_journal_next(in, &record), 1);
    EXPECT_EQ(record.size, 3u);
    EXPECT_EQ(leat_journal_next(in, &record), 0);
    const leat_journal_damage skipped = leat_journal_skipped(in);
    EXPECT_EQ(skipped.ranges + skipped.torn, 0u);
  }
  EXPECT_GT(read_all(path).size(), leat_journal_size(out));
  const std::uint64_t size = leat_journal_size(out);
  EXPECT_EQ(leat_journal_close(out), 0);
  EXPECT_EQ(read_all(path).size(), size);
  leat_journal_reader_close(in);
}

TEST(c_journals, readers_return_the_written_records) {
  const temporary_folder folder;
  const std::string path = folder / "j";
  for (const auto durability :
       {LEAT_DURABILITY_NONE, LEAT_DURABILITY_PROCESS, LEAT_DURABILITY_SYSTEM}) {
    leat_journal_options options{};
    options.durability = durability;
    options.each = durability == LEAT_DURABILITY_SYSTEM ? 1 : 0;
    leat_journal* const out = leat_journal_open(path.c_str(), &options);
    ASSERT_NE(out, nullptr);
    std::vector<std::uint64_t> positions(4);
    EXPECT_EQ(leat_journal_append(out, "one", 3, 7, positions.data()), 0);
    const std::string large(100000, 'x');
    const leat_piece pieces[] = {{"", 0}, {large.data(), large.size()}, {"four", 4}};
    EXPECT_EQ(leat_journal_append_all(out, pieces, 3, 9, &positions[1]), 0);
    EXPECT_EQ(leat_journal_append(out, "five", 4, 0, nullptr), 0);
    char small[3];
    size_t size = 0;
    EXPECT_EQ(leat_journal_get(out, positions[0], small, 3, &size), 0);
    EXPECT_EQ(std::string(small, size), "one");
    EXPECT_EQ(leat_journal_get(out, positions[3], small, 3, &size), -1);
    EXPECT_EQ(errno, ERANGE);
    EXPECT_EQ(size, 4u);
    EXPECT_EQ(leat_journal_get(out, positions[3] + 1, small, 3, &size), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(leat_journal_open(path.c_str(), nullptr), nullptr);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(leat_journal_flush(out), 0);
    EXPECT_EQ(leat_journal_sync(out), 0);
    EXPECT_GT(leat_journal_size(out), positions[3]);
    EXPECT_EQ(leat_journal_close(out), 0);

    leat_journal_reader* const in = leat_journal_reader_open(path.c_str(), nullptr);
    ASSERT_NE(in, nullptr);
    leat_journal_seek(in, positions[0]);
    std::string all;
    leat_journal_record record;
    while (leat_journal_next(in, &record) == 1)
      all += std::to_string(record.kind) + ':' + std::to_string(record.size) + ' ';
    EXPECT_EQ(all, "7:3 9:0 9:100000 9:4 0:4 ");
    EXPECT_EQ(leat_journal_next(in, &record), 0);
    EXPECT_EQ(leat_journal_read_at(in, positions[3], &record), 0);
    EXPECT_EQ(std::string(static_cast<const char*>(record.bytes), record.size), "four");
    EXPECT_EQ(record.kind, 9);
    EXPECT_EQ(record.position, positions[3]);
    EXPECT_EQ(leat_journal_read_at(in, 3, &record), -1);
    EXPECT_EQ(errno, EINVAL);
    std::vector<size_t> sizes(4);
    const auto visit = [](const leat_journal_record* gathered, size_t index, void* context) {
      (*static_cast<std::vector<size_t>*>(context))[index] = gathered->size;
    };
    EXPECT_EQ(leat_journal_gather(in, positions.data(), positions.size(), visit, &sizes), 0);
    EXPECT_EQ(sizes, (std::vector<size_t>{3, 0, 100000, 4}));
    EXPECT_EQ(leat_journal_skipped(in).ranges, 0u);
    leat_journal_reader_close(in);
  }
}

TEST(c_journals, damage_is_reported) {
  const temporary_folder folder;
  const std::string path = folder / "j";
  leat_journal* const out = leat_journal_open(path.c_str(), nullptr);
  ASSERT_NE(out, nullptr);
  std::uint64_t second = 0;
  leat_journal_append(out, "one", 3, 0, nullptr);
  leat_journal_append(out, "two", 3, 0, &second);
  leat_journal_append(out, "three", 5, 0, nullptr);
  EXPECT_EQ(leat_journal_close(out), 0);
  std::string bytes = read_all(path);
  bytes[second + 8] ^= 1;
  write_file(path, bytes + "torn");
  leat_journal_record record;
  leat_journal_read_options options{};
  options.strict = 1;
  leat_journal_reader* in = leat_journal_reader_open(path.c_str(), &options);
  EXPECT_EQ(leat_journal_next(in, &record), 1);
  EXPECT_EQ(leat_journal_next(in, &record), -1);
  EXPECT_EQ(errno, EBADMSG);
  EXPECT_EQ(leat_journal_next(in, &record), 1);
  EXPECT_EQ(leat_journal_next(in, &record), 0);
  const leat_journal_damage skipped = leat_journal_skipped(in);
  EXPECT_EQ(skipped.ranges, 1u);
  EXPECT_EQ(skipped.bytes, 11u);
  EXPECT_EQ(skipped.torn, 4u);
  leat_journal_reader_close(in);
  EXPECT_EQ(leat_journal_recover(path.c_str()), 4);
  EXPECT_EQ(leat_journal_recover(path.c_str()), 0);
  EXPECT_EQ(read_all(path), bytes);
  write_file(path, "no journal, but a text with more bytes than a header");
  EXPECT_EQ(leat_journal_recover(path.c_str()), -1);
  EXPECT_EQ(errno, EBADMSG);
  EXPECT_EQ(leat_journal_reader_open(path.c_str(), nullptr), nullptr);
  EXPECT_EQ(errno, EBADMSG);
  EXPECT_EQ(leat_journal_recover((folder / "none").c_str()), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(leat_journal_close(nullptr), 0);
  leat_journal_reader_close(nullptr);
}

}  // namespace
