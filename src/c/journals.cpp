// Journals of leat.h, over those of C++.
#include <leat/leat.h>
#include <leat/journal.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errno.hpp"

struct leat_journal {
  leat::journal out;
};

struct leat_journal_reader {
  leat::journal_reader in;
  std::string kept;  // the record of leat_journal_read_at
};

namespace leat {
inline namespace v0 {
namespace c {

namespace {

int journal_result(const std::error_code& ec) noexcept {
  if (!ec) return 0;
  errno = ec == errc::no_such_record ? EINVAL : errno_of(ec);
  return -1;
}

std::string_view bytes_of(const void* bytes, std::size_t size) noexcept {
  return {static_cast<const char*>(bytes), size};
}

leat_journal_record in_c(const journal_record& one) noexcept {
  return {one.position, one.bytes.data(), one.bytes.size(), one.kind};
}

/// What `work` returns, or -1 and ENOMEM.
template <class Work>
auto with_memory(const Work& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return -1;
  }
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_journal* leat_journal_open(const char* path, const leat_journal_options* options) try {
  leat::journal_options how;
  if (options != nullptr) {
    how.durability = static_cast<leat::durability>(options->durability);
    if (options->each != 0) how.flush = leat::flush_when::call;
    how.buffer_size = options->buffer_size;
    how.flush_interval = std::chrono::milliseconds(options->flush_interval);
    how.background = options->background != 0;
    how.preallocate = options->preallocate;
  }
  std::error_code ec;
  leat::journal opened = leat::journal::open(path, how, ec);
  if (journal_result(ec) != 0) return nullptr;
  return new leat_journal{std::move(opened)};
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return nullptr;
}

leat_off_t leat_journal_recover(const char* path) {
  return with_memory([&]() -> leat_off_t {
    std::error_code ec;
    const std::uint64_t cut = leat::journal::recover(path, ec);
    return journal_result(ec) != 0 ? -1 : static_cast<leat_off_t>(cut);
  });
}

int leat_journal_append(leat_journal* journal, const void* bytes, size_t size, unsigned char kind,
                        uint64_t* position) {
  std::error_code ec;
  const std::uint64_t at = journal->out.append(bytes_of(bytes, size), kind, ec);
  if (position != nullptr) *position = at;
  return journal_result(ec);
}

int leat_journal_append_all(leat_journal* journal, const leat_piece* records, size_t count,
                            unsigned char kind, uint64_t* positions) {
  return with_memory([&] {
    std::vector<std::string_view> list(count);
    for (size_t i = 0; i != count; ++i) list[i] = bytes_of(records[i].bytes, records[i].size);
    std::error_code ec;
    const auto places = journal->out.append_all(list, kind, ec);
    if (positions != nullptr) std::copy(places.begin(), places.end(), positions);
    return journal_result(ec);
  });
}

int leat_journal_flush(leat_journal* journal) {
  std::error_code ec;
  journal->out.flush(ec);
  return journal_result(ec);
}

int leat_journal_sync(leat_journal* journal) {
  std::error_code ec;
  journal->out.sync(ec);
  return journal_result(ec);
}

int leat_journal_get(leat_journal* journal, uint64_t position, void* to, size_t room,
                     size_t* size) {
  return with_memory([&] {
    std::error_code ec;
    const std::string bytes = journal->out.read_at(position, ec);
    if (journal_result(ec) != 0) return -1;
    const size_t n = std::min(room, bytes.size());
    if (n != 0) std::memcpy(to, bytes.data(), n);
    if (size != nullptr) *size = bytes.size();
    if (n == bytes.size()) return 0;
    errno = ERANGE;
    return -1;
  });
}

uint64_t leat_journal_size(const leat_journal* journal) { return journal->out.size(); }

int leat_journal_close(leat_journal* journal) {
  if (journal == nullptr) return 0;
  std::error_code ec;
  journal->out.close(ec);
  delete journal;
  return journal_result(ec);
}

leat_journal_reader* leat_journal_reader_open(const char* path,
                                              const leat_journal_read_options* options) try {
  leat::journal_read_options how;
  if (options != nullptr) {
    how.strict = options->strict != 0;
    how.live = options->live != 0;
    how.access.remote = options->only_files == 0;
  }
  std::error_code ec;
  leat::journal_reader opened = leat::journal_reader::open(path, how, ec);
  if (journal_result(ec) != 0) return nullptr;
  return new leat_journal_reader{std::move(opened), {}};
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return nullptr;
}

int leat_journal_next(leat_journal_reader* reader, leat_journal_record* record) {
  return with_memory([&] {
    leat::journal_record next;
    std::error_code ec;
    if (!reader->in.next(next, ec)) return journal_result(ec);
    *record = in_c(next);
    return 1;
  });
}

void leat_journal_seek(leat_journal_reader* reader, uint64_t position) {
  reader->in.seek(position);
}

int leat_journal_read_at(leat_journal_reader* reader, uint64_t position,
                         leat_journal_record* record) {
  return with_memory([&] {
    leat::journal_record found;
    std::error_code ec;
    reader->kept = reader->in.read_at(position, found.kind, ec);
    if (journal_result(ec) != 0) return -1;
    found.position = position;
    found.bytes = reader->kept;
    *record = in_c(found);
    return 0;
  });
}

int leat_journal_gather(leat_journal_reader* reader, const uint64_t* positions, size_t count,
                        leat_journal_visit* visit, void* context) {
  return with_memory([&] {
    std::error_code ec;
    reader->in.gather(
        {positions, count},
        [&](std::size_t which, const leat::journal_record& record) {
          const leat_journal_record one = in_c(record);
          visit(&one, which, context);
        },
        ec);
    return journal_result(ec);
  });
}

leat_journal_damage leat_journal_skipped(const leat_journal_reader* reader) {
  const auto& damage = reader->in.damage();
  return {damage.places, damage.bytes, reader->in.torn()};
}

void leat_journal_reader_close(leat_journal_reader* reader) { delete reader; }
