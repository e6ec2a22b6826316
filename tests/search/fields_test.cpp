// leat::fields: the fields of a line. Also: fields, lines and matches are ranges of the standard
// library.
#include <gtest/gtest.h>
#include <leat/fields.hpp>
#include <leat/reader.hpp>

#include <iterator>
#include <ranges>
#include <string>
#include <vector>

#include "support/guarded_memory.hpp"

namespace {

static_assert(std::forward_iterator<leat::field_range::iterator>);
static_assert(std::ranges::forward_range<leat::field_range>);
static_assert(std::ranges::input_range<leat::line_range>);
static_assert(std::ranges::input_range<leat::match_range>);

using strings = std::vector<std::string>;

strings fields_of(std::string_view line, char delimiter = ',') {
  strings result;
  for (std::string_view field : leat::fields(line, delimiter)) result.emplace_back(field);
  return result;
}

TEST(fields, a_text_with_n_delimiters_has_n_plus_one_fields) {
  EXPECT_EQ(fields_of(""), strings{""});
  EXPECT_EQ(fields_of(std::string_view()), strings{""});
  EXPECT_EQ(fields_of("a"), strings{"a"});
  EXPECT_EQ(fields_of(","), (strings{"", ""}));
  EXPECT_EQ(fields_of("a,b,,c"), (strings{"a", "b", "", "c"}));
  EXPECT_EQ(fields_of(",a,"), (strings{"", "a", ""}));
  EXPECT_EQ(fields_of("a;b,c", ';'), (strings{"a", "b,c"}));
  EXPECT_EQ(fields_of("\"a,b\""), (strings{"\"a", "b\""}));
  EXPECT_EQ(fields_of(std::string_view("a\0b", 3), '\0'), (strings{"a", "b"}));
}

}  // namespace
