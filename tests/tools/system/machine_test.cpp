// Facts about the machine: file systems, disks, processor time and bytes written to disks.
#include "system/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "measuring/scratch_folder.hpp"

namespace bench {
namespace {

constexpr auto mounts =
    "21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "22 21 0:20 / /tmp rw - tmpfs tmpfs rw,size=1g\n"
    "23 21 8:1 / /home rw master:1 propagate_from:2 - xfs /dev/sda1 rw\n"
    "24 23 8:2 / /home/my\\040disk rw - vfat /dev/sdb1 rw\n"
    "25 21 0:21 / /twice rw - ext4 /dev/a rw\n"
    "26 25 0:22 / /twice rw - btrfs /dev/b rw\n"
    "nonsense\n";

TEST(file_system, is_that_of_the_deepest_mount) {
  EXPECT_EQ(file_system_in_mounts(mounts, "/"), "ext4");
  EXPECT_EQ(file_system_in_mounts(mounts, "/var/lib"), "ext4");
  EXPECT_EQ(file_system_in_mounts(mounts, "/tmp"), "tmpfs");
  EXPECT_EQ(file_system_in_mounts(mounts, "/tmp/a/b"), "tmpfs");
  EXPECT_EQ(file_system_in_mounts(mounts, "/home/me"), "xfs");
}

TEST(file_system, is_not_that_of_a_mount_whose_path_is_only_a_prefix_of_the_name) {
  EXPECT_EQ(file_system_in_mounts(mounts, "/tmpfiles"), "ext4");
}

TEST(file_system, may_have_a_mount_point_with_blanks) {
  EXPECT_EQ(file_system_in_mounts(mounts, "/home/my disk/x"), "vfat");
}

TEST(file_system, is_that_of_the_last_of_several_mounts_on_a_folder) {
  EXPECT_EQ(file_system_in_mounts(mounts, "/twice/x"), "btrfs");
}

TEST(file_system, is_unknown_without_a_mount_table) {
  EXPECT_EQ(file_system_in_mounts("", "/x"), "unknown");
}

TEST(file_system, is_known_by_its_magic_number_if_common) {
  EXPECT_EQ(file_system_by_magic(0xEF53), "ext4");
  EXPECT_EQ(file_system_by_magic(0x9123683E), "btrfs");
  EXPECT_EQ(file_system_by_magic(0x794C7630), "overlay");
  EXPECT_EQ(file_system_by_magic(1), "unknown");
}

TEST(machine, reports_processor_cores_memory_and_kernel) {
  const auto found = this_machine();
  EXPECT_FALSE(found.cpu.empty());
  EXPECT_GT(found.cores, 0u);
  EXPECT_GT(found.memory, 1u << 20);
  EXPECT_FALSE(found.kernel.empty());
  EXPECT_FALSE(found.flags.empty());
}

TEST(volume, reports_a_block_size) {
  EXPECT_GT(volume_of(std::filesystem::temp_directory_path()).block_size, 0u);
}

#if !defined(_WIN32)
TEST(disk, of_a_partition_is_found_by_the_device_number) {
  const scratch_folder sysfs(std::filesystem::temp_directory_path());
  const auto disk = sysfs.path() / "devices/nvme0n1";
  std::filesystem::create_directories(disk / "nvme0n1p2");
  std::filesystem::create_directories(disk / "device");
  std::filesystem::create_directories(disk / "queue");
  std::filesystem::create_directories(sysfs.path() / "dev/block");
  std::filesystem::create_symlink(disk / "nvme0n1p2", sysfs.path() / "dev/block/259:2");
  std::filesystem::create_symlink(disk, sysfs.path() / "dev/block/259:0");
  std::ofstream(disk / "nvme0n1p2/partition") << "2\n";
  std::ofstream(disk / "queue/rotational") << "1\n";
  EXPECT_EQ(disk_by_number(sysfs.path(), "259:2"), "nvme0n1");
  std::ofstream(disk / "device/model") << "Disk 970   \n";
  EXPECT_EQ(disk_by_number(sysfs.path(), "259:2"), "nvme0n1, Disk 970, rotating");
  EXPECT_EQ(disk_by_number(sysfs.path(), "259:0"), "nvme0n1, Disk 970, rotating");
  EXPECT_EQ(disk_by_number(sysfs.path(), "0:27"), "");
}
#endif

TEST(busy_seconds, exclude_idle_time_and_time_waiting_for_disks) {
  EXPECT_EQ(busy_seconds("cpu  100 20 30 9000 800 4 5 41 0 0\ncpu0 1 1 1\n", 100), 2);
  EXPECT_EQ(busy_seconds("", 100), 0);
  EXPECT_EQ(busy_seconds("cpu 1 2", 100), 0);
}

TEST(bytes_written, are_counted_in_sectors_of_512_bytes) {
  EXPECT_EQ(bytes_written_in("  154 10 1213 137  110 17 2000 66  1 15 208 44\n"), 1'024'000u);
  EXPECT_EQ(bytes_written_in("154 10 1213"), std::nullopt);
  EXPECT_EQ(bytes_written_in(""), std::nullopt);
}

}  // namespace
}  // namespace bench
