// The class `loops`, which makes an experiment from loops over single calls, for developers of
// leat. Each row of an experiment is a loop with several variants. The other files of this folder
// use the class.
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
/// with "by hand" is a floor. If another variant's name begins with "leat", the variant is leat's;
/// all other variants are peers.
class loops {
 public:
  /// Each loop makes `quick_count` operations in a quick run, four times as many in a published
  /// run, and about `quick_count` / 256 in a tiny run.
  loops(const request& wanted, std::size_t quick_count)
      : count_(wanted.sized(4 * quick_count, quick_count, quick_count / 256 + 1)) {}

  std::size_t count() const { return count_; }
  /// Adds a variant to the loop `row`.
  void add(const std::string& row, const std::string& variant, std::function<void(run&)> work);
  /// Returns the experiment loops/NAME. `operation` is the unit of the times.
  experiment make_experiment(const std::string& name, const std::string& title,
                             const std::string& operation) const;

 private:
  using work_by_row = std::map<std::string, std::function<void(run&)>>;  // key: the row's name

  std::size_t count_;
  std::vector<value> rows_;
  std::vector<std::pair<std::string, work_by_row>> variants_;
};

}  // namespace bench
