// Runs the program's only driver with inputs from libFuzzer, which looks for new code paths. The
// environment variable LEAT_STEPS makes the driver print its calls.
#include "../fuzz.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::may_exit = false;
  fuzz::shows_steps = std::getenv("LEAT_STEPS") != nullptr;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::driver::all().front()({reinterpret_cast<const char*>(data), size});
  return 0;
}
