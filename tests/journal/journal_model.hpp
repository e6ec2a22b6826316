// Helpers for tests of the journal (write-ahead log): records with random bytes, and journals and
// readers in memory.
#pragma once

#include <gtest/gtest.h>
#include <leat/journal.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace leat_test {

/// The size of a journal's block in bytes
inline constexpr std::size_t block = 32 << 10;

/// A record with its position in the journal.
struct stored_record {
  std::uint64_t position = 0;
  std::string bytes;
  std::uint8_t kind = 0;
  bool operator==(const stored_record&) const = default;
};

/// Returns `size` random bytes.
inline std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

/// Appends a record, and adds it to `all`.
inline void append(leat::journal& to, std::vector<stored_record>& all, std::string bytes,
                   std::uint8_t kind = 0) {
  const std::uint64_t position = to.append(std::string_view(bytes), kind);
  all.push_back({position, std::move(bytes), kind});
}

/// Returns the records that a reader finds from the reader's position on.
inline std::vector<stored_record> remaining_records(leat::journal_reader& reader) {
  std::vector<stored_record> found;
  for (const auto& record : reader)
    found.push_back({record.position, std::string(record.bytes), record.kind});
  return found;
}

/// Returns the bytes of a journal with these records, which are also added to `all`.
inline std::string journal_of(const std::vector<std::string>& records,
                              std::vector<stored_record>& all) {
  leat::volatile_file disk;
  leat::journal out(disk.open());
  std::uint8_t kind = 0;
  for (const auto& bytes : records) append(out, all, bytes, kind++);
  out.close();
  return disk.content();
}

/// The position where the zeros at the end of `bytes` begin, at least `minimum`.
inline std::size_t end_without_zeros(const std::string& bytes, std::uint64_t minimum) {
  const auto last = bytes.find_last_not_of('\0');
  return std::max(static_cast<std::size_t>(minimum), last == std::string::npos ? 0 : last + 1);
}

/// A journal reader over a copy of these bytes.
class reader_of_bytes {
 public:
  explicit reader_of_bytes(std::string bytes, const leat::journal_read_options& options = {})
      : disk_(std::move(bytes)), reader(disk_.open(), options) {}

 private:
  leat::volatile_file disk_;

 public:
  leat::journal_reader reader;
};

}  // namespace leat_test
