// Sequences of calls on a file_stream, over a device that fails: while nothing fails they do what
// they do to a string, and success means that the content is right.
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;

class updating {
 public:
  updating(leat::file_stream& over, const fuzz::disk& disk)
      : stream_(over), disk_(disk), content_(disk.content) {}

  /// False after the first failure. What follows it is not compared.
  bool step(input& in) {
    constexpr void (updating::* calls[])(input&) = {
        &updating::get,   &updating::read, &updating::peek,  &updating::line,  &updating::put,
        &updating::write, &updating::seek, &updating::print, &updating::patch, &updating::flush};
    (this->*in.one_of(calls))(in);
    if (ec_ || stream_.error()) {
      fuzz::expect(disk_.faults != 0, "a failure without a fault");
      return false;
    }
    fuzz::expect_equal(stream_.tell(), at_, "tell()");
    fuzz::expect_equal(stream_.size(), content_.size(), "size()");
    return true;
  }

  void close() {
    stream_.close(ec_);
    if (ec_) return fuzz::expect(disk_.faults != 0, "close() fails after a fault only");
    fuzz::expect(disk_.content == content_, "the file has what was written");
  }

 private:
  std::string_view rest() const {
    return at_ < content_.size() ? std::string_view(content_).substr(at_) : "";
  }
  /// They are fewer than wanted only at the end or before a failure.
  void expect_bytes(std::string_view bytes, std::size_t wanted) const {
    if (disk_.faults != 0) wanted = bytes.size();
    fuzz::expect_equal(bytes, rest().substr(0, wanted), "the bytes read");
  }
  void overwrite(std::string_view bytes) {
    if (bytes.empty()) return;
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
    const bool any = stream_.read_line(line, ec_);
    if (ec_) return;
    fuzz::expect_equal(any, !rest().empty(), "another line");
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
  void patch(input& in) {
    const std::string bytes = in.text(10);
    if (bytes.size() > at_) return;
    const std::size_t to = in.below(at_ - bytes.size() + 1);
    if (to + bytes.size() > content_.size()) return;
    stream_.patch(to, bytes, ec_);
    bytes.copy(content_.data() + to, bytes.size());
  }
  void flush(input& in) {
    if (in.flag())
      stream_.flush(ec_);
    else
      stream_.sync(ec_);
    if (!ec_) fuzz::expect(disk_.content == content_, "flushed bytes are in the file");
  }

  leat::file_stream& stream_;
  const fuzz::disk& disk_;
  std::string content_;
  std::size_t at_ = 0;
  std::error_code ec_;
};

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  fuzz::disk disk = fuzz::disk::from(in, true);
  disk.content = in.text(300);
  disk.content.append(in.below(8000), 'x');
  leat::file_stream stream(
      std::make_unique<fuzz::device>(disk),
      {.buffer_size = in.one_of(std::array<std::size_t, 6>{0, 1, 2, 7, 64, 4096}),
       .flush = in.one_of(
           std::array{leat::flush_when::full, leat::flush_when::line, leat::flush_when::call})});
  updating now(stream, disk);
  while (in.more())
    if (!now.step(in)) return;
  now.close();
}

const fuzz::driver self("update", drive);

}  // namespace
