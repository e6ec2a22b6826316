// The appending side of a journal: recovery at opening, framing of records, clear(). journal.cpp
// uses journal_core.
#include "journal/journal_core.hpp"

#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "device/system.hpp"
#include "device/transfer.hpp"
#include "journal/records.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

namespace {

using journals::block_header_size;
using journals::chunk_header_size;

/// When the scratch memory holds this many bytes of records, the bytes are passed to the writer.
constexpr std::size_t scratch_size = 256 << 10;
/// Room for one more chunk, with the headers and the padding around it.
constexpr std::size_t scratch_slack = journals::block_size + 3 * block_header_size;

/// Returns a random number. Two journals practically never get the same number.
std::uint64_t random_id() {
  std::uint64_t id = 0;
  for (int i = 0; i != 2; ++i) {
    for (const char c : random_name()) id = id * 41 + static_cast<unsigned char>(c);
  }
  return id;
}

/// Both headers of the first block.
std::array<char, 2 * block_header_size> first_headers(std::uint64_t id) noexcept {
  std::array<char, 2 * block_header_size> bytes;
  journals::put_block_header(bytes.data(), id, 0);
  journals::put_block_header(bytes.data() + block_header_size, id, block_header_size);
  return bytes;
}

/// Makes sure that the first `size` bytes contain the identity. If no header in these bytes is
/// valid, a later header that is about to be cut off may be the only valid header. So the first
/// headers are written again and synced.
void keep_identity(device& target, const journals::identity& journal_id, std::uint64_t size,
                   std::error_code& ec) {
  failure why;
  journals::find_identity(
      [&](std::uint64_t at, std::span<char> into, std::error_code& failed) {
        return read_all(target, at, into, failed);
      },
      size, why);
  if (why.code != errc::bad_journal) {
    ec = why.code;
    return;
  }
  const auto headers = first_headers(journal_id.id);
  const std::string_view bytes(headers.data(), headers.size());
  write_all(target, 0, {&bytes, 1}, ec);
  if (!ec) target.sync(ec);
}

}  // namespace

namespace detail {

journal_core::recovery_result journal_core::recover_end(device& target, failure& why) {
  recovery_result recovered;
  const device_traits traits = target.traits();
  std::error_code ec;
  if (!traits.positional || traits.appends) {
    why = {std::make_error_code(traits.refusal()), "open"};
    return recovered;
  }
  const std::uint64_t size = target.size(ec);
  if (ec) {
    why = {ec, "get the size of"};
    return recovered;
  }
  if (size == 0) return recovered;
  const auto read = [&](std::uint64_t at, std::span<char> into, std::error_code& failed) {
    return read_all(target, at, into, failed);
  };
  recovered.identity = journals::find_identity(read, size, why);
  if (why.code == errc::bad_journal) {
    failure unreadable;
    if (journals::is_uninitialized(read, size, unreadable)) why = {};
    if (unreadable) why = unreadable;
  } else if (!why) {
    recovered.end = journals::find_end(read, recovered.identity, size, recovered.after_damage, why);
    if (recovered.end > size)
      recovered.end = 0;  // the second header is torn, so the journal is new
  }
  if (why || recovered.end >= size) return recovered;
  std::uint64_t torn_end = journals::find_end_of_tail(read, recovered.end, size, ec);
  if (recovered.end == 0 && torn_end != 0) torn_end = size;  // the first headers are torn
  if (ec) {
    why = journals::failed_read(ec, recovered.end);
    return recovered;
  }
  recovered.cut = torn_end - recovered.end;
  if (recovered.end != 0) keep_identity(target, recovered.identity, recovered.end, ec);
  if (!ec) target.resize(recovered.end, ec);
  // The cut is synced before a new record is written. Without this sync, a crash could leave parts
  // of the old tail between parts of a new record.
  if (!ec) target.sync(ec);
  if (ec) why = {ec, "cut", recovered.end};
  return recovered;
}

journal_core::journal_core(opened_device opened, const options& settings, std::string_view name,
                           const recovery_result& recovered, file_lock guard)
    : device_(opened.target.get()),
      name_(name),
      file_lock_(std::move(guard)),
      out_(opening::make<file_writer>(std::move(opened), settings, name)),
      identity_(recovered.identity),
      position_(recovered.end),
      cut_(recovered.cut),
      needs_mark_(recovered.after_damage) {
  if (recovered.end == 0) identity_ = journals::identity(random_id());
  enlist();
}

failure journal_core::begin(durability level) noexcept {
  const call_guard guard(*this);
  failure why = below().seek(out_, position_);
  if (why || position_ != 0) return why;
  put_first_headers();
  return level == durability::system ? below().flush(out_, true) : failure{};
}

void journal_core::put_first_headers() noexcept {
  const auto headers = first_headers(identity_.id);
  out_.write(std::string_view(headers.data(), headers.size()));
  position_ = headers.size();
}

/// Frames a record in the scratch memory, and writes the scratch memory when it is full. Sets
/// `position` to the record's position.
void journal_core::put_in_scratch(std::string_view bytes, std::uint8_t kind,
                                  std::uint64_t& position) noexcept {
  using journals::chunk_type;
  if (journals::block_size - position_ % journals::block_size < chunk_header_size) add_padding();
  if (position_ % journals::block_size == 0) add_block_header();
  position = position_;
  for (bool begins = true;; begins = false) {
    const auto room =
        static_cast<std::size_t>(journals::block_size - position_ % journals::block_size);
    const std::size_t n = std::min(bytes.size(), room - chunk_header_size);
    const bool ends = n == bytes.size();
    const chunk_type type = begins ? (ends ? journals::whole : journals::first)
                                   : (ends ? journals::last : journals::middle);
    char* const to = scratch_.get() + scratch_used_;
    if (n != 0) std::memcpy(to + chunk_header_size, bytes.data(), n);
    journals::put_chunk_header(identity_, position_, to, bytes.substr(0, n), type, kind);
    scratch_used_ += chunk_header_size + n;
    position_ += chunk_header_size + n;
    if (ends) return;
    bytes.remove_prefix(n);
    add_block_header();
    if (scratch_used_ >= scratch_size) write_scratch();
  }
}

/// Adds a mark and syncs the mark. If the rest of the block has no room for a mark, does nothing.
/// The mark is added before the first new record and not at opening, so that opening changes as
/// little as possible.
failure journal_core::add_mark() noexcept {
  needs_mark_ = false;
  if (journals::block_size - position_ % journals::block_size < chunk_header_size ||
      position_ % journals::block_size == 0)
    return {};
  char bytes[chunk_header_size];
  journals::put_chunk_header(identity_, position_, bytes, {}, journals::mark, 0);
  out_.write(std::string_view(bytes, sizeof bytes));
  position_ += sizeof bytes;
  return below().flush(out_, true);
}

void journal_core::add_padding() noexcept {
  const auto n = static_cast<std::size_t>(journals::block_size - position_ % journals::block_size);
  std::memset(scratch_.get() + scratch_used_, 0, n);
  scratch_used_ += n;
  position_ += n;
}

void journal_core::add_block_header() noexcept {
  journals::put_block_header(scratch_.get() + scratch_used_, identity_.id, position_);
  scratch_used_ += block_header_size;
  position_ += block_header_size;
}

void journal_core::write_scratch() noexcept {
  if (scratch_used_ != 0) out_.write(std::string_view(scratch_.get(), scratch_used_));
  scratch_used_ = 0;
}

failure journal_core::append(std::span<const std::string_view> records, std::uint8_t kind,
                             std::span<std::uint64_t> positions) noexcept {
  const call_guard guard(*this);
  if (opened_before_fork_)
    return {std::make_error_code(std::errc::operation_not_supported), "append"};
  if (needs_mark_) {  // append_quickly() has added no record: the writer has no buffer yet
    if (const failure why = add_mark()) return why;
  }
  bool written = false;
  std::size_t index = 0;
  for (const std::string_view bytes : records) {
    std::uint64_t position = position_;
    if (scratch_used_ != 0 || !put_in_buffer(bytes, kind)) {
      if (scratch_ == nullptr) {
        scratch_.reset(new (std::nothrow) char[scratch_size + scratch_slack]);
        if (scratch_ == nullptr)
          return {std::make_error_code(std::errc::not_enough_memory), "append", position_};
      }
      put_in_scratch(bytes, kind, position);
      // After this record, the writer may have room in its buffer again, so the scratch memory is
      // written at once. A writer without a buffer gets more records in one call.
      if (room(out_) != 0 || scratch_used_ >= scratch_size) write_scratch();
      written = true;
    }
    if (index < positions.size()) positions[index++] = position;
  }
  if (!written) return {};
  write_scratch();
  return below().status(out_).code ? below().flush(out_, false) : failure{};
}

failure journal_core::flush_or_sync(bool sync) noexcept {
  std::uint64_t before;
  unsigned clears;
  {
    const call_guard guard(*this);
    before = position_;
    clears = clears_;
  }
  const failure why = shared_sink::flush(out_, sync);
  const call_guard guard(*this);
  // Another thread may have cleared the journal meanwhile.
  if (!why && clears == clears_ && flushed_ < before) flushed_ = before;
  return why;
}

/// Empties the journal and gives the journal a new identity. If old bytes reappear after a crash,
/// the new identity makes them invalid.
failure journal_core::clear() noexcept {
  const call_guard guard(*this);
  if (opened_before_fork_)
    return {std::make_error_code(std::errc::operation_not_supported), "clear"};
  // After this flush, no byte is pending. Without the flush, old bytes that had not reached
  // the disk could appear after the new end when the system crashes.
  if (const failure why = below().flush(out_, true)) return why;
  std::error_code ec;
  device_->resize(0, ec);
  if (ec) return {ec, "clear"};
  device_->sync(ec);
  identity_ = journals::identity(random_id());
  ++clears_;
  position_ = flushed_ = 0;
  needs_mark_ = false;
  failure why = below().seek(out_, 0);
  if (!why) {
    put_first_headers();
    why = below().flush(out_, true);
  }
  return ec ? failure{ec, "clear"} : why;
}

failure journal_core::close_file() noexcept {
  const failure why = shared_sink::close(out_);
  device_ = nullptr;
  std::error_code unimportant;
  file_lock_.unlock(unimportant);
  return why;
}

failure journal_core::read_at(std::uint64_t position, std::string& into) {
  const call_guard guard(*this);
  if (position >= flushed_ && !opened_before_fork_) {
    if (const failure why = below().flush(out_, false)) return why;
    flushed_ = position_;
  }
  std::uint8_t kind = 0;
  return journals::read_record(
      [&](std::uint64_t at, std::span<char> bytes, std::error_code& ec) {
        return read_all(*device_, at, bytes, ec);
      },
      identity_, position, into, kind);
}

std::uint64_t journal_core::size() const noexcept {
  const call_guard guard(*this);
  return position_;
}

}  // namespace detail

}  // namespace v0
}  // namespace leat
