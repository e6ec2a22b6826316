// Implements fuzz::scratch(): the folder of a run.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../fuzz.hpp"

namespace {

/// The first process that needs the folder makes it and removes it. Child processes share the
/// folder.
struct folder {
  folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "leat-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) fuzz::fail("the folder for files can't be made");
    path = pattern + '/';
  }
  ~folder() {
    std::error_code ignored;
    if (::getpid() == creator) std::filesystem::remove_all(path, ignored);
  }
  std::string path;
  pid_t creator = ::getpid();
};

}  // namespace

std::string fuzz::scratch() {
  static const folder run_folder;
  return run_folder.path;
}
