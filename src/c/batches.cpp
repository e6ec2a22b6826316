// The batches of leat.h on streams: leat_gather and similar functions. src/random/ does the work,
// as for leat::file.
#include <leat/c/random.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "c/batches.hpp"
#include "c/stream_device.hpp"
#include "random/random_access.hpp"
#include "stdio/error.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace c {

namespace {

using namespace stdio;
using detail::batch_failure;
using detail::random_access;

enum class access { reads, changes };

/// The random_access over a stream's file, kept from the stream's first batch on.
class stream_batches final : public attachment {
 public:
  /// Makes core() over the stream's file. On errors sets `ec`, and the object must not be used.
  /// Throws std::bad_alloc.
  stream_batches(leat_file& f, std::error_code& ec) {
    const stream& under = below(f);
    const bool changes = f.readable && f.writable && !under.appends();
    access_options settings;
    if (under.syncs()) settings.durability = durability::system;
    std::unique_ptr<device> twin = under.twin(changes);
    moves_stream_ = twin == nullptr;
    if (twin == nullptr) twin = std::make_unique<stream_device>(f);
    core_ =
        random_access::over(std::move(twin), changes ? mode::update : mode::read, settings, {}, ec);
  }

  bool is_in_callback() const noexcept override { return core_->is_in_batch(); }
  random_access& core() const noexcept { return *core_; }
  /// True if a batch seeks in the stream, because the stream has no twin device.
  bool moves_stream() const noexcept { return moves_stream_; }

 private:
  std::unique_ptr<random_access> core_;
  bool moves_stream_;
};

/// Returns the stream's batches. The first call makes the batches; the stream owns them. On errors
/// sets `ec` and returns null. Throws std::bad_alloc.
const stream_batches* batches_of(leat_file& f, std::error_code& ec) {
  auto& attached = below(f).attached;
  if (attached == nullptr) {
    auto batches = std::make_unique<stream_batches>(f, ec);
    if (ec) return nullptr;
    attached = std::move(batches);
  }
  return static_cast<const stream_batches*>(attached.get());
}

/// If `keeps` is true, restores a stream's position at the end of a scope. Leaves errno unchanged.
class position_keeper {
 public:
  position_keeper(leat_file& f, bool keeps) noexcept : file_(f), position_(keeps ? tell(f) : -1) {}
  position_keeper(const position_keeper&) = delete;
  position_keeper& operator=(const position_keeper&) = delete;
  ~position_keeper() {
    const int before = errno;
    if (position_ >= 0) seek(file_, position_, SEEK_SET);
    errno = before;
  }

 private:
  leat_file& file_;
  std::int64_t position_;
};

/// Returns 0 if the batch has not failed. Otherwise sets errno and returns -1. If the caller's
/// arguments are not the cause, also sets the stream's error flag.
int report(leat_file& f, const batch_failure& failed) noexcept {
  if (!failed) return 0;
  if (failed.position.empty()) f.failed = true;
  note_error(failed.why, errno_of(failed.why.code), f.name, failed.position);
  return -1;
}

/// Writes the stream's pending bytes, then calls batch(core, end), where `end` is the size of the
/// file in bytes. If the batch changes the file, discards the stream's read-ahead bytes before the
/// batch and after its success. Returns 0. On errors sets errno and returns -1. If the stream is
/// not readable, or if the batch changes the file and the stream is not writable, sets the stream's
/// error flag and fails (EBADF). Throws std::bad_alloc, and passes on update_visitor::stopped.
template <class Batch>
int run(leat_file& f, access kind, const Batch& batch) {
  set_byte_orientation(f);
  const std::int64_t end = below(f).end(f);
  if (end < 0) return -1;
  if (!f.readable || (kind == access::changes && !f.writable)) {
    f.failed = true;
    return fail(EBADF, -1);
  }
  if (kind == access::changes && !flush(f)) return -1;
  std::error_code ec;
  const stream_batches* const batches = batches_of(f, ec);
  if (batches == nullptr) {
    stdio::report(f, {.code = ec, .operation = "open"});
    return -1;
  }
  batch_failure failed;
  {
    const position_keeper keeper(f, batches->moves_stream());
    // If the batch seeks in the stream, the stream's calls make their own device_call.
    std::optional<device_call> call;
    if (!batches->moves_stream()) call.emplace(f);
    failed = batch(batches->core(), static_cast<std::uint64_t>(end));
  }
  const int result = report(f, failed);
  return result == 0 && kind == access::changes && !flush(f) ? -1 : result;
}

/// run() for records of `size` bytes. If `size` is 0, fails (EINVAL).
template <class Batch>
int run_on_records(leat_file& f, access kind, std::size_t size, const Batch& batch) {
  if (size == 0) return fail(EINVAL, -1);
  return run(f, kind, [&](random_access& core, std::uint64_t end) {
    return batch(core, detail::record_layout{0, size, size, end / size});
  });
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;
using leat::stdio::fail;

int leat_gather(leat_file* f, size_t size, const uint64_t* positions, size_t count, void* out) try {
  LEAT_GUARD_FILE(f);
  return run_on_records(*f, access::reads, size, [&](auto& core, const auto& records) {
    return core.gather(records, list_of(positions, count), static_cast<char*>(out));
  });
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}

int leat_scatter(leat_file* f, size_t size, const uint64_t* positions, size_t count,
                 const void* values) try {
  LEAT_GUARD_FILE(f);
  return run_on_records(*f, access::changes, size, [&](auto& core, const auto& records) {
    return core.scatter(records, list_of(positions, count), static_cast<const char*>(values));
  });
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}

int leat_update(leat_file* f, size_t size, const uint64_t* positions, size_t count,
                leat_change* change, void* context) try {
  LEAT_GUARD_FILE(f);
  return run_on_records(*f, access::changes, size, [&](auto& core, const auto& records) {
    update_visitor each{change, context, size};
    return core.update(records, list_of(positions, count), update_visitor::visit, &each);
  });
} catch (const update_visitor::stopped& by) {
  return by.result;
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}

int leat_read_ranges(leat_file* f, const leat_range* ranges, size_t count, void* out) try {
  LEAT_GUARD_FILE(f);
  const range_list all(ranges, count);
  if (all.overflows) return fail(EINVAL, -1);
  return run(*f, access::reads, [&](auto& core, std::uint64_t end) {
    return core.read_ranges(all.list, end, std::span(static_cast<char*>(out), all.sum));
  });
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}

leat_plan leat_last_plan(leat_file* f) {
  LEAT_GUARD_FILE(f);
  if (f->below == nullptr || f->below->attached == nullptr) return no_plan();
  return plan_of(static_cast<const stream_batches&>(*f->below->attached).core());
}
