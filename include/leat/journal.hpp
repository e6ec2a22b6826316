// Journals (write-ahead logs): append-only files of records that survive torn tails and bit rot.
// Classes journal and journal_reader. docs/journals.md has the format.
#pragma once

#include <leat/detail/cpp20.hpp>

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
  std::uint64_t position = 0;  ///< start of the record, in bytes from the start of the file
  std::string_view bytes;      ///< the content; next() and gather() say how long it is valid
  std::uint8_t kind = 0;       ///< the number that the program gave to append()
};

/// How a journal is opened to write. Each member has a default: name only the members that you
/// change.
struct journal_options {
  /// process: a killed process loses no record whose append has returned. system: flush, close, and
  /// the opening of a new journal return when all records survive a crash of the machine. sync has
  /// this guarantee with every durability. With system, if zeros after the records make syncs
  /// faster, up to 256 KiB of zeros are written ahead of the records; close cuts the zeros off. See
  /// leat::durability.
  leat::durability durability = leat::durability::none;
  /// When records go to the file: when the buffer is `full`, or after each `call`. `line` is the
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
  /// True: damage is an error (errc::damaged). False: damage is skipped; damage() reports it.
  bool strict = false;
  /// Also reads the pending records in the sidecar of a writer with durability::process; as in
  /// open_options.
  bool live = false;
  /// How gather() reads the file; whether it may be compressed, or an address in object storage.
  access_options access = {};
};

/// The damaged bytes that a reader has skipped.
struct journal_damage {
  std::uint64_t ranges = 0;  ///< runs of damaged bytes
  std::uint64_t bytes = 0;   ///< the bytes of all runs
  /// The runs; at most the first 1000.
  std::vector<byte_range> list;
};

/// An append-only file of records. Movable. The destructor closes the journal, and gives unreported
/// failures to the loss handler.
///
/// A journal has one writer at a time: the writer holds a lock on the file, and opening a second
/// writer, in this or another program, fails with device_or_resource_busy. Readers need no lock.
///
/// Opening a journal reads its end and cuts a torn tail: the bytes after the last whole record, as
/// a kill or a crash leaves them. Damage that is followed by a whole record stays, and readers skip
/// it.
///
/// The first failure is kept, as in a writer: later records are dropped and counted. append, flush,
/// sync and close report the failure, as leat::io_error or in a last argument `std::error_code&`.
/// To continue, for example after a full disk, close the journal and open it again.
///
///     auto log = leat::journal::open("orders");
///     const std::uint64_t position = log.append(order);
///     log.sync();                                   // now the order may be confirmed
///     for (auto record : leat::journal_reader::open("orders")) restore(record.bytes);
///
/// @par Threads
/// Several threads may use a journal at once. Threads that sync at the same time share one sync of
/// the disk. In a forked child, append and clear fail (operation_not_supported): the journal is the
/// parent's.
class LEAT_API [[nodiscard]] journal {
 public:
  /// A closed journal.
  journal() noexcept;
  /// A journal over any device with positions. Takes ownership of the device. If `on` is null, the
  /// journal is closed. `name` is for messages. An empty device becomes a journal. No lock is
  /// taken. Throws io_error.
  explicit journal(std::unique_ptr<device> on, const journal_options& how = {},
                   std::string_view name = "<device>");
  journal(journal&& other) noexcept;
  journal& operator=(journal&& other) noexcept;
  ~journal();

  /// Opens a journal. If the file is missing or empty, creates a journal. errc::bad_journal: the
  /// file is not a journal, or is from a later version.
  static journal open(path_ref path, const journal_options& how = {});
  static journal open(path_ref path, const journal_options& how, std::error_code& ec);
  static journal open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }

  /// Cuts a torn tail, as opening does. First recovers the pending bytes of a killed process.
  /// Returns the number of cut bytes. Zeros at the end of the file, which a killed writer has
  /// written ahead, are cut too but not counted. The file must exist, and have no writer.
  static std::uint64_t recover(path_ref path);
  static std::uint64_t recover(path_ref path, std::error_code& ec);

  /// False if the journal is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return core_ != nullptr; }

  /// Appends a record of any bytes, or of no bytes. Returns the record's position, for read_at()
  /// and gather(); positions increase from record to record. After an error the position is
  /// unspecified. The bytes may stay in the buffer until a flush. `kind` is stored with the record;
  /// the program chooses the meaning of `kind`.
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
  /// Appends records, without records of other threads between them. If each append writes,
  /// append_all writes once for all records, up to 256 KiB. append_all is not atomic: after a kill,
  /// the first records may exist without the later records. Use one record for data that must be
  /// complete. Returns the positions.
  std::vector<std::uint64_t> append_all(std::span<const std::string_view> records,
                                        std::uint8_t kind = 0);
  std::vector<std::uint64_t> append_all(std::span<const std::string_view> records,
                                        std::uint8_t kind, std::error_code& ec);

  /// Writes all records to the device, so that readers see them; with durability::system the
  /// records also survive a crash of the machine.
  void flush();
  void flush(std::error_code& ec) noexcept;
  /// Returns when all earlier records survive a crash of the machine.
  void sync();
  void sync(std::error_code& ec) noexcept;
  /// Removes all records, for example after a checkpoint to another file. After the return, the
  /// removal survives a crash of the machine; a crash during the call leaves all records or none.
  /// The journal stays locked and open. Open readers must be opened again.
  ///
  /// @since 0.3
  void clear();
  void clear(std::error_code& ec) noexcept;
  /// Flushes and closes. If any record was lost, or if closing fails, throws io_error.
  void close();
  void close(std::error_code& ec) noexcept;

  /// Returns the record at a position from append(). If the record may still be in the buffer,
  /// flushes first. errc::no_such_record: no whole record begins at the position.
  std::string read_at(std::uint64_t position);
  std::string read_at(std::uint64_t position, std::error_code& ec);

  /// The end of the last record, in bytes from the start of the file.
  std::uint64_t size() const noexcept;
  /// The number of bytes of a torn tail that opening has cut, without zeros at the end.
  std::uint64_t cut() const noexcept;
  /// The first failure so far, or a zero code; errc::closed if the journal is closed. Bytes in the
  /// buffer may still fail.
  [[nodiscard]] std::error_code error() const noexcept;

 private:
  static std::string_view text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[noreturn]] void raise(const failure& what) const;

  std::unique_ptr<detail::journal_core> core_;  // null: closed
};

/// Reads a journal from start to end, or records at any position. Movable.
///
/// Damaged bytes are skipped and reported by damage(); a damaged record is never returned. The end
/// is the position after which there is no whole record. So a torn tail, or a partly written record
/// of a live writer, is the end. When the file has more bytes, next() continues at the end.
///
/// @par Threads
/// One thread at a time may use a journal_reader. Exception: several threads may call read_at() and
/// gather() at once, also during calls of next() and seek().
class LEAT_API [[nodiscard]] journal_reader {
 public:
  class iterator;

  /// A closed reader.
  journal_reader() noexcept;
  /// A reader over any device with positions, which the reader owns. If `on` is null, the reader is
  /// closed. `name` is for messages. The option `live` has no effect. Throws io_error.
  explicit journal_reader(std::unique_ptr<device> on, const journal_read_options& how = {},
                          std::string_view name = "<device>");
  journal_reader(journal_reader&& other) noexcept;
  journal_reader& operator=(journal_reader&& other) noexcept;
  ~journal_reader();

  /// Opens a journal to read. errc::bad_journal: the file is not a journal, or is from a later
  /// version. A file that is empty, or has only zeros after a crash, is a journal without records.
  static journal_reader open(path_ref path, const journal_read_options& how = {});
  static journal_reader open(path_ref path, const journal_read_options& how, std::error_code& ec);
  static journal_reader open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }

  /// False if the reader is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return scan_ != nullptr; }
  void close() noexcept;

  /// Takes the next record. Returns false at the end and, with `ec`, after an error; `into` is then
  /// unspecified. The record's bytes are valid until the next non-const call.
  bool next(journal_record& into);
  bool next(journal_record& into, std::error_code& ec);
  /// Goes to a position: the next record is the first record that begins at or after the position.
  /// The position may be any number, so that a file can be divided into parts.
  void seek(std::uint64_t position) noexcept;
  /// The position at which next() continues, in bytes from the start of the file.
  std::uint64_t tell() const noexcept;
  /// The remaining records: `for (auto record : reader)`.
  iterator begin() &;
  static std::default_sentinel_t end() noexcept { return {}; }

  /// The damage skipped so far.
  const journal_damage& damage() const noexcept;
  /// At the end: the number of bytes after the last whole record, which recover() would cut,
  /// without zeros at the end of the file.
  std::uint64_t torn() const noexcept;

  /// Returns the record at a position from append(). errc::no_such_record: no whole record begins
  /// at the position. The last form also returns the record's kind.
  std::string read_at(std::uint64_t position) const;
  std::string read_at(std::uint64_t position, std::error_code& ec) const;
  std::string read_at(std::uint64_t position, std::uint8_t& kind, std::error_code& ec) const;
  /// Receives the record at positions[index]. The record's bytes are valid during the call.
  using visitor = std::function<void(const journal_record& record, std::size_t index)>;
  /// Reads the records at these positions in one batch, by leat::file::read_ranges. Calls `each`
  /// once for each position, with its index in the list, in the order of completion. With
  /// access_options::threads, several threads call `each` concurrently. errc::no_such_record: no
  /// whole record begins at one of the positions. `each` may have been called for other positions.
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

  const journal_record& operator*() const noexcept { return record_; }
  const journal_record* operator->() const noexcept { return &record_; }
  iterator& operator++() {
    has_record_ = reader_->next(record_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept {
    return !i.has_record_;
  }

 private:
  friend class journal_reader;
  explicit iterator(journal_reader& of) : reader_(&of), has_record_(of.next(record_)) {}

  journal_reader* reader_;
  journal_record record_;
  bool has_record_;
};

inline journal_reader::iterator journal_reader::begin() & { return iterator(*this); }

}  // namespace v0
}  // namespace leat
