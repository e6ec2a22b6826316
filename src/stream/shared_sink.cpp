// Implements shared_sink, the sink of a writer that several threads use at once, and
// shared_writer::lock_scope. Called by the functions of writer.
#include "stream/shared_sink.hpp"

#include <leat/file_stream.hpp>

#include <memory>

namespace leat {
inline namespace v0 {

void shared_sink::write(writer&, std::string_view bytes) noexcept {
  const call_guard guard(*this);
  target().write(bytes);
  after_write();
}

failure shared_sink::flush(writer&, bool sync) noexcept {
  device_sink* target_sink;
  {
    const call_guard guard(*this);
    target_sink = below().as_device_sink();
    failure result;
    if (target_sink == nullptr) return below().flush(target(), sync);
    if (!target_sink->begin_sync(target(), sync, result)) return result;
  }
  // The sync runs without the lock: other threads may write during the sync, and share the next
  // sync.
  const bool synced = target_sink->sync_device();
  const call_guard guard(*this);
  return target_sink->end_sync(target(), synced);
}

failure shared_sink::seek(writer&, std::uint64_t position) noexcept {
  {
    const call_guard guard(*this);
    const device_sink* const target_sink = below().as_device_sink();
    if (target_sink != nullptr)
      if (const failure why = target_sink->refuse_to_seek()) return why;
  }
  return {std::make_error_code(std::errc::operation_not_supported), "seek", position, 0};
}

std::uint64_t shared_sink::tell(const writer&) const noexcept {
  const call_guard guard(*this);
  return below().tell(target());
}

failure shared_sink::patch(writer&, std::uint64_t position, std::string_view bytes) noexcept {
  const call_guard guard(*this);
  return below().patch(target(), position, bytes);
}

failure shared_sink::close(writer&) noexcept {
  failure result;
  std::unique_ptr<device> closed_device;  // destroyed without the lock: see close_shared()
  {
    const call_guard guard(*this);
    if (device_sink* const target_sink = below().as_device_sink())
      closed_device = target_sink->close_shared(target(), result);
    else
      result = below().close(target());
  }
  return result;
}

failure shared_sink::flush_at_exit(writer&) noexcept {
  if (!lock_at_exit()) return {errc::left_open, "write"};
  const failure unreported = below().flush_at_exit(target());
  lock_.unlock();
  return unreported;
}

open_stream::loss shared_sink::at_exit() noexcept {
  file_writer closed_writer;
  return {flush_at_exit(closed_writer), sink_of(target()).name()};
}

failure shared_sink::status(const writer&) const noexcept {
  const call_guard guard(*this);
  return below().status(target());
}

std::string_view shared_sink::name() const noexcept {
  const call_guard guard(*this);
  return below().name();
}

// Functions of file_sink

bool shared_sink::is_open() const noexcept {
  return with_file([](file_sink& file) { return file.is_open(); }, false);
}

native_handle_type shared_sink::native_handle() const noexcept {
  return with_file([](file_sink& file) { return file.native_handle(); }, no_handle);
}

native_handle_type shared_sink::release(writer&, failure& why) noexcept {
  why = {errc::closed, "release"};
  return with_file([&](file_sink& file) { return file.release(target(), why); }, no_handle);
}

void shared_sink::discard(writer&) noexcept {
  with_file([&](file_sink& file) { return file.discard(target()), true; }, false);
}

failure shared_sink::reopen(writer& w) noexcept {
  return with_file([&](file_sink& file) { return file.reopen(target()); }, file_sink::reopen(w));
}

std::uint64_t shared_sink::dropped() const noexcept {
  return with_file([](file_sink& file) { return file.dropped(); }, std::uint64_t{0});
}

std::size_t shared_sink::copy(writer&, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return with_file(
      [&](file_sink& file) {
        const std::size_t copied = file.copy(target(), from, from_at, n, ec);
        if (copied != 0) after_write();
        return copied;
      },
      std::size_t{0});
}

void shared_sink::clear_error(writer&) noexcept {
  const call_guard guard(*this);
  below().clear_error(target());
}

// Program code runs in a lock_scope and may start threads. So a lock_scope always takes the lock.
shared_writer::lock_scope::lock_scope(shared_writer& of) noexcept
    : sink(static_cast<shared_sink&>(*of.sink_)), target(sink.lock_writer()) {}

shared_writer::lock_scope::~lock_scope() { sink.unlock_writer(); }

}  // namespace v0
}  // namespace leat
