// scoped_variable sets or removes an environment variable. The destructor restores the variable.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace leat_test {

class scoped_variable {
 public:
  /// Without a value, removes the variable.
  scoped_variable(std::string name, const std::optional<std::string>& value)
      : name_(std::move(name)) {
    if (const char* const now = std::getenv(name_.c_str()); now != nullptr) previous_ = now;
    set(value);
  }
  ~scoped_variable() { set(previous_); }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      ::setenv(name_.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> previous_;
};

}  // namespace leat_test
