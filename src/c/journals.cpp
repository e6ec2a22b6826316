// The journals (write-ahead logs) of leat.h, over the journals of C++.
#include <leat/c/journal.h>
#include <leat/journal.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c/errors.hpp"
#include "c/options.hpp"

struct leat_journal {
  leat::journal out;
};

struct leat_journal_reader {
  leat::journal_reader in;
  std::string last_record;  // the bytes of the last record that leat_journal_read_at read
};

namespace leat {
inline namespace v0 {
namespace c {

namespace {

leat_journal_record to_c(const journal_record& record) noexcept {
  return {record.position, record.bytes.data(), record.bytes.size(), record.kind};
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_journal* leat_journal_open(const char* path, const leat_journal_options* options) {
  return result_or(static_cast<leat_journal*>(nullptr), [&] {
    leat::journal_options settings;
    const leat_journal_options asked = options_or_default(options);
    settings.durability = leat::c::to_cpp(asked.durability);
    if (asked.each != 0) settings.flush = leat::flush_when::call;
    settings.buffer_size = asked.buffer_size;
    settings.flush_interval = milliseconds(asked.flush_interval);
    settings.background = asked.background != 0;
    settings.preallocate = asked.preallocate;
    return new leat_journal{leat::journal::open(path_of(path), settings)};
  });
}

leat_off_t leat_journal_recover(const char* path) {
  return result_or(leat_off_t{-1},
                   [&] { return static_cast<leat_off_t>(leat::journal::recover(path_of(path))); });
}

int leat_journal_append(leat_journal* journal, const void* bytes, size_t size, unsigned char kind,
                        uint64_t* position) {
  return status_of([&] {
    const std::uint64_t at = journal->out.append(view_of(bytes, size), kind);
    if (position != nullptr) *position = at;
  });
}

int leat_journal_append_all(leat_journal* journal, const leat_piece* records, size_t count,
                            unsigned char kind, uint64_t* positions) {
  return status_of([&] {
    std::vector<std::string_view> list(count);
    for (size_t i = 0; i != count; ++i) list[i] = view_of(records[i].bytes, records[i].size);
    const auto appended = journal->out.append_all(list, kind);
    if (positions != nullptr) std::copy(appended.begin(), appended.end(), positions);
  });
}

int leat_journal_flush(leat_journal* journal) {
  return status_of([&] { journal->out.flush(); });
}

int leat_journal_sync(leat_journal* journal) {
  return status_of([&] { journal->out.sync(); });
}

int leat_journal_clear(leat_journal* journal) {
  return status_of([&] { journal->out.clear(); });
}

int leat_journal_get(leat_journal* journal, uint64_t position, void* to, size_t room,
                     size_t* size) {
  return result_or(-1, [&] {
    const std::string bytes = journal->out.read_at(position);
    const size_t n = std::min(room, bytes.size());
    if (n != 0) std::memcpy(to, bytes.data(), n);
    if (size != nullptr) *size = bytes.size();
    return n == bytes.size() ? 0 : fail_with(ERANGE, -1);
  });
}

uint64_t leat_journal_size(const leat_journal* journal) { return journal->out.size(); }

int leat_journal_close(leat_journal* journal) {
  if (journal == nullptr) return 0;
  const int result = status_of([&] { journal->out.close(); });
  delete journal;
  return result;
}

leat_journal_reader* leat_journal_reader_open(const char* path,
                                              const leat_journal_read_options* options) {
  return result_or(static_cast<leat_journal_reader*>(nullptr), [&] {
    leat::journal_read_options settings;
    const leat_journal_read_options asked = options_or_default(options);
    settings.strict = asked.strict != 0;
    settings.live = asked.live != 0;
    settings.access.local_only = asked.local_only != 0;
    return new leat_journal_reader{leat::journal_reader::open(path_of(path), settings), {}};
  });
}

int leat_journal_next(leat_journal_reader* reader, leat_journal_record* record) {
  return result_or(-1, [&] {
    leat::journal_record next;
    if (!reader->in.next(next)) return 0;
    *record = to_c(next);
    return 1;
  });
}

void leat_journal_seek(leat_journal_reader* reader, uint64_t position) {
  reader->in.seek(position);
}

int leat_journal_read_at(leat_journal_reader* reader, uint64_t position,
                         leat_journal_record* record) {
  return status_of([&] {
    leat::journal_record found;
    std::error_code ec;
    reader->last_record = reader->in.read_at(position, found.kind, ec);
    if (ec) reader->last_record = reader->in.read_at(position);  // throws with all details
    found.position = position;
    found.bytes = reader->last_record;
    *record = to_c(found);
  });
}

int leat_journal_gather(leat_journal_reader* reader, const uint64_t* positions, size_t count,
                        leat_journal_visit* visit, void* context) {
  return status_of([&] {
    reader->in.gather({positions, count},
                      [&](const leat::journal_record& record, std::size_t index) {
                        const leat_journal_record converted = to_c(record);
                        visit(&converted, index, context);
                      });
  });
}

leat_journal_damage leat_journal_skipped(const leat_journal_reader* reader) {
  const auto& damage = reader->in.damage();
  return {damage.ranges, damage.bytes, reader->in.torn()};
}

void leat_journal_reader_close(leat_journal_reader* reader) { delete reader; }
