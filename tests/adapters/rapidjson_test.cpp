// RapidJSON parses from every kind of reader, with the same results as from a string, and writes to
// writers. Failed reads and a full disk are reported.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/encodedstream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/writer.h>
#include <leat/adapters/rapidjson.hpp>
#include <leat/memory.hpp>

#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "adapters/inputs.hpp"

namespace {

using namespace leat_test;
using leat::adapters::rapidjson_input;
using leat::adapters::rapidjson_output;

std::string people_text() {
  std::string text = "[";
  for (int i = 0; i != 50; ++i)
    text += (i != 0 ? ",{\"name\":\"person \xC3\xA9 " : "{\"name\":\"person \xC3\xA9 ") +
            std::to_string(i) + "\",\"age\":" + std::to_string(i) + ",\"tags\":[\"a\",null,0.5]}";
  return text + ']';
}

std::string printed(const rapidjson::Document& document) {
  leat::string_writer out;
  rapidjson_output bytes(out);
  rapidjson::Writer<rapidjson_output<leat::string_writer>> json(bytes);
  document.Accept(json);
  return std::string(out.view());
}

TEST(rapidjson, parses_from_every_reader_and_prints_the_same_text) {
  const std::string text = people_text();
  in_every_reader(text, [&](leat::reader& in) {
    rapidjson_input bytes(in);
    rapidjson::Document people;
    people.ParseStream(bytes);
    ASSERT_FALSE(people.HasParseError());
    EXPECT_EQ(printed(people), text);
    EXPECT_EQ(bytes.Tell(), text.size());
  });
}

TEST(rapidjson, detects_the_encoding) {
  const std::string utf16("\xFF\xFE[\0001\0,\0002\0]\0", 12);
  in_every_reader(utf16, [](leat::reader& in) {
    rapidjson_input bytes(in);
    rapidjson::AutoUTFInputStream<unsigned, rapidjson_input> decoded(bytes);
    rapidjson::Document list;
    list.ParseStream<0, rapidjson::AutoUTF<unsigned>>(decoded);
    ASSERT_FALSE(list.HasParseError());
    EXPECT_EQ(printed(list), "[1,2]");
  });
}

TEST(rapidjson, leaves_the_reader_at_the_end_of_the_document) {
  in_every_reader("{\"a\":1}{\"b\":2} [3]rest", [](leat::reader& in) {
    rapidjson_input bytes(in);
    for (const char* const expected : {R"({"a":1})", R"({"b":2})", "[3]"}) {
      rapidjson::Document one;
      one.ParseStream<rapidjson::kParseStopWhenDoneFlag>(bytes);
      ASSERT_FALSE(one.HasParseError());
      EXPECT_EQ(printed(one), expected);
    }
    EXPECT_EQ(in.read_all(), "rest");
  });
}

TEST(rapidjson, throws_io_error_for_a_failed_read) {
  for (const std::string_view text : {"", "[1, 2", "12", "[1, 2]"}) {
    SCOPED_TRACE(text);
    auto in = reader_failing_after(text);
    rapidjson_input bytes(in);
    rapidjson::Document document;
    EXPECT_THROW(document.ParseStream(bytes), leat::io_error);
  }
}

// For RapidJSON the document ends at a NUL. The reader's window still has the NUL and the rest.
TEST(rapidjson, does_not_read_a_nul_and_the_text_after_the_nul) {
  leat::memory_reader in(std::string_view("[1]\0junk", 8));
  rapidjson_input bytes(in);
  rapidjson::Document document;
  document.ParseStream(bytes);
  EXPECT_FALSE(document.HasParseError());
  EXPECT_EQ(in.window(), std::string_view("\0junk", 5));
}

TEST(rapidjson, damaged_documents_have_the_same_outcome_as_from_a_string) {
  std::mt19937 random(20260102);
  const std::string whole = people_text();
  for (unsigned i = 0; i != 200; ++i) {
    std::string text = whole.substr(0, i % 2 != 0 ? whole.size() : random() % 300 + 1);
    if (i % 3 == 0) text[random() % text.size()] = static_cast<char>(random() % 255 + 1);
    SCOPED_TRACE(text);
    test_reader opened(reader_kinds[random() % std::size(reader_kinds)], text, random() % 9, i);
    rapidjson_input bytes(opened.get());
    rapidjson::Document got, expected;
    got.ParseStream(bytes);
    expected.Parse(text.c_str());
    ASSERT_EQ(got.GetParseError(), expected.GetParseError());
    if (got.HasParseError())
      EXPECT_EQ(got.GetErrorOffset(), expected.GetErrorOffset());
    else
      EXPECT_TRUE(got == expected);
  }
}

TEST(rapidjson, a_full_disk_is_reported_by_close) {
  rapidjson::Document people;
  people.Parse(people_text().c_str());
  for (const std::size_t buffer_size : {std::size_t{1}, std::size_t{100}, std::size_t{0}}) {
    auto out = writer_full_after(200, buffer_size);
    rapidjson_output<> bytes(out);
    rapidjson::PrettyWriter<rapidjson_output<>> json(bytes);
    people.Accept(json);
    EXPECT_THROW(out.close(), leat::io_error);
    EXPECT_GT(out.lost(), 0U);
  }
}

}  // namespace
