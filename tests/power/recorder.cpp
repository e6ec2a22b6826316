// Implements recorder by FUSE.
#define FUSE_USE_VERSION 31
#include "power/recorder.hpp"

#include <fuse.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace leat_power {

/// Answers the kernel's requests.
struct requests {
  static recorder& this_recorder() {
    return *static_cast<recorder*>(fuse_get_context()->private_data);
  }

  static void* init(fuse_conn_info* /*connection*/, fuse_config* /*config*/) {
    return fuse_get_context()->private_data;
  }
  static int getattr(const char* path, struct stat* status, fuse_file_info* /*file*/) {
    const std::string_view name = path;
    if (name != "/" && name != "/disk") return -ENOENT;
    *status = {};
    status->st_nlink = 1;
    status->st_mode = name == "/" ? S_IFDIR | 0700 : S_IFREG | 0600;
    status->st_size = static_cast<off_t>(this_recorder().disk_.size());
    return 0;
  }
  static int open(const char* /*path*/, fuse_file_info* file) {
    file->direct_io = 1;  // each write arrives immediately
    return 0;
  }
  static int read(const char* /*path*/, char* into, std::size_t n, off_t at,
                  fuse_file_info* /*file*/) {
    std::memcpy(into, this_recorder().disk_.data() + at, n);
    return static_cast<int>(n);
  }
  static int write(const char* /*path*/, const char* from, std::size_t n, off_t at,
                   fuse_file_info* /*file*/) {
    recorder& self = this_recorder();
    const std::lock_guard guard(self.lock_);
    self.disk_.write(static_cast<std::uint64_t>(at), {from, n});
    if (self.recording_)
      self.events_.push_back({static_cast<std::uint64_t>(at), std::string(from, n)});
    return static_cast<int>(n);
  }
  static int fsync(const char* /*path*/, int /*only_data*/, fuse_file_info* /*file*/) {
    recorder& self = this_recorder();
    const std::lock_guard guard(self.lock_);
    if (self.recording_) self.events_.emplace_back();
    return 0;
  }
};

recorder::recorder(std::uint64_t size) : disk_(size) {
  std::string folder = std::filesystem::temp_directory_path() / "leat-power-XXXXXX";
  require(::mkdtemp(folder.data()) != nullptr, "make a folder");
  folder_ = folder;
  fuse_operations callbacks{};
  callbacks.init = requests::init;
  callbacks.getattr = requests::getattr;
  callbacks.open = requests::open;
  callbacks.read = requests::read;
  callbacks.write = requests::write;
  callbacks.fsync = requests::fsync;
  std::string name = "power_cuts";
  char* words[] = {name.data(), nullptr};
  fuse_args arguments = FUSE_ARGS_INIT(1, words);
  fuse_ = fuse_new(&arguments, &callbacks, sizeof callbacks, this);
  require(fuse_ != nullptr && fuse_mount(fuse_, folder_.c_str()) == 0, "mount by FUSE");
  server_ = std::thread([this] { fuse_loop(fuse_); });
}

recorder::~recorder() {
  ::umount(folder_.c_str());  // ends the thread's loop
  server_.join();
  fuse_unmount(fuse_);
  fuse_destroy(fuse_);
  std::error_code ignored;
  std::filesystem::remove(folder_, ignored);
}

image recorder::start_recording() {
  const std::lock_guard guard(lock_);
  recording_ = true;
  events_.clear();
  return disk_;
}

std::size_t recorder::position() {
  const std::lock_guard guard(lock_);
  return events_.size();
}

std::vector<disk_event> recorder::stop_recording() {
  const std::lock_guard guard(lock_);
  recording_ = false;
  return std::exchange(events_, {});
}

}  // namespace leat_power
