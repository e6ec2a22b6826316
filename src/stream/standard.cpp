// leat::out and leat::err.
#include <leat/file.hpp>

#include <cstddef>
#include <mutex>
#include <new>

#include "stream/device_sink.hpp"
#include "stream/immortal.hpp"
#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {

/// Opens its stream when it is first used, so that it needs no constructor.
class standard_sink final : public shared_sink {
 public:
  constexpr standard_sink(native_handle_type handle, std::string_view name,
                          flush_when flush) noexcept
      : handle_(handle), name_(name), flush_(flush) {}

  void dispose(writer&) noexcept override {}

  using fork_aware::watch_forks_last;

  /// Flushes and reports. What still comes, from destructors that run later, is flushed at once.
  void finish() noexcept {
    file_writer last;  // reports when the lock is free again: the loss handler may print here
    const std::lock_guard guard(lock_);
    flush_ = flush_when::call;
    if (!opened_) return;
    below().drain(target());
    last = std::move(*stream());
    stream()->~file_writer();
    opened_ = false;
  }

 private:
  file_writer* stream() const noexcept {
    return std::launder(reinterpret_cast<file_writer*>(memory_));
  }

  writer& target() const noexcept override {
    if (!opened_) open();
    return *stream();
  }

  void open() const noexcept {
    opened_ = true;
    try {
      auto descriptor = borrow(handle_);
      const bool lines = flush_ == flush_when::full && descriptor->traits().terminal;
      // Opened under the lock, which a fork takes while it holds the list of those that watch
      // forks: the stream must not enter that list.
      new (memory_) file_writer(*new device_sink(std::move(descriptor),
                                                 {.flush = lines ? flush_when::line : flush_},
                                                 name_, device_sink::forks::told));
    } catch (...) {
      new (memory_) file_writer;  // no memory: closed, so that what is lost is counted
    }
  }

  void after_fork_in_child() noexcept override {
    if (opened_) below().forget_buffer();
    shared_sink::after_fork_in_child();
  }

  native_handle_type handle_;
  std::string_view name_;
  flush_when flush_;
  mutable bool opened_ = false;
  // A file_writer without a constructor and destructor of its own.
  alignas(file_writer) mutable std::byte memory_[sizeof(file_writer)]{};
};

namespace {

constinit immortal<standard_sink> out_sink(native_handle_type{1}, "<standard output>",
                                           flush_when::full);
constinit immortal<standard_sink> err_sink(native_handle_type{2}, "<standard error>",
                                           flush_when::call);

[[gnu::constructor]] void start_standard_streams() {
  out_sink.value.watch_forks_last();
  err_sink.value.watch_forks_last();
}

// Runs after the destructors of static objects and the functions given to atexit, which may print.
[[gnu::destructor]] void finish_standard_streams() {
  out_sink.value.finish();
  err_sink.value.finish();
}

}  // namespace

constinit standard_writer out(out_sink.value);
constinit standard_writer err(err_sink.value);

}  // namespace v0
}  // namespace leat
