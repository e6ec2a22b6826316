// Vector implementations of formatting: hexadecimal numbers and padded texts.
#include "format/vector_implementations.hpp"

#include <gtest/gtest.h>
#include <leat/detail/copy.hpp>
#include <leat/detail/format_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "support/guarded_memory.hpp"

namespace {

using leat::detail::alignment, leat::detail::copy_room;
using leat::test::guarded_memory;

TEST(hexadecimal, is_the_same_as_with_printf) {
  guarded_memory target(64);
  for (const leat::field_implementations::hexadecimal_implementation put :
       leat::field_implementations::hexadecimal_implementations())
    for (int bits = 0; bits <= 64; ++bits)
      for (const std::uint64_t other : {0x0ULL, 0x0123'4567'89AB'CDEFULL, 0xFEDC'BA98'7654'3210ULL,
                                        0xFFFF'FFFF'FFFF'FFFFULL, 0x9A9A'A9A9'0F0F'F0F0ULL})
        for (const bool upper : {false, true}) {
          const std::uint64_t value =
              bits == 0 ? 0 : std::uint64_t{1} << (bits - 1) | other >> (64 - bits);
          char expected[20];
          std::snprintf(expected, sizeof expected, upper ? "%llX" : "%llx",
                        static_cast<unsigned long long>(value));
          char* const to = target.last_bytes(16);  // exactly enough for the longest number
          ASSERT_EQ(std::string_view(to, put(to, value, upper)), expected);
        }
}

TEST(padded_texts, are_padded_to_the_width_or_refused_if_too_long) {
  guarded_memory source(64), target(256);
  for (const leat::field_implementations::padded_text_implementation put :
       leat::field_implementations::padded_text_implementations())
    for (std::size_t size = 0; size <= 40; ++size)
      for (std::size_t width = 0; width <= 40; ++width)
        for (const alignment align :
             {alignment::none, alignment::left, alignment::right, alignment::center})
          for (const char fill : {' ', '*', '\x7F'}) {
            leat::detail::field_spec spec;
            spec.width = static_cast<int>(width);
            spec.align = align;
            spec.fill[0] = fill;
            const std::uint64_t step = leat::detail::format_step::of(spec);
            std::string text(size, 'x');
            for (std::size_t i = 0; i != size; ++i) text[i] = static_cast<char>('0' + i);
            char* const to = target.last_bytes(std::max(width, size) + copy_room);
            const char* const end = put(to, source.at_end(text), step);
            if (size > 32 || width > 32) {
              ASSERT_EQ(end, nullptr);
              continue;
            }
            const std::size_t missing = width - std::min(size, width);
            const std::size_t before = align == alignment::right    ? missing
                                       : align == alignment::center ? missing / 2
                                                                    : 0;
            ASSERT_NE(end, nullptr);
            ASSERT_EQ(std::string_view(to, end),
                      std::string(before, fill) + text + std::string(missing - before, fill))
                << size << " in " << width;
            if (size == 0) continue;
            text[size - 1] = '\xC3';
            ASSERT_EQ(put(to, source.at_begin(text), step), nullptr);
          }
}

TEST(padded_texts, with_a_precision_are_refused) {
  char to[256];
  leat::detail::field_spec precise;
  precise.precision = 3;
  precise.width = 8;
  for (const leat::field_implementations::padded_text_implementation put :
       leat::field_implementations::padded_text_implementations())
    EXPECT_EQ(put(to, "text", leat::detail::format_step::of(precise)), nullptr);
}

}  // namespace
