// `leat bench --submit`: reports for publication, without personal data.
#include "reporting/submission.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "system/failure.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view folder = "/home/erika/secret";

/// A session with private data in many fields.
session measured() {
  session all;
  all.version = "0.2.0";
  all.date = "2026-11-21T03:08:00Z";
  all.size = "quick";
  all.command = {"leat", "bench", "--dir", std::string(folder)};
  all.machine.cpu = "AMD EPYC 7B13";
  all.machine.cores = 2;
  all.machine.memory = (std::uint64_t{16} << 30) - 300'000'000;
  all.machine.kernel = "Linux 6.1.0-18-erikas";
  all.machine.libc = "glibc 2.36";
  all.machine.compiler = "GCC 12.2.0";
  all.machine.flags = "-O3 -I/home/erika/include";
  all.machine.optimized = true;
  auto& one = all.records.emplace_back();
  one.experiment = "print";
  one.dir = folder;
  one.volume = {"fuse.erikafs", 4096, "nvme0n1, Samsung SSD 970 PRO S463NF0M"};
  one.headline = headline{.work = "lines", .ours = "leat", .theirs = "fprintf"};
  one.result.measurements = {
      {.variant = "fprintf",
       .role = role::baseline,
       .setting = {},
       .load = {.title = "lines", .bytes = 3000, .operations = 100, .operation = "line"},
       .wall = {0.03, 0.03, 0.04},
       .cpu = {0.03, 0.03, 0.03}},
      {.variant = "leat",
       .role = role::leat,
       .setting = {},
       .load = {.title = "lines", .bytes = 3000, .operations = 100, .operation = "line"},
       .wall = {0.01, 0.01, 0.01},
       .cpu = {0.01, 0.01, 0.01}}};
  return all;
}

std::string refusal(const session& all, const std::vector<std::string>& names = {}) {
  try {
    return "taken: " + submission(all, names);
  } catch (const failure& error) {
    return error.what();
  }
}

TEST(submission, has_the_figures_and_the_kind_of_the_machine) {
  const auto text = submission(measured(), {"erika", "computer", std::string(folder)});
  for (const auto* part :
       {R"("schema": 1)", R"("leat": "0.2.0")", R"("date": "2026-11-21")", R"("size": "quick")",
        R"("cpu": "AMD EPYC 7B13")", R"("cores": 2)", R"("memory_gib": 16)",
        R"("kernel": "Linux 6.1.0")", R"("libc": "glibc 2.36")", R"("compiler": "GCC 12.2.0")",
        R"("experiment": "print")", R"("file_system": "fuse")", R"("disk": "nvme")",
        R"("usual": "fprintf")", R"("ratio": 3)", R"("variant": "leat")", R"("repetitions": 3)",
        R"("wall_seconds_median": 0.03)"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(submission, has_no_names_paths_or_serial_numbers) {
  const auto text = submission(measured(), {});
  for (const auto* part :
       {"erika", "secret", "/home", "Samsung", "S463NF0M", "--dir", "-O3", "03:08"})
    EXPECT_THAT(text, Not(HasSubstr(part)));
}

TEST(submission, is_refused_if_it_would_contain_a_name) {
  auto all = measured();
  all.machine.cpu = "Erika's processor";
  EXPECT_EQ(refusal(all, {"erika"}),
            "--submit: the published file would contain the private name 'erika'");
  all.machine.cpu = "Amerikas processor";
  EXPECT_THAT(refusal(all, {"erika"}), HasSubstr("taken: "));
}

TEST(submission, of_a_simulated_disk_or_of_an_unoptimized_build_is_refused) {
  auto all = measured();
  all.device = "hdd";
  EXPECT_EQ(refusal(all), "--submit works with the disks of this machine only");
  all = measured();
  all.machine.optimized = false;
  EXPECT_EQ(refusal(all), "--submit: this leat was built without optimisation");
}

TEST(submission, names_disks_by_their_kind) {
  EXPECT_EQ(disk_kind({"ext4", 4096, "sda, Samsung SSD"}), "ssd");
  EXPECT_EQ(disk_kind({"ext4", 4096, "sda, WD Blue, rotating"}), "hdd");
  EXPECT_EQ(disk_kind({"xfs", 4096, "vda"}), "virtual");
  EXPECT_EQ(disk_kind({"tmpfs", 4096, ""}), "memory");
  EXPECT_EQ(disk_kind({"nfs4", 4096, ""}), "network");
  EXPECT_EQ(disk_kind({"overlay", 4096, ""}), "unknown");
}

TEST(submission, keeps_the_version_number_of_a_kernel) {
  EXPECT_EQ(plain_release("Linux 6.1.0-18-amd64"), "Linux 6.1.0");
  EXPECT_EQ(plain_release("Windows build 26100, under Wine"), "Windows build 26100");
  EXPECT_EQ(plain_release("Windows"), "Windows");
}

}  // namespace
}  // namespace bench
