// simdjson parses lines of readers and a mapped file in place. simdjson reads beyond its input.
// Readers of leat have 64 readable bytes after the input, so no text is copied. Exceptions:
// memory_reader, and mapped_file on Windows.
#include <gtest/gtest.h>
#include <simdjson.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "adapters/inputs.hpp"

namespace {

using namespace leat_test;

static_assert(leat::window_padding >= simdjson::SIMDJSON_PADDING);
static_assert(leat::file_reader::padding >= simdjson::SIMDJSON_PADDING);

simdjson::padded_string_view padded(std::string_view text) {
  return simdjson::padded_string_view(text.data(), text.size(), text.size() + leat::window_padding);
}

std::int64_t sum_of(std::string_view line, simdjson::ondemand::parser& parser) {
  std::int64_t sum = 0;
  auto document = parser.iterate(padded(line));
  for (auto value : document["values"].get_array()) sum += value.get_int64().value();
  return sum;
}

// The address sanitizer would see a read beyond the padding. The texts have all sizes up to several
// blocks of simdjson, so that each position in a block is an end.
TEST(simdjson, parses_lines_in_place) {
  std::string text;
  std::int64_t expected = 0;
  for (int i = 0; i != 300; ++i) {
    text += R"({"pad": ")" + std::string(static_cast<std::size_t>(i), 'x') +
            R"(", "values": [1, )" + std::to_string(i) + "]}\n";
    expected += 1 + i;
  }
  text.pop_back();  // the last line ends with the input
  in_every_reader(text, [&](leat::reader& in, reader_kind kind) {
    if (kind == reader_kind::memory) return;  // a memory_reader's padding is 0
    simdjson::ondemand::parser parser;
    std::int64_t sum = 0;
    for (const std::string_view line : in.lines()) sum += sum_of(line, parser);
    EXPECT_EQ(sum, expected);
  });
}

TEST(simdjson, parses_a_mapped_file) {
  const temporary_folder folder;
  for (const std::size_t size : {4096U - 64, 4096U - 1, 4096U, 4096U + 1}) {
    std::string text = R"({"values": [1, 2, 3], "pad": ")";
    text += std::string(size - text.size() - 2, 'x') + "\"}";
    ASSERT_EQ(text.size(), size);
    write_file(folder / "a.json", text);
    const auto file = leat::map_file(folder / "a.json");
    simdjson::ondemand::parser parser;
    EXPECT_EQ(sum_of(file.view(), parser), 6);
  }
}

}  // namespace
