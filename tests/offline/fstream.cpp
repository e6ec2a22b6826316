// Random values, flags, input and sequences of calls, to leat's streams of <leat/fstream.hpp> and
// to those of the standard library that compiled this.
//
//   BUILD/tests/offline_fstream [CASES [SEED [FOLDER]]]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/stream_twins.hpp"

int main(int count, char** arguments) {
  const std::uint64_t cases = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 10'000'000;
  const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const std::string folder = count > 3 ? arguments[3] : ".";
  int status = 0;
  const auto report = [&](const char* what, const std::string& wrong) {
    std::printf("%s: %s\n", what, wrong.empty() ? "no difference" : wrong.c_str());
    if (!wrong.empty()) status = 1;
  };
  report("output", leat_test::differing_output(seed, cases, folder + "/output.txt"));
  report("input", leat_test::differing_input(seed, cases));
#ifndef _LIBCPP_VERSION  // its std::filebuf puts back what is before the start of a file
  report("sequences", leat_test::differing_sequences(seed, cases / 100, folder));
#endif
  return status;
}
