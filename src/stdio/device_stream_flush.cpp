// Flushes and syncs of device_stream, called by buffer.cpp, file.cpp and device_stream::close().
// Threads share the syncs of a stream's device.
#include <algorithm>
#include <memory>
#include <new>
#include <system_error>

#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Sets `request` to the sync that is needed. If nothing was written since the last sync, `request`
/// is empty. Returns false (ENOMEM) if there is no memory.
bool device_stream::prepare_sync(leat_file& f, pending_sync& request) noexcept try {
  request = {};
  if (synced_writes_ == write_count_) return true;
  if (sync_group_ == nullptr) sync_group_ = std::make_shared<sync_group>(*device_);
  request = {sync_group_, write_count_};
  return true;
} catch (const std::bad_alloc&) {
  f.failed = true;
  return fail(ENOMEM, false);
}

bool device_stream::sync_device(leat_file& f) noexcept {
  pending_sync request;
  if (!prepare_sync(f, request)) return false;
  if (request.group == nullptr) return true;
  bool served;
  {
    const device_call call(f);
    served = request.group->run();
  }
  return end_sync(f, request, served);
}

bool device_stream::begin_sync(leat_file& f, bool always, pending_sync& request) noexcept {
  if (!traits_.syncs_concurrently || !(always || sync_))
    return stream::begin_sync(f, always, request);
  return flush(f, false) && prepare_sync(f, request);
}

bool device_stream::end_sync(leat_file& f, const pending_sync& request, bool served) noexcept {
  if (request.group != sync_group_) return stream::end_sync(f, request, served);
  // A failed sync is final: the disk's content is unknown.
  if (const std::error_code ec = sync_group_->commits.error()) {
    f.failed = true;
    report(f, {.code = ec, .operation = "sync"});
    return false;
  }
  if (!served) return fail(EBADF, false);
  synced_writes_ = std::max(synced_writes_, request.write_count);
  return true;
}

/// Waits for a sync that another thread runs, and lets no other sync begin.
void device_stream::end_syncs() noexcept {
  if (sync_group_ == nullptr) return;
  sync_group_->commits.stop();
  sync_group_.reset();
}

/// Writes all pending bytes. If `sync` is true, also syncs. Then moves the descriptor's offset to
/// the stream's position, for other users of the descriptor. Returns false on errors.
bool device_stream::flush(leat_file& f, bool sync) noexcept {
  const bool writing = state_ == state::writing;
  // The sync includes bytes that were written before a seek or a read.
  if ((writing && !drain(f)) || (sync && !sync_device(f))) return false;
  if (!traits_.positional || (state_ == state::idle && is_offset_current_)) return true;
  offset_may_move_ = offset_may_move_ || writing;
  // An appending stream writes at the end and does not use the descriptor's offset.
  if (writing && traits_.appends) return true;
  if (!writing) {
    base_ = position(f);
    reset_buffer(f);
  }
  return set_descriptor_offset(f, base_);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
