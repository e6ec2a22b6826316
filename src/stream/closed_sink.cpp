// The sinks of streams that are not open.
#include <new>
#include <string>

#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

native_handle_type sink::release(writer& w, failure& why) noexcept {
  why = {errc::closed, "release", tell(w), 0};
  return no_handle;
}

namespace {

/// Counts what is written to a stream that is not open, so that the loss is not silent.
class counting_closed_sink final : public sink {
 public:
  counting_closed_sink() = default;
  /// Of a stream that could not be opened.
  counting_closed_sink(const failure& why, std::string_view name) : why_(why), name_(name) {}

  void write(writer&, std::string_view bytes) noexcept override {
    lost_ += bytes.size();
    untold_ = untold_ || !bytes.empty();
  }
  failure flush(writer&) noexcept override { return report("flush"); }
  failure seek(writer&, std::uint64_t) noexcept override { return report("seek"); }
  std::uint64_t tell(const writer&) const noexcept override { return 0; }
  failure patch(writer&, std::uint64_t, std::string_view) noexcept override {
    return report("patch");
  }
  failure close(writer&) noexcept override { return untold_ ? report("close") : failure{}; }
  std::error_code error(const writer&) const noexcept override { return why_.code; }
  std::uint64_t lost(const writer&) const noexcept override { return lost_; }
  std::string_view name() const noexcept override { return name_; }
  void dispose(writer&) noexcept override {
    if (untold_) report_lost_bytes(report("write"), name());
    delete this;
  }

 private:
  failure report(const char* operation) noexcept {
    untold_ = false;
    failure told = why_;
    if (told.code == errc::closed) told.operation = operation;
    told.unwritten = lost_;
    return told;
  }

  failure why_{errc::closed};
  std::string name_ = "<closed>";
  std::uint64_t lost_ = 0;
  bool untold_ = false;
};

/// Shared by all closed streams, so it has no state. When a stream is written to, it gets a
/// counting sink.
class shared_closed_sink final : public sink {
 public:
  void write(writer& w, std::string_view bytes) noexcept override {
    if (bytes.empty()) return;
    if (auto* counting = new (std::nothrow) counting_closed_sink) {
      set_sink(w, *counting);
      counting->write(w, bytes);
    } else {
      report_lost_bytes({errc::closed, "write", failure::no_offset, bytes.size()}, name());
    }
  }
  failure flush(writer&) noexcept override { return refusal("flush"); }
  failure seek(writer&, std::uint64_t) noexcept override { return refusal("seek"); }
  std::uint64_t tell(const writer&) const noexcept override { return 0; }
  failure patch(writer&, std::uint64_t, std::string_view) noexcept override {
    return refusal("patch");
  }
  failure close(writer&) noexcept override { return {}; }
  std::error_code error(const writer&) const noexcept override { return errc::closed; }
  std::uint64_t lost(const writer&) const noexcept override { return 0; }
  std::string_view name() const noexcept override { return "<closed>"; }
  void dispose(writer&) noexcept override {}

 private:
  static failure refusal(const char* operation) noexcept { return {errc::closed, operation}; }
};

constinit shared_closed_sink the_closed_sink;

}  // namespace

sink& closed_sink() noexcept { return the_closed_sink; }

sink& unopened_sink(const failure& why, std::string_view name) noexcept try {
  return *new counting_closed_sink(why, name);
} catch (const std::bad_alloc&) {
  return closed_sink();
}

}  // namespace v0
}  // namespace leat
