// Random calls on C's streams over functions of the program (fopencookie) with a disk that may
// fail, and over memory (open_memstream), compared with a string. After fclose, the disk has all
// bytes that a call has accepted.
#include <leat/leat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;

/// A cookie of leat_fopencookie: a disk with a position.
struct cookie {
  fuzz::disk& disk;
  std::uint64_t at = 0;
  int closes = 0;        // number of calls of close()
  int close_result = 0;  // what close() returns

  static int close(void* self) {
    auto& c = *static_cast<cookie*>(self);
    ++c.closes;
    return c.close_result;
  }
  static ssize_t read(void* self, char* to, std::size_t size) {
    auto& c = *static_cast<cookie*>(self);
    std::error_code ec;
    return c.finish_transfer(fuzz::device(c.disk).read_at(c.at, {to, size}, ec), ec);
  }
  static ssize_t write(void* self, const char* from, std::size_t size) {
    auto& c = *static_cast<cookie*>(self);
    std::error_code ec;
    const std::array<std::string_view, 1> pieces{std::string_view(from, size)};
    return c.finish_transfer(fuzz::device(c.disk).write_at(c.at, pieces, ec), ec);
  }
  static int seek(void* self, leat_off_t* offset, int whence) {
    auto& c = *static_cast<cookie*>(self);
    const auto from = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? static_cast<leat_off_t>(c.at)
                                           : static_cast<leat_off_t>(c.disk.content.size());
    if (from + *offset < 0) return errno = EINVAL, -1;
    *offset += from;
    c.at = static_cast<std::uint64_t>(*offset);
    return 0;
  }

  /// Moves the position by `n`. Returns `n`, or -1 with errno if no byte was moved because of `ec`.
  ssize_t finish_transfer(std::size_t n, const std::error_code& ec) {
    at += n;
    if (n != 0 || !ec) return static_cast<ssize_t>(n);
    errno = ec == std::errc::interrupted ? EINTR : ENOSPC;
    return -1;
  }
};

class stream_calls {
 public:
  stream_calls(leat_file* file, std::string content) : file_(file), content_(std::move(content)) {}

  /// Returns the expected content of the disk after a flush, or std::nullopt if the content is
  /// unknown.
  std::optional<std::string> content() const {
    return is_content_unknown_ ? std::nullopt : std::optional(content_);
  }

  /// Makes a random call. Returns false if the stream has an error.
  bool make_call(input& in) {
    constexpr void (stream_calls::* methods[])(input&) = {
        &stream_calls::read,  &stream_calls::get,   &stream_calls::line,
        &stream_calls::unget, &stream_calls::write, &stream_calls::put,
        &stream_calls::print, &stream_calls::seek,  &stream_calls::flush};
    (this->*in.one_of(methods))(in);
    if (leat_ferror(file_) != 0) return false;
    fuzz::expect_equal(leat_ftello(file_), static_cast<leat_off_t>(at_), "ftello()");
    return true;
  }

 private:
  std::string_view rest() const {
    return at_ < content_.size() ? std::string_view(content_).substr(at_) : "";
  }
  /// C requires a seek between reading and writing.
  void switch_direction(bool to_writing) {
    if (writing_ != to_writing) leat_fseeko(file_, 0, SEEK_CUR);
    writing_ = to_writing;
  }
  void record_written(std::string_view bytes, std::size_t wanted) {
    if (leat_ferror(file_) == 0)
      fuzz::expect_equal(bytes.size(), wanted, "the number of accepted bytes");
    content_.resize(std::max(content_.size(), bytes.empty() ? 0 : at_ + bytes.size()));
    bytes.copy(content_.data() + at_, bytes.size());
    at_ += bytes.size();
  }

  void read(input& in) {
    switch_direction(false);
    std::string into(in.below(in.flag() ? 20 : 3000), '?');
    into.resize(leat_fread(into.data(), 1, into.size(), file_));
    fuzz::expect(into == rest().substr(0, into.size()), "fread()");
    at_ += into.size();
  }
  void get(input&) {
    switch_direction(false);
    const int byte = leat_fgetc(file_);
    if (leat_ferror(file_) != 0) return;
    fuzz::expect_equal(byte, rest().empty() ? EOF : static_cast<unsigned char>(rest()[0]),
                       "fgetc()");
    at_ += byte != EOF;
  }
  void line(input& in) {
    switch_direction(false);
    std::string into(2 + in.below(100), '?');
    const char* const got = leat_fgets(into.data(), static_cast<int>(into.size()), file_);
    if (leat_ferror(file_) != 0) return;
    const auto line = rest().substr(0, std::min(rest().find('\n'), into.size() - 2) + 1);
    fuzz::expect_equal(got != nullptr, !line.empty(), "fgets()");
    fuzz::expect_equal(into.substr(0, line.size()), line, "a line");
    at_ += line.size();
  }
  void unget(input&) {
    switch_direction(false);
    if (at_ == 0 || at_ > content_.size()) return;
    const char byte = content_[at_ - 1];
    if (leat_ungetc(static_cast<unsigned char>(byte), file_) != EOF) --at_;
  }
  void write(input& in) {
    switch_direction(true);
    std::string bytes = in.text(40);
    if (in.below(8) == 0) bytes.append(in.below(6000), 'L');
    record_written(
        std::string_view(bytes).substr(0, leat_fwrite(bytes.data(), 1, bytes.size(), file_)),
        bytes.size());
  }
  void put(input& in) {
    switch_direction(true);
    const char byte = in.integer<char>();
    const bool taken = leat_fputc(byte, file_) != EOF;
    record_written({&byte, taken ? 1U : 0U}, 1);
  }
  void print(input& in) {
    switch_direction(true);
    const int number = in.integer<int>();
    const std::string text = in.text(20).c_str();
    const int n = leat_fprintf(file_, "<%d %s>", number, text.c_str());
    // After a failure the number of accepted bytes is unknown.
    if (n >= 0) record_written(fmt::format("<{} {}>", number, text), static_cast<std::size_t>(n));
    is_content_unknown_ |= n < 0;
  }
  void seek(input& in) {
    const std::size_t to = in.below(content_.size() + 1);
    if (leat_fseeko(file_, static_cast<leat_off_t>(to), SEEK_SET) == 0) at_ = to;
  }
  void flush(input&) { leat_fflush(file_); }

  leat_file* file_;
  std::string content_;
  std::size_t at_ = 0;
  bool writing_ = false;
  bool is_content_unknown_ = false;
};

void drive_cookie_stream(input& in) {
  fuzz::disk disk = fuzz::disk::from_input(in, true);
  disk.content = in.text(300);
  disk.content.append(in.below(8000), 'x');
  cookie device{.disk = disk, .close_result = in.rarely(4) ? -1 : 0};
  const leat_cookie_functions functions{
      .read = cookie::read, .write = cookie::write, .seek = cookie::seek, .close = cookie::close};
  leat_file* const file = leat_fopencookie(&device, "r+", functions);
  const int mode = in.one_of(std::array{_IOFBF, _IOLBF, _IONBF});
  leat_setvbuf(file, nullptr, mode, in.one_of(std::array<std::size_t, 4>{1, 7, 64, 4096}));
  stream_calls calls(file, disk.content);
  bool succeeds = true;
  while (succeeds && in.has_more()) succeeds = calls.make_call(in);
  // The disk works again, so fclose writes the kept bytes.
  disk.plan.clear();
  disk.calls = 0;
  leat_clearerr(file);
  fuzz::expect_equal(leat_fclose(file), device.close_result, "fclose() of a disk that works");
  fuzz::expect_equal(device.closes, 1, "the number of closes of the cookie");
  fuzz::expect(calls.content().value_or(disk.content) == disk.content,
               "the disk does not have the accepted bytes");
}

void drive_memory_stream(input& in) {
  char* memory = nullptr;
  std::size_t size = 0;
  leat_file* const file = leat_open_memstream(&memory, &size);
  std::string wanted;
  while (in.has_more()) {
    const std::string bytes = in.text(100);
    leat_fwrite(bytes.data(), 1, bytes.size(), file);
    wanted += bytes;
    leat_fprintf(file, "%zu", wanted.size());
    wanted += std::to_string(wanted.size());
  }
  fuzz::expect_equal(leat_fclose(file), 0, "fclose() of memory");
  fuzz::expect_equal(std::string_view(memory, size), wanted, "open_memstream()");
  std::free(memory);
}

void drive(fuzz::input& in) {
  in.below(8) == 0 ? drive_memory_stream(in) : drive_cookie_stream(in);
}

const fuzz::driver self("c_stream", drive);

}  // namespace
