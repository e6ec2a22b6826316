// The reading side of a journal: records in order, single records, and damage. journal_reader.cpp
// uses journal_scan.
#include "journal/journal_scan.hpp"

#include <algorithm>
#include <mutex>

#include "base/short_lock.hpp"
#include "journal/records.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

using journals::block;
using journals::block_header_size;
using journals::block_start;
using journals::chunk_header_size;
using journals::first_chunk_offset;

namespace {

constexpr std::size_t scan_buffer_size = 8 * journals::block_size;
/// At most this many runs of damaged bytes are listed.
constexpr std::size_t most_listed = 1000;
/// gather() first reads at most this many bytes of each record.
constexpr std::size_t most_gathered = 1024;

}  // namespace

std::size_t journal_scan::read(std::uint64_t at, std::span<char> into,
                               std::error_code& ec) const noexcept {
  const std::uint64_t size = file_.size(ec);
  if (ec || at >= size) return 0;
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size - at));
  file_.read_at(at, into.first(n), ec);
  if (ec == errc::ended_early) {  // the file was cut meanwhile
    ec.clear();
    return 0;
  }
  return ec ? 0 : n;
}

failure journal_scan::identify() {
  std::error_code ec;
  const std::uint64_t size = file_.size(ec);
  if (ec) return {ec, "get the size of"};
  if (size == 0) return {};
  const auto bytes = [this](std::uint64_t at, std::span<char> into, std::error_code& failed) {
    return read(at, into, failed);
  };
  failure why;
  const auto found = journals::find_identity(bytes, size, why);
  if (!why) {
    identity_ = found;
    is_identified_.store(true, std::memory_order_release);
    return {};
  }
  // A writer may be about to write the first headers, or the rest of the first headers.
  failure unreadable;
  if (why.code != errc::bad_journal || !journals::is_uninitialized(bytes, size, unreadable))
    return unreadable ? unreadable : why;
  // A part of the first headers counts as torn. Zeros do not count as torn, because zeros are
  // written ahead of records.
  torn_ = journals::find_end_of_tail(bytes, 0, size, ec) == 0 ? 0 : size;
  return ec ? journals::failed_read(ec, 0) : failure{};
}

block journal_scan::load(std::uint64_t at, failure& why) {
  const bool is_buffered = buffer_size_ != 0 && at >= buffer_at_ && at < buffer_at_ + buffer_size_;
  const auto offset = static_cast<std::size_t>(is_buffered ? at - buffer_at_ : 0);
  // The last buffer ends at the end of the file. The file may have grown, so next() reads the end
  // again.
  if (!is_buffered) {
    if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<char[]>(scan_buffer_size);
    std::error_code ec;
    buffer_size_ = read(at, {buffer_.get(), scan_buffer_size}, ec);
    buffer_at_ = at;
    final_end_ = last_ending_chunk_;
    if (ec) {
      buffer_size_ = 0;
      why = journals::failed_read(ec, at);
    }
  }
  return {at, std::string_view(buffer_.get(), buffer_size_).substr(offset, journals::block_size)};
}

bool journal_scan::has_intact_headers(const journals::identity& journal_id,
                                      const block& current) noexcept {
  bool other_version = false;
  for (std::size_t at = 0; at != first_chunk_offset(current.at); at += block_header_size) {
    if (journals::block_header_at(current.bytes.data() + at, current.at + at, other_version) !=
        journal_id.id)
      return false;
  }
  return true;
}

std::optional<std::uint64_t> journal_scan::find_chunk(const journals::identity& journal_id,
                                                      std::uint64_t at, failure& why) {
  std::optional<std::uint64_t> found;
  bool ends = false;
  for (std::uint64_t block_at = block_start(at);; block_at += journals::block_size) {
    // Looks through the rest of the buffer, too, so that each of many small damaged ranges does not
    // cost a read.
    if (ends && block_at >= buffer_at_ + buffer_size_) return found;
    const block current = load(block_at, why);
    if (why || current.bytes.empty()) return {};
    const std::size_t from = std::max(first_chunk_offset(block_at),
                                      block_at < at ? static_cast<std::size_t>(at - block_at) : 0);
    for (auto c = journals::next_chunk(journal_id, current, from); c;
         c = journals::next_chunk(journal_id, current, c->end())) {
      if (!found) {
        found = block_at + c->at;
        if (*found <= last_ending_chunk_) return found;
      }
      if (!c->ends_record()) continue;
      ends = true;
      last_ending_chunk_ = block_at + c->at;
    }
    if (!current.is_whole()) return ends ? found : std::nullopt;
  }
}

void journal_scan::count_damage(std::uint64_t begin, std::uint64_t end) {
  begin = std::max(begin, counted_end_);
  if (begin >= end || end <= seek_position_) return;
  counted_end_ = end;
  auto& list = damage_.list;
  damage_.bytes += end - begin;
  if (strict_ && !damage_at_) {
    damage_at_ = begin;
    damage_size_ = end - begin;
  }
  if (!list.empty() && list.back().at + list.back().size == begin) {
    list.back().size += end - begin;
    return;
  }
  ++damage_.ranges;
  if (list.size() < most_listed) list.push_back({begin, end - begin});
}

bool journal_scan::next(journal_record& into, failure& why) {
  if (!is_identified_.load(std::memory_order_relaxed)) {
    why = identify();
    if (why || !is_identified_.load(std::memory_order_relaxed)) return false;
  }
  const journals::identity& journal_id = identity_;
  if (next_ >= buffer_at_ + buffer_size_) buffer_size_ = 0;  // the file may have grown
  torn_ = 0;
  // The buffer may be older than the file: a writer may have put a chunk where the buffer has
  // zeros. So, if a later chunk is seen, the buffer is read again. If the new buffer has no chunk
  // at the position either, the position is damaged.
  bool is_fresh = buffer_size_ == 0;
  std::optional<std::uint64_t> doubted_gap;
  bool collecting = false;
  std::uint64_t begin = 0;   // start of the record whose chunks are collected
  std::uint64_t before = 0;  // end of the chunk before this record
  std::uint8_t kind = 0;
  gaps_.clear();
  confirmed_gaps_.clear();
  std::uint64_t at = next_;
  std::uint64_t scanned_end = at;  // the end of the last chunk, or of the damage after it
  const auto end_scan = [&] {
    next_ = collecting ? before : scanned_end;
    buffer_size_ = 0;
    std::error_code ec;
    const std::uint64_t size = file_.size(ec);
    if (ec) why = {ec, "get the size of"};
    // The first headers are torn as a whole, or not at all: opening repairs damaged headers.
    const std::uint64_t first = first_chunk_offset(0);
    const std::uint64_t kept = size < first ? 0 : std::max(next_, first);
    if (ec || size <= kept) return false;
    const std::uint64_t end = journals::find_end_of_tail(
        [this](std::uint64_t from, std::span<char> bytes, std::error_code& failed) {
          return read(from, bytes, failed);
        },
        kept, size, ec);
    if (ec)
      why = journals::failed_read(ec, kept);
    else
      torn_ = (kept == 0 ? size : end) - kept;
    return false;
  };
  const auto read_again = [&](std::uint64_t resume_at) {
    buffer_size_ = 0;
    is_fresh = true;
    at = resume_at;
  };
  const auto read_again_if_stale = [&] {
    if (is_fresh) return false;
    read_again(at);
    return true;
  };
  /// Counts a range as damage, and also the confirmed gaps before the range. Drops the collected
  /// chunks.
  const auto skip = [&](std::uint64_t from, std::uint64_t to) {
    for (const byte_range& gap : confirmed_gaps_) {
      if (gap.at < from) count_damage(gap.at, gap.at + gap.size);
    }
    confirmed_gaps_.clear();
    count_damage(from, to);
    scanned_end = std::max(scanned_end, to);
    collecting = false;
  };
  /// If a strict reader must report damage now, sets `why` and returns true. The next call then
  /// continues at `resume_at`.
  const auto reports_damage = [&](std::uint64_t resume_at) {
    if (!damage_at_) return false;
    why = {errc::damaged, "read", *damage_at_, 0, damage_size_};
    damage_at_.reset();
    next_ = resume_at;
    return true;
  };
  if (seek_position_ > at) {  // a record may begin exactly at `seek_position_`
    const block current = load(block_start(seek_position_), why);
    if (why) return false;
    const auto offset = static_cast<std::size_t>(seek_position_ - current.at);
    const auto c = offset < first_chunk_offset(current.at)
                       ? std::nullopt
                       : journals::chunk_at(journal_id, current, offset);
    if (c && c->begins_record()) at = scanned_end = next_ = seek_position_;
  }
  for (;;) {
    const std::uint64_t block_at = block_start(at);
    const block current = load(block_at, why);
    if (why) return false;
    const auto offset = static_cast<std::size_t>(at - block_at);
    const std::size_t headers_size = first_chunk_offset(block_at);
    if (offset < headers_size) {
      if (current.bytes.size() < headers_size) {
        if (read_again_if_stale()) continue;
        return end_scan();
      }
      at = block_at + headers_size;
      // The first headers belong to no record. A later header may be inside a record.
      if (!has_intact_headers(journal_id, current))
        gaps_.push_back({block_at, headers_size});
      else if (block_at == 0)
        scanned_end = at;
      continue;
    }
    if (offset >= current.bytes.size()) {
      if (current.is_whole() && offset == journals::block_size) {
        at = block_at + journals::block_size;
        continue;
      }
      if (read_again_if_stale()) continue;
      return end_scan();
    }
    if (journals::block_size - offset < chunk_header_size) {
      if (!current.is_whole()) {
        if (read_again_if_stale()) continue;
        return end_scan();
      }
      const std::string_view padding = current.bytes.substr(offset);
      if (!std::all_of(padding.begin(), padding.end(), [](char c) { return c == '\0'; }))
        gaps_.push_back({at, padding.size()});
      at = block_at + journals::block_size;
      continue;
    }
    const auto c = journals::chunk_at(journal_id, current, offset);
    if (!c) {
      const bool is_final = at < final_end_;
      if (!is_final && read_again_if_stale()) continue;
      const auto found = find_chunk(journal_id, at, why);
      if (why) return false;
      if (!found) return end_scan();
      if (!is_final) {
        read_again(at);
        continue;
      }
      gaps_.clear();
      skip(collecting ? begin : scanned_end, *found);
      inside_record_ = false;
      at = next_ = *found;
      if (reports_damage(at)) return false;
      continue;
    }
    if (!gaps_.empty() && doubted_gap != gaps_.front().at) {
      doubted_gap = gaps_.front().at;
      read_again(gaps_.front().at);
      gaps_.clear();
      continue;
    }
    confirmed_gaps_.insert(confirmed_gaps_.end(), gaps_.begin(), gaps_.end());
    gaps_.clear();
    const std::uint64_t end = block_at + c->end();
    if (c->type == journals::mark || (collecting && (c->begins_record() || c->kind != kind)))
      skip(collecting ? begin : at, at);
    if (c->begins_record()) inside_record_ = false;
    if (c->type == journals::first) {
      collecting = true;
      begin = at;
      before = scanned_end;
      kind = c->kind;
      joined_record_.assign(current.bytes.data() + c->begin(), c->size);
    } else if (c->type == journals::middle || c->type == journals::last) {
      if (collecting)
        joined_record_.append(current.bytes.data() + c->begin(), c->size);
      else  // the record's start is damaged or, if inside_record_ is set, was skipped by seek()
        skip(inside_record_ ? end : scanned_end, end);
    }
    const bool ends = c->type == journals::whole || (c->type == journals::last && collecting);
    const std::uint64_t position = c->type == journals::whole ? at : begin;
    if (ends) skip(end, end);
    scanned_end = end;
    if (!ends || position < seek_position_) {
      at = end;
      if (!collecting) next_ = at;
      if (reports_damage(collecting ? begin : at)) return false;
      continue;
    }
    if (reports_damage(position)) return false;
    next_ = end;
    into.position = position;
    into.kind = c->kind;
    into.bytes = c->type == journals::whole ? current.bytes.substr(c->begin(), c->size)
                                            : std::string_view(joined_record_);
    return true;
  }
}

void journal_scan::seek(std::uint64_t position) noexcept {
  next_ = block_start(position);
  seek_position_ = position;
  counted_end_ = 0;
  inside_record_ = next_ != 0;
  torn_ = 0;
}

failure journal_scan::read_at(std::uint64_t position, std::string& into, std::uint8_t& kind) const {
  if (!is_identified_.load(std::memory_order_acquire))
    return {errc::no_such_record, "read", position};
  return journals::read_record([this](std::uint64_t at, std::span<char> bytes,
                                      std::error_code& ec) { return read(at, bytes, ec); },
                               identity_, position, into, kind);
}

failure journal_scan::gather(std::span<const std::uint64_t> positions,
                             const journal_reader::visitor& each) const {
  if (positions.empty()) return {};
  if (!is_identified_.load(std::memory_order_acquire))
    return {errc::no_such_record, "read", positions.front()};
  const journals::identity& journal_id = identity_;
  std::error_code ec;
  const std::uint64_t size = file_.size(ec);
  if (ec) return {ec, "get the size of"};
  std::vector<byte_range> ranges;
  ranges.reserve(positions.size());
  for (const std::uint64_t at : positions) {
    if (at >= size || size - at < chunk_header_size) return {errc::no_such_record, "read", at};
    const std::uint64_t longest = std::min(size - at, block_start(at) + journals::block_size - at);
    ranges.push_back({at, std::min<std::uint64_t>(longest, most_gathered)});
  }
  short_lock lock;
  std::vector<std::size_t> remaining;
  file_.read_ranges(
      ranges,
      [&](std::string_view bytes, std::size_t index) {
        const std::uint64_t at = positions[index];
        const auto c = at % journals::block_size < first_chunk_offset(block_start(at))
                           ? std::nullopt
                           : journals::chunk_at(journal_id, {at, bytes}, 0);
        if (c && c->type == journals::whole) {
          each({at, bytes.substr(c->begin(), c->size), c->kind}, index);
          return;
        }
        const std::lock_guard guard(lock);
        remaining.push_back(index);
      },
      ec);
  if (ec) return {ec, "read"};
  // The remaining records are read one by one. Each remaining record is damaged, is missing, or is
  // longer than the bytes that read_ranges() has read.
  std::string bytes;
  for (const std::size_t index : remaining) {
    const std::uint64_t at = positions[index];
    std::uint8_t kind = 0;
    const failure why =
        journals::read_record([this](std::uint64_t from, std::span<char> into,
                                     std::error_code& failed) { return read(from, into, failed); },
                              journal_id, at, bytes, kind);
    if (why) return why;
    each({at, bytes, kind}, index);
  }
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
