// The limits of bench_parse: see limits.hpp.
#pragma once

#include <string_view>

namespace limits {

/// The sums of lines of unsigned numbers, and of lines of numbers with decimals. There must be 64
/// readable bytes before the text and behind it.
unsigned long sum_integers(std::string_view lines);
double sum_decimals(std::string_view lines);

bool can_sum();

}  // namespace limits
