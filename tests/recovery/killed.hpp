// A process that is killed.
#pragma once

#include <gtest/gtest.h>

#include <csignal>

#include "support/process.hpp"

namespace leat_test {

/// Runs the body in a child. It ends by SIGKILL, with its streams open.
template <class Body>
void killed_in(Body&& body) {
  ASSERT_EQ(wait_for(start_child(body)), 1000 + SIGKILL);
}

}  // namespace leat_test
