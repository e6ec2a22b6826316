// split(): the concatenated parts are the file, each part ends at the end of a line, and the
// positions of a part's stream are positions in the file.
#include <leat/codecs.hpp>
#include <leat/file_stream.hpp>
#include <leat/split.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;

/// Returns lines of many lengths.
std::string some_text(input& in, char delimiter) {
  std::string result;
  const std::size_t longest = in.boundary_size(in.rarely(8) ? 300'000 : 5'000) + 1;
  for (std::size_t n = in.below(40); n != 0; --n) {
    std::string line = in.bytes(in.below(longest));
    if (in.flag()) std::ranges::replace(line, delimiter, '-');
    result += line + delimiter;
  }
  if (in.flag()) result += in.text(20);
  return result;
}

/// Reads a part by random calls, from any position of the part, forwards and backwards.
void read_part(input& in, leat::file_reader& part, std::string_view file, std::uint64_t begin,
               std::uint64_t end, char delimiter) {
  expect_equal(part.tell(), begin, "tell() of a new part");
  expect_equal(part.size(), end, "size() of a part");
  expect(part.native_handle() == leat::no_handle, "a part has a descriptor");
  std::string text;
  const auto wanted = file.substr(begin, end - begin);
  for (int calls = 0; calls != 3 && in.flag(); ++calls) {
    const std::size_t at = begin + in.below(end - begin + 1);
    step("seek {}", at);
    part.seek(at);
    text.assign(in.boundary_size(5'000), '\0');
    text.resize(part.read(std::span(text)));
    expect_text(text, file.substr(at, std::min<std::size_t>(text.size(), end - at)), "read()");
    expect(text.size() == 0 || at < end, "bytes after the end of the part");
    if (in.flag() && part.tell() != end) {
      const auto around = part.line_around({.delimiter = delimiter});
      expect(around.start >= begin, "a line begins before the part");
    }
    part.seek(begin);
  }
  text.clear();
  switch (in.below(4)) {
    case 0:
      text = part.read_all();
      break;
    case 1:
      for (const auto line : part.lines({.delimiter = delimiter})) (text += line) += delimiter;
      text.resize(std::min(text.size(), wanted.size()));
      break;
    case 2:
      for (const auto line : part.lines_backwards({.delimiter = delimiter})) {
        if (part.tell() < begin) break;  // the range would continue to the start of the file
        text.insert(0, std::string(line) + delimiter);
      }
      text.resize(std::min(text.size(), wanted.size()));
      part.seek(end);
      break;
    default:
      for (int byte = 0; (byte = part.get()) != leat::reader::end_of_file;)
        text += static_cast<char>(byte);
  }
  expect_text(text, wanted, "the content of a part");
  expect_equal(part.tell(), end, "tell() at the end of a part");
  expect_equal(part.get(), leat::reader::end_of_file, "get() at the end of a part");
}

/// Checks that a line much longer than `window_limit` is an error, after the lines before that line
/// were read.
void check_window_limit(input& in) {
  const std::string path = fuzz::scratch() + "limited";
  leat::split_options options;
  options.window_limit = in.boundary_size(100'000);
  options.local_only = in.flag();
  std::string text = some_text(in, '\n');
  const bool is_long = in.flag();
  if (is_long) text += std::string(1'500'000, 'x') + '\n';
  leat::write_file(path, text);
  std::string got;
  std::error_code ec;
  for (auto& part : leat::split(path, 1 + in.below(4), options)) {
    for (const auto line : part.lines(ec)) (got += line) += '\n';
    if (ec) break;
  }
  if (ec) expect(ec == leat::errc::input_too_long, "the error is not input_too_long");
  if (is_long) expect(!!ec, "no error for a line beyond the limit");
  got.resize(std::min(got.size(), text.size()));
  expect_text(got, ec ? text.substr(0, got.size()) : text, "lines up to the limit");
}

void drive(fuzz::input& in) {
  if (in.rarely(32)) return check_window_limit(in);
  static const std::string path = fuzz::scratch() + "parts";
  leat::split_options options;
  options.delimiter = in.flag() ? '\n' : in.integer<char>();
  options.buffer_size = in.flag() ? 0 : in.boundary_size();
  const std::string text = some_text(in, options.delimiter);
  if (in.rarely(8) && leat::codecs::has(leat::compression::zstd)) {
    options.compression = in.flag() ? leat::compression::automatic : leat::compression::zstd;
    leat::create(path, {.compression = leat::compression::zstd, .seekable = true}).write(text);
    if (in.rarely(4)) options.limit = in.below(text.size() + 1);
    // 32 MiB of memory are enough for a table of a few frames, and for frames of at most 1 MiB.
    options.codec_memory = std::uint64_t{32 + in.below(64)} << 20;
  } else {
    leat::write_file(path, text);
  }
  const std::size_t count = in.rarely(16) ? ~std::size_t{0} - in.below(2)
                            : in.flag()   ? in.below(8)
                                          : in.below(100'000);
  step("{} bytes in {} parts, by {}", text.size(), count, static_cast<int>(options.delimiter));
  std::error_code ec;
  std::vector<leat::file_reader> parts = leat::split(path, count, options, ec);
  if (options.limit < text.size() && (ec || options.limit == 0)) return;  // any error is correct
  expect(!ec, "split() fails");
  expect(!parts.empty() && parts.size() <= std::clamp<std::size_t>(count, 1, 65'536),
         "the number of parts");
  if (in.rarely(8) &&
      options.compression == leat::compression::none)  // these bytes belong to no part
    leat::append(path).write("and more\n");
  std::vector<std::uint64_t> ends;
  for (auto& part : parts) ends.push_back(part.size(ec));
  if (options.limit < text.size()) return;
  for (std::size_t i = 0; i != parts.size(); ++i) {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    expect(begin < ends[i] || text.empty(), "a part is empty");
    if (i + 1 != parts.size())
      expect_equal(text[ends[i] - 1], options.delimiter, "the last byte of a part");
  }
  expect_equal(ends.back(), text.size(), "the end of the last part");
  const auto part = [&](std::size_t i) {
    read_part(in, parts[i], text, i == 0 ? 0 : ends[i - 1], ends[i], options.delimiter);
  };
  // If there are many parts, only 12 are checked.
  const std::size_t first_part = in.below(parts.size());
  for (std::size_t i = 0; i != std::min<std::size_t>(parts.size(), 12); ++i)
    part((first_part + i) % parts.size());
  if (!in.rarely(50)) return;
  step("read by threads");
  std::vector<std::string> texts(parts.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i != std::min<std::size_t>(parts.size(), 8); ++i) {
    parts[i].seek(i == 0 ? 0 : ends[i - 1]);
    threads.emplace_back(
        [from = std::move(parts[i]), &into = texts[i]]() mutable { into = from.read_all(); });
  }
  threads.clear();
  for (std::size_t i = 0; i != std::min<std::size_t>(parts.size(), 8); ++i)
    expect_text(texts[i],
                text.substr(i == 0 ? 0 : ends[i - 1], ends[i] - (i == 0 ? 0 : ends[i - 1])),
                "the content of a part that a thread reads");
}

const fuzz::driver self("split", drive);

}  // namespace
