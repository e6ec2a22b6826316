#include "stream/shared_sink.hpp"

#include <leat/file_stream.hpp>

#include <memory>

namespace leat {
inline namespace v0 {

void shared_sink::write(writer&, std::string_view bytes) noexcept {
  const call_guard guard(*this);
  target().write(bytes);
  written();
}

failure shared_sink::flush(writer&) noexcept { return flush_below(false); }

failure shared_sink::sync(writer&) noexcept { return flush_below(true); }

failure shared_sink::flush_below(bool sync) noexcept {
  {
    const call_guard guard(*this);
    failure result;
    if (!below().begin_sync(target(), sync, result)) return result;
  }
  // Other threads write meanwhile, and share the next sync.
  const bool synced = below().sync_device();
  const call_guard guard(*this);
  return below().end_sync(target(), synced);
}

failure shared_sink::seek(writer&, std::uint64_t position) noexcept {
  {
    const call_guard guard(*this);
    if (const failure why = below().refuse_to_seek(target())) return why;
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
  std::unique_ptr<device> ended;
  {
    const call_guard guard(*this);
    ended = below().close_shared(target(), result);
  }
  return result;
}

failure shared_sink::leave(writer&) noexcept {
  if (!lock_at_exit()) return {errc::left_open, "write"};
  const failure untold = below().leave(target());
  lock_.unlock();
  return untold;
}

open_stream::loss shared_sink::at_exit() noexcept {
  file_writer nobody;
  return {leave(nobody), sink_of(target()).name()};
}

std::error_code shared_sink::error(const writer&) const noexcept {
  const call_guard guard(*this);
  return below().error(target());
}

std::uint64_t shared_sink::lost(const writer&) const noexcept {
  const call_guard guard(*this);
  return below().lost(target());
}

std::uint64_t shared_sink::dropped(const writer&) const noexcept {
  const call_guard guard(*this);
  return below().dropped(target());
}

std::string_view shared_sink::name() const noexcept {
  const call_guard guard(*this);
  return below().name();
}

std::size_t shared_sink::copy(writer&, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept {
  const call_guard guard(*this);
  const std::size_t copied = below().copy(target(), from, from_at, n, ec);
  if (copied != 0) written();
  return copied;
}

failure shared_sink::reopen(writer&) noexcept {
  const call_guard guard(*this);
  return below().reopen(target());
}

bool shared_sink::is_open() const noexcept {
  const call_guard guard(*this);
  return below().is_open();
}

native_handle_type shared_sink::native_handle() const noexcept {
  const call_guard guard(*this);
  return below().native_handle();
}

native_handle_type shared_sink::release(writer&, failure& why) noexcept {
  const call_guard guard(*this);
  return below().release(target(), why);
}

void shared_sink::discard(writer&) noexcept {
  const call_guard guard(*this);
  below().discard(target());
}

void shared_sink::clear_error(writer&) noexcept {
  const call_guard guard(*this);
  below().clear_error(target());
}

// A call of the program runs under this lock, and may start threads. So it is always taken.
shared_writer::turn::turn(shared_writer& of) noexcept
    : sink(static_cast<shared_sink&>(*of.sink_)), target(sink.begin_turn()) {}

shared_writer::turn::~turn() { sink.end_turn(); }

}  // namespace v0
}  // namespace leat
