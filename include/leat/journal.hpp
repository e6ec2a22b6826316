// Journals: files of records to which records are added, and which survive torn tails and bit rot.
// docs/journals.md has the format.
#pragma once

#include <leat/detail/chrono.hpp>
#include <leat/detail/function.hpp>
#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>
#include <leat/error.hpp>
#include <leat/file.hpp>
#include <leat/options.hpp>
#include <leat/path.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {

namespace detail {
class journal_core;
class journal_scan;
}  // namespace detail

/// A record of a journal.
struct journal_record {
  std::uint64_t position = 0;  ///< where it begins, in bytes from the start of the file
  std::string_view bytes;
  std::uint8_t kind = 0;  ///< as the program has said
};

/// How a journal is opened to write. Each member has a default: name only those that you change.
struct journal_options {
  /// process: a killed process loses no record whose append has returned. system: flush and close
  /// return when all records survive a crash of the machine, and so does the opening of a new
  /// journal; sync does at every level. With system, zeros are written ahead of the records where
  /// that makes syncs faster, up to 256 KiB; close cuts them off. See leat::durability.
  leat::durability durability = leat::durability::none;
  /// When records go to the file: when the window is `full`, or after each `call`. `line` is the
  /// same as `call`.
  leat::flush_when flush = leat::flush_when::full;
  std::size_t buffer_size = 0;                  ///< as in create_options
  std::chrono::milliseconds flush_interval{0};  ///< as in create_options
  bool background = false;                      ///< as in create_options
  std::uint64_t preallocate = 0;                ///< as in create_options
  unsigned permissions = 0666;                  ///< as in create_options
};

/// How a journal is read.
struct journal_read_options {
  /// Damage is an error (errc::damaged). Otherwise it is passed over, and damage() tells.
  bool strict = false;
  /// Also the records that a writer with durability::process keeps beside the file; as in
  /// open_options.
  bool live = false;
  /// How gather() visits the file, and whether the path may be an address or compressed.
  access_options access = {};
};

/// What a reader has passed over because it is not as it was written.
struct journal_damage {
  std::uint64_t places = 0;  ///< runs of damaged bytes
  std::uint64_t bytes = 0;   ///< all of their bytes
  /// Where they lie; of more than 1000 the first ones.
  std::vector<byte_range> list;
};

/// A file of records to which records are added. It can be moved. The destructor closes it, but
/// only close() reports whether all went well.
///
/// One journal has one writer at a time: it holds a lock on the file, and a second writer, in this
/// or another program, fails with device_or_resource_busy. Readers need no lock.
///
/// Opening a journal reads its end. A torn tail, as a kill or a crash leaves it, is cut there: the
/// bytes behind the last whole record. Damage that has a whole record behind it stays, and readers
/// pass over it.
///
/// The first failure is kept, as by a writer: later records are dropped and counted. append, flush,
/// sync and close tell of it, as leat::io_error or in a last argument `std::error_code&`. To go on,
/// for example after a full disk, close the journal and open it again.
///
///     auto log = leat::journal::open("orders");
///     const std::uint64_t place = log.append(order);
///     log.sync();                                   // now the customer may be told
///     for (auto record : leat::journal_reader::open("orders")) restore(record.bytes);
///
/// @par Threads
/// Several may use it at once. Threads that sync at the same time share one sync of the disk. In a
/// forked child it takes no records (operation_not_supported): the journal is the parent's.
class LEAT_API [[nodiscard]] journal {
 public:
  /// A closed journal.
  journal() noexcept;
  /// Over any device that has positions, which it owns; `name` is for messages. An empty device
  /// becomes a journal. No lock is taken.
  explicit journal(std::unique_ptr<device> on, const journal_options& how = {},
                   std::string_view name = "<device>");
  journal(journal&& other) noexcept;
  journal& operator=(journal&& other) noexcept;
  ~journal();

  /// Opens a journal, and makes it if the file does not exist or is empty. errc::bad_journal: the
  /// file is something else, or of a later version.
  static journal open(path_ref path, const journal_options& how = {});
  static journal open(path_ref path, const journal_options& how, std::error_code& ec);
  static journal open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }

  /// Cuts a torn tail, as opening does, and nothing else. Bytes that a killed process has left
  /// beside the file go into it first. Returns how many bytes were cut; zeros at the end of the
  /// file, the room of a killed writer, are cut too and don't count. The file must exist, and have
  /// no writer.
  static std::uint64_t recover(path_ref path);
  static std::uint64_t recover(path_ref path, std::error_code& ec);

  /// False if the journal is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return core_ != nullptr; }

  /// Adds a record, of any bytes and also of none. Returns its position, by which read_at() and
  /// gather() find it; positions grow from record to record. The bytes may wait in the window.
  /// `kind` is stored with the record, for the program to tell kinds apart.
  std::uint64_t append(std::string_view bytes, std::uint8_t kind = 0);
  std::uint64_t append(std::string_view bytes, std::uint8_t kind, std::error_code& ec) noexcept;
  std::uint64_t append(std::string_view bytes, std::error_code& ec) noexcept {
    return append(bytes, 0, ec);
  }
  std::uint64_t append(std::span<const std::byte> bytes, std::uint8_t kind = 0) {
    return append(text(bytes), kind);
  }
  std::uint64_t append(std::span<const std::byte> bytes, std::uint8_t kind,
                       std::error_code& ec) noexcept {
    return append(text(bytes), kind, ec);
  }
  /// Adds records, with none of another thread between them. Where each append writes, this writes
  /// once for all, up to 256 KiB. After a kill the first ones may be there without the others; what
  /// has to come together belongs into one record. Returns their positions.
  std::vector<std::uint64_t> append_all(std::span<const std::string_view> records,
                                        std::uint8_t kind = 0);
  std::vector<std::uint64_t> append_all(std::span<const std::string_view> records,
                                        std::uint8_t kind, std::error_code& ec);

  /// Writes all records to the device, so that readers see them; with durability::system they also
  /// survive a crash of the machine.
  void flush();
  void flush(std::error_code& ec) noexcept;
  /// Returns when all records that were added before survive a crash of the machine.
  void sync();
  void sync(std::error_code& ec) noexcept;
  /// Removes all records, for example when what they say is in another file, safely. When it
  /// returns, the removal survives a crash of the machine; a crash during the call leaves all
  /// records or none. The journal stays locked and open. Readers that are open have to be opened
  /// again.
  ///
  /// @since 0.3
  void clear();
  void clear(std::error_code& ec) noexcept;
  /// Flushes and closes. Throws io_error if any record was lost.
  void close();
  void close(std::error_code& ec) noexcept;

  /// The record at a position that append() has returned. Flushes first if it may still be in the
  /// window. errc::no_such_record: no whole record begins there.
  std::string read_at(std::uint64_t position);
  std::string read_at(std::uint64_t position, std::error_code& ec);

  /// Where the last record ends, in bytes from the start of the file.
  std::uint64_t size() const noexcept;
  /// Bytes of a torn tail that opening has cut, up to the last one that is not zero.
  std::uint64_t cut() const noexcept;
  /// The first failure so far, or a zero code. Bytes in the window may still fail.
  [[nodiscard]] std::error_code error() const noexcept;

 private:
  static std::string_view text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[noreturn]] void raise(const failure& what) const;

  std::unique_ptr<detail::journal_core> core_;  // null: closed
};

/// Reads a journal from start to end, or records at any position. It can be moved.
///
/// Damaged bytes are passed over, and damage() tells of them; no record is given that is not as it
/// was written. The end is where no whole record follows. So a torn tail, or a record that a live
/// writer has written in part, is the end, and next() goes on there once there is more.
///
/// @par Threads
/// One at a time; but several may call read_at() and gather() at once, also beside the others.
class LEAT_API [[nodiscard]] journal_reader {
 public:
  class iterator;

  /// A closed reader.
  journal_reader() noexcept;
  /// Over any device that has positions, which it owns; `name` is for messages.
  explicit journal_reader(std::unique_ptr<device> on, const journal_read_options& how = {},
                          std::string_view name = "<device>");
  journal_reader(journal_reader&& other) noexcept;
  journal_reader& operator=(journal_reader&& other) noexcept;
  ~journal_reader();

  /// Opens a journal to read. errc::bad_journal: the file is something else, or of a later version.
  /// An empty file is a journal without records.
  static journal_reader open(path_ref path, const journal_read_options& how = {});
  static journal_reader open(path_ref path, const journal_read_options& how, std::error_code& ec);
  static journal_reader open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }

  /// False if the reader is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return scan_ != nullptr; }
  void close() noexcept;

  /// Takes the next record. False at the end. Its bytes are valid until the next call that is not
  /// const.
  bool next(journal_record& into);
  bool next(journal_record& into, std::error_code& ec);
  /// Goes to a position: the next record is the first one that begins there or behind it. It may be
  /// any number, so that a file can be divided into parts.
  void seek(std::uint64_t position) noexcept;
  /// Where next() goes on, in bytes from the start of the file.
  std::uint64_t tell() const noexcept;
  /// The records from here on: `for (auto record : reader)`.
  iterator begin() &;
  static std::default_sentinel_t end() noexcept { return {}; }

  /// What was passed over so far.
  const journal_damage& damage() const noexcept;
  /// At the end: the bytes behind the last whole record, which recover() would cut, without zeros
  /// at the end of the file.
  std::uint64_t torn() const noexcept;

  /// The record at a position that append() has returned. errc::no_such_record: no whole record
  /// begins there. The last form also gives its kind.
  std::string read_at(std::uint64_t position) const;
  std::string read_at(std::uint64_t position, std::error_code& ec) const;
  std::string read_at(std::uint64_t position, std::uint8_t& kind, std::error_code& ec) const;
  /// Reads the records at these positions in one batch, by leat::file::read_ranges. Calls `each`
  /// once for each position, with its index in the list, in the order in which they come from the
  /// disk; with access_options::threads from several threads at once. errc::no_such_record: no
  /// whole record begins at one of them; others have been given.
  using visitor = std::function<void(std::size_t which, const journal_record& record)>;
  void gather(std::span<const std::uint64_t> positions, const visitor& each) const;
  void gather(std::span<const std::uint64_t> positions, const visitor& each,
              std::error_code& ec) const;

  /// The file under the records.
  const file& underlying() const noexcept;

 private:
  [[noreturn]] void raise(const failure& what) const;

  std::unique_ptr<detail::journal_scan> scan_;  // null: closed
};

/// The records of a reader, in one pass.
class journal_reader::iterator {
 public:
  using value_type = journal_record;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  iterator(iterator&&) noexcept = default;
  iterator& operator=(iterator&&) noexcept = default;

  const journal_record& operator*() const noexcept { return now_; }
  const journal_record* operator->() const noexcept { return &now_; }
  iterator& operator++() {
    more_ = of_->next(now_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return !i.more_; }

 private:
  friend class journal_reader;
  explicit iterator(journal_reader& of) : of_(&of), more_(of.next(now_)) {}

  journal_reader* of_;
  journal_record now_;
  bool more_;
};

inline journal_reader::iterator journal_reader::begin() & { return iterator(*this); }

}  // namespace v0
}  // namespace leat
