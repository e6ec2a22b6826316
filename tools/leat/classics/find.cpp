// `leat find`: prints lines that contain a text. classic_commands.cpp calls find().
#include "classics/classics.hpp"
#include "reporting/json.hpp"
#include "system/system.hpp"

#include <algorithm>
#include <filesystem>

namespace bench {

namespace {

/// A line to show, and its position.
struct hit {
  std::string_view text;
  std::uint64_t start;
  std::uint64_t number;  // with find_options::numbers
};

/// Returns the next lines without taking them: as many as fit into the processor's second-level
/// cache, but at least one. Empty at the end.
std::string_view peek_lines(leat::reader& in) {
  constexpr std::size_t most = 128 << 10;
  const auto text = in.window().substr(0, most);
  const auto last = text.rfind('\n');
  if (last != std::string_view::npos) return text.substr(0, last + 1);
  for (auto size = text.size();;) {  // no newline is among the first `size` bytes
    const auto end = in.buffered().find('\n', size);
    if (end != std::string_view::npos) return in.buffered().substr(0, end + 1);
    size = in.buffered().size();
    if (in.peek(size + 1).size() == size) return in.buffered();
  }
}

/// Goes to the start of the next line that contains the text. If there is no such line, returns
/// false.
/// `begin`: the input begins here, perhaps inside a line of the file.
bool seek_line_with(leat::finder& text, leat::reader& in, std::uint64_t begin) {
  if (!in.find(text)) return false;
  const auto line = in.line_around();
  if (line.text.empty()) return false;  // the file has become shorter
  in.seek(std::max(line.start, begin));
  return true;
}

/// Returns the start of a text's last line.
std::size_t start_of_last_line(std::string_view text) {
  // rfind() is slow, and a text between frequent hits often has no newline.
  return text.find('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
}

/// Calls `each` with the lines that contain the text (with `invert`: do not contain the text). If
/// `each` returns false, stops, and leaves the input after the line of this call.
template <class Each>
void for_each_hit(leat::reader& in, leat::finder& text, const find_options& options, Each each) {
  // In a pipe, the start of a long line may be gone when its hit is found.
  std::error_code no_size;
  static_cast<void>(in.size(no_size));
  const bool skips = !options.invert && !options.numbers && !text.needle().empty() && !no_size;
  const std::uint64_t begin = in.tell();
  std::uint64_t number = 0;
  bool continues = true;
  while (continues && (!skips || seek_line_with(text, in, begin))) {
    const auto lines = peek_lines(in);
    if (lines.empty()) return;
    std::size_t at = 0;
    const auto next_line = [&] {
      const auto newline = lines.find('\n', at);
      const hit line{lines.substr(at, newline - at), in.tell() + at, ++number};
      at = std::min(newline, lines.size() - 1) + 1;
      return line;
    };
    while (continues && at != lines.size()) {
      const auto before = lines.substr(at, text.find_in(lines, at) - at);
      const bool found = at + before.size() != lines.size();
      const auto start = at + (found ? start_of_last_line(before) : before.size());
      if (!options.invert) {
        if (options.numbers && at != start)
          number += leat::count(lines.substr(at, start - at), '\n');
        at = start;
      }
      while (continues && at != start) continues = each(next_line());
      if (!continues || !found) break;
      const auto line = next_line();
      if (!options.invert) continues = each(line);
    }
    in.skip(at);
  }
}

/// True if standard output is a regular file, and the input is the same file: a search would find
/// its own output, without end.
bool is_output(const std::string& name) {
  const std::filesystem::path output("/dev/stdout");
  std::error_code ignored;
  return std::filesystem::is_regular_file(output, ignored) &&
         identity_of(name == "-" ? "/dev/stdin" : name) == identity_of(output);
}

void show(const hit& line, const std::string* name, const find_options& options) {
  if (options.json) {
    leat::print("{{\"file\": {}, \"byte\": {}, ", json_string(name ? *name : "-"), line.start);
    if (options.numbers) leat::print("\"line\": {}, ", line.number);
    return leat::println("\"text\": {}}}", json_string(line.text));
  }
  if (name) leat::print("{}:", *name);
  if (options.numbers) leat::print("{}:", line.number);
  if (options.offsets) leat::print("{}:", line.start);
  leat::println("{}", line.text);
}

}  // namespace

int find(const find_options& options) {
  classic command("find", 2);
  leat::finder text(options.text);
  const bool has_names = options.json || options.names.value_or(options.inputs.files.size() > 1);
  const bool shows_lines = !options.count && !options.list && !options.quiet;
  bool found = false;
  const auto fail = [&](const std::string& name, std::error_code why) {
    if (options.quiet && found) return;
    options.no_messages ? command.fail() : command.report_error(name + ": " + why.message());
  };
  const auto search = [&](leat::file_reader& in, const std::string& given) {
    if (shows_lines && options.max_count > 1 && is_output(given))
      return fail(given, leat::errc::same_file);
    const auto name = given == "-" && !options.json ? std::string("(standard input)") : given;
    std::uint64_t hits = 0;
    const auto take = [&](const hit& line) {
      found = true;
      ++hits;
      if (shows_lines) show(line, has_names ? &name : nullptr, options);
      return !options.list && !options.quiet && hits != options.max_count;
    };
    try {
      if (options.max_count != 0)
        with_reader(in, given, options.inputs,
                    [&](leat::reader& input) { for_each_hit(input, text, options, take); });
    } catch (const leat::io_error& error) {
      if (leat::out.error()) throw;
      fail(name, error.code());
    }
    if (options.list && !options.quiet && hits != 0) leat::println("{}", name);
    if (options.count && !options.list && !options.quiet) {
      if (options.json)
        leat::println("{{\"file\": {}, \"lines\": {}}}", json_string(name), hits);
      else
        leat::println("{}{}{}", has_names ? name : "", has_names ? ":" : "", hits);
    }
  };
  for_each_input(options.inputs, search, fail, fail, [&] { return options.quiet && found; });
  const int code = command.finish(found ? 0 : 1);
  return options.quiet && found ? 0 : code;
}

}  // namespace bench
