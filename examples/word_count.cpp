// Counts lines, words and bytes of files, or of standard input. The bytes are counted in the
// buffer, without a copy.
#include <leat/leat.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

struct counts {
  std::uint64_t lines = 0, words = 0, bytes = 0;
};

static std::uint8_t is_space(char c) { return (c == ' ') | ((c >= '\t') & (c <= '\r')); }

static counts count(leat::reader& in) {
  counts all;
  char last = '\n';  // of the previous buffer
  for (auto text = in.window(); !text.empty(); text = in.window()) {
    all.bytes += text.size();
    all.lines += text[0] == '\n';
    if (is_space(last) && !is_space(text[0])) ++all.words;
    for (const char *p = text.data(), *end = p + text.size() - 1; p != end;) {
      // The counts of at most 240 bytes fit in a byte, so the compiler can vectorize the loop.
      const char* stop = p + std::min<std::ptrdiff_t>(end - p, 240);
      std::uint8_t lines = 0, words = 0;
      for (; p != stop; ++p) {
        lines = static_cast<std::uint8_t>(lines + (p[1] == '\n'));
        words = static_cast<std::uint8_t>(words + (is_space(p[0]) & ~is_space(p[1])));
      }
      all.lines += lines;
      all.words += words;
    }
    last = text.back();
    in.skip(text.size());
  }
  return all;
}

int main(int argc, char** argv) try {
  if (argc > 1 && argv[1][0] == '-') {
    leat::err.println("usage: word_count [FILE]...");
    return 1;
  }
  counts total;
  const auto show = [&total](const counts& counted, std::string_view name) {
    leat::out.println("{:7} {:7} {:7} {}", counted.lines, counted.words, counted.bytes, name);
    total = {total.lines + counted.lines, total.words + counted.words, total.bytes + counted.bytes};
  };
  if (argc == 1) show(count(leat::in), "");
  for (int i = 1; i < argc; ++i) {
    auto in = leat::open(argv[i]);
    show(count(in), argv[i]);
  }
  if (argc > 2) show(counts(total), "total");
  leat::out.flush();
} catch (const leat::io_error& error) {
  leat::err.println("word_count: {}", error.what());
  return 1;
}
