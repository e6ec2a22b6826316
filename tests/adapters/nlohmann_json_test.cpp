// nlohmann/json parses from every kind of reader, with the same results as from a string, and
// dump_json() writes the same text as nlohmann/json. Failed reads and a full disk are reported.
#include <gtest/gtest.h>
#include <leat/adapters/nlohmann_json.hpp>
#include <leat/memory.hpp>

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/inputs.hpp"

namespace {

using namespace leat_test;
using leat::adapters::json_input;
using nlohmann::json;

json some_people() {
  json people = json::array();
  for (int i = 0; i != 50; ++i)
    people.push_back({{"name", "person \u00e9 \"" + std::to_string(i) + '"'},
                      {"age", i},
                      {"share", i / 7.0},
                      {"tags", {"a", nullptr, true}}});
  return people;
}

TEST(nlohmann_json, parses_from_every_reader) {
  const json people = some_people();
  in_every_reader(people.dump(2), [&](leat::reader& in) {
    EXPECT_EQ(json::parse(json_input(in)), people);
    EXPECT_TRUE(in.window().empty());
  });
}

TEST(nlohmann_json, parses_binary_formats) {
  const json people = some_people();
  const std::vector<std::uint8_t> cbor = json::to_cbor(people);
  const std::string_view bytes(reinterpret_cast<const char*>(cbor.data()), cbor.size());
  in_every_reader(bytes,
                  [&](leat::reader& in) { EXPECT_EQ(json::from_cbor(json_input(in)), people); });
}

// The parser of a document takes no byte of the next document.
TEST(nlohmann_json, leaves_the_reader_at_the_end_of_the_document) {
  in_every_reader("{\"a\":1}{\"b\":2} [3]\nrest", [](leat::reader& in) {
    for (const char* const expected : {R"({"a":1})", R"({"b":2})", "[3]"}) {
      json one;
      nlohmann::detail::json_sax_dom_parser<json> sax(one);
      ASSERT_TRUE(json::sax_parse(json_input(in), &sax, json::input_format_t::json, false));
      EXPECT_EQ(one.dump(), expected);
    }
    EXPECT_EQ(in.read_all(), "\nrest");
  });
}

// The text may be complete where the input fails. iostreams would hide the failure.
TEST(nlohmann_json, throws_io_error_for_a_failed_read) {
  for (const std::string_view text : {"", "[1, 2", "12", "[1, 2]"}) {
    SCOPED_TRACE(text);
    for (const bool exceptions : {true, false}) {
      auto in = reader_failing_after(text);
      try {
        const json none = json::parse(json_input(in), nullptr, exceptions);
        ADD_FAILURE() << "a failed read looks like the end";
      } catch (const leat::io_error& e) {
        EXPECT_EQ(e.code(), std::errc::io_error);
        EXPECT_EQ(e.offset(), text.size());
      }
    }
  }
}

TEST(nlohmann_json, throws_nlohmanns_parse_error_for_invalid_documents) {
  leat::memory_reader in("[1, 2 3]");
  EXPECT_THROW(const json none = json::parse(json_input(in)), json::parse_error);
  leat::memory_reader empty("");
  EXPECT_FALSE(json::accept(json_input(empty)));
}

/// Returns the document as text, or the message of the exception.
template <class Input>
std::string outcome(Input&& input) {
  try {
    return json::parse(std::forward<Input>(input)).dump();
  } catch (const json::exception& e) {
    return e.what();
  }
}

// Documents that are cut or changed at a random position have the same outcome as from a string.
TEST(nlohmann_json, damaged_documents_have_the_same_outcome_as_from_a_string) {
  std::mt19937 random(20260101);
  const std::string whole = some_people().dump();
  for (unsigned i = 0; i != 200; ++i) {
    std::string text = whole.substr(0, i % 2 != 0 ? whole.size() : random() % 300 + 1);
    if (i % 3 == 0) text[random() % text.size()] = static_cast<char>(random());
    test_reader opened(reader_kinds[random() % std::size(reader_kinds)], text, random() % 9, i);
    EXPECT_EQ(outcome(json_input(opened.get())), outcome(text)) << text;
  }
}

TEST(nlohmann_json, writes_the_same_text_as_nlohmanns_dump) {
  const json people = some_people();
  for (const int indent : {-1, 0, 3}) {
    for (const bool ascii : {false, true}) {
      leat::string_writer out;
      leat::adapters::dump_json(out, people, indent, '\t', ascii);
      EXPECT_EQ(out.view(), people.dump(indent, '\t', ascii));
    }
  }
  leat::string_writer replaced;
  leat::adapters::dump_json(replaced, json("a\xFF"), -1, ' ', false,
                            json::error_handler_t::replace);
  EXPECT_EQ(replaced.view(), "\"a\uFFFD\"");
  EXPECT_THROW(leat::adapters::dump_json(replaced, json("a\xFF")), json::type_error);
}

TEST(nlohmann_json, a_full_disk_is_reported_by_close) {
  for (const std::size_t buffer_size : {std::size_t{1}, std::size_t{100}, std::size_t{0}}) {
    auto out = writer_full_after(10, buffer_size);
    leat::adapters::dump_json(out, some_people());
    EXPECT_THROW(out.close(), leat::io_error);
  }
}

}  // namespace
