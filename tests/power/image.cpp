// Implements images, loop devices and mounts.
#include "power/image.hpp"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace leat_power {

namespace {

struct extent {
  std::size_t begin;
  std::size_t end;
  bool operator<(const extent& other) const { return begin < other.begin; }
};

/// Adds the parts of the file that have memory.
void add_data_extents(int descriptor, std::vector<extent>& to) {
  off_t end = 0;
  for (;;) {
    const off_t begin = ::lseek(descriptor, end, SEEK_DATA);
    if (begin < 0) return;
    end = ::lseek(descriptor, begin, SEEK_HOLE);
    to.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
  }
}

/// Makes btrfs forget a device. btrfs remembers devices by their identity, and an image that goes
/// back in time would confuse btrfs. Ignores errors: there may be no btrfs.
void forget_btrfs(const std::string& device) {
  const int control = ::open("/dev/btrfs-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return;
  btrfs_ioctl_vol_args arguments{};
  device.copy(arguments.name, sizeof arguments.name - 1);
  static_cast<void>(::ioctl(control, BTRFS_IOC_FORGET_DEV, &arguments));
  ::close(control);
}

}  // namespace

void require(bool ok, const std::string& what) {
  if (!ok) throw std::system_error(errno, std::generic_category(), what);
}

image::image(std::uint64_t size)
    : size_(size), descriptor_(::memfd_create("disk", MFD_CLOEXEC)), data_(nullptr) {
  require(descriptor_ >= 0 && ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0,
          "make an image");
  void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  require(mapped != MAP_FAILED, "map an image");
  data_ = static_cast<char*>(mapped);
}

image::image(const image& other) : image(other.size_) { restore(other); }

image::~image() {
  ::munmap(data_, size_);
  ::close(descriptor_);
}

void image::write(std::uint64_t at, std::string_view bytes) {
  std::memcpy(data_ + at, bytes.data(), bytes.size());
}

void image::restore(const image& other) {
  constexpr std::size_t page = 4096;
  // Only parts that have memory in one of the images are compared. Pages without memory are zero:
  // they were never written, or the kernel has freed their memory for a discard.
  std::vector<extent> extents;
  add_data_extents(descriptor_, extents);
  add_data_extents(other.descriptor_, extents);
  std::sort(extents.begin(), extents.end());
  std::size_t done = 0;
  for (const extent& one : extents) {
    for (std::size_t at = std::max(done, one.begin); at < one.end; at += page) {
      const std::size_t n = std::min(page, one.end - at);
      if (std::memcmp(data_ + at, other.data_ + at, n) != 0)
        std::memcpy(data_ + at, other.data_ + at, n);
    }
    done = std::max(done, one.end);
  }
}

loop_device::loop_device(int backing_file) {
  const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  require(control >= 0, "open /dev/loop-control");
  // Another program may take the free device first.
  for (int tries = 0; tries != 100; ++tries) {
    const int number = ::ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) break;
    path_ = "/dev/loop" + std::to_string(number);
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    loop_config config{};
    config.fd = static_cast<__u32>(backing_file);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (descriptor_ >= 0 && ::ioctl(descriptor_, LOOP_CONFIGURE, &config) == 0) {
      ::close(control);
      return;
    }
    if (descriptor_ >= 0) ::close(descriptor_);
    if (errno != EBUSY && errno != ENXIO) break;
  }
  const int error = errno;
  ::close(control);
  errno = error;
  require(false, "make a loop device");
}

loop_device::~loop_device() {
  ::close(descriptor_);
  forget_btrfs(path_);
}

void loop_device::drop_cache() {
  require(::ioctl(descriptor_, BLKFLSBUF) == 0, "drop the cache of " + path_);
  forget_btrfs(path_);
}

mount_guard::mount_guard(const file_system& kind, const std::string& device,
                         const std::string& folder)
    : folder_(folder), mount_errno_(0) {
  if (::mount(device.c_str(), folder.c_str(), kind.name.c_str(), MS_NOATIME,
              kind.mount_options.c_str()) != 0)
    mount_errno_ = errno;
}

mount_guard::~mount_guard() {
  if (mount_errno_ != 0) return;
  // A kernel thread may hold the mount for a moment.
  for (int tries = 0; ::umount(folder_.c_str()) != 0 && tries != 1000; ++tries) ::usleep(1000);
}

}  // namespace leat_power
