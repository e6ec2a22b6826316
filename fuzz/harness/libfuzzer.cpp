// libFuzzer chooses the input of the one driver of this program, and looks for new paths in the
// code.
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
