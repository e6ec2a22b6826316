// Lines, words, fields, matches: what a plain search of the whole text finds, whatever the windows
// and the reads of the device are.
#include <leat/fields.hpp>
#include <leat/file_stream.hpp>
#include <leat/finder.hpp>
#include <leat/follow.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../tests/support/plain_rows.hpp"
#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;
using texts = std::vector<std::string>;

texts split(std::string_view text, char delimiter) {
  texts made(1);
  for (const char c : text)
    if (c == delimiter)
      made.emplace_back();
    else
      made.back() += c;
  return made;
}

/// The last line may have no delimiter.
texts lines_of(std::string_view text, const leat::line_options& how) {
  texts made = split(text, how.delimiter);
  if (made.back().empty()) made.pop_back();
  for (auto& line : made)
    if (how.crlf && line.ends_with('\r')) line.pop_back();
  return made;
}

texts words_of(std::string_view text) {
  texts made(1);
  for (const char c : text)
    if (!leat::detail::is_blank(c))
      made.back() += c;
    else if (!made.back().empty())
      made.emplace_back();
  if (made.back().empty()) made.pop_back();
  return made;
}

std::vector<std::uint64_t> matches_of(std::string_view text, std::string_view needle,
                                      std::size_t from) {
  std::vector<std::uint64_t> made;
  const std::size_t step = std::max<std::size_t>(needle.size(), 1);
  for (std::size_t at = text.find(needle, from); at != text.npos; at = text.find(needle, at + step))
    made.push_back(at);
  return made;
}

template <class Item>
auto all_of(auto&& range) {
  std::vector<Item> made;
  for (const auto& item : range) made.emplace_back(item);
  return made;
}

void try_lines(input& in, leat::reader& reader, std::string_view text) {
  const leat::line_options how{.delimiter = in.flag() ? '\n' : 'a', .crlf = in.flag()};
  const texts wanted = lines_of(text, how);
  if (in.flag()) {
    fuzz::expect(all_of<std::string>(reader.lines(how)) == wanted, "lines()");
    return;
  }
  std::string line;
  for (const auto& one : wanted) {
    fuzz::expect(reader.read_line(line, how), "another line");
    fuzz::expect_equal(line, one, "read_line()");
  }
  fuzz::expect(!reader.read_line(line, how) && line.empty(), "no line behind the last one");
}

/// Up to the first line that is too long.
void try_longest(input& in, leat::reader& reader, std::string_view text) {
  const leat::line_options how{.longest = in.below(40)};
  texts wanted = lines_of(text, how);
  const auto too_long =
      std::ranges::find_if(wanted, [&](auto& l) { return l.size() > how.longest; });
  const bool fails = too_long != wanted.end();
  wanted.erase(too_long, wanted.end());
  std::error_code ec;
  fuzz::expect(all_of<std::string>(reader.lines(how, ec)) == wanted, "lines up to a longest");
  fuzz::expect_equal(ec == leat::errc::line_too_long, fails, "line_too_long");
}

void try_backwards(input& in, leat::reader& reader, std::string_view text) {
  const leat::line_options how{.delimiter = in.flag() ? '\n' : 'a', .crlf = in.flag()};
  texts wanted = lines_of(text, how);
  std::ranges::reverse(wanted);
  if (in.flag()) reader.seek(in.below(text.size() + 2));
  fuzz::expect(all_of<std::string>(reader.lines_backwards(how)) == wanted, "lines_backwards()");
}

void try_words(input&, leat::reader& reader, std::string_view text) {
  fuzz::expect(all_of<std::string>(reader.words()) == words_of(text), "words()");
}

void try_fields(input& in, leat::reader&, std::string_view text) {
  const char delimiter = in.flag() ? ',' : 'a';
  fuzz::expect(all_of<std::string>(leat::fields(text, delimiter)) == split(text, delimiter),
               "fields()");
}

void try_rows(input& in, leat::reader& reader, std::string_view text) {
  const leat::row_options how{
      .delimiter = in.flag() ? ',' : 'a', .quotes = in.flag(), .crlf = in.flag()};
  leat_test::table found;
  try {
    for (const leat::row& row : reader.rows(how)) found.rows.push_back(all_of<std::string>(row));
  } catch (const leat::io_error& error) {
    fuzz::expect(error.code() == leat::errc::bad_quotes, "bad_quotes");
    found.bad = error.offset();
  }
  fuzz::expect(found == leat_test::plain_rows(text, how), "rows()");
  const char byte = in.flag() ? '\n' : 'a';
  fuzz::expect_equal(leat::count(text, byte),
                     static_cast<std::size_t>(std::ranges::count(text, byte)), "count()");
}

void try_find(input& in, leat::reader& reader, std::string_view text) {
  // Of the text, so that there is something to find.
  const std::size_t at = in.below(text.size() + 1);
  std::string needle(text.substr(at, in.below(80)));
  if (in.flag()) needle += in.text(3);
  const std::size_t from = in.below(text.size() + 1);
  const auto wanted = matches_of(text, needle, from);
  reader.seek(from);
  fuzz::expect(all_of<std::uint64_t>(reader.find_all(needle)) == wanted, "find_all()");
  leat::finder prepared(needle);
  for (std::size_t begin = from, i = 0; i != wanted.size(); begin = wanted[i++] + 1)
    if (needle.size() < 2)  // other matches may overlap
      fuzz::expect_equal(prepared.find_in(text, begin), wanted[i], "find_in()");
  fuzz::expect_equal(prepared.find_in(text, from), text.find(needle, from), "the first find_in()");
}

void try_line_around(input& in, leat::reader& reader, std::string_view text) {
  if (text.empty()) return;
  const std::size_t at = in.below(text.size());
  // A delimiter is the last byte of its line.
  const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  const auto wanted = text.substr(begin, text.find('\n', at) - begin);
  reader.seek(at);
  const leat::placed_line ours = reader.line_around();
  fuzz::expect_equal(ours.text, wanted, "line_around()");
  fuzz::expect_equal(ours.start, begin, "its start");
}

void try_last_lines(input& in, leat::reader&, std::string_view text) {
  static const std::string path = fuzz::scratch() + "file";
  leat::write_file(path, text);
  const std::size_t count = in.below(6);
  texts wanted = lines_of(text, {});
  wanted.erase(wanted.begin(),
               wanted.end() - static_cast<std::ptrdiff_t>(std::min(count, wanted.size())));
  auto last = leat::follow(path, {.last_lines = count, .timeout = std::chrono::milliseconds(0)});
  fuzz::expect(all_of<std::string>(last.lines()) == wanted, "the last lines of follow()");
  std::filesystem::remove(path);
}

void drive(fuzz::input& in) {
  constexpr void (*trials[])(input&, leat::reader&, std::string_view) = {
      try_lines, try_longest,     try_backwards,  try_words, try_fields,
      try_find,  try_line_around, try_last_lines, try_rows};
  const auto trial = in.one_of(trials);
  fuzz::disk disk = fuzz::disk::from(in, false);
  const bool in_memory = in.below(8) == 0;
  const std::size_t window = in.one_of(std::array<std::size_t, 6>{0, 1, 2, 7, 64, 4096});
  // Long texts are repeated ones, with a change in each.
  const std::size_t copies = in.below(16) == 0 ? 1 + in.below(100) : 1;
  const std::string piece = in.text(4096);
  for (std::size_t i = 0; i != copies; ++i) {
    disk.content += piece;
    if (copies > 1) disk.content += fmt::format("{}\n", i);
  }
  if (in_memory) {
    leat::memory_reader reader{std::string_view(disk.content)};
    trial(in, reader, disk.content);
  } else {
    leat::file_reader reader(std::make_unique<fuzz::device>(disk), {.buffer_size = window});
    trial(in, reader, disk.content);
  }
}

const fuzz::driver self("search", drive);

}  // namespace
