// leat::out and leat::err.
#include <leat/file.hpp>

#include <cstddef>
#include <mutex>
#include <new>

#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Opens its stream when it is first used, so that it needs no constructor.
class standard_sink final : public shared_sink {
 public:
  constexpr standard_sink(native_handle_type handle, std::string_view name,
                          flush_when flush) noexcept
      : handle_(handle), name_(name), flush_(flush) {}

  void dispose(writer&) noexcept override {}

  /// Flushes and reports. What still comes, from destructors that run later, is flushed at once.
  void finish() noexcept {
    const std::lock_guard guard(lock_);
    flush_ = flush_when::call;
    if (opened_) stream()->~file_writer();
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
    if (!watched_) const_cast<standard_sink*>(this)->watch_forks();
    watched_ = true;
    try {
      auto descriptor = borrow(handle_);
      const bool lines = flush_ == flush_when::full && descriptor->traits().terminal;
      new (memory_) file_writer(std::move(descriptor),
                                {.flush = lines ? flush_when::line : flush_}, name_);
    } catch (...) {
      new (memory_) file_writer;  // no memory: closed, so that what is lost is counted
    }
  }

  native_handle_type handle_;
  std::string_view name_;
  flush_when flush_;
  mutable bool opened_ = false;
  mutable bool watched_ = false;
  // A file_writer without a constructor and destructor of its own.
  alignas(file_writer) mutable std::byte memory_[sizeof(file_writer)]{};
};

/// Keeps an object from being destroyed.
template <class T>
union immortal {
  template <class... Args>
  constexpr explicit immortal(Args... args) noexcept : value(args...) {}
  constexpr ~immortal() {}
  T value;
};

constinit immortal<standard_sink> out_sink(native_handle_type{1}, "<standard output>",
                                           flush_when::full);
constinit immortal<standard_sink> err_sink(native_handle_type{2}, "<standard error>",
                                           flush_when::call);

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
