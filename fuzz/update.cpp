// Random calls on a file_stream over a device that may fail, compared with a string. After a
// success the content is right. Lost bytes are counted.
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;

class stream_calls {
 public:
  stream_calls(leat::file_stream& over, const fuzz::disk& disk)
      : stream_(over), out_(over), disk_(disk), content_(disk.content) {}

  void make_call(input& in) {
    using call = std::pair<const char*, void (stream_calls::*)(input&)>;
    constexpr std::array calls{call{"get", &stream_calls::get},
                               call{"read", &stream_calls::read},
                               call{"peek", &stream_calls::peek},
                               call{"line", &stream_calls::line},
                               call{"put", &stream_calls::put},
                               call{"write", &stream_calls::write},
                               call{"seek", &stream_calls::seek},
                               call{"print", &stream_calls::print},
                               call{"patch", &stream_calls::patch_somewhere},
                               call{"flush", &stream_calls::flush},
                               call{"own_bytes", &stream_calls::write_own_bytes},
                               call{"move", &stream_calls::move},
                               call{"clear_error", &stream_calls::clear_error}};
    const std::size_t before = at_;
    const std::uint64_t lost = stream_.lost();
    const bool had_failed = failed_;
    const std::size_t call_index = in.below(calls.size());
    const auto& [name, make] = calls[call_index];
    fuzz::step("{} at {}", name, at_);
    (this->*make)(in);
    failed_ = static_cast<bool>(out_.error());
    if (failed_ || ec_) {
      fuzz::expect(disk_.faults != 0, "a failure without a fault");
      const auto [least, most] = std::minmax(before, at_);
      at_ = stream_.tell();
      fuzz::expect(least <= at_ && at_ <= most,
                   "tell() after a failure is not between the old and the new position");
    }
    if (had_failed) fuzz::expect_equal(stream_.lost() - lost, lost_bytes_, "lost()");
    if (failed_ && !had_failed) {
      // Each byte is in the file or counted as lost.
      std::string file_content = disk_.content;
      file_content.resize(content_.size());
      std::uint64_t missing = 0;
      for (std::size_t i = 0; i != file_content.size(); ++i)
        missing += file_content[i] != content_[i];
      fuzz::expect(missing <= stream_.lost() - lost + uncertain_bytes_,
                   "more bytes are missing in the file than lost() counts");
      content_ = disk_.content;
    }
    fuzz::expect_equal(stream_.tell(), at_, "tell()");
    fuzz::expect_equal(stream_.size(), content_.size(), "size()");
    const bool reads = call_index < 4;  // get, read, peek and line
    if (ec_ && reads) reported_faults_ = disk_.faults;
    ec_.clear();
    lost_bytes_ = uncertain_bytes_ = 0;
  }

  void close() {
    stream_.close(ec_);
    if (ec_) return fuzz::expect(disk_.faults != 0, "close() fails without a fault");
    fuzz::expect(!failed_, "close() does not report the failure");
    fuzz::expect_text(disk_.content, content_, "the content of the file after close()");
  }

 private:
  std::string_view rest() const {
    return at_ < content_.size() ? std::string_view(content_).substr(at_) : "";
  }
  /// Checks bytes that were read. Fewer than `wanted` bytes are allowed only at the end or before a
  /// failure.
  void expect_bytes(std::string_view bytes, std::size_t wanted) const {
    if (ec_ || disk_.faults != reported_faults_) wanted = bytes.size();
    fuzz::expect_equal(bytes, rest().substr(0, wanted), "the bytes read");
  }
  void overwrite(std::string_view bytes) {
    if (bytes.empty()) return;
    if (failed_) {
      lost_bytes_ += bytes.size();
      return;
    }
    content_.resize(std::max(content_.size(), at_ + bytes.size()));
    bytes.copy(content_.data() + at_, bytes.size());
    at_ += bytes.size();
  }

  void get(input&) {
    const int byte = stream_.get(ec_);
    if (ec_) return;
    fuzz::expect_equal(byte, rest().empty() ? -1 : static_cast<unsigned char>(rest()[0]), "get()");
    at_ += byte >= 0;
  }
  void read(input& in) {
    std::string into(in.below(in.flag() ? 20 : 5000), '?');
    const std::size_t n = stream_.read(std::span(into), ec_);
    expect_bytes(std::string_view(into).substr(0, n), into.size());
    at_ += n;
  }
  void peek(input& in) {
    const std::size_t n = in.below(600);
    expect_bytes(stream_.peek(n, ec_), n);
  }
  void line(input&) {
    std::string line;
    const bool has_line = stream_.read_line(line, ec_);
    if (ec_) {
      at_ += rest().size();  // the largest position; make_call() then takes the real position
      return;
    }
    fuzz::expect_equal(has_line, !rest().empty(), "whether read_line() returns a line");
    fuzz::expect_equal(line, rest().substr(0, rest().find('\n')), "read_line()");
    at_ += std::min(line.size() + 1, rest().size());
  }
  void put(input& in) {
    const char byte = in.integer<char>();
    stream_.put(byte);
    overwrite({&byte, 1});
  }
  void write(input& in) {
    std::string bytes = in.text(30);
    if (in.below(8) == 0) bytes.append(in.below(6000), 'L');
    stream_.write(bytes);
    overwrite(bytes);
  }
  void print(input& in) {
    const int number = in.integer<int>();
    stream_.print("<{}>", number);
    overwrite(fmt::format("<{}>", number));
  }
  void seek(input& in) {
    const std::size_t to = in.below(content_.size() + 100);
    stream_.seek(to, ec_);
    if (!ec_) at_ = to;
  }
  void patch_somewhere(input& in) {
    const std::string bytes = in.text(10);
    if (bytes.size() > at_) return;
    patch(in.below(at_ - bytes.size() + 1), bytes);
  }
  void patch(std::size_t to, std::string_view bytes) {
    if (to + bytes.size() > content_.size()) return;
    const std::string copy(bytes);
    stream_.patch(to, bytes, ec_);
    if (!ec_)
      copy.copy(content_.data() + to, copy.size());
    else
      uncertain_bytes_ = copy.size();
  }
  void flush(input& in) {
    if (in.flag())
      stream_.flush(ec_);
    else
      stream_.sync(ec_);
    fuzz::expect_equal(static_cast<bool>(ec_), static_cast<bool>(out_.error()),
                       "whether flush() and error() report a failure");
    if (!ec_) fuzz::expect_text(disk_.content, content_, "the content of the file after flush()");
  }
  /// Writes bytes that are in the stream's own memory.
  void write_own_bytes(input& in) {
    const std::string_view own = stream_.peek(in.boundary_size(5000), ec_);
    if (ec_ || own.empty()) return;
    const std::string bytes(own);
    const std::size_t skipped = in.below(own.size() + 1);
    at_ += stream_.skip(skipped, ec_);
    switch (in.below(3)) {
      case 0:
        stream_.write(own);
        return overwrite(bytes);
      case 1:
        stream_.print("<{}{:>3}>", own, own);
        return overwrite(fmt::format("<{}{:>3}>", bytes, bytes));
      default: {
        const std::size_t to = in.below(at_ + 1);
        patch(to, own.substr(0, at_ - to));
      }
    }
  }
  void move(input& in) {
    leat::file_stream other(std::move(stream_)), third;
    fuzz::expect(!stream_.is_open() && stream_.error() == leat::errc::closed,
                 "a stream that was moved from is open");
    if (in.flag()) std::swap(other, third);
    stream_ = std::move(other.is_open() ? other : third);
  }
  void clear_error(input& in) {
    if (in.flag()) return;
    out_.clear_error();
    fuzz::expect_equal(static_cast<bool>(out_.error()), disk_.sync_faults != 0,
                       "whether an error remains after clear_error()");
  }

  leat::file_stream& stream_;
  leat::writer& out_;
  const fuzz::disk& disk_;
  std::string content_;
  std::size_t at_ = 0;
  std::error_code ec_;
  bool failed_ = false;                ///< a write has failed: later bytes are lost
  std::uint64_t lost_bytes_ = 0;       ///< number of bytes that the current call has lost
  std::uint64_t uncertain_bytes_ = 0;  ///< bytes of a failed patch that may be written
  std::size_t reported_faults_ = 0;    ///< number of faults when a read last reported a fault
};

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  fuzz::disk disk = fuzz::disk::from_input(in, true);
  disk.content = in.text(300);
  disk.content.append(in.below(8000), 'x');
  leat::file_stream stream(
      std::make_unique<fuzz::device>(disk),
      {.buffer_size = in.one_of(std::array<std::size_t, 6>{0, 1, 2, 7, 64, 4096}),
       .flush = in.one_of(
           std::array{leat::flush_when::full, leat::flush_when::line, leat::flush_when::call})});
  stream_calls calls(stream, disk);
  while (in.has_more()) calls.make_call(in);
  calls.close();
}

const fuzz::driver self("update", drive);

}  // namespace
