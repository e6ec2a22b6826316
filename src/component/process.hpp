// The process id and home directories. src/remote and src/codecs call these functions. Connections
// and encoders belong to the process that made them, so components compare ids after fork().
#pragma once

#include <cstdlib>
#include <string>

#if defined(_WIN32)
#  include <process.h>
#else
#  include <pwd.h>
#  include <unistd.h>

#  include <vector>
#endif

namespace leat {
inline namespace v0 {
namespace component {

inline long this_process() noexcept {
#if defined(_WIN32)
  return ::_getpid();
#else
  return ::getpid();
#endif
}

/// Returns the home directory of a user. If `user` is empty, returns $HOME or the home of this
/// process's user; on Windows, %USERPROFILE%. If the home is unknown, returns an empty string. On
/// Windows the home of every named user is unknown.
inline std::string home_of(const std::string& user) {
#if defined(_WIN32)
  const char* const home = user.empty() ? std::getenv("USERPROFILE") : nullptr;
  return home != nullptr ? home : "";
#else
  if (user.empty())
    if (const char* const home = std::getenv("HOME"); home != nullptr) return home;
  std::vector<char> memory(std::size_t{16} << 10U);
  passwd entry{};
  passwd* found = nullptr;
  if (user.empty())
    ::getpwuid_r(::getuid(), &entry, memory.data(), memory.size(), &found);
  else
    ::getpwnam_r(user.c_str(), &entry, memory.data(), memory.size(), &found);
  return found != nullptr ? found->pw_dir : "";
#endif
}

}  // namespace component
}  // namespace v0
}  // namespace leat
