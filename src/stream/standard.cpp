// leat::out, leat::err and leat::in, and open_or_stdin() and create_or_stdout(), which open a
// standard stream for the path "-".
#include <leat/file_stream.hpp>

#include <cstddef>
#include <mutex>
#include <new>

#include "base/exit.hpp"
#include "base/immortal.hpp"
#include "base/loss.hpp"
#include "base/standard_peers.hpp"
#include "device/descriptor.hpp"
#include "opening/compressed.hpp"
#include "stream/device_sink.hpp"
#include "stream/device_source.hpp"
#include "stream/open_with.hpp"
#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr const char* input_name = "<standard input>";
constexpr const char* output_name = "<standard output>";

}  // namespace

/// A standard output stream. The first use opens the stream, so the object needs no constructor at
/// run time.
class standard_sink final : public shared_sink {
 public:
  constexpr standard_sink(int descriptor, std::string_view name, flush_when flush) noexcept
      : descriptor_(descriptor), name_(name), flush_(flush) {}

  void write(writer& w, std::string_view bytes) noexcept override {
    standard_peers::drain(standard_peers::c, descriptor_);
    shared_sink::write(w, bytes);
    if (detail::is_single_threaded() && opened_ &&
        !standard_peers::c.load(std::memory_order_relaxed))
      set_out_direct_writer(stream());
  }
  writer& lock_writer() noexcept override {
    standard_peers::drain(standard_peers::c, descriptor_);
    return shared_sink::lock_writer();
  }
  failure close(writer& w) noexcept override;
  void dispose(writer&) noexcept override {}

  using open_stream::enlist_last;
  loss at_exit() noexcept override { return {}; }  // see close_at_exit

  /// Writes pending bytes before a C stream writes to the same descriptor.
  void flush_for_peer() noexcept {
    const call_guard guard(*this);
    set_out_direct_writer(nullptr);  // from now on each call must check the C stream
    if (opened_) flush_unreported();
  }

  /// Called before input is read. If the output is a terminal, writes pending bytes: people must
  /// see a question before the answer. Returns false if the output has no reader any more (EPIPE).
  bool prepare_for_input() noexcept {
    const call_guard guard(*this);
    if (!opened_) return true;
    if (terminal_) flush_unreported();
    return below().status(target()).code != std::errc::broken_pipe;
  }

  /// Closes the stream at the end of the program. Returns true if there was an unreported failure,
  /// and reports it as a loss. Destructors that run later may still print; each such call is
  /// flushed.
  bool close_at_exit() noexcept {
    failure unreported{errc::left_open, "write"};
    if (lock_at_exit()) {
      const std::lock_guard guard(lock_, std::adopt_lock);
      flush_ = flush_when::call;
      set_out_direct_writer(nullptr);
      if (!opened_) return false;
      device_sink* const target_sink = below().as_device_sink();  // null: there was no memory
      unreported = target_sink != nullptr ? target_sink->finish(target()) : below().close(target());
      if (target_sink == nullptr || !target_sink->abandon_if_inside(target())) {
        stream()->~file_writer();
        opened_ = false;
      }
    }
    // Without the lock: the loss handler may print to this stream.
    if (unreported) report_loss(unreported, name_);
    return static_cast<bool>(unreported);
  }

 private:
  file_writer* stream() const noexcept {
    return std::launder(reinterpret_cast<file_writer*>(memory_));
  }

  writer& target() const noexcept override {
    if (!opened_) open();
    return *stream();
  }

  void open() const noexcept;
  /// Lets leat::out use the buffer of `direct` while nothing else in the process writes to the same
  /// descriptor. Null ends this use.
  void set_out_direct_writer(file_writer* direct) noexcept {
    if (descriptor_ == 1) set_direct_writer(out, direct);
  }

  void flush_shared_before_fork() noexcept override {
    if (opened_) shared_sink::flush_shared_before_fork();
  }
  void after_fork_in_child() noexcept override {
    device_sink* const target_sink = opened_ ? below().as_device_sink() : nullptr;
    if (target_sink != nullptr) target_sink->forget_buffer();
    shared_sink::after_fork_in_child();
  }

  int descriptor_;
  std::string_view name_;
  flush_when flush_;
  mutable bool opened_ = false;
  mutable bool terminal_ = false;
  // Memory for a file_writer. open() constructs the file_writer, close_at_exit() destroys it.
  alignas(file_writer) mutable std::byte memory_[sizeof(file_writer)]{};
};

namespace {

constinit immortal<standard_sink> out_sink(1, output_name, flush_when::full);
constinit immortal<standard_sink> err_sink(2, "<standard error>", flush_when::call);

void drain_standard(int descriptor) noexcept {
  (descriptor == 1 ? out_sink : err_sink).value.flush_for_peer();
}

}  // namespace

void standard_sink::open() const noexcept {
  standard_peers::leat.store(drain_standard, std::memory_order_release);
  try {
    auto device = borrow_descriptor(descriptor_);
    terminal_ = device->traits().terminal;
    const bool flushes_lines = flush_ == flush_when::full && terminal_;
    // A fork locks the list of open streams first and this stream second. This function already
    // holds the stream's lock. So the device_sink must not enter the list: entering would take the
    // two locks in the other order.
    new (memory_) file_writer(*new device_sink(
        std::move(device),
        options(writer_options{.flush = flushes_lines ? flush_when::line : flush_}), name_,
        device_sink::listed::shared_sink));
  } catch (...) {
    new (memory_) file_writer;  // no memory: a closed stream, which counts lost bytes
  }
  opened_ = true;
}

namespace {

/// Standard input after its first use.
class input_source final : public device_source {
 public:
  using device_source::device_source;

  void fill(reader& r, std::size_t wanted) noexcept override {
    if (check_output_reader()) device_source::fill(r, wanted);
  }
  std::size_t read(reader& r, std::span<char> into) noexcept override {
    return check_output_reader() ? device_source::read(r, into) : 0;
  }
  std::size_t read_rest(reader& r, std::span<char> into) noexcept override {
    return check_output_reader() ? device_source::read_rest(r, into) : 0;
  }
  failure close(reader& r) noexcept override {
    const failure unreported = read_failure_.take_unreported();
    restore_offset(r);
    const failure result = device_source::close(r);
    return unreported ? unreported : result;
  }
  void dispose(reader& r) noexcept override {
    finish(r);
    reader_ = &in;
  }
  void moved_to(reader& r) noexcept override { reader_ = &r; }
  /// The name for messages. After a failure of standard output: the name of standard output.
  /// Otherwise the name of the input.
  std::string_view name() const noexcept override {
    return output_is_broken_ ? output_name : device_source::name();
  }

  /// Records the reader's position at the fork. Called in a forked child.
  void note_fork_position() noexcept { fork_position_ = reader_->tell(); }

  void finish(reader& r) noexcept {
    // Parent and child share the descriptor's offset. A child that has not read since the fork
    // leaves the offset to the parent.
    if (r.tell() != fork_position_) restore_offset(r);
    if (const failure unreported = read_failure_.take_unreported()) report_loss(unreported, name());
  }

 private:
  /// If standard output has no reader any more and SIGPIPE does not end the program, returns false,
  /// and the read fails. Without this check a filter of endless input would not end.
  bool check_output_reader() noexcept {
    output_is_broken_ = !out_sink.value.prepare_for_input();
    if (output_is_broken_ && !is_failing())
      read_failure_.record({std::make_error_code(std::errc::broken_pipe), "write"});
    return !output_is_broken_;
  }

  /// If the input is seekable, sets the descriptor's offset to the reader's position, and closes
  /// the source. A failure is ignored.
  void restore_offset(reader& r) noexcept {
    failure ignored;
    if (is_positional()) release(r, ignored);
  }

  reader* reader_ = &in;  // the reader that has this source
  std::uint64_t fork_position_ = ~std::uint64_t{0};
  bool output_is_broken_ = false;
};

/// Standard input before its first use. A function that needs the input opens the input, and calls
/// the same function of the opened source.
class unopened_input final : public source, open_stream {
 public:
  using open_stream::enlist_last;
  void fill(reader& r, std::size_t wanted) noexcept override { open(r).fill(r, wanted); }
  std::size_t read(reader& r, std::span<char> into) noexcept override {
    return open(r).read(r, into);
  }
  failure seek(reader& r, std::uint64_t position) noexcept override {
    return open(r).seek(r, position);
  }
  std::uint64_t tell(const reader& r) const noexcept override { return open(in).tell(r); }
  std::uint64_t size(const reader& r, std::error_code& ec) const noexcept override {
    return open(in).size(r, ec);
  }
  bool is_failing() const noexcept override { return true; }
  failure report() noexcept override { return {errc::closed, "read"}; }
  failure close(reader& r) noexcept override { return open(r).close(r); }
  std::error_code error() const noexcept override { return {}; }
  std::string_view name() const noexcept override { return input_name; }
  void dispose(reader&) noexcept override {}

  void finish() noexcept {
    if (input_ != nullptr) input_->finish(in);
  }

 private:
  source& open(reader& r) const noexcept try {
    if (input_ == nullptr)
      input_ = new (memory_) input_source(borrow_descriptor(descriptor), {}, name());
    input_->start(r);
    set_source(r, *input_);
    return *input_;
  } catch (const std::bad_alloc&) {
    set_source(r, closed_source());
    return closed_source();
  }

  void after_fork_in_child() noexcept override {
    if (input_ != nullptr) input_->note_fork_position();
  }

  static constexpr int descriptor = 0;
  mutable input_source* input_ = nullptr;
  alignas(input_source) mutable std::byte memory_[sizeof(input_source)]{};
};

constinit immortal<unopened_input> in_source;

[[gnu::constructor]] void start_standard_streams() {
  out_sink.value.enlist_last();
  err_sink.value.enlist_last();
  in_source.value.enlist_last();
}

// Runs after the destructors of static objects and after the functions given to atexit, because
// both may print.
[[gnu::destructor]] void finish_standard_streams() {
  if (out_sink.value.close_at_exit()) fail_at_exit();
  err_sink.value.close_at_exit();
  in_source.value.finish();
}

}  // namespace

constinit standard_writer out(out_sink.value);
constinit standard_writer err(err_sink.value);
constinit standard_reader in(in_source.value);

failure standard_sink::close(writer& w) noexcept {
  if (&w == &out || &w == &err) return shared_sink::close(w);
  // `w` is a stream of create_or_stdout. Standard output itself stays open.
  const failure result = flush(w, false);
  set_sink(w, closed_sink());
  return result;
}

/// Streams for "-".
struct standard_streams {
  static file_writer output() noexcept { return file_writer(out_sink.value); }
  /// The first call returns the stream of leat::in, with the buffered bytes. Later calls, and all
  /// calls after leat::in was closed, return a stream that borrows the descriptor.
  static file_reader input() {
    static_cast<void>(in.tell());  // opens leat::in
    if (in.error() != errc::closed) return file_reader(static_cast<reader&&>(in));
    return file_reader(borrow_descriptor(0), {}, input_name);
  }
};

namespace {

/// Inside a leat::folder "-" is a file's name.
bool is_dash(const path_ref& path) noexcept { return path.view() == "-" && !path.is_inside(); }

/// The unread rest of standard input as a device, for a codec.
class input_device final : public device {
 public:
  explicit input_device(file_reader in) noexcept : in_(std::move(in)) {}

  device_traits traits() const noexcept override { return {.positional = false}; }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override {
    const std::size_t n = in_.window(ec).copy(into.data(), into.size());
    if (n != 0) in_.skip(n, ec);  // these bytes are in the buffer
    return n;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  void close(std::error_code& ec) noexcept override { in_.close(ec); }

 private:
  file_reader in_;
};

std::unique_ptr<device> open_input(path_ref, const options& how, std::error_code& ec) noexcept try {
  return decoded(std::make_unique<input_device>(standard_streams::input()), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

/// Standard output has no file name, so `automatic` finds no extension and means `none`.
bool is_plain_output(const create_options& how) noexcept {
  return how.compression == compression::none || how.compression == compression::automatic;
}

std::unique_ptr<device> open_output(path_ref path, const options& how, std::error_code& ec) noexcept
    try {
  const auto encoding = compression_for_writing(path, how);
  ec = check_compression(encoding, how);
  if (!ec) out.flush(ec);
  return ec ? nullptr : encoded(borrow_descriptor(1), encoding, how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace

file_reader open_or_stdin(path_ref path, const open_options& how) {
  if (!is_dash(path)) return open(path, how);
  if (how.compression == compression::none) return standard_streams::input();
  return open_with<file_reader>(open_input, input_name, how);
}
file_reader open_or_stdin(path_ref path, std::error_code& ec) {
  return open_or_stdin(path, {}, ec);
}
file_reader open_or_stdin(path_ref path, const open_options& how, std::error_code& ec) {
  if (!is_dash(path)) return open(path, how, ec);
  ec.clear();
  if (how.compression == compression::none) return standard_streams::input();
  return open_with<file_reader>(open_input, input_name, how, ec);
}

file_writer create_or_stdout(path_ref path, const create_options& how) {
  if (!is_dash(path)) return create(path, how);
  if (is_plain_output(how)) return standard_streams::output();
  return open_with<file_writer>(open_output, output_name, how);
}
file_writer create_or_stdout(path_ref path, std::error_code& ec) {
  return create_or_stdout(path, {}, ec);
}
file_writer create_or_stdout(path_ref path, const create_options& how, std::error_code& ec) {
  if (!is_dash(path)) return create(path, how, ec);
  ec.clear();
  if (is_plain_output(how)) return standard_streams::output();
  return open_with<file_writer>(open_output, output_name, how, ec);
}

}  // namespace v0
}  // namespace leat
