// Messages, inputs and amounts of the small commands. The files of the commands (cat.cpp, head.cpp
// and so on) call these functions.
#include "classics/classic.hpp"

#if defined(LEAT_CODECS)
#  include <leat/codecs.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <limits>
#include <span>

namespace bench {

namespace {

constexpr std::size_t block_size = std::size_t{64} << 10;
constexpr auto unlimited = (std::numeric_limits<std::uint64_t>::max)();

/// Returns the factor of "K", "MB", "GiB", …; 0 if the suffix is unknown.
std::uint64_t factor_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix == "b") return 512;
  constexpr std::string_view letters = "KMGTPE";
  const auto power = letters.find(suffix.front() == 'k' ? 'K' : suffix.front());
  if (power == std::string_view::npos) return 0;
  const auto rest = suffix.substr(1);
  if (!rest.empty() && rest != "B" && rest != "iB") return 0;
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i <= power; ++i) factor *= rest == "B" ? 1000U : 1024U;
  return factor;
}

/// Returns the position after the newline with the number `left` (the first newline is 1), or the
/// end of the text if there are fewer newlines. Subtracts the newlines before this position from
/// `left`.
std::size_t after_newlines(std::string_view text, std::uint64_t& left) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (left != 0 && at != end) {
    const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (found == nullptr) return text.size();
    at = static_cast<const char*>(found) + 1;
    --left;
  }
  return static_cast<std::size_t>(at - text.data());
}

/// Returns the start of the last `lines` lines between `first` and `end`. `end` must be greater
/// than `first`. If the file has become shorter, returns nothing.
std::optional<std::uint64_t> start_of_last_lines(leat::reader& in, std::uint64_t first,
                                                 std::uint64_t end, std::uint64_t lines) {
  in.seek(end - 1);
  // The newline at the end of the file begins no line.
  std::uint64_t newlines = in.get() == '\n' && lines != unlimited ? lines + 1 : lines;
  std::string block(block_size, '\0');
  while (end > first) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - first));
    in.seek(end - size);
    if (in.read(std::span(block.data(), size)) != size) return {};
    const auto text = std::string_view(block).substr(0, size);
    const auto newlines_in_block = amount{}.count_in(text);
    end -= size;
    if (newlines_in_block >= newlines) {
      std::uint64_t from_front = newlines_in_block - newlines + 1;
      return end + after_newlines(text, from_front);
    }
    newlines -= newlines_in_block;
  }
  return first;
}

/// A piece of the end of a stream, and the number of its lines or bytes.
struct piece {
  std::string text;
  std::uint64_t units;
};

}  // namespace

void classic::report_error(std::string_view message) {
  std::error_code ignored;  // finish() reports the error
  leat::out.flush(ignored);
  leat::err.println("leat {}: {}", name_, leat::detail::escaped(message));
  has_failed_ = true;
}

void classic::report_open_error(const std::string& name, std::error_code why) {
  report_error(leat::format("cannot open '{}' for reading: {}", name, why.message()));
}

void classic::report_read_error(const std::string& name, std::error_code why) {
  report_error(
      leat::format("error reading '{}': {}", name == "-" ? "standard input" : name, why.message()));
}

int classic::finish(int success) {
  std::error_code ec;
  leat::out.flush(ec);
  const auto why = leat::out.error() ? leat::out.error() : ec;
  if (why) report_error("write error: " + why.message());
  return has_failed_ ? failure_code_ : success;
}

void for_each_input(
    const inputs& given,
    const std::function<void(leat::file_reader& in, const std::string& name)>& process,
    const std::function<void(const std::string& name, std::error_code why)>& on_open_error,
    const std::function<void(const std::string& name, std::error_code why)>& on_read_error,
    const std::function<bool()>& is_finished) {
  static const std::vector<std::string> standard{"-"};
  const auto options = given.decoded
                           ? leat::open_options{.compression = leat::compression::automatic,
                                                .codec_memory = given.codec_memory,
                                                .background = true}
                           : leat::open_options{};
  for (const auto& name : given.files.empty() ? standard : given.files) {
    if (is_finished && is_finished()) return;
    std::error_code ec;
    auto in = leat::open_or_stdin(name, options, ec);
    if (ec) {
      on_open_error(name, ec);
      continue;
    }
    try {
      process(in, name);
    } catch (const leat::io_error& error) {
      if (leat::out.error()) return;
      on_read_error(name, error.code());
    }
    if (leat::out.error()) return;
  }
}

void with_reader(leat::file_reader& in, const std::string& name, const inputs& given,
                 const std::function<void(leat::reader& in)>& work) {
  constexpr std::uint64_t smallest_mapping = std::uint64_t{1} << 20;
  std::error_code ec;
  if (name == "-" || given.decoded || in.size(ec) < smallest_mapping || ec) return work(in);
  auto text = leat::map_file(name, {.pattern = leat::pattern::sequential, .local_only = true}, ec);
  ec ? work(in) : work(text);
}

void copy_to_output(leat::reader& in) {
  std::error_code no_size;
  static_cast<void>(in.size(no_size));
  if (!no_size) {
    leat::copy(in, leat::out);
    return;
  }
  for (auto text = in.window(); !text.empty(); text = in.window()) {
    leat::out.write(text);
    in.skip(text.size());
    leat::out.flush();
  }
}

std::uint64_t amount::count_in(std::string_view text) const {
  return bytes ? text.size() : static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

std::optional<amount> parse_amount(std::string_view text, bool bytes) {
  amount result{.bytes = bytes};
  if (text.starts_with('-') || text.starts_with('+')) {
    result.sign = text.front();
    text.remove_prefix(1);
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, result.count);
  if (stop == text.data()) return {};
  const auto factor = factor_of({stop, static_cast<std::size_t>(end - stop)});
  if (factor == 0) return {};
  // A count that does not fit in 64 bits means all.
  const bool fits = error == std::errc() && result.count <= unlimited / factor;
  result.count = fits ? result.count * factor : unlimited;
  return result;
}

void read_first(leat::reader& in, const amount& wanted,
                const std::function<void(std::string_view)>& each) {
  auto left = wanted.count;
  while (left != 0) {
    const auto text = in.window();
    if (text.empty()) return;
    std::size_t size = 0;
    if (wanted.bytes) {
      size = static_cast<std::size_t>(std::min<std::uint64_t>(left, text.size()));
      left -= size;
    } else {
      size = after_newlines(text, left);
    }
    each(text.substr(0, size));
    in.skip(size);
  }
}

std::optional<std::uint64_t> start_of_last(leat::reader& in, const amount& wanted) {
  std::error_code ec;
  const auto first = in.tell();
  const auto end = in.size(ec);
  if (ec) return {};
  if (end <= first) return first;
  if (wanted.bytes) return end - std::min(wanted.count, end - first);
  if (wanted.count == 0) return end;
  const auto start = start_of_last_lines(in, first, end, wanted.count);
  if (!start) in.seek(first);
  return start;
}

std::string read_last(leat::reader& in, const amount& wanted,
                      const std::function<void(std::string_view)>& each) {
  std::deque<piece> kept;
  std::uint64_t units = 0;
  for (auto text = in.window(); !text.empty(); text = in.window()) {
    if (kept.empty() || kept.back().text.size() >= block_size) kept.push_back({{}, 0});
    kept.back().text += text;
    kept.back().units += wanted.count_in(text);
    units += wanted.count_in(text);
    in.skip(text.size());
    // If the later pieces have more units than wanted, the first piece is not needed.
    for (; units - kept.front().units > wanted.count; kept.pop_front()) {
      each(kept.front().text);
      units -= kept.front().units;
    }
  }
  std::string rest;
  for (const auto& one : kept) rest += one.text;
  leat::memory_reader rest_reader(rest);
  const auto start = static_cast<std::size_t>(start_of_last(rest_reader, wanted).value_or(0));
  each(std::string_view(rest).substr(0, start));
  return rest.substr(start);
}

void show_heading(std::string_view name) {
  static bool is_first = true;
  leat::out.print("{}==> {} <==\n", is_first ? "" : "\n", name == "-" ? "standard input" : name);
  is_first = false;
}

}  // namespace bench
