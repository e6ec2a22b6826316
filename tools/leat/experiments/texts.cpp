// Generates texts and lines, and digests lines. The experiments that read or search texts, and
// `leat tune`, call these functions.
#include "experiments/texts.hpp"

#include <cstdlib>
#include <iterator>
#include <random>

#include "system/c_library.hpp"

namespace bench {

std::string english_block() {
  constexpr const char* words[] = {
      "the",   "of",    "and",    "to",     "in",   "a",      "is",     "that",  "for",   "it",
      "was",   "on",    "are",    "as",     "with", "they",   "at",     "be",    "this",  "have",
      "from",  "or",    "one",    "had",    "by",   "word",   "but",    "not",   "what",  "all",
      "were",  "we",    "when",   "your",   "can",  "said",   "there",  "use",   "an",    "each",
      "which", "their", "time",   "will",   "way",  "about",  "many",   "then",  "them",  "write",
      "would", "like",  "these",  "long",   "make", "thing",  "see",    "him",   "two",   "has",
      "look",  "more",  "day",    "could",  "go",   "come",   "did",    "sound", "most",  "number",
      "who",   "over",  "know",   "water",  "than", "call",   "first",  "may",   "down",  "side",
      "been",  "now",   "find",   "any",    "new",  "work",   "part",   "take",  "get",   "place",
      "made",  "live",  "where",  "after",  "back", "little", "only",   "round", "man",   "year",
      "just",  "next",  "size",   "quite",  "six",  "people", "action", "state", "stone", "enter",
      "train", "river", "nation", "intent", "ratio"};
  std::mt19937_64 random(1);
  std::string text;
  text.reserve(english_block_size + 16);
  for (std::size_t line_start = 0; text.size() < english_block_size;) {
    text += words[random() % std::size(words)];
    const bool ends_line = text.size() - line_start > 70;
    text += ends_line ? '\n' : ' ';
    if (ends_line) line_start = text.size();
  }
  text.resize(english_block_size - 1);
  return text + '\n';
}

std::string block_of_lines() {
  std::mt19937_64 random(1);
  std::string text(lines_block_size, '\n');
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % line_size != line_size - 1) text[i] = static_cast<char>(' ' + random() % 95);
  }
  return text;
}

std::uint64_t digest_by_getline(std::FILE* file) {
  line_digest all;
  char* line = nullptr;
  std::size_t room = 0;
  for (std::ptrdiff_t size; (size = get_c_line(&line, &room, file)) > 0;) {
    const auto length = static_cast<std::size_t>(size);
    all.add({line, length - (line[length - 1] == '\n')});
  }
  std::free(line);
  return all.value;
}

}  // namespace bench
