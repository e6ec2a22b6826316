// file_buffer, the file streams over a file_buffer, the string streams' destructors, and the
// replacements of std::cout, std::cerr, std::clog and std::cin.
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "opening/open.hpp"
#include "stream/open_streams.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

namespace detail {

/// The leat streams below a file_buffer. At a fork and at exit the file_buffer must return its
/// get and put areas before these streams are flushed or emptied. This object is newer in the list
/// of open streams than the leat streams, so its handlers run first.
struct file_buffer::file final : open_stream {
  explicit file(file_buffer& b) : buffer(&b) {}
  ~file() { delist(); }
  void before_fork() noexcept override {
    if (is_only_thread_at_fork()) buffer->return_buffers();
  }
  void after_fork_in_child() noexcept override { buffer->return_buffers(); }
  loss at_exit() noexcept override {
    if (!thread.is_other_thread()) buffer->return_buffers();
    return {};
  }
  using open_stream::enlist;

  file_buffer* buffer;
  user_thread thread;
  device* output_device = nullptr;  // for size(); null if `output` was not opened
  file_writer output;
  file_reader input;
  // Reads and writes. While `update_stream` is open, `output` and `input` are closed.
  file_stream update_stream;
};

file_buffer::file_buffer(file_buffer&& other) noexcept { swap(other); }

file_buffer& file_buffer::operator=(file_buffer&& other) noexcept {
  if (this != &other) {
    close();
    swap(other);
  }
  return *this;
}

file_buffer::~file_buffer() {
  return_buffers();
  delete file_;
}

void file_buffer::swap(file_buffer& other) noexcept {
  if (this == &other) return;
  // A put-back character is inside the object, so pointers to the character must not be swapped.
  return_buffers();
  other.return_buffers();
  std::streambuf::swap(other);
  std::swap(writer_, other.writer_);
  std::swap(reader_, other.reader_);
  std::swap(cleared_losses_, other.cleared_losses_);
  std::swap(exclusive_, other.exclusive_);
  std::swap(appends_, other.appends_);
  std::swap(wrote_, other.wrote_);
  std::swap(appends_only_, other.appends_only_);
  std::swap(file_, other.file_);
  std::swap(error_, other.error_);
  std::swap(buffer_size_, other.buffer_size_);
  std::swap(unbuffered_, other.unbuffered_);
  std::swap(endl_flushes_, other.endl_flushes_);
  if (file_ != nullptr) file_->buffer = this;
  if (other.file_ != nullptr) other.file_->buffer = &other;
}

void file_buffer::enter() noexcept {
  if (file_ != nullptr) file_->thread.set_to_this_thread();
}

file_buffer* file_buffer::open_file(path_ref path, std::ios_base::openmode mode, bool exclusive) {
  if (is_open()) return nullptr;
  const bool seeks_to_end = (mode & std::ios_base::ate) != 0;
  mode &= ~(std::ios_base::ate | std::ios_base::binary);
  // The standard's table of modes.
  constexpr auto in = std::ios_base::in, out = std::ios_base::out, app = std::ios_base::app,
                 trunc = std::ios_base::trunc;
  const bool reads = (mode & in) != 0, appends = (mode & app) != 0;
  const bool truncates = mode == out || (mode & trunc) != 0;
  const bool writes = (mode & (out | app)) != 0;
  const bool valid = appends ? !truncates : writes || (reads && !truncates);
  if (!valid || (exclusive && !(truncates && writes))) {
    error_ = std::make_error_code(std::errc::invalid_argument);
    return nullptr;
  }
  auto opened = std::make_unique<file>(*this);
  options settings;
  settings.buffer_size = buffer_size_;
  if (unbuffered_) settings.flush = flush_when::call;
  settings.exclusive = exclusive;
  std::error_code ec;
  if (!writes) {
    auto target = open_existing(path, settings, ec);
    if (target != nullptr)
      opened->input = opening::make<file_reader>(std::move(target), settings, path.view());
  } else if (reads && !appends) {
    settings.readable = true;
    auto target = truncates ? open_created(path, settings, ec) : open_updating(path, settings, ec);
    if (target != nullptr && (!target->traits().positional || target->traits().appends))
      ec = std::make_error_code(target->traits().refusal());
    else if (target != nullptr)
      opened->update_stream = opening::make<file_stream>(std::move(target), settings, path.view());
  } else {
    auto target = appends ? open_appending(path, settings, ec) : open_created(path, settings, ec);
    if (target != nullptr) {
      opened->output_device = target.get();
      opened->output = opening::make<file_writer>(std::move(target), settings, path.view());
    }
    if (reads && !ec) {
      auto source = open_existing(path, settings, ec);
      if (source != nullptr)
        opened->input = opening::make<file_reader>(std::move(source), settings, path.view());
    }
  }
  if (ec) {
    error_ = ec;
    return nullptr;
  }
  error_.clear();
  writer_ = opened->update_stream.is_open() ? static_cast<writer*>(&opened->update_stream)
            : opened->output.is_open()      ? static_cast<writer*>(&opened->output)
                                            : nullptr;
  reader_ = opened->update_stream.is_open() ? static_cast<reader*>(&opened->update_stream)
            : opened->input.is_open()       ? static_cast<reader*>(&opened->input)
                                            : nullptr;
  exclusive_ = true;
  appends_ = appends && reads;
  wrote_ = false;
  cleared_losses_ = 0;
  file_ = opened.release();
  file_->enlist();
  appends_only_ = appends && !reads;
  if (seeks_to_end &&
      seekoff(0, std::ios_base::end, std::ios_base::in | std::ios_base::out) == failed_position()) {
    std::error_code why;
    static_cast<void>(size(why));  // as in seekoff()
    close();
    const bool unsized = !why || why == std::errc::operation_not_supported;
    error_ = unsized ? std::make_error_code(std::errc::invalid_seek) : why;
    return nullptr;
  }
  return this;
}

file_buffer* file_buffer::close() {
  if (!is_open()) return nullptr;
  return_buffers();
  std::error_code writing, reading;
  if (file_->update_stream.is_open()) {
    file_->update_stream.close(writing);
  } else {
    file_->output.close(writing);
    if (reader_ != nullptr) file_->input.close(reading);
  }
  if (writer_ == nullptr) writing.clear();
  delete file_;
  file_ = nullptr;
  writer_ = nullptr;
  reader_ = nullptr;
  error_ = writing ? writing : reading;
  return writing ? nullptr : this;
}

std::error_code file_buffer::error() const noexcept {
  if (writer_ != nullptr)
    if (const std::error_code ec = writer_->error()) return ec;
  if (reader_ != nullptr)
    if (const std::error_code ec = reader_->error()) return ec;
  return error_;
}

void file_buffer::clear_error() noexcept {
  error_.clear();
  if (writer_ == nullptr) return;
  return_buffers();
  writer_->clear_error();
  if (!writer_->error()) cleared_losses_ = writer_->lost();
}

bool file_buffer::flush() { return window_buffer::sync() == 0; }

native_handle_type file_buffer::native_handle() const noexcept {
  if (file_ == nullptr) return no_handle;
  return file_->update_stream.is_open() ? file_->update_stream.native_handle()
         : file_->output.is_open()      ? file_->output.native_handle()
                                        : file_->input.native_handle();
}

/// `memory` is not used, because leat has its own buffer. If the file is not open yet, uses a
/// `size` above 64 KiB. A `size` of 0 with a null `memory` makes the stream unbuffered.
std::streambuf* file_buffer::setbuf(char* memory, std::streamsize size) {
  if (is_open()) return this;
  unbuffered_ = memory == nullptr && size == 0;
  constexpr std::streamsize default_size = 64 << 10;  // leat ignores smaller sizes
  buffer_size_ = size > default_size ? static_cast<std::size_t>(size) : 0;
  return this;
}

std::uint64_t file_buffer::size(std::error_code& ec) const noexcept {
  if (file_ != nullptr && file_->output_device != nullptr) return file_->output_device->size(ec);
  return window_buffer::size(ec);
}

file_buffer::pos_type file_buffer::seekpos(pos_type position, std::ios_base::openmode which) {
  // An appending stream has only one write position.
  if (appends_only_) return off_type(position) < 0 ? failed_position() : position;
  return window_buffer::seekpos(position, which);
}

}  // namespace detail

namespace {

/// Like std's flush(), but writes the bytes even if endl_flushes() is false.
void flush_file(std::ostream& out, detail::file_buffer& buffer) {
  if (out.rdbuf() != &buffer || !buffer.is_open()) {
    out.flush();
    return;
  }
  const std::ostream::sentry ready(out);  // flushes the tied stream
  if (ready && !buffer.flush()) out.setstate(std::ios_base::badbit);
}

}  // namespace

ofstream::~ofstream() = default;
ofstream& ofstream::flush() {
  flush_file(*this, *rdbuf());
  return *this;
}
ifstream::~ifstream() = default;
fstream::~fstream() = default;
fstream& fstream::flush() {
  flush_file(*this, *rdbuf());
  return *this;
}
ostringstream::~ostringstream() = default;
istringstream::~istringstream() = default;
stringstream::~stringstream() = default;

namespace detail {

namespace {

/// An object that is never destroyed, because destructors of static objects may print.
template <class T>
union never_destroyed {
  template <class... Args>
  explicit never_destroyed(Args&&... args) : object(std::forward<Args>(args)...) {}
  ~never_destroyed() {}
  T object;
};

}  // namespace

standard_output::standard_output(writer& target) : base_member(target), quick_base(member_) {}
standard_output::~standard_output() = default;
standard_input::standard_input(reader& from) : base_member(from), quick_base(member_) {}
standard_input::~standard_input() = default;

standard_output& output_of_std(int which) {
  struct outputs {
    standard_output cout{leat::out}, cerr{leat::err}, clog{leat::err};
    outputs() {
      cerr.setf(std::ios_base::unitbuf);
      cerr.tie(&cout);
    }
  };
  static never_destroyed<outputs> all;
  return which == 1 ? all.object.cout : which == 2 ? all.object.cerr : all.object.clog;
}

standard_input& input_of_std() {
  static never_destroyed<standard_input> in(leat::in);
  /// At exit, returns the buffer to leat::in, which then sets the descriptor's offset after the
  /// last taken byte.
  static const struct at_end {
    at_end() { in.object.tie(&output_of_std(1)); }
    // Does not call the stream's sync(), which flushes cout and drops an unreported failure.
    ~at_end() { static_cast<std::ios&>(in.object).rdbuf()->pubsync(); }
  } end;
  return in.object;
}

}  // namespace detail

}  // namespace v0
}  // namespace leat
