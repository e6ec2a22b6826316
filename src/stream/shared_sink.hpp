// A writer that several threads use at once.
#pragma once

#include <leat/writer.hpp>

#include "base/short_lock.hpp"
#include "stream/open_streams.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

/// Passes each call on to a target writer, under a lock. Its own writer never has a window, so
/// every call comes here.
class shared_sink : public sink, protected open_stream {
 public:
  void write(writer& w, std::string_view bytes) noexcept override;
  failure flush(writer& w) noexcept override;
  failure sync(writer& w) noexcept override;
  failure seek(writer& w, std::uint64_t position) noexcept override;
  std::uint64_t tell(const writer& w) const noexcept override;
  failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept override;
  failure close(writer& w) noexcept override;
  failure leave(writer& w) noexcept override;
  std::error_code error(const writer& w) const noexcept override;
  std::uint64_t lost(const writer& w) const noexcept override;
  std::string_view name() const noexcept override;
  std::size_t copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                   std::error_code& ec) noexcept override;
  bool whole_calls() const noexcept override { return true; }
  void use(std::unique_ptr<sidecar> beside) noexcept override { below().use(std::move(beside)); }
  bool is_open() const noexcept override;
  native_handle_type native_handle() const noexcept override;
  native_handle_type release(writer& w, failure& why) noexcept override;
  void discard(writer& w) noexcept override;
  void clear_error(writer& w) noexcept override;

  /// Takes the lock for several calls and returns the writer below.
  virtual writer& begin_turn() noexcept {
    lock_.lock();
    return target();
  }
  void end_turn() noexcept {
    written();
    lock_.unlock();
  }

 protected:
  constexpr shared_sink() = default;
  ~shared_sink() = default;

  /// The writer below; called with the lock held.
  virtual writer& target() const noexcept = 0;
  /// Called with the lock held, after bytes came.
  virtual void written() noexcept {}

  void before_fork() noexcept override { lock_.lock(); }
  void after_fork_in_parent() noexcept override { lock_.unlock(); }
  void after_fork_in_child() noexcept override { lock_.unlock(); }
  loss at_exit() noexcept override;

  /// The sink below, for the calls that only sinks have.
  sink& below() const noexcept { return sink_of(target()); }

  mutable short_lock lock_;

 private:
  failure flush_below(bool sync) noexcept;
};

}  // namespace v0
}  // namespace leat
