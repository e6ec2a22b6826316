// Random calls on readers over a device that may fail, a file, memory and a mapping. The readers
// return the text, and report a failure only after all bytes before the failure.
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;

/// Calls on a reader, and the reader's expected position in the text.
class reader_calls {
 public:
  /// `limit`: the option `window_limit`. A limit below 64 KiB has the effect of 64 KiB.
  reader_calls(leat::reader& over, std::string_view text, const fuzz::disk* disk, std::size_t limit)
      : reader_(over), text_(text), disk_(disk), limit_(std::max<std::size_t>(limit, 64 << 10)) {}

  void make_call(input& in) {
    std::error_code ec;
    using call = std::pair<const char*, void (reader_calls::*)(input&, std::error_code&)>;
    constexpr std::array calls{call{"get", &reader_calls::get},
                               call{"read", &reader_calls::read},
                               call{"read_exactly", &reader_calls::read_exactly},
                               call{"peek", &reader_calls::peek},
                               call{"window", &reader_calls::window},
                               call{"skip", &reader_calls::skip},
                               call{"seek", &reader_calls::seek},
                               call{"seek_by", &reader_calls::seek_by},
                               call{"line", &reader_calls::line},
                               call{"find", &reader_calls::find},
                               call{"read_all", &reader_calls::read_all},
                               call{"close", &reader_calls::close},
                               call{"buffered", &reader_calls::buffered}};
    const auto& [name, make] = in.one_of(calls);
    fuzz::step("{} at {} of {}", name, at_, text_.size());
    (this->*make)(in, ec);
    if (ec == std::errc::no_space_on_device || ec == leat::errc::input_too_long)
      fuzz::expect(has_failed() || make == &reader_calls::read_all, "a failure without a fault");
    if (!closed_) fuzz::expect_equal(reader_.tell(), at_, "tell()");
  }

 private:
  std::string_view rest() const { return at_ < text_.size() ? text_.substr(at_) : ""; }

  bool has_failed() const { return is_limit_exceeded_ || (disk_ != nullptr && disk_->faults != 0); }

  /// Checks bytes that were read, and moves the position. Fewer than `wanted` bytes are allowed
  /// only at the end or at a failure.
  void expect_read(std::string_view bytes, std::size_t wanted, const std::error_code& ec) {
    expect_peeked(bytes, wanted, ec);
    at_ += bytes.size();
  }
  void expect_peeked(std::string_view bytes, std::size_t wanted, const std::error_code& ec) {
    if (closed_)
      return fuzz::expect(bytes.empty() && (wanted == 0 || ec == leat::errc::closed),
                          "a closed reader returns bytes or another error");
    // Bytes before a failure are returned without the error.
    if (!ec && !has_failed())
      fuzz::expect_equal(bytes.size(), std::min(wanted, rest().size()), "the number of bytes");
    fuzz::expect(bytes == rest().substr(0, bytes.size()), "other bytes than the text has");
  }

  void get(input&, std::error_code& ec) {
    const int byte = reader_.get(ec);
    fuzz::expect(byte >= leat::reader::end_of_file, "get() returns a value below end_of_file");
    const char text = static_cast<char>(byte);
    expect_read({&text, byte < 0 ? 0U : 1U}, 1, ec);
  }
  void read(input& in, std::error_code& ec) {
    std::string into(in.boundary_size(300'000), '?');
    const std::size_t n = reader_.read(std::span(into), ec);
    expect_read(std::string_view(into).substr(0, n), into.size(), ec);
  }
  void read_exactly(input& in, std::error_code& ec) {
    std::string into(in.boundary_size(), '?');
    reader_.read_exactly(std::span(into), ec);
    if (closed_) return;
    // If too few bytes exist, the call takes these bytes.
    if (!ec) expect_read(into, into.size(), ec);
    if (ec == leat::errc::ended_early)
      fuzz::expect(rest().size() < into.size(), "read_exactly() ends before the end of the text");
    at_ = reader_.tell();
  }
  void peek(input& in, std::error_code& ec) {
    const std::size_t n = in.boundary_size();
    is_limit_exceeded_ |= n > limit_;
    const std::string_view bytes = reader_.peek(n, ec);
    expect_peeked(bytes, n, ec);
  }
  void window(input&, std::error_code& ec) {
    const std::string_view bytes = reader_.window(ec);
    if (!ec) fuzz::expect_equal(bytes.empty(), rest().empty(), "window()");
    expect_peeked(bytes, bytes.empty() ? 1 : bytes.size(), ec);
  }
  void skip(input& in, std::error_code& ec) {
    const std::size_t n = in.boundary_size();
    const auto passed = reader_.skip(n, ec);
    if (!ec && !closed_ && !has_failed())
      fuzz::expect_equal(passed, std::min(n, rest().size()), "skip()");
    if (!closed_) at_ += passed;
  }
  void seek(input& in, std::error_code& ec) {
    const std::size_t to = in.below(text_.size() + 20);
    reader_.seek(to, ec);
    if (!ec && !closed_) at_ = to;
  }
  void seek_by(input& in, std::error_code& ec) {
    const auto by = static_cast<std::int64_t>(in.below(100)) - 50;
    reader_.seek_by(by, ec);
    if (closed_) return;
    if (by < 0 && static_cast<std::uint64_t>(-by) > at_)
      fuzz::expect(ec == std::errc::invalid_argument,
                   "seek_by() to before the start is not refused");
    else if (!ec)
      at_ += static_cast<std::size_t>(by);
  }
  void line(input&, std::error_code& ec) {
    std::string line;
    is_limit_exceeded_ |= std::min(rest().find('\n'), rest().size()) >= limit_;
    const bool has_line = reader_.read_line(line, ec);
    if (ec) {
      at_ = closed_ ? at_ : reader_.tell();
      return;
    }
    fuzz::expect_equal(has_line, !rest().empty(), "whether read_line() returns a line");
    fuzz::expect_equal(line, rest().substr(0, rest().find('\n')), "read_line()");
    at_ += std::min(line.size() + 1, rest().size());
  }
  void find(input& in, std::error_code& ec) {
    const std::string needle = in.text(4);
    const auto found = reader_.find(needle, ec);
    if (closed_) return;
    if (ec) {
      at_ = reader_.tell();
      return;
    }
    const std::size_t wanted = needle.empty() ? at_ : text_.find(needle, at_);
    fuzz::expect_equal(found.value_or(text_.npos), wanted, "find()");
    at_ = found ? *found : reader_.tell();
  }
  void read_all(input& in, std::error_code& ec) {
    const std::size_t limit = in.flag() ? text_.npos : in.boundary_size();
    is_limit_exceeded_ |= limit != text_.npos && std::min(limit, rest().size()) >= limit_;
    const std::string all = reader_.read_all(limit, ec);
    if (closed_) return;
    if (ec == leat::errc::input_too_long) {
      fuzz::expect(is_limit_exceeded_ || rest().size() > limit,
                   "read_all() is refused within the limit");
      if (is_limit_exceeded_) at_ = reader_.tell();
      return;
    }
    expect_read(all, text_.npos, ec);
  }
  void buffered(input&, std::error_code&) {
    const auto got = reader_.buffered();
    fuzz::expect(closed_ ? got.empty() : got == rest().substr(0, got.size()),
                 "buffered() returns other bytes than the text has");
  }
  void close(input& in, std::error_code& ec) {
    if (in.below(8) != 0) return;
    reader_.close(ec);
    closed_ = true;
  }

  leat::reader& reader_;
  std::string_view text_;
  const fuzz::disk* disk_;
  std::size_t limit_;
  std::size_t at_ = 0;
  bool closed_ = false;
  bool is_limit_exceeded_ = false;  ///< a call has requested more than `limit_`
};

void read(input& in, leat::reader& over, const std::string& text, const fuzz::disk* disk = nullptr,
          std::size_t limit = std::string::npos) {
  reader_calls calls(over, text, disk, limit);
  while (in.has_more()) calls.make_call(in);
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  std::string text = in.text(300);
  if (in.flag())
    for (std::size_t n = in.below(4000); n != 0; --n) text += fmt::format("{}\n", n);
  if (in.rarely(8)) text += in.bytes(in.boundary_size()) + std::string(in.boundary_size(), 'x');
  const std::size_t limit = in.flag() ? std::string::npos : in.boundary_size(200'000);
  const auto buffer = in.one_of(std::array<std::size_t, 6>{0, 1, 2, 7, 64, 4096});
  switch (in.below(6)) {
    case 0: {
      leat::memory_reader reader{std::string_view(text)};
      read(in, reader, text);
      break;
    }
    case 1: {
      const std::string path = fuzz::scratch() + "file";
      leat::write_file(path, text);
      auto reader = leat::map_file(path);
      std::filesystem::remove(path);
      fuzz::expect(reader.view() == text, "view() is not the text");
      read(in, reader, text);
      break;
    }
    case 2: {
      const std::string path = fuzz::scratch() + "file";
      leat::write_file(path, text);
      leat::file_reader reader = leat::open(path, {.buffer_size = buffer, .window_limit = limit});
      read(in, reader, text, nullptr, limit);
      break;
    }
    default: {
      fuzz::disk disk = fuzz::disk::from_input(in, true);
      disk.content = text;
      leat::file_reader reader(std::make_unique<fuzz::device>(disk),
                               {.buffer_size = buffer, .window_limit = limit});
      read(in, reader, text, &disk, limit);
    }
  }
}

const fuzz::driver self("reader", drive);

}  // namespace
