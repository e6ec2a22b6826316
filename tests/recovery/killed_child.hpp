// run_killed_child: runs a child that kills itself with open streams.
#pragma once

#include <gtest/gtest.h>

#include <csignal>

#include "support/process.hpp"

namespace leat_test {

/// Runs `body` in a child, and waits for its end. `body` must end the child by SIGKILL, with its
/// streams open.
template <class Body>
void run_killed_child(Body&& body) {
  ASSERT_EQ(wait_for(start_child(body)), 1000 + SIGKILL);
}

}  // namespace leat_test
