// The message of a failure that tests of the tools expect.
#pragma once

#include <string>

#include "system/failure.hpp"

namespace bench {

/// Returns the message of the failure that `work` throws. If `work` throws no failure, returns an
/// empty text.
template <class Work>
std::string failure_message(const Work& work) {
  try {
    work();
  } catch (const failure& error) {
    return error.what();
  }
  return "";
}

}  // namespace bench
