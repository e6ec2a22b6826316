// Damaged journals (write-ahead logs): whatever bytes a file has, readers and writers do not crash,
// readers return only written records, and a writer cuts only the tail.
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input;

using stored_record = std::pair<std::uint64_t, std::string>;

/// Returns all records that a reader finds, with their positions.
std::vector<stored_record> records_of(const std::string& bytes) {
  leat::volatile_file disk(bytes);
  std::vector<stored_record> found;
  try {
    leat::journal_reader in(disk.open());
    for (const auto& record : in) found.emplace_back(record.position, record.bytes);
    fuzz::expect(in.torn() <= bytes.size() && in.damage().bytes <= bytes.size(),
                 "more torn or damaged bytes than the file has");
    for (const auto& [position, text] : found)
      fuzz::expect_equal(in.read_at(position), text, "read_at() of a record's position");
  } catch (const leat::io_error& error) {
    fuzz::expect(error.code() == leat::errc::bad_journal, "the error is not bad_journal");
  }
  return found;
}

void drive(fuzz::input& in) {
  leat::volatile_file disk;
  std::vector<stored_record> written;
  std::string bytes;
  {
    // With syncs, preallocated zeros follow the records.
    const bool syncs = in.below(2) == 0;
    leat::journal out(disk.open(),
                      {.durability = syncs ? leat::durability::system : leat::durability::none});
    for (std::size_t n = in.below(12); n != 0; --n) {
      std::string text = in.text(100);
      if (in.below(8) == 0) text.append(in.integer<std::uint16_t>(), 'x');
      const std::uint64_t position = out.append(text, in.integer<std::uint8_t>());
      written.emplace_back(position, std::move(text));
      if (syncs) out.sync();
    }
    if (syncs) bytes = disk.content();
    out.close();
  }
  if (bytes.empty()) bytes = disk.content();
  fuzz::expect(records_of(bytes) == written, "a reader does not return all written records");
  for (std::size_t n = in.below(10); n != 0; --n) {
    const std::size_t at = in.below(bytes.size());
    switch (in.below(5)) {
      case 0:
        bytes.resize(at + 1);
        break;
      case 4:
        bytes.append(in.integer<std::uint16_t>(), '\0');
        break;
      case 1:
        bytes.insert(at, in.text(30));
        break;
      case 2:
        bytes.replace(at, 1, 1, static_cast<char>(in.integer<std::uint8_t>()));
        break;
      default: {
        const std::string piece = bytes.substr(in.below(bytes.size()), in.below(200));
        bytes.replace(at, piece.size(), piece);
      }
    }
  }
  bytes += in.rest();
  const auto found = records_of(bytes);
  for (const auto& found_record : found)
    fuzz::expect(std::find(written.begin(), written.end(), found_record) != written.end(),
                 "a reader returns a record that was not written");
  leat::volatile_file damaged(bytes);
  try {
    leat::journal out(damaged.open());
    if (out.size() > 48) {
      // The writer cuts the tail, and may rewrite the headers in the first 48 bytes.
      const std::string left = damaged.content();
      fuzz::expect_text(left.substr(48), bytes.substr(48, left.size() - 48),
                        "the bytes before the cut tail");
      const auto rest = records_of(damaged.content());
      for (const auto& found_record : found)
        fuzz::expect(std::find(rest.begin(), rest.end(), found_record) != rest.end(),
                     "the writer has removed a readable record");
    }
    out.append("one more");
    out.close();
    auto records_after = records_of(damaged.content());
    fuzz::expect(!records_after.empty() && records_after.back().second == "one more",
                 "the appended record is not the last record");
    if (bytes.size() >= 48) return;
    leat::journal_reader reopened(damaged.open());
    for ([[maybe_unused]] const auto& record : reopened) continue;
    fuzz::expect_equal(reopened.damage().ranges, 0U, "the damaged ranges of a new journal");
  } catch (const leat::io_error& error) {
    fuzz::expect(error.code() == leat::errc::bad_journal, "the error is not bad_journal");
  }
}

const fuzz::driver self("journal", drive);

}  // namespace
