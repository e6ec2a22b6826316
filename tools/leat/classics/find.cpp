// `leat find`: prints lines that contain a text. classic_commands.cpp calls find().
#include "classics/classics.hpp"
#include "reporting/json.hpp"
#include "system/system.hpp"

#include <filesystem>

namespace bench {

namespace {

/// A line to show, and its position.
struct hit {
  std::string_view text;
  std::uint64_t start;
  std::uint64_t number;  // 0: not counted
};

/// Calls `each` with the lines that contain the text (with `invert`: do not contain the text),
/// until `each` returns false.
template <class Each>
void for_each_hit(leat::reader& in, leat::finder& text, const find_options& options, Each each) {
  // In a pipe, the start of a long line may be gone when its hit is found.
  std::error_code no_size;
  static_cast<void>(in.size(no_size));
  if (!options.invert && !options.numbers && !text.needle().empty() && !no_size) {
    while (in.find(text)) {
      const auto line = in.line_around();
      if (!each(hit{line.text, line.start, 0})) return;
    }
    return;
  }
  std::uint64_t number = 0;
  auto start = in.tell();
  for (const std::string_view line : in.lines()) {
    ++number;
    const bool contains_text = text.find_in(line) != leat::finder::npos;
    if (contains_text != options.invert && !each(hit{line, start, number})) return;
    start = in.tell();
  }
}

/// True if the input is the file to which standard output appends: a search would find its own
/// output, without end.
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
    if (options.quiet && found) return;
    if (shows_lines && options.max_count > 1 && is_output(given))
      return fail(given, leat::errc::same_file);
    const auto name = given == "-" && !options.json ? std::string("(standard input)") : given;
    std::uint64_t hits = 0;
    const auto take = [&](const hit& line) {
      if (hits == options.max_count) return false;
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
  for_each_input(options.inputs, search, fail, fail);
  const int code = command.finish(found ? 0 : 1);
  return options.quiet && found ? 0 : code;
}

}  // namespace bench
