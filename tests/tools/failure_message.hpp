// The message of a failure.
#pragma once

#include <string>

#include "system/failure.hpp"

namespace bench {

/// The message of the failure that `work` throws; empty if `work` throws no failure.
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
