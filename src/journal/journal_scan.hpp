// The reading side of a journal. journal_reader.cpp uses journal_scan.
#pragma once

#include <leat/journal.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/frames.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Scans a file block by block. Bytes that are not a chunk are damage if a record or a mark ends
/// after these bytes. Otherwise these bytes are a torn tail, or zeros written ahead.
class journal_scan {
 public:
  journal_scan(file source, bool strict) noexcept : file_(std::move(source)), strict_(strict) {}

  /// Reads the identity of the journal. If the file is empty, or has only zeros or a part of the
  /// first headers, succeeds without an identity.
  failure identify();

  /// Reads the next record. Returns false at the end. On failure sets `why` and returns false.
  bool next(journal_record& into, failure& why);
  /// Continues with the first record that begins at or after `position`.
  void seek(std::uint64_t position) noexcept;
  std::uint64_t tell() const noexcept { return std::max(next_, seek_position_); }

  /// read_at() and gather() read records at positions. Several threads may call both functions at
  /// once. If no intact record begins at a position, both functions return errc::no_such_record.
  /// Both functions throw std::bad_alloc.
  failure read_at(std::uint64_t position, std::string& into, std::uint8_t& kind) const;
  failure gather(std::span<const std::uint64_t> positions,
                 const journal_reader::visitor& each) const;

  const journal_damage& damage() const noexcept { return damage_; }
  std::uint64_t torn() const noexcept { return torn_; }
  const file& underlying() const noexcept { return file_; }

 private:
  /// Returns the block at `at`, or the part of this block that the file has. The bytes are valid
  /// until the next call of load(). If a read fails, sets `why`.
  journals::block load(std::uint64_t at, failure& why);
  /// Finds the first chunk at or after `at`. If this chunk or a later chunk ends a record, returns
  /// the position of the first chunk. Otherwise returns nothing. If a read fails, sets `why`.
  std::optional<std::uint64_t> find_chunk(const journals::identity& journal_id, std::uint64_t at,
                                          failure& why);
  static bool has_intact_headers(const journals::identity& journal_id,
                                 const journals::block& current) noexcept;
  void count_damage(std::uint64_t begin, std::uint64_t end);
  std::size_t read(std::uint64_t at, std::span<char> into, std::error_code& ec) const noexcept;

  file file_;
  bool strict_;
  // A journal that is empty at first gets its identity later, while other threads may read records.
  // So `identity_` is assigned only once, before `is_identified_` is set.
  journals::identity identity_;
  std::atomic<bool> is_identified_{false};

  std::unique_ptr<char[]> buffer_;
  std::uint64_t buffer_at_ = 0;
  std::size_t buffer_size_ = 0;  // 0: the buffer is empty
  // The last chunk that is known to end a record. Bytes before this chunk do not change any more,
  // and a search that begins before this chunk ends at the first chunk. Otherwise many damaged
  // ranges before one far chunk would make reading quadratic.
  std::uint64_t last_ending_chunk_ = 0;
  std::uint64_t final_end_ = 0;  // last_ending_chunk_ when the buffer was read

  std::uint64_t next_ = 0;           // the next position to read
  std::uint64_t seek_position_ = 0;  // records that begin before this position are skipped
  bool inside_record_ = false;       // a record that began before `next_` may end after `next_`
  std::uint64_t torn_ = 0;
  std::string joined_record_;  // a record of several chunks
  // Damaged headers and padding. Gaps are confirmed if a chunk follows, and count as damage if the
  // record of that chunk ends.
  std::vector<byte_range> gaps_, confirmed_gaps_;
  journal_damage damage_;
  std::uint64_t counted_end_ = 0;  // the end of the counted damage: a call may read the bytes again
  std::optional<std::uint64_t> damage_at_;  // strict: the damage that is not reported yet
  std::uint64_t damage_size_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
