// Quoted text for CSV and JSON, trimming, splitting, and checksums.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string csv(std::string_view field, char delimiter = ',') {
  leat::string_writer to;
  leat::write_csv(to, field, delimiter);
  return to.take();
}

std::string json(std::string_view text) {
  leat::string_writer to;
  leat::write_json(to, text);
  return to.take();
}

TEST(write_csv, quotes_a_field_if_necessary) {
  EXPECT_EQ(csv(""), "");
  EXPECT_EQ(csv("plain text"), "plain text");
  EXPECT_EQ(csv("a,b"), R"("a,b")");
  EXPECT_EQ(csv("a,b", ';'), "a,b");
  EXPECT_EQ(csv("a;b", ';'), R"("a;b")");
  EXPECT_EQ(csv(R"(say "no")"), R"("say ""no""")");
  EXPECT_EQ(csv("\""), R"("""")");
  EXPECT_EQ(csv("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv("\r"), "\"\r\"");
  EXPECT_EQ(csv(std::string(100, 'x') + ','), '"' + std::string(100, 'x') + ",\"");
}

TEST(write_json, escapes_quotes_backslashes_and_control_characters) {
  EXPECT_EQ(json(""), R"("")");
  EXPECT_EQ(json("plain, text"), R"("plain, text")");
  EXPECT_EQ(json("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(json("\b\t\n\v\f\r"), R"("\b\t\n\u000b\f\r")");
  EXPECT_EQ(json(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(json("\xC3\xA4\xE2\x82\xAC"), "\"\xC3\xA4\xE2\x82\xAC\"");
}

/// Parses a JSON string, with the escapes that write_json makes.
std::string parsed(std::string_view text) {
  EXPECT_TRUE(text.size() >= 2 && text.front() == '"' && text.back() == '"');
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    EXPECT_TRUE(static_cast<unsigned char>(text[i]) >= 32 && text[i] != '"');
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    constexpr std::string_view names = "\"\\btnfr", values = "\"\\\b\t\n\f\r";
    const char name = text[++i];
    if (name == 'u') {
      result += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 4)), nullptr, 16));
      i += 4;
    } else {
      EXPECT_NE(names.find(name), names.npos);
      result += values[names.find(name)];
    }
  }
  return result;
}

// Special bytes are at random positions: in some texts at each position of a SIMD vector, and at
// both ends of the text.
TEST(quoted_texts, of_all_lengths_are_parsed_back) {
  std::mt19937_64 random(1);
  constexpr std::string_view special_bytes = "abc ,;\"\\\r\n\t\x01\x1f \x7f\x80\xff";
  for (std::size_t size = 0; size != 100; ++size) {
    for (int i = 0; i != 60; ++i) {
      std::string text(size, 'x');
      for (int specials = static_cast<int>(random() % 4); specials != 0 && size != 0; --specials)
        text[random() % size] = special_bytes[random() % special_bytes.size()];
      EXPECT_EQ(parsed(json(text)), text);
      leat::string_writer to;
      leat::write_csv(to, "first");
      to.put(',');
      leat::write_csv(to, text);
      to.put('\n');
      leat::memory_reader in(to.view());
      std::vector<std::string> fields;
      for (const auto& row : in.rows({.quotes = true}))
        for (const auto field : row) fields.emplace_back(field);
      EXPECT_EQ(fields, (std::vector<std::string>{"first", text}));
    }
  }
}

TEST(quoted_texts, may_be_part_of_the_text_of_the_stream) {
  leat::string_writer to;
  to.write(R"(a "quoted" text)");
  for (int i = 0; i != 3; ++i) leat::write_json(to, to.view());
  std::string model = R"(a "quoted" text)";
  for (int i = 0; i != 3; ++i) model += json(model);
  EXPECT_EQ(to.view(), model);
}

// An empty slice of another language may have an invalid pointer.
TEST(quoted_texts, may_have_an_invalid_pointer_if_they_are_empty) {
  const auto* const nowhere = reinterpret_cast<const char*>(std::uintptr_t{1});
  EXPECT_EQ(csv({nowhere, 0}), "");
  EXPECT_EQ(json({nowhere, 0}), "\"\"");
}

TEST(quoted_texts, functions_of_c_write_the_same_text) {
  leat_writer* const to = leat_writer_of_string();
  ASSERT_NE(to, nullptr);
  leat_writer_write_csv(to, "a;b", 3, ';');
  leat_writer_write_json(to, "\t", 1);
  const leat_text text = leat_writer_view(to);
  EXPECT_EQ(std::string_view(text.bytes, text.size), R"("a;b""\t")");
  EXPECT_EQ(leat_writer_close(to), 0);
}

TEST(texts, trim_removes_blanks_at_both_ends) {
  EXPECT_EQ(leat::trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(leat::trim(" \v\f"), "");
  EXPECT_EQ(leat::trim(""), "");
  static_assert(leat::trim(" x ") == "x");
}

TEST(texts, split_once_splits_at_the_first_separator) {
  const leat::text_halves halves = leat::split_once("name=a=b", '=');
  const auto& [key, value, found] = halves;
  EXPECT_EQ(key, "name");
  EXPECT_EQ(value, "a=b");
  EXPECT_TRUE(found && halves.found);
  EXPECT_FALSE(leat::split_once("name", '='));
  EXPECT_EQ(leat::split_once("name", '=').before, "name");
  EXPECT_EQ(leat::split_once("=", '=').after, "");
  EXPECT_EQ(leat::split_once("a: b: c", ": ").after, "b: c");
  EXPECT_EQ(leat::split_once("abc", "").after, "abc");
}

TEST(texts, crc32c_has_the_known_value_and_continues_an_earlier_checksum) {
  EXPECT_EQ(leat::crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(leat::crc32c(""), 0U);
  const std::string text(1000, 'x');
  for (const std::size_t at : {0U, 1U, 500U, 1000U})
    EXPECT_EQ(leat::crc32c(text.substr(at), leat::crc32c(text.substr(0, at))), leat::crc32c(text));
  EXPECT_EQ(leat_crc32c("56789", 5, leat_crc32c("1234", 4, 0)), 0xE3069283U);
}

}  // namespace
