// Random calls in any order on C's readers over files, mappings, memory and devices, compared with
// the text.
#include <leat/leat.h>
#include <leat/file_stream.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "c_text.hpp"
#include "fuzz.hpp"
#include "support/reference_rows.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::view_of;

/// The functions of a device that reads at most `most` bytes at a time.
struct piecewise_device {
  std::string_view text;
  std::size_t most;

  static ssize_t read(void* self, std::uint64_t at, void* to, std::size_t size) {
    const auto& from = *static_cast<piecewise_device*>(self);
    if (at >= from.text.size()) return 0;
    return static_cast<ssize_t>(
        from.text.copy(static_cast<char*>(to), std::min(size, from.most), at));
  }
  static leat_off_t size(void* self) {
    return static_cast<leat_off_t>(static_cast<piecewise_device*>(self)->text.size());
  }
};

class reader_calls {
 public:
  reader_calls(leat_reader* reader, std::string_view text, std::string_view name)
      : reader_(reader), text_(text), name_(name) {}

  void make_call(input& in) {
    constexpr void (reader_calls::* calls[])(input&) = {
        &reader_calls::get,     &reader_calls::read,        &reader_calls::read_exactly,
        &reader_calls::peek,    &reader_calls::window,      &reader_calls::skip,
        &reader_calls::seek,    &reader_calls::seek_by,     &reader_calls::line,
        &reader_calls::row,     &reader_calls::word,        &reader_calls::number,
        &reader_calls::find,    &reader_calls::line_around, &reader_calls::previous_lines,
        &reader_calls::read_all};
    (this->*in.one_of(calls))(in);
    fuzz::expect_equal(leat_reader_tell(reader_), at_, "leat_reader_tell()");
    fuzz::expect_equal(leat_reader_size(reader_), static_cast<leat_off_t>(text_.size()),
                       "leat_reader_size()");
    fuzz::expect_equal(leat_reader_error(reader_), 0, "leat_reader_error()");
    const auto buffered = view_of(leat_reader_buffered(reader_));
    fuzz::expect_text(buffered, rest().substr(0, buffered.size()), "leat_reader_buffered()");
  }

 private:
  std::string_view rest() const {
    return at_ < text_.size() ? text_.substr(at_) : std::string_view();
  }
  void expect_read(std::string_view got, std::size_t wanted, std::string_view function) {
    fuzz::expect_text(got, rest().substr(0, wanted), function);
    at_ += got.size();
  }

  void get(input&) {
    step("get");
    fuzz::expect_equal(leat_reader_get(reader_),
                       rest().empty() ? -1 : static_cast<unsigned char>(rest()[0]),
                       "leat_reader_get()");
    at_ += rest().empty() ? 0U : 1U;
  }
  void read(input& in) {
    std::string to(in.boundary_size(70'000), '?');
    step("read {}", to.size());
    const ssize_t n = leat_reader_read(reader_, to.data(), to.size());
    expect_read(std::string_view(to).substr(0, static_cast<std::size_t>(n)), to.size(),
                "leat_reader_read()");
  }
  void read_exactly(input& in) {
    std::string to(in.below(100), '?');
    step("read_exactly {}", to.size());
    const bool fits = to.size() <= rest().size();
    const std::size_t missing = fits ? 0 : to.size() - rest().size();
    fuzz::expect_equal(leat_reader_read_exactly(reader_, to.data(), to.size()), fits ? 0 : -1,
                       "leat_reader_read_exactly()");
    if (fits) return expect_read(to, to.size(), "leat_reader_read_exactly()");
    const leat_error why = *leat_last_error();
    fuzz::expect(why.reason == LEAT_REASON_ENDED_EARLY && why.unread == missing,
                 "the reason or the number of missing bytes is wrong");
    at_ = leat_reader_tell(reader_);
  }
  void peek(input& in) {
    const std::size_t n = in.boundary_size(9000);
    step("peek {}", n);
    const leat_text got = leat_reader_peek(reader_, n);
    fuzz::expect(got.bytes != nullptr, "leat_reader_peek()");
    fuzz::expect_text(view_of(got), rest().substr(0, n), "leat_reader_peek()");
  }
  void window(input&) {
    step("window");
    const auto got = view_of(leat_reader_window(reader_));
    fuzz::expect_equal(got.empty(), rest().empty(), "leat_reader_window()");
    fuzz::expect_text(got, rest().substr(0, got.size()), "leat_reader_window()");
  }
  void skip(input& in) {
    const std::size_t n = in.boundary_size(9000);
    step("skip {}", n);
    const std::size_t wanted = std::min(n, rest().size());
    fuzz::expect_equal(leat_reader_skip(reader_, n), static_cast<leat_off_t>(wanted),
                       "leat_reader_skip()");
    at_ += wanted;
  }
  void seek(input& in) {
    const std::size_t to = in.below(text_.size() + 10);
    step("seek {}", to);
    fuzz::expect_equal(leat_reader_seek(reader_, to), 0, "leat_reader_seek()");
    at_ = to;
  }
  void seek_by(input& in) {
    const auto by = static_cast<leat_off_t>(in.below(200)) - 100;
    step("seek_by {}", by);
    const bool is_valid = static_cast<leat_off_t>(at_) + by >= 0;
    fuzz::expect_equal(leat_reader_seek_by(reader_, by), is_valid ? 0 : -1,
                       "leat_reader_seek_by()");
    if (!is_valid)
      return fuzz::expect_equal(errno, EINVAL,
                                "errno of leat_reader_seek_by() to before the start");
    at_ = static_cast<std::size_t>(static_cast<leat_off_t>(at_) + by);
  }

  struct delimiter_choice {
    leat_line_options options{};
    char byte = '\n';
    explicit delimiter_choice(input& in, bool may_limit = false) {
      options.crlf = in.flag();
      if (may_limit && in.rarely(3)) options.longest = 1 + in.below(60);
      if (in.rarely(3)) {
        options.delimiter = in.flag() ? ',' : LEAT_NUL;
        byte = options.delimiter == LEAT_NUL ? '\0' : ',';
      }
    }
    std::string_view text(std::string_view line) const {
      if (options.crlf && line.ends_with('\r')) line.remove_suffix(1);
      return line;
    }
  };
  /// Checks that the result and the error are those of a line or a row that is too long.
  void expect_too_long(int result, std::uint64_t begin) const {
    fuzz::expect_equal(result, -1, "the result for a line or row that is too long");
    const leat_error why = *leat_last_error();
    fuzz::expect(errno == EOVERFLOW && why.reason == LEAT_REASON_LINE_TOO_LONG,
                 "errno or the reason for a line or row that is too long is wrong");
    fuzz::expect_equal(why.offset, begin, "leat_error::offset");
    fuzz::expect_equal(why.path, name_, "leat_error::path");
  }
  void line(input& in) {
    const delimiter_choice by(in, true);
    step("next_line, delimiter {}, crlf {}", by.options.delimiter, by.options.crlf);
    leat_text got{};
    const int result = leat_reader_next_line(reader_, &by.options, &got);
    const std::size_t end = std::min(rest().find(by.byte), rest().size());
    const std::string_view wanted = by.text(rest().substr(0, end));
    if (by.options.longest != 0 && wanted.size() > by.options.longest)
      return expect_too_long(result, at_);
    fuzz::expect_equal(result, rest().empty() ? 0 : 1, "leat_reader_next_line()");
    if (result == 0) return;
    fuzz::expect_text(view_of(got), wanted, "leat_reader_next_line()");
    at_ += std::min(end + 1, rest().size());
  }
  void previous_lines(input& in) {
    const delimiter_choice by(in);
    if (text_.empty()) return;
    step("previous_line until the start");
    std::string_view left = text_;
    leat_text got{};
    for (;;) {
      const int result = leat_reader_previous_line(reader_, &by.options, &got);
      if (left.empty()) {
        fuzz::expect_equal(result, 0, "leat_reader_previous_line() at the start");
        break;
      }
      fuzz::expect_equal(result, 1, "leat_reader_previous_line()");
      if (left.ends_with(by.byte)) left.remove_suffix(1);
      const auto before = left.rfind(by.byte);
      const std::size_t begin = before == left.npos ? 0 : before + 1;
      fuzz::expect_text(view_of(got), by.text(left.substr(begin)), "leat_reader_previous_line()");
      left = left.substr(0, begin);
      fuzz::expect_equal(leat_reader_tell(reader_), begin,
                         "leat_reader_tell() after leat_reader_previous_line()");
    }
    fuzz::expect_equal(leat_reader_seek(reader_, 0), 0, "leat_reader_seek()");
    at_ = 0;
  }
  void line_around(input& in) {
    const delimiter_choice by(in);
    step("line_around");
    leat_text got{};
    std::uint64_t start = 0;
    const std::size_t at = std::min(at_, text_.size());
    const auto before = at == 0 ? text_.npos : text_.rfind(by.byte, at - 1);
    const std::size_t begin = before == text_.npos ? 0 : before + 1;
    const std::size_t end = std::min(text_.find(by.byte, at), text_.size());
    // At the end of the text, the call returns the last line only if the text does not end with a
    // delimiter.
    const int result = leat_reader_line_around(reader_, &by.options, &got, &start);
    fuzz::expect_equal(result, begin == text_.size() ? 0 : 1, "leat_reader_line_around()");
    if (result == 0) return void(at_ = leat_reader_tell(reader_));
    fuzz::expect_equal(start, begin, "the start of leat_reader_line_around()");
    fuzz::expect_text(view_of(got), by.text(text_.substr(begin, end - begin)),
                      "leat_reader_line_around()");
    at_ = std::min(end + 1, text_.size());
  }
  void row(input& in) {
    leat_row_options options{};
    options.delimiter = in.flag() ? 0 : ';';
    options.lf_only = in.flag();
    const char delimiter = options.delimiter == 0 ? ',' : ';';
    if (in.rarely(3) && rest().size() < 20'000) return quoted_row(options, delimiter);
    if (in.rarely(3)) options.longest = 1 + in.below(60);
    step("next_row");
    leat_row got{};
    const int result = leat_reader_next_row(reader_, &options, &got);
    const std::size_t end = std::min(rest().find('\n'), rest().size());
    std::string_view line = rest().substr(0, end);
    if (!options.lf_only && line.ends_with('\r')) line.remove_suffix(1);
    if (options.longest != 0 && line.size() > options.longest) return expect_too_long(result, at_);
    fuzz::expect_equal(result, rest().empty() ? 0 : 1, "leat_reader_next_row()");
    if (result == 0) return;
    fuzz::expect_text(view_of(got.text), line, "the row");
    fuzz::expect_equal(got.fields, leat_count(got.text, delimiter) + 1, "the number of fields");
    leat_text left = got.text, field{};
    for (std::size_t i = 0; i != got.fields; ++i) {
      fuzz::expect_equal(leat_next_field(&left, delimiter, &field), 1, "leat_next_field()");
      fuzz::expect_text(view_of(leat_row_field(&got, i)), view_of(field), "leat_row_field()");
      const auto comma = std::min(line.find(delimiter), line.size());
      fuzz::expect_text(view_of(field), line.substr(0, comma), "leat_next_field()");
      line.remove_prefix(std::min(comma + 1, line.size()));
    }
    fuzz::expect_equal(leat_next_field(&left, delimiter, &field), 0,
                       "leat_next_field() after the last field");
    fuzz::expect(leat_row_field(&got, got.fields).bytes == nullptr,
                 "leat_row_field() returns a field after the last field");
    at_ += std::min(end + 1, rest().size());
  }
  void quoted_row(leat_row_options options, char delimiter) {
    // reference_rows() takes these bytes for a byte order mark, which exists only at a text's
    // start.
    if (rest().starts_with("\xEF\xBB\xBF")) return;
    options.quotes = 1;
    step("next_row with quotes");
    const auto wanted = leat_test::reference_rows(
        rest(), {.delimiter = delimiter, .quotes = true, .lf_only = options.lf_only != 0});
    leat_row got{};
    const int result = leat_reader_next_row(reader_, &options, &got);
    if (wanted.rows.empty() && wanted.error_position) {
      fuzz::expect(result == -1 && errno == EBADMSG, "leat_reader_next_row() accepts a bad quote");
      fuzz::expect_equal(leat_last_error()->offset, at_ + *wanted.error_position,
                         "the offset of a bad quote");
      return void(at_ = leat_reader_tell(reader_));
    }
    fuzz::expect_equal(result, rest().empty() ? 0 : 1, "leat_reader_next_row()");
    if (result == 0) return;
    const auto& fields = wanted.rows[0];
    fuzz::expect_equal(got.fields, fields.size(), "the number of fields");
    leat_row only{};  // leat_row_field() does not need the row's text
    only.fields = got.fields;
    only.of = got.of;
    for (std::size_t i = 0; i != fields.size(); ++i)
      fuzz::expect_text(view_of(leat_row_field(&only, i)), fields[i], "a field");
    fuzz::expect_text(view_of(got.text), rest().substr(0, got.text.size), "the row");
    std::string_view end = rest().substr(got.text.size);
    if (!options.lf_only && end.starts_with('\r')) end.remove_prefix(1);
    fuzz::expect(end.empty() || end[0] == '\n', "the row does not end at the end of a line");
    at_ = text_.size() - end.size() + !end.empty();
  }
  void word(input&) {
    static constexpr std::string_view blanks = " \t\n\v\f\r";
    step("next_word");
    leat_text got{};
    const auto begin = rest().find_first_not_of(blanks);
    fuzz::expect_equal(leat_reader_next_word(reader_, &got), begin == text_.npos ? 0 : 1,
                       "leat_reader_next_word()");
    if (begin != text_.npos) {
      const std::size_t end = std::min(rest().find_first_of(blanks, begin), rest().size());
      fuzz::expect_text(view_of(got), rest().substr(begin, end - begin), "leat_reader_next_word()");
    }
    at_ = leat_reader_tell(reader_);  // the call may or may not take the blank after the word
  }
  void number(input& in) {
    static constexpr std::string_view blanks = " \t\n\v\f\r";
    const std::size_t begin = std::min(rest().find_first_not_of(blanks), rest().size());
    const std::string text(rest().substr(begin, 400));
    const std::size_t before = at_;
    errno = 0;
    int result = 0;
    switch (in.below(3)) {
      case 0: {
        std::int64_t value = 0;
        step("parse_int64");
        result = leat_reader_parse_int64(reader_, &value);
        if (result == 1)
          fuzz::expect_equal(value, std::strtoll(text.c_str(), nullptr, 10),
                             "leat_reader_parse_int64()");
        break;
      }
      case 1: {
        std::uint64_t value = 0;
        step("parse_uint64");
        result = leat_reader_parse_uint64(reader_, &value);
        if (result == 1)
          fuzz::expect_equal(value, std::strtoull(text.c_str(), nullptr, 10),
                             "leat_reader_parse_uint64()");
        break;
      }
      default: {
        double value = 0;
        step("parse_double");
        result = leat_reader_parse_double(reader_, &value);
        if (result == 1 && value == value)
          fuzz::expect_equal(value, std::strtod(text.c_str(), nullptr),
                             "leat_reader_parse_double()");
      }
    }
    if (text.empty()) fuzz::expect_equal(result, 0, "the result at the end of the text");
    if (result < 0)
      fuzz::expect_equal(leat_reader_tell(reader_), before,
                         "leat_reader_tell() after a failed parse");
    at_ = leat_reader_tell(reader_);
  }
  void find(input& in) {
    const std::string needle =
        in.flag()
            ? std::string(rest().substr(std::min(rest().size(), in.below(9000)), 1 + in.below(8)))
            : in.bytes(1 + in.below(4));
    if (needle.empty()) return;
    leat_finder* const finder = leat_finder_new(needle.data(), needle.size());
    step("find '{}'", needle);
    std::uint64_t where = 0;
    const auto wanted = text_.find(needle, at_);
    fuzz::expect_equal(
        leat_finder_find_in(finder, text_.data(), text_.size(), std::min(at_, text_.size())),
        wanted == text_.npos ? SIZE_MAX : wanted, "leat_finder_find_in()");
    fuzz::expect_equal(leat_reader_find(reader_, finder, &where), wanted == text_.npos ? 0 : 1,
                       "leat_reader_find()");
    if (wanted != text_.npos) fuzz::expect_equal(where, wanted, "leat_reader_find()");
    at_ = wanted != text_.npos ? wanted : leat_reader_tell(reader_);
    leat_finder_free(finder);
  }
  void read_all(input& in) {
    const std::size_t limit = in.flag() ? 0 : in.boundary_size(9000);
    step("read_all {}", limit);
    char* bytes = nullptr;
    std::size_t size = 0;
    const bool fits = limit == 0 || rest().size() <= limit;
    fuzz::expect_equal(leat_reader_read_all(reader_, limit, &bytes, &size), fits ? 0 : -1,
                       "leat_reader_read_all()");
    if (fits) {
      expect_read({bytes, size}, text_.npos, "leat_reader_read_all()");
      fuzz::expect(bytes[size] == '\0', "no NUL after the bytes of leat_reader_read_all()");
      std::free(bytes);
    }
  }

  leat_reader* reader_;
  std::string_view text_, name_;
  std::size_t at_ = 0;
};

void drive(input& in) {
  const std::string text = in.bytes(in.boundary_size(300'000));
  const std::string path = fuzz::scratch() + "text";
  piecewise_device underlying{text, 1 + in.boundary_size(9000)};
  leat_reader_options of_mapping{};
  of_mapping.pattern = in.flag() ? LEAT_PATTERN_SEQUENTIAL : LEAT_PATTERN_RANDOM;
  of_mapping.local_only = in.flag();
  leat_reader_options of_device = of_mapping;
  of_device.buffer_size = in.flag() ? 0 : in.boundary_size(70'000);
  leat_reader_options of_file = of_device;
  of_file.caching = in.rarely(16) ? LEAT_CACHING_DIRECT : LEAT_CACHING_CACHED;
  of_file.live = in.rarely(8);
  of_file.background = in.flag();
  of_file.codec_memory = in.boundary_size();
  leat_write_file(path.c_str(), text.data(), text.size());
  leat_reader* r = nullptr;
  std::string_view name = path;
  switch (in.below(4)) {
    case 0:
      name = "<memory>";
      step("a reader of memory, {} bytes", text.size());
      r = leat_reader_of_memory(text.data(), text.size());
      break;
    case 1: {
      step("a reader over a device, {} bytes, buffer {}", text.size(), of_device.buffer_size);
      leat_device_functions functions{};
      functions.read = &piecewise_device::read;
      functions.size = &piecewise_device::size;
      leat_device* const device = leat_device_new(&functions, &underlying);
      name = "text";
      if (of_file.background)
        fuzz::expect(leat_reader_over(device, &of_file, "text") == nullptr && errno == EINVAL,
                     "leat_reader_over() accepts options without effect");
      r = leat_reader_over(device, &of_device, "text");
      leat_device_free(device);
      break;
    }
    case 2:
      step("map {} bytes", text.size());
      if (of_device.buffer_size != 0)
        fuzz::expect(leat_reader_map(path.c_str(), &of_device) == nullptr && errno == EINVAL,
                     "leat_reader_map() accepts options without effect");
      r = leat_reader_map(path.c_str(), &of_mapping);
      fuzz::expect_text(view_of(leat_reader_mapped(r)), text, "leat_reader_mapped()");
      break;
    default:
      step("open {} bytes, buffer {}", text.size(), of_file.buffer_size);
      r = leat_reader_open(path.c_str(), &of_file);
      if (r == nullptr && of_file.caching == LEAT_CACHING_DIRECT) return;
  }
  fuzz::expect(r != nullptr, "a reader can't be opened");
  reader_calls calls(r, text, name);
  while (in.has_more()) calls.make_call(in);
  fuzz::expect_equal(leat_reader_close(r), 0, "leat_reader_close()");
}

const fuzz::driver self("c_reader", drive);

}  // namespace
