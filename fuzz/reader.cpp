// Sequences of calls on readers over a failing device, a file, memory and a mapping. The readers
// return the text, and report a failure only after all bytes before it.
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

/// A reader and its position in the text.
class reading {
 public:
  /// `limit`: the window's limit in bytes. Limits below 64 KiB have the effect of 64 KiB.
  reading(leat::reader& over, std::string_view text, const fuzz::disk* disk, std::size_t limit)
      : in_(over), text_(text), disk_(disk), limit_(std::max<std::size_t>(limit, 64 << 10)) {}

  void step(input& in) {
    std::error_code ec;
    using call = std::pair<const char*, void (reading::*)(input&, std::error_code&)>;
    constexpr std::array calls{call{"get", &reading::get},
                               call{"read", &reading::read},
                               call{"read_exactly", &reading::read_exactly},
                               call{"peek", &reading::peek},
                               call{"window", &reading::window},
                               call{"skip", &reading::skip},
                               call{"seek", &reading::seek},
                               call{"seek_by", &reading::seek_by},
                               call{"line", &reading::line},
                               call{"find", &reading::find},
                               call{"read_all", &reading::read_all},
                               call{"close", &reading::close},
                               call{"look", &reading::look}};
    const auto& [name, make] = in.one_of(calls);
    fuzz::step("{} at {} of {}", name, at_, text_.size());
    (this->*make)(in, ec);
    if (ec == std::errc::no_space_on_device || ec == leat::errc::input_too_long)
      fuzz::expect(has_failed() || make == &reading::read_all, "a failure without a fault");
    if (!closed_) fuzz::expect_equal(in_.tell(), at_, "tell()");
  }

 private:
  std::string_view rest() const { return at_ < text_.size() ? text_.substr(at_) : ""; }

  bool has_failed() const { return is_over_ || (disk_ != nullptr && disk_->faults != 0); }

  /// Checks bytes that were read. There are fewer than `wanted` only at the end or at a failure.
  void took(std::string_view bytes, std::size_t wanted, const std::error_code& ec) {
    saw(bytes, wanted, ec);
    at_ += bytes.size();
  }
  void saw(std::string_view bytes, std::size_t wanted, const std::error_code& ec) {
    if (closed_)
      return fuzz::expect(bytes.empty() && (wanted == 0 || ec == leat::errc::closed), "closed");
    // Bytes before a failure are returned without the error.
    if (!ec && !has_failed())
      fuzz::expect_equal(bytes.size(), std::min(wanted, rest().size()), "how many");
    fuzz::expect(bytes == rest().substr(0, bytes.size()), "the bytes of the text");
  }

  void get(input&, std::error_code& ec) {
    const int byte = in_.get(ec);
    fuzz::expect(byte >= leat::reader::end_of_file, "get()");
    const char text = static_cast<char>(byte);
    took({&text, byte < 0 ? 0U : 1U}, 1, ec);
  }
  void read(input& in, std::error_code& ec) {
    std::string into(in.border(300'000), '?');
    const std::size_t n = in_.read(std::span(into), ec);
    took(std::string_view(into).substr(0, n), into.size(), ec);
  }
  void read_exactly(input& in, std::error_code& ec) {
    std::string into(in.border(), '?');
    in_.read_exactly(std::span(into), ec);
    if (closed_) return;
    // The call takes the bytes that exist, even if there are too few.
    if (!ec) took(into, into.size(), ec);
    if (ec == leat::errc::ended_early) fuzz::expect(rest().size() < into.size(), "ended early");
    at_ = in_.tell();
  }
  void peek(input& in, std::error_code& ec) {
    const std::size_t n = in.border();
    is_over_ |= n > limit_;
    const std::string_view bytes = in_.peek(n, ec);
    saw(bytes, n, ec);
  }
  void window(input&, std::error_code& ec) {
    const std::string_view bytes = in_.window(ec);
    if (!ec) fuzz::expect_equal(bytes.empty(), rest().empty(), "window()");
    saw(bytes, bytes.empty() ? 1 : bytes.size(), ec);
  }
  void skip(input& in, std::error_code& ec) {
    const std::size_t n = in.border();
    const auto passed = in_.skip(n, ec);
    if (!ec && !closed_ && !has_failed())
      fuzz::expect_equal(passed, std::min(n, rest().size()), "skip()");
    if (!closed_) at_ += passed;
  }
  void seek(input& in, std::error_code& ec) {
    const std::size_t to = in.below(text_.size() + 20);
    in_.seek(to, ec);
    if (!ec && !closed_) at_ = to;
  }
  void seek_by(input& in, std::error_code& ec) {
    const auto by = static_cast<std::int64_t>(in.below(100)) - 50;
    in_.seek_by(by, ec);
    if (closed_) return;
    if (by < 0 && static_cast<std::uint64_t>(-by) > at_)
      fuzz::expect(ec == std::errc::invalid_argument, "a seek before the start");
    else if (!ec)
      at_ += static_cast<std::size_t>(by);
  }
  void line(input&, std::error_code& ec) {
    std::string line;
    is_over_ |= std::min(rest().find('\n'), rest().size()) >= limit_;
    const bool any = in_.read_line(line, ec);
    if (ec) {
      at_ = closed_ ? at_ : in_.tell();
      return;
    }
    fuzz::expect_equal(any, !rest().empty(), "another line");
    fuzz::expect_equal(line, rest().substr(0, rest().find('\n')), "read_line()");
    at_ += std::min(line.size() + 1, rest().size());
  }
  void find(input& in, std::error_code& ec) {
    const std::string needle = in.text(4);
    const auto found = in_.find(needle, ec);
    if (closed_) return;
    if (ec) {
      at_ = in_.tell();
      return;
    }
    const std::size_t wanted = needle.empty() ? at_ : text_.find(needle, at_);
    fuzz::expect_equal(found.value_or(text_.npos), wanted, "find()");
    at_ = found ? *found : in_.tell();
  }
  void read_all(input& in, std::error_code& ec) {
    const std::size_t limit = in.flag() ? text_.npos : in.border();
    is_over_ |= limit != text_.npos && std::min(limit, rest().size()) >= limit_;
    const std::string all = in_.read_all(limit, ec);
    if (closed_) return;
    if (ec == leat::errc::input_too_long) {
      fuzz::expect(is_over_ || rest().size() > limit, "too long");
      if (is_over_) at_ = in_.tell();
      return;
    }
    took(all, text_.npos, ec);
  }
  void look(input&, std::error_code&) {
    const auto there = in_.buffered();
    fuzz::expect(closed_ ? there.empty() : there == rest().substr(0, there.size()), "buffered()");
  }
  void close(input& in, std::error_code& ec) {
    if (in.below(8) != 0) return;
    in_.close(ec);
    closed_ = true;
  }

  leat::reader& in_;
  std::string_view text_;
  const fuzz::disk* disk_;
  std::size_t limit_;
  std::size_t at_ = 0;
  bool closed_ = false;
  bool is_over_ = false;  ///< a call has requested more than the window's limit
};

void read(input& in, leat::reader& over, const std::string& text, const fuzz::disk* disk = nullptr,
          std::size_t limit = std::string::npos) {
  reading now(over, text, disk, limit);
  while (in.more()) now.step(in);
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  std::string text = in.text(300);
  if (in.flag())
    for (std::size_t n = in.below(4000); n != 0; --n) text += fmt::format("{}\n", n);
  if (in.rarely(8)) text += in.bytes(in.border()) + std::string(in.border(), 'x');
  const std::size_t limit = in.flag() ? std::string::npos : in.border(200'000);
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
      fuzz::expect(reader.view() == text, "a mapping has the text");
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
      fuzz::disk disk = fuzz::disk::from(in, true);
      disk.content = text;
      leat::file_reader reader(std::make_unique<fuzz::device>(disk),
                               {.buffer_size = buffer, .window_limit = limit});
      read(in, reader, text, &disk, limit);
    }
  }
}

const fuzz::driver self("reader", drive);

}  // namespace
