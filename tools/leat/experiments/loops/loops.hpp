// Loops over single calls, for developers of leat. Each row of an experiment is a loop with several
// variants.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

/// Makes the compiler assume that the value is used.
template <class T>
void use(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Collects loops. The variant "leat" is the baseline of the ratios. A variant whose name begins
/// with "by hand" is a floor.
class loops {
 public:
  /// Each loop makes `usual` operations in a quick run, four times as many in a published run, and
  /// about 1/256 of them in a tiny run.
  loops(const request& wanted, std::size_t usual)
      : count_(wanted.sized(4 * usual, usual, usual / 256 + 1)) {}

  std::size_t count() const { return count_; }
  /// Adds the variant `way` of the loop `row`.
  void add(const std::string& row, const std::string& way, std::function<void(run&)> work);
  /// Returns the experiment loops/NAME. `operation` is the unit of the times.
  experiment made(const std::string& name, const std::string& title,
                  const std::string& operation) const;

 private:
  using works = std::map<std::string, std::function<void(run&)>>;  // key: the row's name

  std::size_t count_;
  std::vector<value> rows_;
  std::vector<std::pair<std::string, works>> ways_;
};

}  // namespace bench
