// The frequency of each byte value in files that people search. Used by needle.cpp.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {
namespace search {

/// Eight times the binary logarithm of the occurrences in 2^20 bytes. So the sum of two values
/// measures how often both bytes occur together. The counts come from about six million
/// bytes each of English documentation (weight 0.4), C, C++, Python and JavaScript sources (0.4)
/// and compiled programs (0.1, so that every byte occurs), and from 100 KB of texts in other
/// languages, in UTF-8 (0.1).
inline constexpr std::uint8_t byte_frequency[256] = {
    120, 87,  77,  72,  75,  72,  67,  69,  81,  86,  114, 59,  67,  70,  70,  84,  72,  60,  74,
    51,  59,  65,  53,  54,  68,  52,  50,  53,  54,  54,  50,  72,  137, 65,  105, 94,  83,  76,
    84,  90,  105, 104, 106, 71,  103, 101, 105, 111, 107, 102, 99,  100, 99,  95,  92,  90,  92,
    95,  108, 89,  82,  89,  84,  61,  78,  104, 88,  101, 96,  106, 94,  91,  100, 104, 71,  82,
    102, 94,  102, 102, 99,  67,  101, 107, 104, 92,  84,  81,  84,  82,  66,  93,  102, 94,  57,
    115, 92,  119, 106, 117, 115, 127, 109, 108, 112, 120, 91,  99,  114, 112, 120, 121, 111, 75,
    118, 121, 124, 114, 97,  95,  94,  101, 79,  75,  68,  77,  55,  55,  69,  56,  53,  77,  72,
    75,  54,  55,  62,  88,  49,  83,  55,  78,  53,  57,  64,  49,  50,  52,  58,  52,  52,  50,
    56,  49,  52,  49,  53,  49,  46,  51,  61,  51,  51,  49,  53,  50,  49,  47,  58,  54,  48,
    53,  51,  51,  51,  53,  60,  54,  51,  50,  52,  50,  58,  52,  65,  53,  57,  56,  55,  54,
    59,  56,  76,  66,  61,  69,  69,  66,  60,  64,  61,  58,  53,  50,  51,  51,  51,  51,  65,
    57,  59,  56,  55,  52,  52,  51,  59,  54,  55,  57,  50,  50,  53,  61,  66,  54,  63,  56,
    59,  62,  62,  62,  81,  72,  56,  60,  60,  57,  55,  65,  64,  59,  59,  57,  53,  54,  61,
    60,  63,  57,  56,  60,  63,  68,  72,  93,
};

}  // namespace search
}  // namespace v0
}  // namespace leat
