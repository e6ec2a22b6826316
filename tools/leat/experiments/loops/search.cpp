// `leat bench loops/search`: searches for a keyword in 128 MiB of prose in memory (1 GiB in a
// published run), in pieces of 256 KiB, compared to only reading the bytes. Other loops search one
// piece, which fits in the L2 cache, again and again, search one text of 64 MiB, search a
// repetitive text, or count lines. No keyword is in the text: some keywords have rare letters, some
// keywords have only the most common letters, and one keyword has only pairs of letters from the
// text.
#include <leat/finder.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/loops/loops.hpp"
#include "experiments/texts.hpp"
#include "system/c_library.hpp"
#include "system/failure.hpp"

namespace bench::loops_search {

namespace {

constexpr std::size_t chunk_size = std::size_t{256} << 10;

/// Returns `blocks` blocks of text. `blocks` must be the same at every call.
std::string_view prose(std::size_t blocks) {
  static const std::string text = [=] {
    const std::string block = english_block();
    std::string all;
    all.reserve(blocks * block.size());
    for (std::size_t i = 0; i != blocks; ++i) all += block;
    return all;
  }();
  return text;
}

// Adds up the text, as 64-bit words, with wide vectors and several sums, so that the reads limit
// the speed, not the additions.
#if defined(__x86_64__)
[[gnu::target("avx2")]]
#endif
const char* read_only(std::string_view text, std::string_view) {
  typedef std::uint64_t vector __attribute__((vector_size(32)));
  vector sums[4] = {};
  for (std::size_t i = 0; i + sizeof sums <= text.size(); i += sizeof sums) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k != 4; ++k) {
      vector bytes;
      std::memcpy(&bytes, text.data() + i + k * sizeof bytes, sizeof bytes);
      sums[k] += bytes;
    }
  }
  std::uint64_t sum = 0;
  for (const vector& part : sums) sum += part[0] + part[1] + part[2] + part[3];
  use(sum);
  return nullptr;
}

const char* with_string_view(std::string_view text, std::string_view needle) {
  const auto at = text.find(needle);
  return at == std::string_view::npos ? nullptr : text.data() + at;
}

const char* with_horspool(std::string_view text, std::string_view needle) {
  const std::boyer_moore_horspool_searcher searcher(needle.begin(), needle.end());
  const auto at = std::search(text.begin(), text.end(), searcher);
  return at == text.end() ? nullptr : text.data() + (at - text.begin());
}

struct search_area {
  std::string name;
  std::size_t size, step;
  bool is_repeated;  // always the first piece, which fits in the L2 cache
};

/// Calls `find` for each piece. If `find` finds the keyword, throws.
template <class Find>
void search_all(const search_area& area, std::size_t blocks, const Find& find) {
  const std::string_view text = prose(blocks);
  for (std::size_t at = 0; at != area.size; at += area.step)
    if (find(text.substr(area.is_repeated ? 0 : at, area.step)))
      throw failure("found a keyword that the text does not contain");
}

/// Searches the Fibonacci word. The word is so repetitive that leat's fallback, the Two-Way
/// algorithm, does the work.
void search_fibonacci_word(std::size_t size) {
  static const std::string text = [] {
    std::string word = "ab";
    for (std::string before = "a"; word.size() < (std::size_t{1} << 20);) {
      const std::string next = word + before;
      before = std::exchange(word, next);
    }
    return word;
  }();
  std::string needle = text.substr(0, 34);
  needle[20] = needle[20] == 'a' ? 'b' : 'a';
  leat::finder finder(needle);
  for (std::size_t done = 0; done < size; done += text.size()) use(finder.find_in(text));
}

/// Counts line ends.
std::uint64_t lines_by_memchr(std::string_view text) {
  std::uint64_t lines = 0;
  const char *at = text.data(), *const end = at + text.size();
  while (const void* stop = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
    at = static_cast<const char*>(stop) + 1;
    use(at);
    ++lines;
  }
  return lines;
}
std::uint64_t lines_by_leat(std::string_view text) {
  std::uint64_t lines = 0;
  leat::memory_reader in(text);
  for (std::string_view line : in.lines()) {
    use(line.data());
    ++lines;
  }
  return lines;
}

experiment make(const request& wanted) {
  const std::size_t blocks = wanted.sized(128, 16, 1);
  const std::size_t size = blocks * english_block_size;
  loops all(wanted, size);
  const search_area areas[] = {
      {"L2", size, chunk_size, true},
      {"memory", size, chunk_size, false},
      {"one", std::min(size, std::size_t{64} << 20), std::min(size, std::size_t{64} << 20), false}};
  for (const search_area& area : areas) {
    for (const char* needle :
         {"#", "jazz", "Quixote", "eaten", "interest", "threat of the nation"}) {
      const std::string row = area.name + '/' + needle;
      all.add(row, "leat", [=](run&) {
        leat::finder finder(needle);
        search_all(area, blocks, [&](std::string_view text) {
          return finder.find_in(text) != std::string_view::npos;
        });
      });
      const auto peer = [&](std::string_view variant, auto find) {
        all.add(row, std::string(variant), [=](run&) {
          search_all(area, blocks,
                     [&](std::string_view text) { return find(text, needle) != nullptr; });
        });
      };
      peer(search_function, search_memory);
      peer("string_view", with_string_view);
      peer("horspool", with_horspool);
      peer("by hand, only read", read_only);
    }
  }
  all.add("worst", "leat", [=](run&) { search_fibonacci_word(size); });
  const auto lines = [&](const char* variant, std::uint64_t (*count)(std::string_view)) {
    all.add("lines", variant, [=](run& this_run) {
      const auto text = prose(blocks).substr(0, english_block_size);
      const auto found = count(text);
      if (this_run.is_warm_up && found != lines_by_memchr(text))
        throw failure("the number of lines differs from the number by memchr");
    });
  };
  lines("leat", lines_by_leat);
  lines("memchr", lines_by_memchr);
  auto experiment = all.make_experiment("search", "keywords that are not in a text in memory", "");
  experiment.load = [=](const setting& at) {
    const std::string& row = at["loop"].text;
    return load{row,
                row.starts_with("one") ? areas[2].size
                : row == "lines"       ? english_block_size
                                       : size,
                1, ""};
  };
  return experiment;
}

const registration search(107, make);

}  // namespace

}  // namespace bench::loops_search
