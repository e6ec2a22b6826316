// The appending side of a journal. journal.cpp uses journal_core.
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/file_stream.hpp>
#include <leat/journal.hpp>
#include <leat/lock.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "journal/frames.hpp"
#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Frames records and puts them into a writer, under a lock. As a shared sink, a journal_core
/// supports threads, syncs, fork and exit like a stream, but no other writer is above it.
class journal_core final : public shared_sink {
 public:
  /// The result of recover_end().
  struct recovery_result {
    journals::identity identity;
    std::uint64_t end = 0;      // end of the last record or mark, or of the headers; 0: none
    std::uint64_t cut = 0;      // bytes of the torn tail
    bool after_damage = false;  // the last record has damage before it and no mark after it
  };

  /// Recovers a journal: finds the journal's end, and cuts off all bytes after the end. Syncs the
  /// cut. On an error, sets `why`.
  static recovery_result recover_end(device& target, failure& why);

  journal_core(opened_device opened, const options& settings, std::string_view name,
               const recovery_result& recovered, file_lock guard);
  ~journal_core() { delist(); }
  void dispose(writer&) noexcept override {}

  /// Seeks to the end of the journal. For a new journal, writes the first headers. If `level` is
  /// durability::system, syncs these headers.
  failure begin(durability level) noexcept;

  /// If a record fits into the buffer and into the rest of the current block, adds the record, sets
  /// `position` to the record's position and returns true. Otherwise, and in a forked child, adds
  /// nothing and returns false.
  bool append_quickly(std::string_view bytes, std::uint8_t kind, std::uint64_t& position) noexcept {
    const call_guard guard(*this);
    position = position_;
    return put_in_buffer(bytes, kind);
  }
  /// Adds the records and sets `positions` to their positions, for as many records as `positions`
  /// has elements. Fails in a forked child (operation_not_supported), if there is no memory, or
  /// with the writer's error.
  failure append(std::span<const std::string_view> records, std::uint8_t kind,
                 std::span<std::uint64_t> positions) noexcept;
  failure flush_or_sync(bool sync) noexcept;
  /// Removes all records. Fails in a forked child (operation_not_supported).
  failure clear() noexcept;
  /// Flushes and closes the file, and then releases the file's lock.
  failure close_file() noexcept;
  /// Reads the record at `position`, also a record that is not in the file yet. If no intact record
  /// begins at `position`, returns errc::no_such_record. Throws std::bad_alloc.
  failure read_at(std::uint64_t position, std::string& into);

  std::uint64_t size() const noexcept;
  std::uint64_t cut() const noexcept { return cut_; }
  std::error_code error() const noexcept { return status(out_).code; }
  std::string_view title() const noexcept { return name_; }

 private:
  writer& target() const noexcept override { return out_; }
  void after_fork_in_child() noexcept override {
    opened_before_fork_ = true;
    // The parent's lock must end with the parent, even if this process lives longer.
    std::error_code unimportant;
    file_lock_.unlock(unimportant);
    shared_sink::after_fork_in_child();
  }

  bool put_in_buffer(std::string_view bytes, std::uint8_t kind) noexcept {
    using namespace journals;
    const auto offset = static_cast<std::size_t>(position_ % journals::block_size);
    const std::size_t size = chunk_header_size + bytes.size();
    if (offset == 0 || size > journals::block_size - offset || size > room(out_) ||
        opened_before_fork_)
      return false;
    char* const to = next(out_);
    copy_within(to + chunk_header_size, static_cast<std::ptrdiff_t>(room(out_) - chunk_header_size),
                bytes.data(), bytes.size());
    put_chunk_header(identity_, position_, to, bytes, whole, kind);
    advance(out_, size);
    position_ += size;
    return true;
  }
  void put_first_headers() noexcept;
  void put_in_scratch(std::string_view bytes, std::uint8_t kind, std::uint64_t& position) noexcept;
  failure add_mark() noexcept;
  void add_padding() noexcept;
  void add_block_header() noexcept;
  void write_scratch() noexcept;

  // The device, which out_ owns.
  device* device_;
  std::string name_;
  file_lock file_lock_;
  mutable file_writer out_;
  journals::identity identity_;
  std::uint64_t position_;     // position of the next byte
  std::uint64_t flushed_ = 0;  // the bytes before this position are in the file
  unsigned clears_ = 0;        // calls of clear()
  std::uint64_t cut_;
  bool needs_mark_;
  bool opened_before_fork_ = false;  // this process was forked while the journal was open

  // Scratch memory for records that do not fit into the buffer.
  std::unique_ptr<char[]> scratch_;
  std::size_t scratch_used_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
