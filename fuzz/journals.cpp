// Journals (write-ahead logs) in real files, written and read by C++ and by C with any options,
// compared with a list of records. fuzz/journal.cpp tests damaged journals.
#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/journal.hpp>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step;

struct record {
  std::uint64_t position;
  std::string bytes;
  std::uint8_t kind;
};

class journals {
 public:
  journals() : path_(fuzz::scratch() + "journal") { std::filesystem::remove(path_); }
  ~journals() { std::filesystem::remove(path_); }
  journals(const journals&) = delete;
  journals& operator=(const journals&) = delete;

  void make_call(input& in) {
    switch (in.below(7)) {
      case 0:
        return write_by_c(in);
      case 1:
        return read_by_c(in);
      case 2:
        return tear(in);
      case 3:
        return read(in);
      case 4:
        return damage(in);
      default:
        return write(in);
    }
  }

 private:
  static std::string some_content(input& in) {
    return in.bytes(in.rarely(8) ? in.boundary_size(200'000) : in.below(60));
  }
  void expect_at(std::size_t i, std::uint64_t position, std::string_view bytes,
                 std::uint8_t kind) const {
    fuzz::expect_equal(position, records_[i].position, "the position");
    fuzz::expect_text(bytes, records_[i].bytes, "the record");
    fuzz::expect_equal(kind, records_[i].kind, "the kind of the record");
  }
  std::vector<std::uint64_t> some_positions(input& in, std::vector<std::size_t>& chosen) const {
    std::vector<std::uint64_t> positions;
    for (std::size_t n = records_.empty() ? 0 : in.below(20); n != 0; --n) {
      chosen.push_back(in.below(records_.size()));
      positions.push_back(records_[chosen.back()].position);
    }
    return positions;
  }

  void write(input& in) {
    constexpr std::array durabilities{leat::durability::none, leat::durability::process,
                                      leat::durability::system};
    leat::journal_options options;
    options.durability = in.one_of(durabilities);
    if (options.durability == leat::durability::system && !in.rarely(8))
      options.durability = leat::durability::none;  // a sync is slow
    options.flush = in.flag() ? leat::flush_when::full : leat::flush_when::call;
    options.buffer_size = in.flag() ? 0 : in.boundary_size(70'000);
    options.flush_interval = std::chrono::milliseconds(in.rarely(8) ? 1 : 0);
    options.background = in.rarely(8);
    options.preallocate = in.rarely(4) ? in.boundary_size() : 0;
    options.permissions = 0600;
    // True if each appended record is at once in the file or in the sidecar.
    const bool is_visible = options.durability == leat::durability::process ||
                            (options.flush == leat::flush_when::call && !options.background);
    step("open, durability {}, flush {}, buffer {}", static_cast<int>(options.durability),
         static_cast<int>(options.flush), options.buffer_size);
    auto out = leat::journal::open(path_, options);
    fuzz::expect(out.is_open(), "is_open()");
    fuzz::expect_equal(out.cut(), torn_bytes_, "cut()");
    torn_bytes_ = 0;
    std::error_code ec;
    // A refused open first waits for the lock, so this case is rare.
    if (in.rarely(64))
      fuzz::expect(
          !leat::journal::open(path_, ec).is_open() && ec == std::errc::device_or_resource_busy,
          "a second writer can open the journal");
    for (std::size_t n = in.below(20); n != 0; --n) {
      switch (in.below(8)) {
        case 7:
          if (!in.rarely(8)) break;
          step("clear");
          out.clear();
          records_.clear();
          expect_all();
          break;
        case 0:
          step("flush");
          out.flush();
          expect_all();
          break;
        case 1:
          if (!in.rarely(16)) break;
          step("sync");
          out.sync();
          expect_all();
          break;
        case 2: {
          std::vector<std::string> texts;
          for (std::size_t k = in.below(5); k != 0; --k) texts.push_back(some_content(in));
          const std::vector<std::string_view> views(texts.begin(), texts.end());
          const auto kind = in.integer<std::uint8_t>();
          step("append_all {}", texts.size());
          const auto positions = out.append_all(views, kind);
          fuzz::expect_equal(positions.size(), texts.size(), "append_all()");
          for (std::size_t i = 0; i != texts.size(); ++i)
            records_.push_back({positions[i], texts[i], kind});
          break;
        }
        case 3: {
          if (records_.empty()) break;
          const std::size_t i = in.below(records_.size());
          step("read_at {}", records_[i].position);
          fuzz::expect_text(out.read_at(records_[i].position), records_[i].bytes,
                            "read_at() of the writer");
          break;
        }
        case 4:
          if (auto moved = std::move(out); true) out = std::move(moved);
          break;
        default: {
          const std::string text = some_content(in);
          const auto kind = in.integer<std::uint8_t>();
          step("append {}", text.size());
          const std::uint64_t before = out.size();
          records_.push_back({out.append(text, kind), text, kind});
          fuzz::expect(records_.back().position >= before && out.size() > before,
                       "a position or the size does not grow");
        }
      }
      if (is_visible && in.rarely(4)) expect_all();
    }
    fuzz::expect(!out.error(), "the writer has an error");
    step("close");
    out.close();
    expect_all();
  }

  /// Checks that a reader finds all records from the start.
  void expect_all() const {
    leat::journal_read_options options;
    options.live = true;
    auto in = leat::journal_reader::open(path_, options);
    std::size_t i = 0;
    for (const auto& entry : in) {
      fuzz::expect(i < records_.size(), "a reader returns too many records");
      expect_at(i++, entry.position, entry.bytes, entry.kind);
    }
    fuzz::expect_equal(i, records_.size(), "the number of records");
    fuzz::expect_equal(in.damage().ranges, 0U, "damage()");
  }

  void read(input& in) {
    std::error_code ec;
    leat::journal_read_options options;
    options.strict = in.flag();
    options.live = in.flag();
    options.access.threads = in.rarely(8) ? 2 : 1;
    auto reader = leat::journal_reader::open(path_, options, ec);
    if (!std::filesystem::exists(path_))
      return fuzz::expect(ec == std::errc::no_such_file_or_directory,
                          "open() of a missing journal is not refused");
    fuzz::expect(!ec && reader.is_open(), "a reader can't be opened");
    if (in.flag()) {
      std::vector<std::size_t> chosen;
      const auto positions = some_positions(in, chosen);
      step("gather {}", positions.size());
      options.access.threads = 1;
      std::vector<int> seen(positions.size());
      reader.gather(positions, [&](const leat::journal_record& entry, std::size_t i) {
        expect_at(chosen[i], entry.position, entry.bytes, entry.kind);
        ++seen[i];
      });
      fuzz::expect(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }),
                   "gather() does not visit each record once");
      return;
    }
    const std::uint64_t from =
        in.flag() ? 0 : in.below((records_.empty() ? 0 : records_.back().position) + 100);
    step("read from {}", from);
    reader.seek(from);
    std::size_t i = 0;
    while (i != records_.size() && records_[i].position < from) ++i;
    leat::journal_record entry;
    for (; reader.next(entry); ++i) {
      fuzz::expect(i < records_.size(), "a reader returns too many records");
      expect_at(i, entry.position, entry.bytes, entry.kind);
      fuzz::expect(reader.tell() > entry.position, "tell()");
      std::uint8_t kind = 0;
      if (in.rarely(4)) {
        fuzz::expect_text(reader.read_at(entry.position, kind, ec), records_[i].bytes, "read_at()");
        expect_at(i, entry.position, records_[i].bytes, kind);
      }
    }
    fuzz::expect_equal(i, records_.size(), "the number of records from the position");
    if (from == 0) fuzz::expect_equal(reader.torn(), torn_bytes_, "torn()");
    fuzz::expect_equal(reader.underlying().size(), std::filesystem::file_size(path_),
                       "underlying()");
    reader.close();
  }

  /// Leaves a part of a record in the file, as a killed writer does. Sometimes recover() cuts the
  /// part off.
  void tear(input& in) {
    if (records_.empty() || torn_bytes_ != 0) return;
    std::string bytes = leat::read_file(path_);
    const std::size_t end = bytes.size();
    std::uint64_t at = 0;
    {
      auto out = leat::journal::open(path_);
      at = out.append(std::string(100, 'y'));
      out.close();
    }
    const std::uint64_t size = std::filesystem::file_size(path_);
    if (at + 108 != size) {  // the record is in two blocks
      std::filesystem::resize_file(path_, end);
      return;
    }
    torn_bytes_ = 1 + in.below(107);
    step("torn to {} bytes", torn_bytes_);
    std::filesystem::resize_file(path_, at + torn_bytes_);
    // Zeros at the file's end count as preallocated, not as torn bytes.
    bytes = leat::read_file(path_);
    while (torn_bytes_ != 0 && bytes[at + torn_bytes_ - 1] == '\0') --torn_bytes_;
    if (at != end) torn_bytes_ += at - end;
    if (in.flag()) return;
    step("recover");
    fuzz::expect_equal(in.flag() ? static_cast<std::uint64_t>(leat_journal_recover(path_.c_str()))
                                 : leat::journal::recover(path_),
                       torn_bytes_, "recover()");
    torn_bytes_ = 0;
    expect_all();
  }

  void write_by_c(input& in) {
    leat_journal_options options{};
    options.durability = in.flag() ? LEAT_DURABILITY_NONE : LEAT_DURABILITY_PROCESS;
    options.flush_interval = in.rarely(8) ? 1 : 0;
    options.background = in.rarely(8);
    options.each = in.rarely(4);
    options.buffer_size = in.flag() ? 0 : in.boundary_size(70'000);
    options.preallocate = in.rarely(4) ? in.boundary_size() : 0;
    const bool has_options = in.flag();
    const bool is_visible = has_options && (options.durability == LEAT_DURABILITY_PROCESS ||
                                            (options.each != 0 && options.background == 0));
    step("C: open");
    leat_journal* const out = leat_journal_open(path_.c_str(), has_options ? &options : nullptr);
    fuzz::expect(out != nullptr, "leat_journal_open()");
    torn_bytes_ = 0;
    for (std::size_t n = in.below(20); n != 0; --n) {
      std::uint64_t position = 0;
      const std::string text = some_content(in);
      const auto kind = in.integer<std::uint8_t>();
      switch (in.below(5)) {
        case 0: {
          const std::array<leat_piece, 2> pieces{{{text.data(), text.size()}, {"two", 3}}};
          std::array<std::uint64_t, 2> positions{};
          step("C: append_all");
          fuzz::expect_equal(leat_journal_append_all(out, pieces.data(), 2, kind, positions.data()),
                             0, "leat_journal_append_all()");
          records_.push_back({positions[0], text, kind});
          records_.push_back({positions[1], "two", kind});
          break;
        }
        case 1:
          if (in.rarely(16)) {
            step("C: clear");
            fuzz::expect_equal(leat_journal_clear(out), 0, "leat_journal_clear()");
            records_.clear();
          }
          step("C: flush");
          fuzz::expect_equal(in.rarely(32) ? leat_journal_sync(out) : leat_journal_flush(out), 0,
                             "leat_journal_flush() or leat_journal_sync()");
          expect_all();
          break;
        case 2: {
          if (records_.empty()) break;
          const auto& entry = records_[in.below(records_.size())];
          std::string to(in.flag() ? entry.bytes.size() : in.below(entry.bytes.size() + 1), '?');
          std::size_t size = 0;
          step("C: get {} into {} bytes", entry.position, to.size());
          const int got = leat_journal_get(out, entry.position, to.data(), to.size(), &size);
          fuzz::expect_equal(got, to.size() == entry.bytes.size() ? 0 : -1, "leat_journal_get()");
          fuzz::expect(got == 0 || errno == ERANGE, "errno is not ERANGE");
          fuzz::expect_equal(size, entry.bytes.size(), "the size from leat_journal_get()");
          fuzz::expect_text(to, std::string_view(entry.bytes).substr(0, to.size()),
                            "the bytes from leat_journal_get()");
          break;
        }
        default:
          step("C: append {}", text.size());
          fuzz::expect_equal(leat_journal_append(out, text.data(), text.size(), kind, &position), 0,
                             "leat_journal_append()");
          records_.push_back({position, text, kind});
          fuzz::expect(leat_journal_size(out) > position, "leat_journal_size()");
      }
      if (is_visible && in.rarely(4)) expect_all();
    }
    fuzz::expect_equal(leat_journal_close(out), 0, "leat_journal_close()");
    expect_all();
  }

  void read_by_c(input& in) {
    leat_journal_read_options options{};
    options.strict = in.flag();
    options.live = in.flag();
    options.local_only = in.flag();
    leat_journal_reader* const reader = leat_journal_reader_open(path_.c_str(), &options);
    fuzz::expect_equal(reader != nullptr, std::filesystem::exists(path_),
                       "leat_journal_reader_open()");
    if (reader == nullptr) return;
    leat_journal_record entry{};
    const std::uint64_t from =
        in.flag() ? 0 : in.below((records_.empty() ? 0 : records_.back().position) + 100);
    step("C: read from {}", from);
    leat_journal_seek(reader, from);
    std::size_t i = 0;
    while (i != records_.size() && records_[i].position < from) ++i;
    for (; leat_journal_next(reader, &entry) > 0; ++i) {
      fuzz::expect(i < records_.size(), "a reader returns too many records");
      expect_at(i, entry.position, {static_cast<const char*>(entry.bytes), entry.size}, entry.kind);
    }
    fuzz::expect_equal(i, records_.size(), "the number of records from the position");
    if (!records_.empty()) {
      const std::size_t chosen = in.below(records_.size());
      fuzz::expect_equal(leat_journal_read_at(reader, records_[chosen].position, &entry), 0,
                         "leat_journal_read_at()");
      expect_at(chosen, entry.position, {static_cast<const char*>(entry.bytes), entry.size},
                entry.kind);
    }
    struct gathered {
      const journals* all;
      std::vector<std::size_t> chosen;
      std::size_t calls = 0;
    } context{this, {}};
    const auto positions = some_positions(in, context.chosen);
    const int result = leat_journal_gather(
        reader, positions.data(), positions.size(),
        [](const leat_journal_record* found, std::size_t index, void* of) {
          auto& to = *static_cast<gathered*>(of);
          to.all->expect_at(to.chosen[index], found->position,
                            {static_cast<const char*>(found->bytes), found->size}, found->kind);
          ++to.calls;
        },
        &context);
    fuzz::expect_equal(result, 0, "leat_journal_gather()");
    fuzz::expect_equal(context.calls, positions.size(),
                       "the number of calls of leat_journal_gather()");
    fuzz::expect_equal(leat_journal_skipped(reader).ranges, 0U, "leat_journal_skipped()");
    if (from == 0)
      fuzz::expect_equal(leat_journal_skipped(reader).torn, torn_bytes_, "leat_journal_skipped()");
    leat_journal_reader_close(reader);
  }

  /// Changes some bytes of a copy. C must find the same records as C++. fuzz/journal.cpp compares
  /// damaged journals with a model.
  void damage(input& in) {
    if (!std::filesystem::exists(path_)) return;
    std::string bytes = leat::read_file(path_);
    if (bytes.empty()) return;
    for (std::size_t n = 1 + in.below(3); n != 0; --n) bytes[in.below(bytes.size())] ^= 4;
    const std::string path = path_ + ".damaged";
    leat::write_file(path, bytes);
    step("damage");
    std::error_code ec;
    auto wanted = leat::journal_reader::open(path, ec);
    leat_journal_reader* const ours = leat_journal_reader_open(path.c_str(), nullptr);
    fuzz::expect_equal(ours != nullptr, !ec, "leat_journal_reader_open()");
    if (ours == nullptr) return fuzz::expect_equal(errno, EBADMSG, "errno for a damaged header");
    leat_journal_record found{};
    for (const auto& entry : wanted) {
      fuzz::expect_equal(leat_journal_next(ours, &found), 1, "leat_journal_next()");
      fuzz::expect_equal(found.position, entry.position, "the position");
      fuzz::expect_text({static_cast<const char*>(found.bytes), found.size}, entry.bytes,
                        "a record");
    }
    fuzz::expect_equal(leat_journal_next(ours, &found), 0, "leat_journal_next()");
    const leat_journal_damage all = leat_journal_skipped(ours);
    fuzz::expect_equal(all.ranges, wanted.damage().ranges, "leat_journal_damage::ranges");
    fuzz::expect_equal(all.bytes, wanted.damage().bytes, "leat_journal_damage::bytes");
    fuzz::expect_equal(all.torn, wanted.torn(), "leat_journal_damage::torn");
    leat_journal_reader_close(ours);
    std::filesystem::remove(path);
  }

  std::string path_;
  std::vector<record> records_;
  std::uint64_t torn_bytes_ = 0;
};

void drive(input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { fuzz::fail("bytes were lost"); });
  journals calls;
  while (in.has_more()) calls.make_call(in);
}

const fuzz::driver self("journals", drive);

}  // namespace
