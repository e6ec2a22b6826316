// Implements workload_context: files, numbered text, syncs at random. Replaces fsync and fdatasync
// for skip_syncs.
#include "power/workload_context.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace leat_power {

bool skip_syncs = false;

workload_context::workload_context(recorder& disk, std::string root, std::uint64_t seed)
    : disk_(&disk), root_(std::move(root)), random_(seed) {}

workload_file workload_context::file(const std::string& name) {
  const std::string path = std::to_string(histories_.size()) + "/file";
  histories_.push_back(std::make_unique<history>(name, path, disk_->position()));
  return {*disk_, *histories_.back(), root_ + '/' + path};
}

workload_file workload_context::sibling(const std::string& ending) {
  const history& latest = *histories_.back();
  const std::string path = latest.path() + ending;
  histories_.push_back(std::make_unique<history>(latest.name() + ending, path, disk_->position()));
  return {*disk_, *histories_.back(), root_ + '/' + path};
}

std::string workload_context::text(std::size_t n) {
  std::string result;
  const std::size_t call = random_() % 100000;
  for (std::size_t i = 0; result.size() < n; ++i)
    result += std::to_string(call) + ':' + std::to_string(i) + '\n';
  result.resize(n);
  return result;
}

void workload_context::checkpoint_file_system() {
  const int root = ::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(root >= 0 && ::ioctl(root, FIFREEZE, 0) == 0 && ::ioctl(root, FITHAW, 0) == 0,
          "freeze " + root_);
  ::close(root);
}

void workload_context::sync_at_random() {
  const std::size_t choice = below(16);
  if (choice == 15) checkpoint_file_system();
  if (choice > 3) return;
  const std::string other = root_ + "/other";
  const int descriptor = ::open(other.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  require(descriptor >= 0 && ::write(descriptor, "x", 1) == 1, "write " + other);
  require(::syscall(choice < 2 ? SYS_syncfs : SYS_fsync, descriptor) == 0, "sync " + other);
  ::close(descriptor);
}

}  // namespace leat_power

// Replaces libc's functions, also for leat. Other functions, such as syncfs, remain the system's.

extern "C" int fsync(int descriptor) {
  return leat_power::skip_syncs ? 0 : static_cast<int>(::syscall(SYS_fsync, descriptor));
}

extern "C" int fdatasync(int descriptor) {
  return leat_power::skip_syncs ? 0 : static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
