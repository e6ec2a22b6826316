// Loops over single calls, for those who work on leat. A row of an experiment is a loop, which is
// done in several ways.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

/// For the compiler, something uses the value.
template <class T>
void use(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Gathers loops. "leat" is the way that ratios are taken to, and "by hand" a floor.
class loops {
 public:
  /// Each loop makes `usual` operations, unless more or fewer are wanted.
  loops(const request& wanted, std::size_t usual)
      : count_(wanted.sized(4 * usual, usual, usual / 256 + 1)) {}

  std::size_t count() const { return count_; }
  void add(const std::string& row, const std::string& way, std::function<void(run&)> work);
  /// The experiment loops/NAME.
  experiment made(const std::string& name, const std::string& title,
                  const std::string& operation) const;

 private:
  using works = std::map<std::string, std::function<void(run&)>>;  // by the name of the row

  std::size_t count_;
  std::vector<value> rows_;
  std::vector<std::pair<std::string, works>> ways_;
};

}  // namespace bench
