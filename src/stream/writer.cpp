// The functions of writer that are not inline. Each function calls the writer's sink.
#include <leat/writer.hpp>

#include "base/last_error.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

namespace {

void throw_if_failed(const failure& what, const sink& below) {
  if (what) throw io_error(what, below.name());
}

/// If `what` is a failure, records `what` as the thread's last error. Returns the code of `what`.
std::error_code record_if_failed(const failure& what, const sink& below) noexcept {
  if (what) record_failure(what, below.name());
  return what.code;
}

failure reopen_below(writer& w, sink& below) noexcept {
  file_sink* const file = below.file();
  return file != nullptr
             ? file->reopen(w)
             : failure{std::make_error_code(std::errc::operation_not_supported), "reopen"};
}

}  // namespace

char* writer::write_slow(std::string_view bytes) noexcept {
  // Most writers have no direct writer, and need not ask whether the process has one thread.
  writer* const w = direct_writer_ == nullptr ? nullptr : direct_writer();
  if (w != nullptr && bytes.size() <= w->room())
    w->write(bytes);
  else
    sink_->write(*this, bytes);
  return next_;
}

char* writer::put_slow(char byte) noexcept { return write_slow({&byte, 1}); }

void writer::flush() { throw_if_failed(sink_->flush(*this, false), *sink_); }
void writer::flush(std::error_code& ec) noexcept {
  ec = record_if_failed(sink_->flush(*this, false), *sink_);
}

void writer::sync() { throw_if_failed(sink_->flush(*this, true), *sink_); }
void writer::sync(std::error_code& ec) noexcept {
  ec = record_if_failed(sink_->flush(*this, true), *sink_);
}

void writer::seek(std::uint64_t position) { throw_if_failed(sink_->seek(*this, position), *sink_); }
void writer::seek(std::uint64_t position, std::error_code& ec) noexcept {
  ec = record_if_failed(sink_->seek(*this, position), *sink_);
}

std::uint64_t writer::tell() const noexcept { return sink_->tell(*this); }

void writer::patch(std::uint64_t position, std::string_view bytes) {
  throw_if_failed(sink_->patch(*this, position, bytes), *sink_);
}
void writer::patch(std::uint64_t position, std::string_view bytes, std::error_code& ec) noexcept {
  ec = record_if_failed(sink_->patch(*this, position, bytes), *sink_);
}

void writer::reopen() { throw_if_failed(reopen_below(*this, *sink_), *sink_); }
void writer::reopen(std::error_code& ec) noexcept {
  ec = record_if_failed(reopen_below(*this, *sink_), *sink_);
}

void writer::close() { throw_if_failed(sink_->close(*this), *sink_); }
void writer::close(std::error_code& ec) noexcept {
  ec = record_if_failed(sink_->close(*this), *sink_);
}

std::error_code writer::error() const noexcept { return sink_->status(*this).code; }
std::uint64_t writer::lost() const noexcept { return sink_->status(*this).unwritten; }
std::uint64_t writer::dropped() const noexcept {
  const file_sink* const file = sink_->file();
  return file != nullptr ? file->dropped() : 0;
}

void writer::clear_error() noexcept { sink_->clear_error(*this); }

void writer::take_window(writer& other) noexcept {
  next_ = std::exchange(other.next_, nullptr);
  end_ = std::exchange(other.end_, nullptr);
  print_end_ = std::exchange(other.print_end_, nullptr);
  sink_ = std::exchange(other.sink_, &closed_sink());
  sink_->moved_to(*this);
}

void writer::dispose() noexcept { sink_->dispose(*this); }

}  // namespace v0
}  // namespace leat
