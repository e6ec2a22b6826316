// A keyword in 1 GiB of prose, in windows of 256 KiB, beside reading the bytes and doing nothing
// with them. Also in one text of 64 MiB, and the ends of its lines. No keyword is in the text: one
// has rare letters, one has the most common letters only, and one has only pairs of letters that
// the text has.
#include "search/delimiters.hpp"

#include <benchmark/benchmark.h>
#include <leat/finder.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#if !defined(_WIN32)
#  include <sys/mman.h>
#endif

namespace {

constexpr std::size_t text_size = std::size_t{1} << 30, window = std::size_t{256} << 10;

/// Lines of words that are about as frequent as in English.
std::string_view prose() {
  static const std::string_view text = [] {
    static constexpr std::string_view words[] = {
        "the",      "of",        "and",      "to",       "a",        "in",       "that",
        "it",       "was",       "his",      "he",       "with",     "for",      "as",
        "had",      "you",       "not",      "be",       "on",       "at",       "by",
        "her",      "which",     "have",     "from",     "this",     "him",      "but",
        "all",      "she",       "they",     "were",     "are",      "my",       "one",
        "so",       "there",     "when",     "an",       "or",       "their",    "said",
        "what",     "would",     "been",     "if",       "into",     "more",     "time",
        "them",     "some",      "other",    "great",    "little",   "only",     "before",
        "water",    "letter",    "morning",  "question", "entire",   "nation",   "return",
        "street",   "taken",     "eastern",  "enter",    "tenant",   "internal", "estate",
        "resist",   "listen",    "nearest",  "sentence", "reality",  "against",  "thousand",
        "business", "yesterday", "language", "children", "remember", "quickly",  "subject",
        "exactly"};
    static std::unique_ptr<char[]> memory(new char[text_size]);
#if defined(MADV_HUGEPAGE)
    const auto page = std::uintptr_t{2} << 20;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory.get()) + page - 1) & ~(page - 1);
    madvise(reinterpret_cast<void*>(begin), text_size - page, MADV_HUGEPAGE);
#endif
    std::mt19937 random(1);
    std::exponential_distribution<double> rank(0.07);
    std::string sample;
    for (std::size_t line = 0; sample.size() < (std::size_t{8} << 20);) {
      const auto word =
          words[std::min(static_cast<std::size_t>(rank(random)), std::size(words) - 1)];
      sample += word;
      if ((line += word.size() + 1) > 76) {
        sample += '\n';
        line = 0;
      } else {
        sample += random() % 12 == 0 ? ", " : random() % 15 == 0 ? ". " : " ";
      }
    }
    for (std::size_t at = 0; at < text_size; at += sample.size())
      std::memcpy(memory.get() + at, sample.data(), std::min(sample.size(), text_size - at));
    return std::string_view(memory.get(), text_size);
  }();
  return text;
}

using search = std::size_t (*)(std::string_view text, std::string_view needle);

// Wide vectors and several sums: reading takes the time, not adding.
#if defined(__x86_64__)
[[gnu::target("avx2")]]
#endif
std::size_t with_read(std::string_view text) {
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
  benchmark::DoNotOptimize(sum);
  return std::string_view::npos;
}

std::size_t with_memmem(std::string_view text, std::string_view needle) {
  const void* const at = memmem(text.data(), text.size(), needle.data(), needle.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

std::size_t with_string_view(std::string_view text, std::string_view needle) {
  return text.find(needle);
}

std::size_t with_horspool(std::string_view text, std::string_view needle) {
  const std::boyer_moore_horspool_searcher searcher(needle.begin(), needle.end());
  const auto at = std::search(text.begin(), text.end(), searcher);
  return at == text.end() ? std::string_view::npos : static_cast<std::size_t>(at - text.begin());
}

/// Searches in windows of `step` bytes. `same`: always in the first one, which the L2 cache holds.
template <class Find>
void run(benchmark::State& state, std::size_t size, std::size_t step, bool same, const Find& find) {
  const std::string_view text = prose();
  for (auto _ : state)
    for (std::size_t at = 0; at != size; at += step)
      if (find(text.substr(same ? 0 : at, step)) != std::string_view::npos)
        state.SkipWithError("the keyword is there");
  state.SetBytesProcessed(static_cast<std::int64_t>(size) * state.iterations());
}

struct place {
  const char* name;
  std::size_t size, step;
  bool same;
};
constexpr place places[] = {{"L2", text_size, window, true},
                            {"GiB", text_size, window, false},
                            {"64MiB", std::size_t{64} << 20, std::size_t{64} << 20, false}};

#if defined(LEAT_STATIC)  // a shared library hides this function
/// Finds the ends of lines in 4 KiB, as a reader of lines does.
void mark_lines(benchmark::State& state) {
  constexpr std::size_t size = 4096;
  const std::string_view text = prose();
  std::uint16_t places[size + leat::search::places_beyond];
  for (auto _ : state) {
    leat::search::list_delimiters(text.data(), size, '\n', 0, places);
    benchmark::DoNotOptimize(places);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(size) * state.iterations());
}
BENCHMARK(mark_lines);
#endif

void memchr_lines(benchmark::State& state) {
  constexpr std::size_t size = 4096;
  const char* const text = prose().data();
  for (auto _ : state) {
    const char* at = text;
    while (const void* end = std::memchr(at, '\n', static_cast<std::size_t>(text + size - at))) {
      at = static_cast<const char*>(end) + 1;
      benchmark::DoNotOptimize(at);
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(size) * state.iterations());
}
BENCHMARK(memchr_lines);

/// The Fibonacci word repeats itself so often that the fallback, Two-Way, does the work.
void worst(benchmark::State& state) {
  std::string text = "ab";
  for (std::string before = "a"; text.size() < (std::size_t{1} << 20);) {
    const std::string next = text + before;
    before = std::exchange(text, next);
  }
  std::string needle = text.substr(0, 34);
  needle[20] = needle[20] == 'a' ? 'b' : 'a';
  leat::finder finder(needle);
  for (auto _ : state) benchmark::DoNotOptimize(finder.find_in(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(worst);

const bool registered = [] {
  for (const place& p : places) {
    const auto name = [&](const std::string& what) { return std::string(p.name) + "/" + what; };
    const auto add = [&](const std::string& what, auto function) {
      benchmark::RegisterBenchmark(name(what).c_str(), function)->Unit(benchmark::kMillisecond);
    };
    add("read", [p](benchmark::State& state) {
      run(state, p.size, p.step, p.same, [](std::string_view text) { return with_read(text); });
    });
    for (const char* needle :
         {"#", "jazz", "Quixote", "eaten", "interest", "threat of the nation"}) {
      add(std::string(needle) + "/leat", [p, needle](benchmark::State& state) {
        leat::finder finder(needle);
        run(state, p.size, p.step, p.same,
            [&](std::string_view text) { return finder.find_in(text); });
      });
      const auto peer = [&](const char* what, search function) {
        add(std::string(needle) + "/" + what, [p, needle, function](benchmark::State& state) {
          run(state, p.size, p.step, p.same,
              [&](std::string_view text) { return function(text, needle); });
        });
      };
      peer("memmem", with_memmem);
      peer("string_view", with_string_view);
      peer("horspool", with_horspool);
    }
  }
  return true;
}();

}  // namespace
