// Lines, words, rows, matches and numbers of a reader with any buffer size, from any position and
// with other calls between them, compared with simple searches of the whole text.
#include <leat/file_stream.hpp>
#include <leat/finder.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>
#include <leat/parse.hpp>
#include <leat/ranges.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../tests/support/reference_rows.hpp"
#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
using std::string_view;
using texts = std::vector<std::string>;

class trial {
 public:
  trial(input& in, leat::reader& reader, string_view text, bool is_positional)
      : in_(in), reader_(reader), text_(text), is_positional_(is_positional) {}

  void run() {
    constexpr void (trial::* all[])() = {
        &trial::lines, &trial::lines,    &trial::read_line,       &trial::words,
        &trial::rows,  &trial::rows,     &trial::lines_backwards, &trial::line_around,
        &trial::find,  &trial::find_all, &trial::number,          &trial::make_other_call};
    for (int calls = 0; in_.has_more() && calls != 60; ++calls) {
      (this->*in_.one_of(all))();
      expect_equal(reader_.tell(), at_, "tell()");
      expect(!reader_.error(), "error()");
    }
  }

 private:
  /// Returns the text from the expected position on.
  string_view rest() const { return text_.substr(std::min(at_, text_.size())); }

  leat::line_options some_line_options() {
    leat::line_options options;
    options.delimiter = in_.flag() ? '\n' : in_.flag() ? 'a' : in_.integer<char>();
    options.crlf = in_.flag();
    return options;
  }
  /// Returns the line at `at`, without its end. Moves `at` to the next line.
  static std::string line_at(string_view text, std::size_t& at, const leat::line_options& options) {
    const std::size_t end = std::min(text.find(options.delimiter, at), text.size());
    std::string line(text.substr(at, end - at));
    if (options.crlf && line.ends_with('\r')) line.pop_back();
    at = std::min(end + 1, text.size());
    return line;
  }

  /// Makes a random other call, for example between two lines, and checks its result.
  void make_other_call() {
    switch (in_.below(7)) {
      case 0: {
        const std::size_t n = in_.below(40);
        step("peek {}", n);
        return expect_text(reader_.peek(n).substr(0, n), rest().substr(0, n), "peek()");
      }
      case 1: {
        std::string bytes_read(in_.flag() ? in_.below(20) : in_.boundary_size(5'000), '\0');
        step("read {}", bytes_read.size());
        bytes_read.resize(reader_.read(std::span(bytes_read)));
        expect_text(bytes_read, rest().substr(0, bytes_read.size()), "read()");
        at_ += bytes_read.size();
        return;
      }
      case 2: {
        const std::size_t n = in_.below(100);
        step("skip {}", n);
        const std::size_t passed = reader_.skip(n);
        expect_equal(passed, std::min(n, rest().size()), "skip()");
        at_ += passed;
        return;
      }
      case 3: {
        step("get");
        const int byte = reader_.get();
        expect_equal(byte, rest().empty() ? -1 : static_cast<unsigned char>(rest().front()),
                     "get()");
        at_ += byte != -1;
        return;
      }
      case 4: {
        step("window");
        const string_view window = reader_.window();
        expect(rest().starts_with(window) && window.empty() == rest().empty(), "window()");
        return expect(reader_.buffered() == window, "buffered()");
      }
      default:
        if (!is_positional_) return;
        at_ = in_.below(text_.size() + 3);
        step("seek {}", at_);
        reader_.seek(at_);
    }
  }
  /// Sometimes makes another call while a range is open.
  void maybe_make_other_call() {
    if (in_.rarely(4)) make_other_call();
  }
  std::size_t some_count() { return in_.flag() ? 1 + in_.below(5) : 1'000'000; }

  static void expect_last_error(std::string_view unit, std::uint64_t number) {
    const std::string message = leat::last_error().what();
    expect(message.find(leat::format(" ({} {}, at byte ", unit, number)) != std::string::npos,
           "the number and the position are not in the message");
  }

  void lines() {
    auto options = some_line_options();
    if (in_.rarely(3)) options.longest = in_.below(60), options.crlf = false;
    step("lines by {} crlf {} longest {}", +options.delimiter, options.crlf, options.longest);
    std::size_t n = some_count();
    std::error_code ec;
    auto range = reader_.lines(options, ec);
    std::uint64_t lines_read = 0;
    for (auto i = range.begin(); n != 0; ++i, --n) {
      std::size_t next = at_;
      const bool has_more = !rest().empty();
      const std::string wanted = has_more ? line_at(text_, next, options) : std::string();
      if (i == range.end()) {
        expect_equal(ec == leat::errc::line_too_long, has_more && wanted.size() > options.longest,
                     "line_too_long");
        if (ec) expect_last_error("line", lines_read + 1);
        return expect(!has_more || !!ec, "lines() ends before the last line");
      }
      expect(has_more, "lines() returns a line after the last line");
      expect_text(*i, wanted, "lines()");
      expect_equal(range.unfinished(), next == text_.size() && text_.back() != options.delimiter,
                   "unfinished()");
      expect_equal(range.line_number(), ++lines_read, "line_number()");
      at_ = next;
      if (n == 1) return;
      maybe_make_other_call();
    }
  }
  void read_line() {
    const auto options = some_line_options();
    step("read_line by {} crlf {}", +options.delimiter, options.crlf);
    std::string line = "before";
    const bool has_more = !rest().empty();
    expect_equal(reader_.read_line(line, options), has_more, "read_line()");
    expect_text(line, has_more ? line_at(text_, at_, options) : std::string(), "read_line()");
  }
  void words() {
    step("words");
    std::size_t n = some_count();
    auto range = reader_.words();
    for (auto i = range.begin(); n != 0; ++i, --n) {
      std::size_t begin = at_;
      while (begin < text_.size() && leat::detail::is_blank(text_[begin])) ++begin;
      std::size_t end = begin;
      while (end < text_.size() && !leat::detail::is_blank(text_[end])) ++end;
      at_ = std::max(at_, end);
      expect((begin >= text_.size()) == (i == range.end()), "words() ends early or late");
      if (i == range.end()) return;
      expect_text(*i, text_.substr(begin, end - begin), "words()");
      if (n == 1) return;
      maybe_make_other_call();
    }
  }
  void rows() {
    leat::row_options options{.delimiter = in_.flag()   ? ','
                                           : in_.flag() ? ';'
                                                        : 'a',
                              .quotes = in_.flag(),
                              .lf_only = in_.flag()};
    if (!options.quotes && in_.rarely(3)) options.longest = in_.below(60);
    // reference_rows() takes these bytes for a byte order mark, which exists only at a text's
    // start.
    if (at_ != 0 && rest().starts_with("\xEF\xBB\xBF")) return;
    step("rows by {} quotes {} lf_only {}", options.delimiter, options.quotes, options.lf_only);
    std::size_t n = some_count();
    std::error_code ec;
    auto wanted = leat_test::reference_rows(rest(), options);
    const auto too_long = std::ranges::find_if(wanted.rows, [&](const texts& fields) {
      std::size_t size = fields.size() - 1;
      for (const auto& field : fields) size += field.size();
      return size > options.longest;
    });
    const bool is_too_long = too_long != wanted.rows.end();
    wanted.rows.erase(too_long, wanted.rows.end());
    const std::size_t begin = at_;
    auto range = reader_.rows(options, ec);
    std::size_t row = 0;
    for (auto i = range.begin(); n != 0; ++i, --n, ++row) {
      if (i == range.end()) {
        expect_equal(row, wanted.rows.size(), "rows()");
        expect_equal(ec == leat::errc::bad_quotes, wanted.error_position.has_value(), "bad_quotes");
        expect_equal(ec == leat::errc::line_too_long, is_too_long, "line_too_long");
        if (ec) expect_last_error("row", row + 1);
        break;
      }
      expect(row != wanted.rows.size(), "rows() returns a row after the last row");
      const auto& fields = wanted.rows[row];
      const leat::row& current_row = *i;
      expect_equal(range.row_number(), row + 1, "row_number()");
      expect_equal(current_row.size(), fields.size(), "the number of fields");
      expect(current_row[current_row.size()].data() == nullptr,
             "a row has a field after the last field");
      expect(texts(current_row.begin(), current_row.end()) == fields,
             "rows() returns other fields");
      for (std::size_t k = 0; k != fields.size(); ++k)
        expect_text(current_row[k], fields[k], "a field");
      if (!options.quotes) {
        std::string joined;
        for (const auto& field : fields) (joined += field) += options.delimiter;
        joined.pop_back();
        expect_text(current_row.text(), joined, "text()");
      }
      if (n == 1) {
        ++row;
        break;
      }
    }
    // The position is after the rows that were taken, and before the next row.
    at_ = reader_.tell();
    expect(at_ >= begin && at_ <= std::max(begin, text_.size()), "tell() after rows()");
    const auto passed = leat_test::reference_rows(
        text_.substr(std::min(begin, text_.size()), at_ - begin), options);
    expect(passed.rows.size() == row && !passed.error_position,
           "other rows are before the position");
    const bool after_mark = at_ == 3 && text_.starts_with("\xEF\xBB\xBF");
    expect(at_ == begin || at_ == text_.size() || text_[at_ - 1] == '\n' || after_mark,
           "the position is not at the end of a row");
  }
  void lines_backwards() {
    if (!is_positional_) return;
    const auto options = some_line_options();
    step("lines_backwards by {} crlf {}", +options.delimiter, options.crlf);
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < text_.size();) {
      starts.push_back(at);
      line_at(text_, at, options);
    }
    std::size_t n = some_count();
    auto range = reader_.lines_backwards(options);
    for (auto i = range.begin(); n != 0; ++i, --n) {
      if (i == range.end()) {
        return expect(starts.empty(), "lines_backwards() ends before the first line");
      }
      expect(!starts.empty(), "lines_backwards() returns a line before the first line");
      at_ = starts.back();
      expect_equal(reader_.tell(), at_, "tell() in lines_backwards()");
      std::size_t next = at_;
      expect_text(*i, line_at(text_, next, options), "lines_backwards()");
      starts.pop_back();
      if (n == 1) return;
      maybe_make_other_call();
    }
  }
  void line_around() {
    if (!is_positional_ || rest().empty()) return;
    const auto options = some_line_options();
    step("line_around by {}", +options.delimiter);
    // A delimiter belongs to the line that it ends.
    const std::size_t before = at_ == 0 ? text_.npos : text_.rfind(options.delimiter, at_ - 1);
    at_ = before == text_.npos ? 0 : before + 1;
    const leat::placed_line ours = reader_.line_around(options);
    expect_equal(ours.start, at_, "the start of line_around()");
    expect_text(ours.text, line_at(text_, at_, options), "line_around()");
  }
  std::string some_needle() {
    const std::size_t at = in_.below(text_.size() + 1);
    std::string needle(text_.substr(at, in_.flag() ? in_.below(4) : in_.below(100)));
    if (in_.rarely(3)) needle += in_.text(2);
    return needle;
  }
  void find() {
    const std::string needle = some_needle();
    step("find {} bytes", needle.size());
    const std::size_t wanted = text_.find(needle, at_);
    const auto found = in_.flag() ? reader_.find(needle) : [&] {
      leat::finder prepared(needle);
      return reader_.find(prepared);
    }();
    expect_equal(found.has_value(), wanted != text_.npos || (needle.empty() && at_ >= text_.size()),
                 "find()");
    if (found && at_ <= text_.size()) expect_equal(*found, wanted, "the position from find()");
    at_ = found ? *found : std::max(at_, text_.size());
  }
  void find_all() {
    const std::string needle = some_needle();
    if (at_ > text_.size()) return;
    step("find_all {} bytes", needle.size());
    std::size_t n = some_count(), from = at_;
    auto range = in_.flag() ? reader_.find_all(needle) : reader_.find_all(leat::finder(needle));
    for (auto i = range.begin(); n != 0; ++i, --n) {
      const std::size_t wanted = from <= text_.size() ? text_.find(needle, from) : text_.npos;
      expect_equal(i == range.end(), wanted == text_.npos, "the end of find_all()");
      if (i == range.end()) {
        at_ = text_.size();
        return;
      }
      expect_equal(*i, wanted, "find_all()");
      expect_equal(reader_.tell(), wanted, "tell() at a match");
      at_ = wanted;
      from = wanted + std::max<std::size_t>(needle.size(), 1);
      if (n == 1) return;
    }
  }
  template <class T>
  void number_of(int base) {
    std::size_t begin = at_;
    while (begin < text_.size() && leat::detail::is_blank(text_[begin])) ++begin;
    T wanted{};
    const char* const end = text_.data() + text_.size();
    std::from_chars_result result{end, std::errc{}};
    if (begin < text_.size()) {
      if constexpr (std::is_integral_v<T>)
        result = std::from_chars(text_.data() + begin, end, wanted, base);
      else
        result = std::from_chars(text_.data() + begin, end, wanted);
    }
    std::error_code ec;
    std::optional<T> ours;
    if constexpr (std::is_integral_v<T>)
      ours = base == 10 ? reader_.parse<T>(ec) : reader_.parse<T>(base, ec);
    else
      ours = reader_.parse<T>(ec);
    if (begin >= text_.size()) {
      expect(!ours && !ec, "parse() at the end of the text returns a number or an error");
      at_ = std::max(at_, text_.size());
      return;
    }
    expect(ours.has_value() == (result.ec == std::errc{}), "parse()");
    if (result.ec == std::errc{}) {
      expect(*ours == wanted || (*ours != *ours && wanted != wanted),
             "parse() returns another number");
      at_ = static_cast<std::size_t>(result.ptr - text_.data());
    } else {
      expect(ec == (result.ec == std::errc::invalid_argument
                        ? make_error_code(leat::errc::not_a_number)
                        : make_error_code(std::errc::result_out_of_range)),
             "parse() has another error");
    }
  }
  void number() {
    step("a number");
    switch (in_.below(5)) {
      case 0:
        return number_of<int>(10);
      case 1:
        return number_of<std::uint64_t>(2 + static_cast<int>(in_.below(35)));
      case 2:
        return number_of<signed char>(10);
      case 3:
        return number_of<std::int64_t>(16);
      default:
        return number_of<double>(10);
    }
  }

  input& in_;
  leat::reader& reader_;
  const string_view text_;
  const bool is_positional_;
  std::size_t at_ = 0;
};

/// Returns a text with lines, words, numbers and rows. Long texts repeat a shorter text, with a
/// number after each copy.
std::string some_text(input& in) {
  static constexpr std::array pieces{"\n",
                                     "\r\n",
                                     "a",
                                     ",",
                                     ";",
                                     "\"",
                                     " ",
                                     "12",
                                     "-7",
                                     "0x1f",
                                     "1.5e-3",
                                     "\"a,\"",
                                     "\"\"\"\"",
                                     "\t",
                                     "ab",
                                     "\xEF\xBB\xBF",
                                     "99999999999999999999",
                                     "\r",
                                     ".",
                                     "nan"};
  std::string result;
  if (in.flag()) {
    for (std::size_t n = in.below(60); n != 0; --n) result += in.one_of(pieces);
  } else {
    result = in.flag() ? in.text(200) : in.bytes(in.boundary_size(5'000));
  }
  const std::string once = result;
  if (in.rarely(8))
    for (std::size_t n = in.below(in.rarely(8) ? 2'000 : 60); n != 0; --n)
      result += fmt::format("{}{}\n", once, n);
  if (result.size() > 300'000) result.resize(300'000);
  return result;
}

void drive(fuzz::input& in) {
  fuzz::disk disk = fuzz::disk::from_input(in, false);
  const std::string text = disk.content = some_text(in);
  const std::string path = fuzz::scratch() + "lines";
  const std::size_t buffer = in.flag() ? in.below(100) : in.boundary_size();
  const auto run = [&](leat::reader&& reader, bool positional = true) {
    trial(in, reader, text, positional).run();
  };
  const auto kind = in.below(8);
  step("{} bytes from a reader of kind {} with a buffer of {}", text.size(), kind, buffer);
  if (kind > 4) leat::write_file(path, text);
  switch (kind) {
    case 0:
      return run(leat::memory_reader(string_view(text)));
    case 1:
      disk.traits.positional = false;
      return run(leat::file_reader(std::make_unique<fuzz::device>(disk), {.buffer_size = buffer}),
                 false);
    case 5:
      return run(leat::map_file(path));
    case 6:
      return run(leat::open(
          path, {.buffer_size = in.flag() ? 0 : buffer,
                 .pattern = in.flag() ? leat::pattern::random : leat::pattern::sequential}));
    case 7:
      return run(leat::update(path, {.buffer_size = buffer}));
    default:
      run(leat::file_reader(std::make_unique<fuzz::device>(disk), {.buffer_size = buffer}));
  }
}

const fuzz::driver self("lines", drive);

}  // namespace
