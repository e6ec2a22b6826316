// changed_variable sets or removes an environment variable. The destructor restores the variable.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace leat_test {

class changed_variable {
 public:
  /// Without a value, removes the variable.
  changed_variable(std::string name, const std::optional<std::string>& value)
      : name_(std::move(name)) {
    if (const char* const now = std::getenv(name_.c_str()); now != nullptr) before_ = now;
    set(value);
  }
  ~changed_variable() { set(before_); }
  changed_variable(const changed_variable&) = delete;
  changed_variable& operator=(const changed_variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      ::setenv(name_.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace leat_test
