// `leat wc`: counts lines, words and bytes.
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
    if (wanted.lines) all.lines += lines_of(text);
    if (wanted.words) all.words += words_of(text, last);
    last = text.back();
    in.skip(text.size());
  }
}

/// Returns the width of a column: the number of digits of the sum of all sizes, but at least seven
/// if an input has no size or is decoded. Returns 1 for one number of one input.
int width_of(const wc_options& what) {
  if (what.from.files.size() <= 1 && what.lines + what.words + what.bytes == 1) return 1;
  std::uint64_t bytes = 0;
  int least = what.from.decoded ? 7 : 1;
  const std::vector<std::string> standard{"-"};
  for (const auto& name : what.from.files.empty() ? standard : what.from.files) {
    std::error_code ec;
    const auto path = path_from_utf8(name);
    const auto kind = std::filesystem::status(path, ec).type();
    if (name != "-" && kind == std::filesystem::file_type::not_found) continue;
    ec.clear();
    const auto size = name == "-" ? leat::in.size(ec) : std::filesystem::file_size(path, ec);
    ec ? void(least = 7) : void(bytes += size);
  }
  return std::max(least, static_cast<int>(std::to_string(bytes).size()));
}

void show(const counts& all, const std::string& name, const wc_options& what, int width) {
  if (what.json) {
    leat::print("{{\"file\": {}", json_string(name));
    if (what.lines) leat::print(", \"lines\": {}", all.lines);
    if (what.words) leat::print(", \"words\": {}", all.words);
    if (what.bytes) leat::print(", \"bytes\": {}", all.bytes);
    return leat::println("}}");
  }
  const char* gap = "";
  const auto column = [&](bool wanted, std::uint64_t number) {
    if (!wanted) return;
    leat::print("{}{:{}}", gap, number, width);
    gap = " ";
  };
  column(what.lines, all.lines);
  column(what.words, all.words);
  column(what.bytes, all.bytes);
  leat::println("{}{}", name.empty() ? "" : " ", name);
}

}  // namespace

int wc(const wc_options& options) {
  classic me("wc");
  auto what = options;
  if (!what.lines && !what.words && !what.bytes) what.lines = what.words = what.bytes = true;
  const int width = width_of(what);
  counts total;
  const auto fail = [&](const std::string& name, std::error_code why) {
    me.complain(leat::format("{}: {}", name, why.message()));
  };
  const auto count_one = [&](leat::file_reader& in, const std::string& name) {
    counts all;
    try {
      with_fastest(in, name, what.from, [&](leat::reader& text) { count(text, what, all); });
    } catch (const leat::io_error& error) {
      fail(name, error.code());
    }
    show(all, what.from.files.empty() ? "" : name, what, width);
    total = {total.lines + all.lines, total.words + all.words, total.bytes + all.bytes};
  };
  for_each_input(what.from, count_one, fail, fail);
  if (what.from.files.size() > 1 && !what.json) show(total, "total", what, width);
  return me.finish();
}

}  // namespace bench
