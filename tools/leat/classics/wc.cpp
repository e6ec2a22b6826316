// `leat wc`: counts lines, words and bytes. classic_commands.cpp calls wc().
#include <algorithm>
#include <filesystem>

#include "classics/classics.hpp"
#include "classics/counts.hpp"
#include "reporting/json.hpp"
#include "system/path_text.hpp"

namespace bench {

namespace {

struct counts {
  std::uint64_t lines = 0, words = 0, bytes = 0;
};

void count(leat::reader& in, const wc_options& wanted, counts& all) {
  std::error_code no_size;
  if (const auto size = in.size(no_size); !wanted.lines && !wanted.words && !no_size && size != 0) {
    all.bytes = size - std::min(size, in.tell());
    in.seek(std::max(size, in.tell()));  // so that a second "-" is empty
    return;
  }
  char last = '\n';
  for (auto text = in.window(); !text.empty(); text = in.window()) {
    all.bytes += text.size();
    if (wanted.lines) all.lines += count_lines(text);
    if (wanted.words) all.words += count_words(text, last);
    last = text.back();
    in.skip(text.size());
  }
}

/// Returns the width of a column: the number of digits of the sum of all sizes, but at least seven
/// if an input has no size or is decoded. Returns 1 for one number of one input.
int column_width(const wc_options& wanted) {
  if (wanted.inputs.files.size() <= 1 && wanted.lines + wanted.words + wanted.bytes == 1) return 1;
  std::uint64_t bytes = 0;
  int least_width = wanted.inputs.decoded ? 7 : 1;
  const std::vector<std::string> standard{"-"};
  for (const auto& name : wanted.inputs.files.empty() ? standard : wanted.inputs.files) {
    std::error_code ec;
    const auto path = path_from_utf8(name);
    const auto kind = std::filesystem::status(path, ec).type();
    if (name != "-" && kind == std::filesystem::file_type::not_found) continue;
    ec.clear();
    const auto size = name == "-" ? leat::in.size(ec) : std::filesystem::file_size(path, ec);
    ec ? void(least_width = 7) : void(bytes += size);
  }
  return std::max(least_width, static_cast<int>(std::to_string(bytes).size()));
}

void show(const counts& all, const std::string& name, const wc_options& wanted, int width) {
  if (wanted.json) {
    leat::print("{{\"file\": {}", json_string(name));
    if (wanted.lines) leat::print(", \"lines\": {}", all.lines);
    if (wanted.words) leat::print(", \"words\": {}", all.words);
    if (wanted.bytes) leat::print(", \"bytes\": {}", all.bytes);
    return leat::println("}}");
  }
  const char* gap = "";
  const auto column = [&](bool is_wanted, std::uint64_t number) {
    if (!is_wanted) return;
    leat::print("{}{:{}}", gap, number, width);
    gap = " ";
  };
  column(wanted.lines, all.lines);
  column(wanted.words, all.words);
  column(wanted.bytes, all.bytes);
  leat::println("{}{}", name.empty() ? "" : " ", name);
}

}  // namespace

int wc(const wc_options& options) {
  classic command("wc");
  auto wants = options;
  if (!wants.lines && !wants.words && !wants.bytes) wants.lines = wants.words = wants.bytes = true;
  const int width = column_width(wants);
  counts total;
  const auto fail = [&](const std::string& name, std::error_code why) {
    command.report_error(leat::format("{}: {}", name, why.message()));
  };
  const auto count_one = [&](leat::file_reader& in, const std::string& name) {
    counts all;
    try {
      with_reader(in, name, wants.inputs, [&](leat::reader& text) { count(text, wants, all); });
    } catch (const leat::io_error& error) {
      fail(name, error.code());
    }
    show(all, wants.inputs.files.empty() ? "" : name, wants, width);
    total = {total.lines + all.lines, total.words + all.words, total.bytes + all.bytes};
  };
  for_each_input(wants.inputs, count_one, fail, fail);
  if (wants.inputs.files.size() > 1 && !wants.json) show(total, "total", wants, width);
  return command.finish();
}

}  // namespace bench
