// Finds the identity, a record and the end of a journal. The readers and writers of journals share
// these functions.
#pragma once

#include <leat/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "journal/frames.hpp"

namespace leat {
inline namespace v0 {
namespace journals {

// In the functions below, read(at, into, ec) reads into.size() bytes from `at` on. read() returns
// the count of bytes read: less than into.size() only at the end of the file. On failure read()
// sets `ec`.

/// Returns the failure of a read of a journal at `at`.
inline failure failed_read(std::error_code ec, std::uint64_t at) noexcept {
  return {ec, "read", at};
}

/// Returns the identity from the first valid header: earlier headers may be damaged. If a read
/// fails, sets `why`. If no header is valid, or if a header of another version comes first, sets
/// `why` to errc::bad_journal.
template <class Read>
identity find_identity(Read&& read, std::uint64_t size, failure& why) {
  bool other_version = false;
  std::error_code ec;
  for (std::uint64_t at = 0; at < size;
       at = at == 0 ? block_header_size : block_start(at) + block_size) {
    char bytes[block_header_size];
    const std::size_t n = read(at, std::span<char>(bytes), ec);
    if (ec) {
      why = failed_read(ec, at);
      return {};
    }
    if (n != block_header_size) break;
    if (const auto id = block_header_at(bytes, at, other_version)) return identity(*id);
    if (other_version) break;
  }
  why = {errc::bad_journal, "open"};
  return {};
}

/// True if the file has only a part of the first headers, or only zeros: a crash before the first
/// sync of a journal leaves such a file. If a read fails, sets `why` and returns false.
template <class Read>
bool is_uninitialized(Read&& read, std::uint64_t size, failure& why) {
  char bytes[4096];
  for (std::uint64_t at = 0; at < size;) {
    std::error_code ec;
    const std::size_t n = read(at, std::span<char>(bytes), ec);
    if (ec) why = failed_read(ec, at);
    if (ec || n == 0) return false;
    const std::string_view some(bytes, n);
    if (at == 0 && size < 2 * block_header_size && magic.starts_with(some.substr(0, magic.size())))
      return true;
    if (skip_zeros(some, 0) != n) return false;
    at += n;
  }
  return true;
}

/// Reads the record at `position` into `into`, and its kind. If no intact record begins at
/// `position`, returns errc::no_such_record. If a read fails, returns the failure of the read.
/// After an error, `into` may hold a part of a record.
template <class Read>
failure read_record(Read&& read, const identity& journal_id, std::uint64_t position,
                    std::string& into, std::uint8_t& kind) {
  constexpr std::size_t first_read_size = 4096;
  const failure none{errc::no_such_record, "read", position};
  into.clear();
  if (position > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return none;
  std::string piece;
  for (std::uint64_t at = position;;) {
    const std::uint64_t block_at = block_start(at);
    const auto offset = static_cast<std::size_t>(at - block_at);
    if (offset < first_chunk_offset(block_at) || block_size - offset < chunk_header_size)
      return none;
    std::error_code ec;
    std::size_t wanted = std::min(first_read_size, block_size - offset);
    piece.resize(wanted);
    std::size_t n = read(at, std::span(piece), ec);
    if (ec) return failed_read(ec, at);
    if (n < chunk_header_size) return none;
    const std::size_t needed = chunk_header_size + load<std::uint16_t>(piece.data() + 4);
    if (needed > block_size - offset) return none;
    if (needed > n && n == wanted) {
      piece.resize(needed);
      n += read(at + n, std::span(piece).subspan(n), ec);
      if (ec) return failed_read(ec, at);
    }
    const auto part = chunk_at(journal_id, {at, std::string_view(piece.data(), n)}, 0);
    if (!part || part->begins_record() != (at == position) ||
        (at != position && part->kind != kind))
      return none;
    kind = part->kind;
    into.append(piece.data() + part->begin(), part->size);
    if (part->ends_record()) return {};
    at = block_at + block_size + first_chunk_offset(block_at + block_size);
  }
}

/// Returns the end of the torn tail after the last record, which ends at `from`. Zeros at the end
/// are room and not part of the tail. Returns `from` if there is no tail. If a read fails, sets
/// `ec` and returns `size`.
template <class Read>
std::uint64_t find_end_of_tail(Read&& read, std::uint64_t from, std::uint64_t size,
                               std::error_code& ec) {
  std::string bytes(block_size, '\0');
  for (std::uint64_t end = size; end > from;) {
    const std::uint64_t begin = std::max(from, block_start(end - 1));
    const std::size_t n =
        read(begin, std::span(bytes).first(static_cast<std::size_t>(end - begin)), ec);
    if (ec) return size;
    for (std::size_t i = n; i != 0; --i) {
      if (bytes[i - 1] != '\0') return begin + i;
    }
    end = begin;
  }
  return from;
}

/// Returns the end of the last record or mark, or of the first headers if there is no record and no
/// mark. The bytes after this end are a torn tail, or room. If the last record's block has damage
/// before this record, and no mark after this record, sets `after_damage`. If a read fails, sets
/// `why` and returns 0.
template <class Read>
std::uint64_t find_end(Read&& read, const identity& journal_id, std::uint64_t size,
                       bool& after_damage, failure& why) {
  std::string bytes(block_size, '\0');
  for (std::uint64_t at = block_start(size);; at -= block_size) {
    std::error_code ec;
    const std::size_t n = read(at, std::span(bytes), ec);
    if (ec) {
      why = failed_read(ec, at);
      return 0;
    }
    const block current{at, std::string_view(bytes).substr(0, n)};
    std::size_t end = 0, expected = first_chunk_offset(at);
    bool damage = false;
    for (auto c = next_chunk(journal_id, current, expected, true); c;
         c = next_chunk(journal_id, current, expected, true)) {
      damage = damage || c->at != expected;
      expected = c->end();
      if (!c->ends_record()) continue;
      end = c->end();
      after_damage = damage && c->type != mark;
    }
    if (end != 0) return at + end;
    if (at == 0) return first_chunk_offset(0);
  }
}

}  // namespace journals
}  // namespace v0
}  // namespace leat
