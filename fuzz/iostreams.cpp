// leat's iostreams compared with std's: values with all format flags, malformed input, and random
// sequences of calls on files and strings.
#include <leat/fstream.hpp>

#include <sstream>

#include "fuzz.hpp"
#include "support/compare_input.hpp"
#include "support/compare_output.hpp"
#include "support/compare_streams.hpp"
#include "support/compare_string_streams.hpp"
#include "support/random_engine.hpp"

namespace {

void drive(fuzz::input& in) {
  leat_test::random_engine choices([&in] { return in.integer<unsigned char>(); });
  const int rounds = 1 + static_cast<int>(in.below(4));
  std::string difference;
  switch (in.below(6)) {
    case 0:
      difference = leat_test::differing_output(choices, 40, fuzz::scratch() + "output");
      break;
    case 1:
      difference = leat_test::differing_input(choices, 40);
      break;
    case 2:
      difference = leat_test::differing_call_sequences(choices, 1, fuzz::scratch());
      break;
    case 3:
      difference =
          leat_test::differing_strings<std::ostringstream, leat::ostringstream>(choices, rounds);
      break;
    case 4:
      difference =
          leat_test::differing_strings<std::istringstream, leat::istringstream>(choices, rounds);
      break;
    default:
      difference =
          leat_test::differing_strings<std::stringstream, leat::stringstream>(choices, rounds);
  }
  fuzz::expect_equal(difference, "", "the first difference from std's streams");
}

const fuzz::driver self("iostreams", drive);

}  // namespace
