// The sinks of writers that were never opened, could not be opened or were moved from, and the
// default functions of file_sink. Called by the functions of writer.
#include <new>
#include <string>

#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

native_handle_type file_sink::release(writer&, failure& why) noexcept {
  why = {errc::closed, "release"};
  return no_handle;
}

failure file_sink::reopen(writer&) noexcept {
  return {std::make_error_code(std::errc::operation_not_supported), "reopen"};
}

std::size_t file_sink::copy(writer&, device&, std::uint64_t, std::size_t,
                            std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return 0;
}

namespace {

/// Counts bytes that are written to a stream that is not open, so that the loss is not silent.
class counting_closed_sink final : public sink {
 public:
  counting_closed_sink() = default;
  /// The sink of a stream that could not be opened.
  counting_closed_sink(const failure& why, std::string_view name) : why_(why), name_(name) {}

  void write(writer&, std::string_view bytes) noexcept override {
    lost_ += bytes.size();
    unreported_ = unreported_ || !bytes.empty();
  }
  failure flush(writer&, bool) noexcept override { return report("flush"); }
  failure seek(writer&, std::uint64_t) noexcept override { return report("seek"); }
  std::uint64_t tell(const writer&) const noexcept override { return 0; }
  failure patch(writer&, std::uint64_t, std::string_view) noexcept override {
    return report("patch");
  }
  failure close(writer&) noexcept override { return unreported_ ? report("close") : failure{}; }
  failure status(const writer&) const noexcept override {
    failure result = why_;
    result.unwritten = lost_;
    return result;
  }
  std::string_view name() const noexcept override { return name_; }
  void dispose(writer&) noexcept override {
    if (unreported_) report_lost_bytes(report("write"), name());
    delete this;
  }

 private:
  failure report(const char* operation) noexcept {
    unreported_ = false;
    failure result = why_;
    if (result.code == errc::closed) result.operation = operation;
    result.unwritten = lost_;
    return result;
  }

  failure why_{errc::closed};
  std::string name_ = "<closed>";
  std::uint64_t lost_ = 0;
  bool unreported_ = false;
};

/// Shared by all writers that were never opened or were moved from, so the sink has no state. The
/// first write gives the writer a counting sink of its own.
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
  failure flush(writer&, bool) noexcept override { return refusal("flush"); }
  failure seek(writer&, std::uint64_t) noexcept override { return refusal("seek"); }
  std::uint64_t tell(const writer&) const noexcept override { return 0; }
  failure patch(writer&, std::uint64_t, std::string_view) noexcept override {
    return refusal("patch");
  }
  failure close(writer&) noexcept override { return {}; }
  failure status(const writer&) const noexcept override { return {errc::closed}; }
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
